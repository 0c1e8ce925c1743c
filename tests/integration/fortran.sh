#!/bin/bash
# Class: fast foreign.
# htmt analyze: loops of Fortran agree with the same loops in C, with numbers that count, and with
# what the source says; what is missing or wrong is named in one line.
. "$(dirname "$0")/common"

if [ ! -x "$(dirname "$HTMT")/htmt-analyze" ]; then
    lacks 'libclang or isl' 'htmt-analyze'
    exit 77
fi
echo 'end' >x.f90
if ! command -v gfortran >/dev/null; then
    expect 4 "$HTMT" analyze x.f90 --nests n.yaml
    grep -q 'needs gfortran' err || fail "without gfortran: $(cat err)"
    lacks 'gfortran' 'Fortran'
    exit 77
fi
mkdir none
PATH=$PWD/none expect 4 "$HTMT" analyze x.f90 --nests n.yaml
[ "$(wc -l <err)" = 1 ] && grep -q 'x.f90: Fortran needs gfortran' err ||
    fail "without gfortran: $(cat err)"
# A mistake in memory must not take the host's.
[ -n "${SANITIZE-}" ] || ulimit -v 8000000 2>/dev/null || :

# analyze STATUS FILE...: its nests in the file n.yaml.
analyze() {
    local wanted=$1
    shift
    expect "$wanted" "$HTMT" analyze "$@" --nests n.yaml
    [ ! -s out ] || fail "output: $(cat out)"
}

# nest NAME: the lines of that nest.
nest() {
    awk -v head="  $1:" '$0 == head { on = 1; next } on && /^(  )?[a-z]/ { exit } on' n.yaml
}

# refuses STATUS TEXT FILE...: in one line.
refuses() {
    local wanted=$1 text=$2
    shift 2
    rm -f n.yaml
    expect "$wanted" "$HTMT" analyze "$@" --nests n.yaml
    [ "$(wc -l <err)" = 1 ] && grep -qF -- "$text" err || fail "'$text' is not the line: $(cat err)"
}

# ---- the same loops in Fortran and in C ------------------------------------------------------------
# shape FILE: each nest's name, loops, operations and references, those of Fortran with their axes
# turned round. Names that one of both files tells apart by a number count as one.
shape() {
    awk -v turn="$(grep -c '^unit-stride: first' "$1")" '
        /^[a-z]/ { on = $0 == "nests:" }
        !on { next }
        /^  [a-z]/ { name = $1 }
        /^      [a-z_]+: "[^{]*\.\./ || /^    ops: / { print name, $0 }
        /^      - "/ {
            gsub(/[" -]*$|^ *- "/, ""); gsub(/\.f[0-9]*/, "")
            if (turn > 0 && match($0, /\[.*\]/)) {
                before = substr($0, 1, RSTART); after = substr($0, RSTART + RLENGTH - 1)
                n = split(substr($0, RSTART + 1, RLENGTH - 2), axis, ", ")
                $0 = before axis[n]
                while (--n) $0 = $0 ", " axis[n]
                $0 = $0 after
            }
            print name, $0
        }' "$1" | sort
}
analyze 0 "$root/tests/source/kernels.f90"
cp n.yaml kernels.yaml
analyze 0 "$root/tests/source/kernels.c"
shape kernels.yaml >fortran
shape n.yaml >c
diff fortran c >difference || fail "Fortran and C: $(cat difference)"
[ "$(wc -l <fortran)" -gt 110 ] || fail "only $(wc -l <fortran) facts"

# And the same words move, in memories of all sizes.
cp n.yaml kernels-c.yaml
values=lo_1=5,lo_2=5,lo_3=5,hi_1=68,hi_2=68,hi_3=68,ng=4,n=64,m=64
for capacity in 16KiB $(only_memory || echo 256KiB 4MiB); do
    expect 0 "$HTMT" bound kernels.yaml --machine exasat-listing1 --cache $capacity --param $values --csv f.csv
    expect 0 "$HTMT" bound kernels-c.yaml --machine exasat-listing1 --cache $capacity \
        --param $values,nx=73,ny=73,nz=73 --csv c.csv
    for file in f c; do
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["loop"], $at["words_a_cell"] }' $file.csv >$file
    done
    diff f c >difference || fail "words in $capacity: $(cat difference)"
    [ "$(wc -l <f)" = 8 ] || fail "not 8 loops: $(cat f)"
