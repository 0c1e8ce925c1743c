#!/bin/bash
# Class: fast.
# One figure, one value: shares of time in use are the same in the report of a run, in its JSON, and in the
# report of its trace, for every phase and resource of each application on each kind of machine.
. "$(dirname "$0")/common"

# table SECTION FILE: the lines of a section's table without its head.
table() { sed -n "/^$1/,/^\$/p" "$2" | sed '1,2d;/^$/d'; }

# phases FILE: "type stage resource used"; a row that has none continues the one before. The columns of a
# trace and of a run differ in width, so the shares are at the end, and names between runs of blanks.
phases() {
    table PHASES "$1" | awk -F '  +' 'NF > 6 { print $2 "|" $3 "|" $4 "|" $NF }' | sort
}
resources() {
    table RESOURCES "$1" | awk -F '  +' '{ print $2 "|" $3 "|" $6 "|" $9 }' | sort # 9: paused, where any is
}

# agree WHAT: the trace got what the run has. A trace has no intervals of what took no time.
agree() {
    comm -3 want got | grep -vE $'^[^\t].*\\|(0\\.0 %|-)(\\|[^|]*)?$' >other || return 0
    fail "$1 of the run, and behind a tab of the trace: $(cat other)"
}

runs=0
# same ARGUMENTS...: a model run, unless the first word is run.
same() {
    expect 0 "$HTMT" "$@" --trace t --json j
    cp out report
    expect 0 "$HTMT" report t
    cp out of_trace
    phases report >want && phases of_trace >got
    [ -s got ] || fail "$*: no phases in $(cat of_trace)"
    agree "$*: phases"
    resources report >want && resources of_trace >got
    agree "$*: resources"
    expect 0 "$HTMT" report j
    phases out | cmp -s - <(phases report) || fail "$*: phases of the object"
    runs=$((runs + 1))
}

for machine in htmt-oct98 htmt-torus small-htmt htmt-2007; do
    same model cannon --size 64 --slices 4 --machine $machine
done
for machine in hpsc-lanes gcel; do
    same model traffic --pattern uniform --rate 1e4 --slots 5 --slices 4 --machine $machine
done
for program in va gemv hst-s; do
    same run prim $program --machine upmem-e19 --dpus 4 --tasklets 8
done
same run prim va --machine upmem-e19
same run prim va --slices 3
for app in sar volume pic; do
    same model $app --slices 1
done
[ $runs -gt 10 ] || fail "only $runs runs"

# ---- a source that waits for its next arrival -----------------------------------------------------
# Its processor is held and not in use: 0 %, and 87.2 % in pauses, which are no bottleneck. What a node
# computes is use. The check of a trace and the sums of its page compare the rest.
source=(model traffic --pattern uniform --rate 1e4 --slots 200 --machine hpsc-lanes)
same "${source[@]}"
grep -q '^  SHARC  *16  *6,445  *0 s  *0.0 %  *46.74 us  *12  *87.2 %$' report || fail "$(grep SHARC report)"
! sed -n '/^BOTTLENECKS/,/^$/p' report | grep saturated$ || fail 'a bottleneck that waits'
python3 - j <<'END' || fail 'pauses of the object'
import json, sys
r = json.load(open(sys.argv[1]))
of = {x["name"]: x for x in r["resources"]}["SHARC"]
phase = next(x for x in r["phases"] if x["stage"] == "fiber")
assert of["busy_s"] == 0 == of["utilization"] and not r["bottlenecks"][0]["binding"]
assert abs(of["paused_s"] - phase["parcels"] * phase["mean_pause_s"]) < 1e-12 and round(of["paused_s"] / 16 / r["predicted_s"], 3) == 0.872
END
expect 0 "$HTMT" trace check t
expect 0 "$HTMT" trace path t
grep -q 'Node 256 fiber  paused ' out || fail "$(cat out)"
expect 0 "$HTMT" timeline t --out t.html
python3 "$root/tests/page/check.py" t.html t --full || fail 'sums of the page'
expect 0 "$HTMT" model traffic --pattern uniform --compute '10 us' --slots 20 --machine hpsc-lanes
grep -q '^  SHARC .* [1-9][0-9.]* % ' out && ! grep -q paused out || fail "$(grep -A1 '^  resource' out)"
# More messages than are kept: another program plays the pattern.
expect 0 "$HTMT" model traffic --pattern uniform --rate 1e4 --slots 8200 --machine hpsc-lanes
grep -q '^  SHARC .* 0 s  *0.0 % .* [89][0-9.]* %$' out || fail "$(grep SHARC out)"
