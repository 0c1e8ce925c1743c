#!/bin/bash
# Class: fast.
# SPDX-License-Identifier: BSD-3-Clause
#
# htmt ops time: what a tape takes inside a processor, and what is refused.
. "${BASH_SOURCE%/*}/common"

machine=$root/examples/machines/node.yaml
inside=layers.device.inside

# The loads of the dot product of docs/nodes.md, without its arithmetic: 128 cycles of 10 ns, and the
# misses.
for ((i = 0; i < 64; i++)); do
    printf ' L %x,8\n L %x,8\n' $((8 * i)) $((65536 + 8 * i))
done >ddot.lackey

# takes TIME OPTIONS...
takes() {
    local time=$1
    shift
    expect 0 "$HTMT" ops time ddot.lackey --machine "$machine" "$@"
    grep -qE "^  time  *$time\$" out || fail "$*: not $time: $(cat out)"
}

takes '6.080 us'                                  # 128 + 32 * 15
grep -qE '^  data misses +32 +25.0 % of accesses$' out || fail "misses: $(cat out)"
takes '4.280 us' --set $inside.dram.banks=2       # 128 + 2 * 15 + 30 * 9
grep -qE '^  page hits +30 +93.8 % of DRAM accesses$' out || fail "page hits: $(cat out)"
takes '20.48 us' --set $inside.l1.ways=1          # 128 + 128 * 15
takes '6.080 us' --layer device --processors=1 --warm
# The machine's own word for --warm.
printf '%s\n' 'htmt-machine: 1' "base: $machine" 'layers: {device: {inside: {caches: warm}}}' >warm.yaml
expect 0 "$HTMT" ops time ddot.lackey --machine ./warm.yaml
grep -q 'caches stay warm' out || fail "cold: $(head -2 out)"
# Two at one bus are slower than one, faster than one after the other, and the same each time.
expect 0 "$HTMT" ops time ddot.lackey --machine "$machine" --processors 2
cp out two
expect 0 "$HTMT" ops time ddot.lackey --machine "$machine" --processors 2
cmp -s out two || fail 'another report of the same command'
awk '$1 == "time" { exit !($2 > 6.08 && $2 < 12.16) }' two || fail "two processors: $(cat two)"

# The same for programs: parts add up to the services, counts are those of the report.
expect 0 "$HTMT" ops time ddot.lackey --machine "$machine" --json -
python3 - out <<'P' || fail "the object: $(cat out)"
import json, sys
t = json.load(open(sys.argv[1]))
assert t["schema"] == "htmt-ops-time-1" and t["time_fs"] == 6080 * 10**6, t
assert sum(t["parts_fs"].values()) == t["services_fs"] == t["time_fs"], t
assert t["counts"]["loads"] == 128 and t["counts"]["l1_misses"] == 32, t
assert sum(m["misses"] for m in t["misses"]) == 32, t
P
expect 0 "$HTMT" ops time ddot.lackey --machine "$machine" --json t.json
cmp -s <(grep -v '"tape"' t.json) <("$HTMT" ops time ddot.lackey --machine "$machine" --json - | grep -v '"tape"') ||
    fail 'another object in a file'
grep -q '^where the time' out || fail 'no report beside a file'
refuse "there is no folder 'no'" ops time ddot.lackey --machine "$machine" --json no/t.json

# Two tapes on two machines: four reports in the order of the machines, each as if alone, and a picture.
head -n 64 ddot.lackey >half.lackey
expect 0 "$HTMT" ops time half.lackey --machine ./warm.yaml
cp out last
expect 0 "$HTMT" ops time ddot.lackey half.lackey --machine "$machine" --machine ./warm.yaml --plot stack.svg
[ "$(grep -c '^where the time' out)" = 4 ] || fail "not four reports: $(cat out)"
cmp -s last <(tail -n "$(wc -l <last)" out) || fail "the last report is not that of its pair: $(cat out)"
grep -q '<svg' stack.svg || fail 'no picture'
refuse 'found 2 tapes on 1 machines, expected at most 1 with --json' \
    ops time ddot.lackey half.lackey --machine "$machine" --json -
refuse 'found 9 tapes on 2 machines, expected at most 16 in all' ops time a b c d e f g h i --machine x --machine y
refuse 'stack.txt: expected a name that ends in .svg, .png or .pdf' ops time ddot.lackey --machine "$machine" --plot stack.txt

refuse 'usage: htmt ops time FILE' ops time
refuse '--machine is missing' ops time ddot.lackey
refuse "'--mashine'" ops time ddot.lackey --mashine x
refuse 'expected 1 to 1024' ops time ddot.lackey --machine "$machine" --processors 0
refuse 'expected 1 to 1024' ops time ddot.lackey --machine "$machine" --processors two
refuse "has no layer 'cram'" ops time ddot.lackey --machine "$machine" --layer cram
refuse 'has no processor with operations inside' ops time ddot.lackey --machine htmt-oct98
refuse 'layer host has no processor' ops time ddot.lackey --machine "$machine" --layer host
refuse "--set $inside.l1.line: found 4 bytes" ops time ddot.lackey --machine "$machine" \
    --set $inside.l1.line=4B
refuse 'none.ops' ops time none.ops --machine "$machine"
head -c 100 /dev/zero >half.ops
refuse 'half.ops' ops time half.ops --machine "$machine"