done
grep -q '^  b: .*word: 4 B' kernels.yaml || fail "real(4): $(grep ' b:' kernels.yaml)"

# Components lie behind all subscripts, as the last axis of a Fortran array does.
grep -qF 'components: "8", component-axis: 3' kernels.yaml || fail "components: $(grep components kernels.yaml)"

# ---- other versions of gfortran print what this one prints ---------------------------------------
for other in /usr/bin/gfortran-[0-9]*; do
    mkdir -p "version/${other##*-}"
    ln -sf "$other" "version/${other##*-}/gfortran"
    PATH=$PWD/version/${other##*-}:$PATH analyze 0 "$root/tests/source/kernels.f90"
    cmp -s n.yaml kernels.yaml || fail "$other: $(diff kernels.yaml n.yaml)"
done

# ---- counts: those of numbers that count --------------------------------------------------------
sed -e '/^module constants/,/^end module/!s/real(dp)/type(number)/' \
    -e '/do concurrent/,/end do/d; /sound/d' \
    -e 's/^  use constants\(, only.*\)\{0,1\}$/  use counting\n&/' "$root/tests/source/kernels.f90" >numbers.f90
gfortran -w -o counted "$root/tests/source/counting.f90" numbers.f90 "$root/tests/source/counted.f90" ||
    fail 'counted.f90'
cp kernels.yaml n.yaml
while read -r name cells wanted; do
    found=
    for class in add mul div; do
        each=$(nest "$name" | sed -n "s/^    ops: .*\\b$class: \"\\([0-9]*\\)\".*/\\1/p")
        found+=" $((cells * ${each:-0}))"
    done
    each=$(nest "$name" | sed -n 's/.*functions: {\(.*\)}}/\1/p' | tr -dc '0-9\n"' | sed 's/""/+/g; s/"//g; s/10//')
    [ "${found# } $((cells * (${each:-0})))" = "$wanted" ] || fail "$name: read$found, counted $wanted"
    echo "$name" >>done
done < <(./counted)
[ "$(wc -l <done)" = 7 ] || fail "only these were counted: $(cat done)"
# Module files of that build lie here now, of other types; they are not taken.
[ -e stencils.mod ] || fail 'no module files'
analyze 0 "$root/tests/source/kernels.f90"
cmp -s n.yaml kernels.yaml || fail "by module files of a build: $(diff kernels.yaml n.yaml)"

# ---- the loops of ExaSAT's nest files, written in Fortran --------------------------------------------
cat >lap.f90 <<'END'
subroutine laplacian(n, a0, anext, alpha, beta)
  integer, intent(in) :: n
  double precision, intent(in) :: alpha, beta, a0(-8:n+7,-8:n+7,-8:n+7)
  double precision, intent(out) :: anext(-8:n+7,-8:n+7,-8:n+7)
  integer :: i, j, k
  do k = 0, n-1
    do j = 0, n-1
      do i = 0, n-1
        anext(i,j,k) = alpha*a0(i,j,k) + beta*(a0(i-1,j,k) + a0(i+1,j,k) + a0(i,j-1,k) &
             + a0(i,j+1,k) + a0(i,j,k-1) + a0(i,j,k+1))
      end do
    end do
  end do
end subroutine
END
cat >grad.f90 <<'END'
subroutine grad(n, u, x, y, z, c)
  integer, intent(in) :: n
  double precision, intent(in) :: u(-8:n+7,-8:n+7,-8:n+7), c(3)
  double precision, intent(out), dimension(-8:n+7,-8:n+7,-8:n+7) :: x, y, z
  integer :: i, j, k
  do concurrent (i = 0:n-1, j = 0:n-1, k = 0:n-1)
    x(i,j,k) = c(1)*(u(i+1,j,k) - u(i-1,j,k))
    y(i,j,k) = c(2)*(u(i,j+1,k) - u(i,j-1,k))
    z(i,j,k) = c(3)*(u(i,j,k+1) - u(i,j,k-1))
  end do
end subroutine
END
for kernel in lap grad; do
    analyze 0 $kernel.f90
    for how in '--rule exasat --machine exasat-sheet' '--machine exasat-listing1 --cache 256KiB' '--machine exasat-listing1'; do
        # shellcheck disable=SC2086
        expect 0 "$HTMT" bound n.yaml --param n=384 $how --block 16,16,0 --csv f.csv
        # shellcheck disable=SC2086
        expect 0 "$HTMT" bound exasat-$kernel $how --block 16,16,0 --csv e.csv
        for file in f e; do
            awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                { print $at["cells"], $at["add"], $at["mul"], $at["traffic_bytes"], $at["bound_fs"] }' $file.csv >$file
        done
        cmp -s f e || fail "$kernel $how: $(cat f e)"
        [ "$(tr -d ' \n' <f | wc -c)" -gt 30 ] || fail "no figures: $(cat f f.csv)"
    done
done

# ---- a program of several files: modules, calls, repeats -------------------------------------------
# The user of a module may stand before it; bounds are in small arrays.
cat >program.f90 <<'END'
program main
  use grid
  use smoother
  implicit none
  integer :: lo(2), hi(2), step, steps
  real(dp), allocatable :: u(:,:), v(:,:)
  read (*,*) n, steps
  lo = (/ 1, 1 /)
  hi = n
  allocate(u(0:n+1,0:n+1), v(0:n+1,0:n+1))
  u = 0
  do step = 1, steps
     call smooth(lo, hi, u, v)
     call smooth(lo, hi, v, u)
     call chemistry(u)
     if (mod(step, 10) == 0) print *, step
  end do
end program
END
cat >smoother.f90 <<'END'
module smoother
  use grid, only : real_kind => dp
  implicit none
contains
  subroutine smooth(lo, hi, from, to)
    integer, intent(in) :: lo(:), hi(:)
    real(real_kind), intent(in) :: from(lo(1)-1:,lo(2)-1:)
    real(real_kind), intent(out) :: to(lo(1)-1:hi(1)+1,lo(2)-1:hi(2)+1)
    integer :: i, j
    do j = lo(2), hi(2)
       do i = lo(1), hi(1)
          to(i,j) = 0.25_real_kind*(from(i-1,j) + from(i+1,j) + from(i,j-1) + from(i,j+1))
       end do
    end do
  end subroutine
end module
END
cat >grid.f90 <<'END'
module grid
  implicit none
  integer, parameter :: dp = selected_real_kind(15)
  integer :: n
end module
END
analyze 0 program.f90 smoother.f90 grid.f90
sed -n '/^procedures:/,$p' n.yaml >found
cat >wanted <<'END'
procedures:
  chemistry: {parameters: [], arrays: [a1], unknown: true}
  smooth:
    parameters: [lo_1_2, lo_2_2, hi_1_2, hi_2_2]
    arrays: [from, to]
    program:
      - nest: smooth

program:
  - nest: main
  - repeat: "steps"
    do:
      - call: smooth
        with: {lo_1_2: "1", lo_2_2: "1", hi_1_2: "n", hi_2_2: "n", from: "u", to: "v"}
      - call: smooth
        with: {lo_1_2: "1", lo_2_2: "1", hi_1_2: "n", hi_2_2: "n", from: "v", to: "u"}
      - call: chemistry
        with: {a1: "u"}
END
cmp -s wanted found || fail "the program: $(diff wanted found)"
grep -qF 'u: {box: ["0..n+1", "0..n+1"]}' n.yaml || fail "bounds of u: $(grep ' u:' n.yaml)"
expect 0 "$HTMT" bound n.yaml --machine exasat-listing1 --param n=100,steps=10
[ "$(grep -cE '^  smooth +10 ' out)" = 2 ] || fail "not 20 times: $(cat out)"

# ---- modules that are not there --------------------------------------------------------------------
# A driver in the manner of libraries of boxes: kinds, types, functions, constants and indices come
# from modules that are not given. Its kernel is read, in one line that says so.
cat >advance.f90 <<'END'
module advance_module
  use bl_types
  use multifab_module
  use variables, only : irho, imx, qu => first
  implicit none
  private
  integer, parameter :: ncons = 5
contains
  subroutine advance (U, dx)
    use bl_prof_module
    type(multifab), intent(inout) :: U
    real(dp_t), intent(in) :: dx(U%dim)
    integer :: lo(U%dim), hi(U%dim), n, ng
    type(layout) :: la
    type(multifab) :: D
    real(dp_t), pointer, dimension(:,:,:,:) :: up, dp
    type(bl_prof_timer), save :: timer
    ng = nghost(U)
    la = get_layout(U)
    call multifab_build(D, la, ncons, 0)
    do n=1,nboxes(U)
       if ( remote(U,n) ) cycle
       up => dataptr(U,n)
       dp => dataptr(D,n)
       lo = lwb(get_box(U,n))
       hi = upb(get_box(U,n))
       call flux(lo,hi,ng,dx,up,dp)
    end do
    call destroy(D)
  end subroutine advance
  subroutine flux(lo,hi,ng,dx,cons,f)
    integer, intent(in) :: lo(3), hi(3), ng
    real(dp_t), intent(in) :: dx(3)
    real(dp_t), intent(in) :: cons(-ng+lo(1):hi(1)+ng,-ng+lo(2):hi(2)+ng,-ng+lo(3):hi(3)+ng,ncons)
    real(dp_t), intent(out) :: f(lo(1):hi(1),lo(2):hi(2),lo(3):hi(3),ncons)
    integer :: i,j,k
    real(dp_t) :: dxinv(3)
    do i=1,3
       dxinv(i) = ONE / dx(i)
    end do
    do k=lo(3),hi(3)
       do j=lo(2),hi(2)
          do i=lo(1),hi(1)
             f(i,j,k,irho) = 0.5_dp_t*(cons(i+1,j,k,imx)-cons(i-1,j,k,imx))*dxinv(1)
             f(i,j,k,imx) = weight(imx)*cons(i,j,k,qu) - deriv(cons(i,j-1:j+1,k,imx))
          enddo
       enddo
    enddo
  end subroutine flux
end module advance_module
END
analyze 1 advance.f90
grep -qF "advance.f90:2:3: found no modules 'bl_types', 'multifab_module', 'variables', 'bl_prof_module'" err ||
    fail "missing modules: $(cat err)"
nest flux.43 >found
for line in 'add: "2", mul: "3", functions: {deriv: "1"}' '"read cons:imx-1[i+1, j, k]"' \
    '"read cons:imx-1[i, j-1, k]"' '"read cons:qu-1[i, j, k]"' '"write f:irho-1[i, j, k]"'; do
    grep -qF -- "$line" found || fail "no line $line: $(cat found)"
done
grep -qF 'repeat: "nboxes"' n.yaml || fail "boxes: $(cat n.yaml)"
grep -qF 'hi_3_2: "hi_3", ng_2: "ng", dx: "dx", cons: "up", f: "dp"}' n.yaml || fail "the call: $(cat n.yaml)"
expect 1 "$HTMT" bound n.yaml --machine exasat-listing1 \
    --param nboxes=8,ng=4,lo_1=0,lo_2=0,lo_3=0,hi_1=31,hi_2=31,hi_3=31,imx=2,irho=1,qu=2
grep -qE '^  flux.43 +8 ' out || fail "not 8 boxes: $(cat out)"
# Nothing else is left out: the line is the only one.
sed '/cycle$/d' advance.f90 >x.f90
refuses 1 'what their names stand for is guessed' x.f90
# A statement that no guess can save takes its loop along, and no other one.
sed 's/weight(imx)/odd%part%of(imx)/' advance.f90 >x.f90
analyze 1 x.f90
grep -qE "x.f90:45:14: found a statement that gfortran does not read: .*odd" err || fail "lost: $(cat err)"
grep -qF 'flux:' n.yaml || fail "the other loop: $(cat n.yaml)"

# A driver that chooses by settings, leaves out arguments, reports errors: no kernel is lost.
cat >driver.f90 <<'END'
module driver
  use boxes
  implicit none
contains
  subroutine advance(u, dx)
    type(multifab), intent(inout) :: u
    real(8), intent(in) :: dx(3)
    if (has_nan(u)) then
       call bl_error('no such method')
    else
       call step(u, dx)
       call step(u, dx, courant=.true.)
    end if
  end subroutine
  subroutine step(u, dx, courant)
    type(multifab), intent(inout) :: u
    real(8), intent(in) :: dx(3)
    logical, intent(in), optional :: courant
    integer :: n, lo(3), hi(3), ulo(4), uhi(4)
    real(8), pointer :: up(:,:,:,:)
    do n = 1, nfabs(u)
       up => dataptr(u, n)
       ulo = lbound(up)
       uhi = ubound(up)
       lo = valid_lo(n)
       hi = valid_hi(n)
       call kernel(lo, hi, dx, up, ulo(1:3), uhi(1:3))
    end do
  end subroutine
  subroutine kernel(lo, hi, dx, u, ulo, uhi)
    integer, intent(in) :: lo(3), hi(3), ulo(3), uhi(3)
    real(8), intent(in) :: dx(3)
    real(8), intent(inout) :: u(ulo(1):uhi(1),ulo(2):uhi(2),ulo(3):uhi(3),5)
    integer :: i, j, k
    do k = lo(3), hi(3)
       do j = lo(2), hi(2)
          do i = lo(1), hi(1)
             if (u(i,j,k,1) <= 0) call bl_error('negative')
             u(i,j,k,2) = u(i,j,k,2)*dx(1)
          end do
       end do
    end do
  end subroutine
end module
END
analyze 1 driver.f90
grep -qF 'driver.f90:8:5: found a branch that data decide, whose loops all count once' err ||
    fail "a choice: $(cat err)"
[ "$(wc -l <err)" = 3 ] || fail "more is left out: $(cat err)"
[ "$(grep -c 'call: kernel' n.yaml)" = 2 ] && grep -qF 'ulo_1: "up_l1"' n.yaml || fail "calls: $(cat n.yaml)"
nest kernel | grep -qF 'ops: {mul: "1"}' || fail "the kernel: $(cat n.yaml)"
# A setting that is not seen is such a choice, too.
sed 's/has_nan(u)/method == 2/' driver.f90 >x.f90
analyze 1 x.f90
[ "$(grep -c 'call: kernel' n.yaml)" = 2 ] || fail "a choice by a setting: $(cat n.yaml)"

# A file that is included and not there; a module that stays broken, and its user.
cat >broken.f90 <<'END'
module settings
  use nowhere
  implicit none
  include 'mpif.h'
  integer :: comm = MPI_COMM_WORLD
  real(dp), parameter :: big = oops(3)
end module
module user
  use settings
contains
  subroutine twice(n, a)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n)
    integer :: i, error
    do i = 1, n
       a(i) = 2*a(i)
    end do
    call mpi_barrier(comm, error)
  end subroutine
