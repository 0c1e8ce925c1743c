#!/bin/bash
# Class: fast.
# cannon on grids that are not square: a narrow product gets one without being asked, a given number of
# slices that makes no square is used, and several processes find what one finds.
. "$(dirname "$0")/common"

# zeros NAME ROWS COLS: a matrix in a file of holes.
zeros() {
    {
        printf '\x93NUMPY\x01\x00\x76\x00'
        printf '%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': ($2, $3), }"
    } >"$1"
    truncate -s $((128 + $2 * $3 * 8)) "$1"
}

zeros wide.npy 2000 2000
zeros narrow.npy 2000 10
expect 0 "$HTMT" predict cannon --a wide.npy --b narrow.npy
grep -q '96 slices' out && grep -q 'panels on 48 x 2 SPELLs' out || fail "no narrow grid: $(head -4 out)"
expect 0 "$HTMT" predict cannon --a wide.npy --b narrow.npy --grid-rows 8
grep -q 'panels on 8 x ' out || fail "--grid-rows 8: $(head -4 out)"
expect 0 "$HTMT" predict cannon --a wide.npy --b wide.npy
grep -q '; s = 14, q' out || fail "a square product has another grid: $(head -4 out)"

expect 0 "$HTMT" run cannon --size 100 --slices 6 --entries integers --check exact --out c.npy --json one.json
. "$root/tests/ranks/launch"
expect 0 "${launch[@]}" -n 4 "$HTMT" run cannon --size 100 --slices 6 --entries integers --out d.npy --json four.json
cmp c.npy d.npy || fail 'four processes have another product'
[ "$(grep history_hash one.json)" = "$(grep history_hash four.json)" ] ||
    fail 'four processes have another history'
