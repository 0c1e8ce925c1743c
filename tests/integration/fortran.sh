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
        /^      [a-z]+: "[^{]*\.\./ || /^    ops: / { print name, $0 }
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