end module
END
refuses 1 "found no modules 'nowhere', 'mpif.h', 'settings'" broken.f90
nest twice | grep -qF 'ops: {mul: "1"}' || fail "behind a broken module: $(cat n.yaml)"

# ---- forms of source -------------------------------------------------------------------------------
# Fixed form with continuation, labels that loops share, arithmetic on indices; common blocks.
cat >old.f <<'END'
C     a comment
      subroutine relax(n, a, b)
      integer n
      double precision a(n, n), b(n, n)
      double precision w
      common /weights/ w
      do 20 j = 2, n - 1
      do 20 i = 2, n - 1
   20 b(i, j) = w * (a(i - 1, j) + a(i + 1, j) +
     &           a(i, j - 1) + a(i, j + 1))
      do 30 k = 1, 3
         do 30 i = 1, n
            b(i, k) = 0.0d0
   30 continue
      end
END
analyze 0 old.f
nest relax.8 >found
for line in 'line: 8' 'j: "2..n-1"' 'i: "2..n-1"' 'ops: {add: "3", mul: "1"}' '"read a[i-1, j]"' \
    'w: {kind: fp, loads: "1", stores: "0"}'; do
    grep -qF -- "$line" found || fail "fixed form: no $line: $(cat n.yaml)"
done
nest relax.12 | grep -qF '"write b[i, k]"' ||
    fail "labels: $(cat n.yaml)"

