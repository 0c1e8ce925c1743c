#!/bin/bash
# Class: fast.
# SPDX-License-Identifier: BSD-3-Clause
#
# Misses of a node's caches against those of valgrind's cachegrind: equal geometry, five programs,
# whose accesses lackey writes down. Without valgrind there is nothing to compare with.
. "${BASH_SOURCE%/*}/common"

command -v valgrind >/dev/null || { lacks valgrind 'misses of caches'; exit 77; }

cat >caches.yaml <<'END'
htmt-machine: 1
base: small-htmt
layers:
  cram:
    memory:
      capacity: {value: 1 GiB, source: "a test"}
    inside:
      l1: {size: 8 KiB, line: 64 B, ways: 2, write: not-modelled, split: yes, hit: 1 cycle, source: "a test"}
      l2: {size: 64 KiB, line: 64 B, ways: 8, write: not-modelled, hit: 1 cycle, source: "a test"}
END

seq 1 100 >numbers

# Number of the line that begins with the words, without commas.
ours() { sed -n "s/^  $1  *\([0-9,]*\).*/\1/p" time.out | tr -d ,; }
theirs() { sed -n "s/^==[0-9]*== $1 *\([0-9,]*\).*/\1/p" cg.log | tr -d ,; }

# A difference of at most a thousandth.
near()
{
    local mine=${2:-0} other=${3:-0}
    awk -v a="$mine" -v b="$other" 'BEGIN { d = a > b ? a - b : b - a; exit !(d * 1000 <= b) }' ||
        fail "$1: found $mine, cachegrind has $other"
}

compare()
{
    valgrind --tool=lackey --trace-mem=yes --log-file=trace.lackey "$@" >/dev/null 2>&1
    valgrind --tool=cachegrind --cachegrind-out-file=/dev/null --log-file=cg.log \
        --I1=8192,2,64 --D1=8192,2,64 --LL=65536,8,64 "$@" >/dev/null 2>&1
    "$HTMT" ops time trace.lackey --machine caches.yaml >time.out || fail "ops time of $*"
    near "$1: instructions" "$(ours instructions)" "$(theirs 'I *refs:')"
    near "$1: code misses" "$(ours 'code misses')" "$(theirs 'I1 *misses:')"
    near "$1: data misses" "$(ours 'data misses')" "$(theirs 'D1 *misses:')"
    near "$1: misses of the second cache" "$(ours 'l2, l3 misses')" "$(theirs 'LL misses:')"
}

compare /bin/true
compare /bin/sort -n numbers
compare /bin/sed s/1/2/ numbers
compare /usr/bin/head -5 numbers
compare /usr/bin/md5sum numbers
