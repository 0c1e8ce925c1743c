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
    table RESOURCES "$1" | awk -F '  +' '{ print $2 "|" $3 "|" $6 }' | sort
}

# agree WHAT: the trace got what the run has. A trace has no intervals of what took no time.
agree() {
    comm -3 want got | grep -vE $'^[^\t].*\\|(0\\.0 %|-)$' >other || return 0
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
