! SPDX-License-Identifier: BSD-3-Clause
!
! Calls the subroutines of kernels.f90 with numbers that count (counting.f90).
program count_all
  use counting
  use kernels
  implicit none
  integer, parameter :: lo(3) = (/1, 1, 1/), hi(3) = (/3, 4, 5/), ng = 4
  integer, parameter :: cells = 3*4*5, wide = (3+2*ng)*(4+2*ng)*(5+2*ng)
  type(number) :: u(1-ng:3+ng,1-ng:4+ng,1-ng:5+ng,8), q(1-ng:3+ng,1-ng:4+ng,1-ng:5+ng,6)
  type(number) :: ux(-3:7,-3:8,-3:9), vy(-3:7,-3:8,-3:9), wz(-3:7,-3:8,-3:9)
  type(number) :: f(3,4,5,8), y(3,4,5,3), r(3,4,5), p(3,4,5,6), v(3,4,5,8)
  type(number) :: mu(3,4,5), xi(3,4,5), lam(3,4,5), dxinv(3), w(3), x, a(7,6), z(7)
  real(4) :: b(0:6,6)
  b = 1
  call hypterm(lo, hi, ng, dxinv, u, q, f)
  call tell('hypterm', cells)
  call diffterm(lo, hi, ux, vy, wz, f, x)
  call tell('diffterm', cells)
  call ctoprim(lo, hi, ng, u, q, x, x)
  call tell('ctoprim', wide)
  call species(lo, hi, v, y, w)
  call tell('species', cells)
  call rates(lo, hi, p, r)
  call tell('rates', cells)
  call viscosity(lo, hi, mu, xi, lam)
  call tell('viscosity', cells)
  call columns(7, 6, a, b, z)
  call tell('columns', 7*5)
end program count_all