# Lines longer than 72 columns, which compilers take by an option.
cat >wide.f <<'END'
      subroutine wide(n, a, b)
      double precision a(n), b(n)
      do i = 1, n
         a(i) = a(i) * b(i) + b(i) * b(i) + a(i) * a(i) * 2.0d0 + b(i) * 3.0d0 + 1.0d0
      end do
      end
END
analyze 0 wide.f
nest wide | grep -qF 'ops: {add: "4", mul: "5"}' || fail "long lines: $(nest wide)"

# The preprocessor, with options and an included file; lines are those of the source.
mkdir -p include
echo '#define WIDTH 2' >include/width.h
cat >cpp.F90 <<'END'
#include "width.h"
#ifdef SINGLE
#define REAL_KIND 4
#else
#define REAL_KIND 8
#endif
subroutine shift(n, a, b)
  integer, intent(in) :: n
  real(REAL_KIND), intent(inout) :: a(n), b(n)
  integer :: i; integer :: j
  do i = 1 + WIDTH, n
     a(i) = b(i-WIDTH); b(i) = 2*a(i)
  end do
end subroutine
END
analyze 0 cpp.F90 -DSINGLE -Iinclude
grep -q 'a: {box: \["n"\]' n.yaml && fail 'a box from 0'
grep -qF 'a: {box: ["1..n"], word: 4 B' n.yaml || fail "words of 4 bytes: $(cat n.yaml)"
nest shift | grep -qF '"read b[i-2]"' || fail "an included constant: $(nest shift)"
nest shift | grep -qF 'line: 11' || fail "a line behind the preprocessor: $(nest shift)"
analyze 0 cpp.F90 -Iinclude
grep -q 'word: 4 B' n.yaml && fail 'words of 8 bytes'

