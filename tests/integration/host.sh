#!/bin/bash
# Class: fast.
# `htmt host measure` writes a machine file of this host that the command reads, with value, spread
# and source of each figure; what cannot be written is refused before it measures.
. "$(dirname "$0")/common"
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"

expect 0 "$HTMT" host measure --out host.yaml
expect 0 "$HTMT" machine check host.yaml
for key in add-f64 mul-f64 sqrt-f64 sin-f64 add-i64 l1 bus outstanding prefetch dram branch issue; do
    grep -Eq "^ +$key: .*source: \"(measured|disturbed), \+[0-9.]+ %: " host.yaml ||
        fail "$key has no value, spread and source: $(grep " $key:" host.yaml)"
done
size=$(getconf LEVEL1_DCACHE_SIZE)
[ "${size:-0}" = 0 ] || grep -q " l1: {size: $((size / 1024)) KiB" host.yaml || fail "l1 is not $size"
expect 0 "$HTMT" run kernels --kernel ddot --n 64 --machine ./host.yaml

expect 2 "$HTMT" host measure
grep -q 'expected --out FILE' err || fail "$(cat err)"
expect 2 "$HTMT" host measure --out no/such/folder.yaml
expect 2 "$HTMT" host guess
one_line
