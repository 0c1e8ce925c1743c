#!/bin/bash
# Class: fast foreign.
# Every broken matrix, size or block is refused in one line.
. "$(dirname "$0")/common"

zeros() {
    head -c "$1" /dev/zero
}

# npy DESCR SHAPE: a version 1.0 header of 128 bytes.
npy() {
    printf '\x93NUMPY\x01\x00\x76\x00'
    printf '%-117s\n' "{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"
}

multiply() {
    local text=$1
    shift
    refuse "$text" run cannon --slices 4 "$@"
}

{ npy '<f8' '4, 4' && zeros 128; } >good.npy
{ npy '<f8' '4, 4' && zeros 100; } >truncated.npy
{ npy '<f4' '4, 4' && zeros 64; } >single.npy
{ npy '<f8' '4, 4' && printf '\x00\x00\x00\x00\x00\x00\xf8\x7f' && zeros 120; } >nan.npy
{ npy '<f8' '3, 5' && zeros 120; } >shape.npy
{ npy '<f8' '4294967296, 4294967296'; } >huge.npy
printf 'no matrix\n' >noise.npy
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n' >outside.mtx
expect 0 "$HTMT" run cannon --slices 4 --a good.npy --b good.npy --quiet

multiply 'missing.npy: cannot open' --a missing.npy --b good.npy
multiply 'truncated.npy: truncated: found 100 bytes of elements, expected 128' --a truncated.npy --b good.npy
multiply "single.npy: found dtype '<f4', expected '<f8'" --a single.npy --b good.npy
multiply 'nan.npy: found nan in row 0, column 0' --a good.npy --b nan.npy
multiply 'A is 3 x 5, B is 4 x 4' --a shape.npy --b good.npy
multiply 'huge.npy: 4294967296 x 4294967296 elements overflow' --a huge.npy --b good.npy
multiply 'noise.npy: found neither a NumPy nor a Matrix Market file' --a noise.npy --b good.npy
multiply outside.mtx:3 --a outside.mtx --b outside.mtx
multiply '--size: found 0, expected 1 to' --size 0
multiply '--size with --a: the files tell their sizes' --a good.npy --b good.npy --size 4
multiply "--size: found '-4'" --size -4
multiply "--size: found 'many', expected a whole number" --size many
multiply '--size: found 99999999999999999999, expected 1 to' --size 99999999999999999999
multiply "there is no folder 'nowhere'" --size 16 --out nowhere/c.npy
multiply "--check: found 'maybe', expected one of" --size 16 --check maybe
multiply "--schedule: found 'tomorrow', expected one of" --size 16 --schedule tomorrow
refuse '3 slices make no grid of 2 rows' run cannon --slices 3 --size 16 --grid-rows 2
refuse 'fold: found a grid of 1 x 3 slices' model cannon --slices 3 --grid-rows 1 --size 16 --fold
multiply '--a without --b' --a good.npy
[ "$(ls -- *.tmp 2>/dev/null)" = "" ] || fail "left behind: $(ls)"