# ---- statements ------------------------------------------------------------------------------------
cat >forms.f90 <<'END'
module types
  type field
    real(8), allocatable :: rho(:,:), v(:)
    integer :: nx
  end type
contains
  subroutine parts(s, n)
    type(field), intent(inout) :: s
    integer, intent(in) :: n
    integer :: i, j
    do j = 1, n
       do i = 1, s%nx
          s%rho(i,j) = s%rho(i,j)*s%v(i)
       end do
    end do
  end subroutine
  subroutine masks(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    where (a > 0)
       b = a/2
    elsewhere
       b = 3*a
    end where
  end subroutine
  subroutine sums(n, m, a, b, total)
    integer, intent(in) :: n, m
    real(8), intent(in) :: a(n,m), b(n)
    real(8), intent(out) :: total
    total = sum(a(2:n,:)) + dot_product(b, b)
  end subroutine
  subroutine named(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,n)
    integer :: i, j
    outer: do j = 1, n
       do i = 1, n
          if (a(i,j) < 0) cycle outer
          a(i,j) = 1
       end do
    end do outer
    do i = 1, n
       select case (i)
       case (1)
          a(i,1) = 2
       case default
          a(i,1) = 3
       end select
    end do
    do while (a(1,1) > 0)
       do i = 1, n
          a(i,1) = a(i,1) - 1
       end do
    end do
    do i = n, 1, -1
       a(i,2) = a(i,3)**2
    end do
    a(1:n:2,3) = a(2:n:2,3)
    associate (row => a(2,:))
       do i = 1, n
          row(i) = row(i) + 1
       end do
    end associate
  end subroutine
end module
END
analyze 1 forms.f90
for fact in 'parts "read s.rho[i, j]"' 'parts "read s.v[i]"' 'masks ops: {mul: "1", div: "1"}' \
    'sums.30 j: "1..m"' 'sums.30 i: "2..n"' 'sums.30 ops: {add: "1"}' 'sums.30.2 ops: {add: "1", mul: "1"}' \
    'named.51 ops: {add: "1"}' 'named.55 "read a.f2[i, 3]"' 'named.55 ops: {mul: "1"}' \
    'named.58 i: "0..floor((n-1)/2)"' 'named.58 "write a.f2[2*i+1, 3]"' 'named.60 "read a.f2[2, i]"'; do
    nest "${fact%% *}" | grep -qF -- "${fact#* }" || fail "$fact: $(cat n.yaml err)"
done
grep -q 'forms.f90:38:11: found cycle' err || fail "a named cycle: $(cat err)"
! grep -q 'forms.f90:4[3-9]' err || fail "select case: $(cat err)"
grep -q 'forms.f90:50:5: found do while, whose loops count once' err || fail "do while: $(cat err)"

# Functions of arrays: one whose value is an array, transposes, sections that are handed over.
cat >arrays.f90 <<'END'
subroutine arrays(n, m, a, b, c, d)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n,n), b(m), c(n,n,m), d(m)
  integer :: k
  b = twice(b)
  a = transpose(a)
  a = a*sum(b)
  d(2:m) = sum(a(:,2:m), dim=1)
  do k = 1, m
     call smooth(c(2:n-1,:,k), n-2, n)
     call smooth(c(:,:,k), n, n)
  end do
