#!/bin/bash
# Class: fast foreign.
# htmt analyze: shapes of Fortran codes; the numbers are those of each loop by hand.
. "$(dirname "$0")/common"
. "$root/tests/integration/nests"

command -v gfortran >/dev/null || {
    lacks gfortran 'Fortran'
    exit 77
}

# ---- drivers -------------------------------------------------------------------------------------------
# What a library that is not there gives is asked for once, by the names in the call.
cat >driver.f90 <<'END'
module solver
  use boxes
  implicit none
contains
  subroutine step(u, q)
    type(multifab), intent(inout) :: u, q
    call make(u)
    call smooth(u)
    call smooth(q)
  end subroutine
  subroutine make(u)
    type(multifab), intent(inout) :: u
    integer :: lo(3), hi(3), n, i
    double precision, pointer :: a(:)
    do n = 1, nboxes(u)
      a => dataptr(u, n)
      lo = lwb(get_box(u, n))
      hi = upb(get_box(u, n))
      do i = lo(1), hi(1)
        a(i) = a(i) + 1
      end do
    end do
  end subroutine
  subroutine smooth(u)
    type(multifab), intent(inout) :: u
    integer :: lo(3), hi(3), n, i
    double precision, pointer :: a(:)
    do n = 1, nboxes(u)
      a => dataptr(u, n)
      lo = lwb(get_box(u, n))
      hi = upb(get_box(u, n))
      do i = lo(1), hi(1)
        a(i) = a(i) + 2
      end do
    end do
  end subroutine
end module
END
analyze 1 driver.f90
[ "$(grep -c ': needed' n.yaml)" = 3 ] || fail "one box: $(cat n.yaml)"
[ "$(runs "$(sed -n 's/^  \(.*\): needed.*/\1=5/p' n.yaml | sed 's/^lo.*/&/; s/lo\(.*\)=5/lo\1=1/' | paste -sd,)" "l['operations']['add']")" = 75 ] ||
    fail "three loops of five in five boxes: $(cat n.yaml)"

# ---- select case ---------------------------------------------------------------------------------------
cat >select.f90 <<'END'
subroutine s(kind, n, a)
  integer, intent(in) :: kind, n
  double precision :: a(n)
  integer :: i
  do i = 1, n
    select case (kind)
    case default
      a(i) = a(i) + 1
    case (2:4, 7)
      a(i) = 2 * a(i)
    case (:0)
      a(i) = a(i) / 3
    end select
  end do
end subroutine
END
analyze 0 select.f90
for kind in -1 0 1 2 4 5 7 8; do
    case $kind in -1 | 0) wanted=100 ;; 2 | 4 | 7) wanted=10 ;; *) wanted=1 ;; esac
    [ "$(runs n=6,kind=$kind "l['operations']['add'] + 10 * l['operations']['mul'] + 100 * l['operations']['div']")" = $((6 * wanted)) ] ||
        fail "case $kind: $(cat n.yaml)"
done

# ---- what modules that are not given hold ---------------------------------------------------------------
# A matrix behind a section, and whole numbers that stand in sums of whole numbers: 8 * 8 + 8 and 1.
cat >guess.f90 <<'END'
subroutine diff(n, nspec, q, h, mu)
  use stencils
  implicit none
  integer, intent(in) :: n, nspec
  double precision, intent(in) :: q(-3:n+4, nspec+8), mu(-3:n+4)
  double precision, intent(out) :: h(n, nspec+8)
  double precision :: row(8)
  integer :: i, s, qyn
  do i = 1, n
    row = matmul(mu(i-4:i+3), M8)
    h(i, 1) = dot_product(row, q(i-4:i+3, qu))
  end do
  do s = 1, nspec
    qyn = qy1 + s - 1
    do i = 1, n
      h(i, s) = 2 * q(i, qyn)
    end do
  end do
end subroutine
END
analyze 1 guess.f90
! grep -q '^skipped' n.yaml && grep -q 'read q\[i, .*qy1' n.yaml || fail "guesses: $(cat err n.yaml)"
[ "$(runs n=10,nspec=3,qy1=2,qu=1 "l['operations']['mul']")" = $((10 * 72 + 30)) ] || fail "guesses: $(cat n.yaml)"
