! SPDX-License-Identifier: BSD-3-Clause
!
! Loops of the kinds that compressible flow with chemistry has, as Fortran writes them: 8th-order
! differences along three axes, mixed derivatives, primitive variables, species, rates, whole
! arrays. tests/source/kernels.c has the same loops in C, and tests/source/counting.f90 has numbers
! that count: there is one nest in each subroutine, so that all three agree by name.
module constants
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: irho = 1, imx = 2, imy = 3, imz = 4, iene = 5, iry1 = 6
  integer, parameter :: nspecies = 3, ncons = 5 + nspecies
  integer, parameter :: qrho = 1, qu = 2, qv = 3, qw = 4, qpres = 5, qtemp = 6
  real(dp), parameter :: ALP = 0.8_dp, BET = -0.2_dp, GAM = 4._dp/105._dp, DEL = -1._dp/280._dp
end module constants

module stencils
  use constants, only : dp, ALP, BET, GAM, DEL
  implicit none
contains
  function first_8(u) result(d)
    real(dp), intent(in) :: u(-4:4)
    real(dp) :: d
    d = ALP*(u(1)-u(-1)) + BET*(u(2)-u(-2)) + GAM*(u(3)-u(-3)) + DEL*(u(4)-u(-4))
  end function first_8
end module stencils

module kernels
  use constants
  use stencils
  implicit none
  private
  public :: hypterm, diffterm, ctoprim, species, rates, viscosity, courant, columns
contains
  subroutine hypterm(lo, hi, ng, dxinv, u, q, f)
    integer, intent(in) :: lo(3), hi(3), ng
    real(dp), intent(in) :: dxinv(3)
    real(dp), intent(in) :: u(-ng+lo(1):hi(1)+ng,-ng+lo(2):hi(2)+ng,-ng+lo(3):hi(3)+ng,ncons)
    real(dp), intent(in) :: q(-ng+lo(1):hi(1)+ng,-ng+lo(2):hi(2)+ng,-ng+lo(3):hi(3)+ng,6)
    real(dp), intent(inout) :: f(lo(1):hi(1),lo(2):hi(2),lo(3):hi(3),ncons)
    integer :: i, j, k
    real(dp) :: unp1, unm1
    !$omp parallel do private(i,j,k,unp1,unm1)
    do k = lo(3), hi(3)
       do j = lo(2), hi(2)
          do i = lo(1), hi(1)
             unp1 = q(i+1,j,k,qu)
             unm1 = q(i-1,j,k,qu)
             f(i,j,k,irho) = f(i,j,k,irho) - &
                  (ALP*(u(i+1,j,k,imx)-u(i-1,j,k,imx)) &
                  + BET*(u(i+2,j,k,imx)-u(i-2,j,k,imx)) &
                  + GAM*(u(i+3,j,k,imx)-u(i-3,j,k,imx)) &
                  + DEL*(u(i+4,j,k,imx)-u(i-4,j,k,imx)))*dxinv(1)
             f(i,j,k,imx) = f(i,j,k,imx) - (ALP*(u(i+1,j,k,imx)*unp1-u(i-1,j,k,imx)*unm1 &
                  + (q(i+1,j,k,qpres)-q(i-1,j,k,qpres))))*dxinv(1)
             f(i,j,k,imy) = f(i,j,k,imy) - first_8(u(i,j-4:j+4,k,imy))*dxinv(2)
             f(i,j,k,imz) = f(i,j,k,imz) - first_8(u(i,j,k-4:k+4,imz))*dxinv(3)
          end do
       end do
    end do
    !$omp end parallel do
  end subroutine hypterm

  subroutine diffterm(lo, hi, ux, vy, wz, f, dx2)
    integer, intent(in) :: lo(3), hi(3)
    real(dp), intent(in), dimension(lo(1)-4:hi(1)+4,lo(2)-4:hi(2)+4,lo(3)-4:hi(3)+4) :: ux, vy, wz
    real(dp), intent(inout) :: f(lo(1):hi(1),lo(2):hi(2),lo(3):hi(3),ncons)
    real(dp), intent(in) :: dx2
    integer :: i, j, k
    real(dp) :: vyx, wzx, third
    do k=lo(3),hi(3)
       do j=lo(2),hi(2)
          do 10 i=lo(1),hi(1)
             vyx = ALP*(vy(i+1,j,k)-vy(i-1,j,k)) + BET*(vy(i+2,j,k)-vy(i-2,j,k))
             wzx = ALP*(wz(i+1,j,k)-wz(i-1,j,k)) + BET*(wz(i+2,j,k)-wz(i-2,j,k))
             third = 1._dp/3._dp
             f(i,j,k,imx) = f(i,j,k,imx) + dx2*(-ux(i,j,k) + third*(vyx+wzx))/ux(i,j,k)**2