contains
  function twice(x) result(y)
    real(8), intent(in) :: x(:)
    real(8) :: y(size(x))
    y = 2*x
  end function
  subroutine smooth(u, nx, ny)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: u(nx,ny)
    integer :: i, j
    do j = 1, ny
       do i = 2, nx
          u(i,j) = u(i,j) + u(i-1,j)
       end do
    end do
  end subroutine
end subroutine
END
analyze 0 arrays.f90
for fact in 'arrays.18 "read b[i]"' 'arrays.18 "write b[i]"' 'arrays.18 ops: {mul: "1"}' \
    'arrays.7 "read a[j, i]"' 'arrays.7 "write a[i, j]"' 'arrays.8 "read b[i]"' 'arrays.8.2 ops: {mul: "1"}' \
    'arrays.25 "read c[i, j, k]"' 'arrays.25 i: "2..n-2"' 'arrays.25 "read c[i+1, j, k]"' \
    'arrays.9 "write d[i]"' 'arrays.9.2 "read a[s, i]"' 'arrays.9.2 s: "1..n"' 'arrays.9.2 i: "2..m"'; do
    nest "${fact%% *}" | grep -qF -- "${fact#* }" || fail "$fact: $(cat n.yaml err)"
done

# ---- C that f2c makes of Fortran: subscripts from 1, through pointers before their arrays --------
cat >f2c.c <<'END'
typedef long int integer;
typedef double doublereal;
int relax_(integer *n, integer *m, doublereal *a, doublereal *b, doublereal *x)
{
    integer a_dim1, a_offset, b_dim1, b_offset, i__1, i__2;
    doublereal d__1;
    integer i__, j;
    b_dim1 = *n;
    b_offset = 1 + b_dim1;
    b -= b_offset;
    a_dim1 = *n;
    a_offset = 1 + a_dim1;
    a -= a_offset;
    --x;
    i__1 = *m - 1;
    for (j = 2; j <= i__1; ++j) {
        i__2 = *n - 1;
        for (i__ = 2; i__ <= i__2; ++i__) {
            d__1 = x[i__];
            b[i__ + j * b_dim1] = (a[i__ - 1 + j * a_dim1] + a[i__ + 1 + j * a_dim1] +
                                   a[i__ + (j - 1) * a_dim1] + a[i__ + (j + 1) * a_dim1]) *
                                  (d__1 * d__1);
        }
    }
    return 0;
}
END
cat >f2c.f <<'END'
      subroutine relax(n, m, a, b, x)
      integer n, m
      double precision a(n, m), b(n, m), x(n)
      do 10 j = 2, m - 1
         do 10 i = 2, n - 1
            b(i, j) = (a(i - 1, j) + a(i + 1, j)
     &           + a(i, j - 1) + a(i, j + 1)) * x(i)**2
   10 continue
      end
