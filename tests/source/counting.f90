! SPDX-License-Identifier: BSD-3-Clause
!
! Numbers that count what is done with them, for the loops of kernels.f90: its subroutines are
! compiled with this type in the place of real(dp), and called once each. A line for each: its name,
! the iterations of its body, additions, multiplications, divisions and functions.
module counting
  implicit none
  integer, parameter :: r8 = kind(1.0d0)
  type number
     real(r8) :: v = 1.5_r8
  end type number
  integer, save :: adds = 0, muls = 0, divs = 0, functions = 0
  interface assignment(=)
     module procedure set
  end interface
  interface operator(+)
     module procedure add_nn, add_nr, add_rn, add_ns
  end interface
  interface operator(-)
     module procedure sub_nn, sub_nr, sub_rn, minus
  end interface
  interface operator(*)
     module procedure mul_nn, mul_nr, mul_rn
  end interface
  interface operator(/)
     module procedure div_nn, div_rn
  end interface
  interface operator(**)
     module procedure power
  end interface
  interface abs
     module procedure abs_n
  end interface
  interface sqrt
     module procedure sqrt_n
  end interface
  interface exp
     module procedure exp_n
  end interface
  interface log
     module procedure log_n
  end interface
  interface max
     module procedure max_nr
  end interface
  interface min
     module procedure min_nnn
  end interface
contains
  impure elemental subroutine set(a, b)
    type(number), intent(out) :: a
    real(r8), intent(in) :: b
    a%v = b
  end subroutine set
  impure elemental function added(v) result(c)
    real(r8), intent(in) :: v
    type(number) :: c
    adds = adds + 1
    c%v = v
  end function added
  impure elemental function multiplied(v) result(c)
    real(r8), intent(in) :: v
    type(number) :: c
    muls = muls + 1
    c%v = v
  end function multiplied
  impure elemental function divided(v) result(c)
    real(r8), intent(in) :: v
    type(number) :: c
    divs = divs + 1
    c%v = v
  end function divided
  impure elemental function called(v) result(c)
    real(r8), intent(in) :: v
    type(number) :: c
    functions = functions + 1
    c%v = v
  end function called
  impure elemental function add_nn(a, b) result(c)
    type(number), intent(in) :: a, b
    type(number) :: c
    c = added(a%v + b%v)
  end function add_nn
  impure elemental function add_nr(a, b) result(c)
    type(number), intent(in) :: a
    real(r8), intent(in) :: b
    type(number) :: c
    c = added(a%v + b)
  end function add_nr
  impure elemental function add_rn(a, b) result(c)
    real(r8), intent(in) :: a
    type(number), intent(in) :: b
    type(number) :: c
    c = added(a + b%v)
  end function add_rn
  impure elemental function add_ns(a, b) result(c)
    type(number), intent(in) :: a
    real(4), intent(in) :: b
    type(number) :: c
    c = added(a%v + b)
  end function add_ns
  impure elemental function sub_nn(a, b) result(c)
    type(number), intent(in) :: a, b
    type(number) :: c
    c = added(a%v - b%v)
  end function sub_nn
  impure elemental function sub_nr(a, b) result(c)
    type(number), intent(in) :: a
    real(r8), intent(in) :: b
    type(number) :: c
    c = added(a%v - b)
  end function sub_nr
  impure elemental function sub_rn(a, b) result(c)
    real(r8), intent(in) :: a
    type(number), intent(in) :: b
    type(number) :: c
    c = added(a - b%v)
  end function sub_rn
  impure elemental function minus(a) result(c)
    type(number), intent(in) :: a
    type(number) :: c
    c%v = -a%v
  end function minus
  impure elemental function mul_nn(a, b) result(c)
    type(number), intent(in) :: a, b
    type(number) :: c
    c = multiplied(a%v*b%v)
  end function mul_nn
  impure elemental function mul_nr(a, b) result(c)
    type(number), intent(in) :: a
    real(r8), intent(in) :: b
    type(number) :: c
    c = multiplied(a%v*b)
  end function mul_nr
  impure elemental function mul_rn(a, b) result(c)
    real(r8), intent(in) :: a
    type(number), intent(in) :: b
    type(number) :: c
    c = multiplied(a*b%v)
  end function mul_rn
  impure elemental function div_nn(a, b) result(c)
    type(number), intent(in) :: a, b
    type(number) :: c
    c = divided(a%v/b%v)
  end function div_nn
  impure elemental function div_rn(a, b) result(c)
    real(r8), intent(in) :: a
    type(number), intent(in) :: b
    type(number) :: c
    c = divided(a/b%v)
  end function div_rn
  ! x**n by products, and a division if n is below 0.
  impure elemental function power(a, n) result(c)
    type(number), intent(in) :: a
    integer, intent(in) :: n
    type(number) :: c
    integer :: i
    c = a
    do i = 2, abs(n)
       c = a*c
    end do
    if (n < 0) c = 1._r8/c
  end function power
  impure elemental function abs_n(a) result(c)
    type(number), intent(in) :: a
    type(number) :: c
    c = added(abs(a%v))
  end function abs_n
  impure elemental function sqrt_n(a) result(c)
    type(number), intent(in) :: a
    type(number) :: c
    c = called(sqrt(abs(a%v)))
  end function sqrt_n
  impure elemental function exp_n(a) result(c)
    type(number), intent(in) :: a
    type(number) :: c
    c = called(1.5_r8)
    c%v = c%v + 0._r8*a%v
  end function exp_n
  impure elemental function log_n(a) result(c)
    type(number), intent(in) :: a
    type(number) :: c
    c = called(log(1._r8 + abs(a%v)))
  end function log_n
  impure elemental function max_nr(a, b) result(c)
    type(number), intent(in) :: a
    real(r8), intent(in) :: b
    type(number) :: c
    c = added(max(a%v, b))
  end function max_nr
  impure elemental function min_nnn(a, b, c) result(d)
    type(number), intent(in) :: a, b, c
    type(number) :: d
    d = added(min(a%v, b%v))
    d = added(min(d%v, c%v))
  end function min_nnn
  subroutine tell(name, cells)
    character(len=*), intent(in) :: name
    integer, intent(in) :: cells
    print '(a,5(1x,i0))', name, cells, adds, muls, divs, functions
    adds = 0
    muls = 0
    divs = 0
    functions = 0
  end subroutine tell
end module counting