10        continue
       end do
    end do
  end subroutine diffterm

  subroutine ctoprim(lo, hi, ng, u, q, gamma, cv)
    integer, intent(in) :: lo(3), hi(3), ng
    real(dp), intent(in) :: gamma, cv
    real(dp), intent(in) :: u(lo(1)-ng:,lo(2)-ng:,lo(3)-ng:,:)
    real(dp), intent(out) :: q(lo(1)-ng:,lo(2)-ng:,lo(3)-ng:,:)
    integer :: i, j, k
    real(dp) :: rhoinv, eint
    do k = lo(3)-ng, hi(3)+ng
       do j = lo(2)-ng, hi(2)+ng
          do i = lo(1)-ng, hi(1)+ng
             rhoinv = 1.0_dp/u(i,j,k,irho)
             q(i,j,k,qrho) = u(i,j,k,irho)
             q(i,j,k,qu) = u(i,j,k,imx)*rhoinv
             q(i,j,k,qv) = u(i,j,k,imy)*rhoinv
             q(i,j,k,qw) = u(i,j,k,imz)*rhoinv
             eint = u(i,j,k,iene)*rhoinv &
                  - 0.5_dp*(q(i,j,k,qu)**2 + q(i,j,k,qv)**2 + q(i,j,k,qw)**2)
             q(i,j,k,qpres) = (gamma-1._dp)*eint*u(i,j,k,irho)
             q(i,j,k,qtemp) = eint/cv
          enddo
       enddo
    enddo
  end subroutine ctoprim

  subroutine species(lo, hi, u, y, w)
    integer, intent(in) :: lo(3), hi(3)
    real(dp), intent(in) :: u(lo(1):hi(1),lo(2):hi(2),lo(3):hi(3),ncons)
    real(dp), intent(out) :: y(lo(1):hi(1),lo(2):hi(2),lo(3):hi(3),nspecies)
    real(dp), intent(in) :: w(nspecies)
    real(dp) :: inverse, total
    integer :: i, j, k, n
    do k = lo(3), hi(3)
       do j = lo(2), hi(2)
          do i = lo(1), hi(1)
             inverse = 1._dp/u(i,j,k,irho)
             total = 0._dp
             do n = 1, nspecies
                y(i,j,k,n) = u(i,j,k,iry1+n-1)*inverse
                total = total + y(i,j,k,n)*w(n)
             end do
             do n = 1, nspecies
                y(i,j,k,n) = y(i,j,k,n)/total
             end do
          end do
       end do
    end do
  end subroutine species

  subroutine rates(lo, hi, q, r)
    integer, intent(in) :: lo(3), hi(3)
    real(dp), intent(in) :: q(lo(1):hi(1),lo(2):hi(2),lo(3):hi(3),6)
    real(dp), intent(out) :: r(lo(1):hi(1),lo(2):hi(2),lo(3):hi(3))
    real(dp) :: t, tinv, logt, kf, kr, k0, pr, wdot(3)
    integer :: i, j, k
    do k = lo(3), hi(3)
       do j = lo(2), hi(2)
          do i = lo(1), hi(1)
             t = q(i,j,k,qtemp)
             tinv = 1._dp/t
             logt = log(t)
             kf = 3.547e15_dp*exp(-0.406_dp*logt - 8352.8934_dp*tinv)
             kr = kf/exp(7.42_dp - 1.2_dp*logt + 4.3e-4_dp*t - 1.1e-7_dp*t**2 + 3.e-11_dp*t**3)
             k0 = 6.366e20_dp*exp(-1.72_dp*logt - 264.0881_dp*tinv)
             pr = sqrt(abs(k0/kf))
             wdot(1) = kf*q(i,j,k,qrho) - kr*q(i,j,k,qpres)
             wdot(2) = max(wdot(1), 0._dp) + min(kf, kr, k0)
             wdot(3) = wdot(1) + wdot(2)*pr**(-2)
             r(i,j,k) = wdot(1) + wdot(3)
          end do
       end do
    end do
  end subroutine rates

  subroutine viscosity(lo, hi, mu, xi, lam)
    integer, intent(in) :: lo(3), hi(3)
    real(dp), intent(in) :: xi(lo(1):hi(1),lo(2):hi(2),lo(3):hi(3))
    real(dp), intent(inout), dimension(lo(1):hi(1),lo(2):hi(2),lo(3):hi(3)) :: mu, lam
    mu(:,:,:) = mu(:,:,:) + lam*xi(lo(1):hi(1),:,:) - 2._dp*lam
  end subroutine viscosity

  subroutine courant(lo, hi, q, c, dxinv, largest)
    integer, intent(in) :: lo(3), hi(3)
    real(dp), intent(in) :: q(lo(1):hi(1),lo(2):hi(2),lo(3):hi(3),6), c, dxinv(3)
    real(dp), intent(out) :: largest
    integer :: i, j, k
    real(dp) :: sound, x
    sound(x) = c*x + abs(x)
    largest = 0._dp
    do concurrent (i = lo(1):hi(1), j = lo(2):hi(2), k = lo(3):hi(3))
       largest = max(largest, sound(q(i,j,k,qu))*dxinv(1))
    end do
  end subroutine courant

  subroutine columns(n, m, a, b, x)
    integer, intent(in) :: n, m
    real(dp), intent(inout) :: a(n,m), x(n)
    real(4), intent(in) :: b(0:n-1,m)
    integer :: j
    do j = 2, m
       a(:,j) = a(:,j-1)*x + b(:,j)
    end do
  end subroutine columns
end module kernels