END
analyze 0 f2c.f
shape n.yaml | sed 's/^relax:/relax_:/; s/\bi\b/i__/g' >fortran
analyze 0 f2c.c
# C counts subscripts from 0, and finds sizes by their places: n_0 is n.
shape n.yaml | sed 's/\([nm]\)_0/\1/g' >c
[ "$(grep -c ops: c)" = 1 ] && diff <(grep -v '\[' fortran) <(grep -v '\[' c) >difference ||
    fail "f2c: $(cat difference)"
for fact in 'read a[j-1, i__-2]' 'read a[j-1, i__]' 'read a[j-2, i__-1]' 'read a[j, i__-1]' \
    'read x[i__-1]' 'write b[j-1, i__-1]'; do
    grep -qF "relax_: $fact" c || fail "f2c: no $fact: $(cat c)"
done
[ "$(wc -l <c)" = "$(wc -l <fortran)" ] || fail "f2c: $(diff c fortran)"

# ---- one array, two views of its axes ----------------------------------------------------------------
# flux sees five components, the sum all nc of them one after the other: flux is read where it is called.
cat >axes.f90 <<'END_OF_FILE'
subroutine advance(u, f, nc, ng)
  use boxes
  type(multifab) :: u, f
  integer :: nc, ng, lo(3), hi(3), i, j, k, m, n
  double precision, pointer :: up(:,:,:,:), fp(:,:,:,:)
  do n = 1, nboxes(u)
     up => dataptr(u, n)
     fp => dataptr(f, n)
     lo = lwb(get_box(u, n))
     hi = upb(get_box(u, n))
     call flux(lo, hi, ng, up, fp)
  end do
  do n = 1, nboxes(u)
     up => dataptr(u, n)
     fp => dataptr(f, n)
     lo = lwb(get_box(u, n))
     hi = upb(get_box(u, n))
     do m = 1, nc
        do k = lo(3), hi(3)
           do j = lo(2), hi(2)
              do i = lo(1), hi(1)
                 up(i, j, k, m) = up(i, j, k, m) + fp(i, j, k, m)
              end do
           end do
        end do
     end do
  end do
end subroutine advance
subroutine flux(lo, hi, ng, u, f)
  integer, intent(in) :: lo(3), hi(3), ng
  double precision, intent(in) :: u(lo(1)-ng:hi(1)+ng, lo(2)-ng:hi(2)+ng, lo(3)-ng:hi(3)+ng, 5)
  double precision, intent(out) :: f(lo(1):hi(1), lo(2):hi(2), lo(3):hi(3), 5)
  integer :: i, j, k
  do k = lo(3), hi(3)
     do j = lo(2), hi(2)
        do i = lo(1), hi(1)
           f(i, j, k, 1) = u(i+1, j, k, 2) - u(i-1, j, k, 2)
           f(i, j, k, 5) = u(i, j, k+4, 5) - u(i, j, k-4, 5)
        end do
     end do
  end do
end subroutine flux
END_OF_FILE
expect 1 "$HTMT" analyze axes.f90 --nests axes.yaml
! grep -q '^skipped:' axes.yaml || fail "axes: $(cat axes.yaml)"
values=nboxes=2,nc=5
for axis in 1 2 3; do
    values+=,lo_$axis=1,hi_$axis=16
done
expect 0 "$HTMT" bound ./axes.yaml --machine exasat-listing1 --json axes.json --param $values
found=$(python3 -c 'import json; print(*[l["cells"] for l in json.load(open("axes.json"))["loops"]])')
[ "$found" = '4096 20480' ] || fail "axes: $found"

# ---- bad input ---------------------------------------------------------------------------------------
printf 'subroutine s(n)\n  integer :: n\n  n = (1 +\nend subroutine\n' >x.f90
refuses 2 'x.f90:3:' x.f90
printf 'subroutine s\n  implicit none\n  x = 1\nend subroutine\n' >x.f90
refuses 2 "x.f90:3:3: Symbol 'x' has no IMPLICIT type" x.f90
refuses 2 'sources of Fortran and of C' x.f90 "$root/tests/source/cns.c"
refuses 2 'gone.f90' gone.f90
printf "subroutine s\n  include '/dev/zero'\nend subroutine\n" >x.f90
refuses 2 "x.f90:2: found '/dev/zero', which is no regular file" x.f90
mkfifo pipe.f90
refuses 2 'pipe.f90' pipe.f90
printf 'subroutine s\n  use nowhere\nend subroutine\n' >x.f90
expect 2 "$HTMT" analyze x.f90 --nests n.yaml
grep -qF "x.f90:2:3: found no module 'nowhere'" err || fail "a module: $(cat err)"
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'htmt-??????' -newer kernels.yaml 2>/dev/null)" ] || fail 'a folder is left over'
