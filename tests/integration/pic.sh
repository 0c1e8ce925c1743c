#!/bin/bash
# Class: fast.
# The plasma from the command line: correct runs, outputs that do not depend on the host, the figures
# of the paper's tables from model and predict.
. "$(dirname "$0")/common"

# A whole run is right, and its files are the same for any number of threads.
for n in 1 3; do
    expect 0 "$HTMT" run pic --case two-stream --steps 20 --slices 4 --threads $n --quiet \
        --json run$n.json --out-records r$n.csv --out-fields f$n.npy --out-particles p$n.npy
done
[ "$(key correct run1.json)" = true ] || fail "not correct: $(cat run1.json)"
for f in r%.csv f%.npy p%.npy; do
    cmp "${f/\%/1}" "${f/\%/3}" || fail "${f/\%/} depends on threads"
done
[ "$(key history_hash run1.json)" = "$(key history_hash run3.json)" ] || fail "histories differ"
[ "$(key predicted_fs run1.json)" = "$(key predicted_fs run3.json)" ] || fail "times differ"
[ "$(wc -l <r1.csv)" = 21 ] || fail "$(wc -l <r1.csv) lines of records"

# Table 6 by one command each: one parcel fills CRAM, with room for two the SPELL is busy.
paper="--phases push --costs pic-hereld --machine hereld-tables --slices 1"
expect 0 "$HTMT" model pic $paper --json one.json
grep -q 'CRAM space: ' out || fail "CRAM space is not the bottleneck: $(cat out)"
sed -n '/^BOTTLENECKS/{n;p}' out | grep -q '1. CRAM space' || fail "CRAM space is not the first"
expect 0 "$HTMT" model pic $paper --set 'layers.cram.memory.capacity=2 MiB'
sed -n '/^BOTTLENECKS/{n;p}' out | grep -q '1. SPELL' || fail "the SPELL is not the bottleneck"
expect 0 "$HTMT" predict pic $paper
for line in 'period  *15.78 us' 'assembly  *281.0 us' 'gather  *10.10 us' 'dispatch  *37.90 us' \
    'inject  *1.576 us' 'execute  *14.20 us'; do
    grep -q "$line" out || fail "'$line' is not in: $(cat out)"
done
expect 0 "$HTMT" predict pic $paper --set 'layers.cram.memory.capacity=2 MiB'
for line in 'period  *14.20 us' 'DPIM use  *15.4. %' 'vortex use  *71.1 %' 'SPIM use  *4.1.. %' \
    'RTI use  *11.0. %' 'SPELL use  *100 %'; do
    grep -q "$line" out || fail "'$line' is not in: $(cat out)"
done

# The whole machine, one slice for all.
expect 0 "$HTMT" model pic --phases push --costs pic-hereld --fold --parcels 200 --json all.json
[ "$(key slices all.json)" = 4096 ] || fail "$(key slices all.json) slices"
cells='--case thermal --cells 30,16,16 --steps 2 --slices 16'
expect 0 "$HTMT" model pic $cells --json all.json
expect 0 "$HTMT" model pic $cells --fold --json folded.json
[ "$(key predicted_fs all.json)" = "$(key predicted_fs folded.json)" ] || fail "folded times differ"
refuse '--fold: found 2 x 2 pencils for 32 x 4 x 4 cells with 17 modes of x' \
    model pic --slices 4 --fold
refuse '--phases: found push parcels alone, expected all' run pic --phases push --slices 4
refuse '--parcels: found --phases all' model pic --parcels 3 --slices 4
refuse 'pencils, too many for 32 x 4 x 4 cells' model pic --slices 64

# Without --slices as many as leave each two cells along y and z; of push parcels all of the machine.
expect 0 "$HTMT" model pic --json few.json
[ "$(key slices few.json)" = 4 ] || fail "$(key slices few.json) slices for 32 x 4 x 4 cells"
expect 0 "$HTMT" predict pic --cells 16,128,128 --json many.json
[ "$(key slices many.json)" = 549 ] || fail "$(key slices many.json) slices for 16 x 128 x 128 cells"
expect 0 "$HTMT" predict pic $paper --json one.json
expect 0 "$HTMT" predict pic --phases push --costs pic-hereld --json all.json
[ "$(key slices all.json)" = 4096 ] || fail "$(key slices all.json) slices for push parcels"

# Boxes of one cell along axes, whose transforms have one number.
grep -v '^mode' "$root/apps/pic/decks/thermal.yaml" >still.yaml
for cells in 1,1,1 1,2,1 2,1,1 1,3,5 7,1,1; do
    expect 0 "$HTMT" run pic --deck ./still.yaml --cells $cells --steps 2 --json box.json \
        --plot-energies box.png --plot-phase-space space.png
    [ "$(key correct box.json)" = true ] || fail "$cells cells: $(cat box.json)"
done
refuse '--cells: found 1 cells for mode 1 of deck thermal, expected at least 2' \
    run pic --case thermal --cells 1,1,1

# A run that ends early keeps the records of the steps that ended, marked; the advice is true.
cat >beams.yaml <<'Y'
htmt-deck: 1
units: cells, 1/omega_p
cells: [32, 1, 1]
dt: 0.1
steps: 700
mode: [1, 0, 0]
species:
  - {name: right, charge: -1, mass: 1, density: 0.5, per-cell: [64, 1, 1], start: lattice,
     drift: [4.8383103, 0, 0], amplitude: 0.001}
  - {name: left, charge: -1, mass: 1, density: 0.5, per-cell: [64, 1, 1], start: lattice,
     drift: [-4.8383103, 0, 0], amplitude: 0.001}
Y
expect 3 "$HTMT" run pic --deck ./beams.yaml --check none --mail 100 --out-records early.csv \
    --plot-energies early.png --json early.json
steps=$(($(grep -c '^[0-9]' early.csv)))
[ "$steps" -gt 100 ] || fail "only $steps records are kept"
[ "$(tail -1 early.csv)" = "# incomplete: $steps of 700 steps" ] || fail "$(tail -1 early.csv)"
grep -q " $steps of 700 steps ended; their records are kept" out || fail "no note: $(cat out)"
[ "$(head -c 4 early.png | tail -c 3)" = PNG ] || fail "no picture"
[ "$(key complete early.json)" = false ] || fail "$(key complete early.json)"
advice=$(sed -n 's/.*; --mail \([0-9]*\) has room for all$/\1/p' err)
[ "$advice" = 2048 ] || fail "no advice: $(cat err)"

# With it every team holds what comes, and the first records are those of the run that ended early.
expect 0 "$HTMT" run pic --deck ./beams.yaml --mail "$advice" --out-records whole.csv --json whole.json
[ "$(key correct whole.json)" = true ] || fail "not correct: $(cat whole.json)"
head -$((steps + 1)) whole.csv | cmp - <(head -$((steps + 1)) early.csv) || fail "other records"

# A snapshot after n steps is what a run of n steps ends with, also where spare bundles are in use;
# snapshots change neither time nor history.
for n in 1 3; do
    expect 0 "$HTMT" run pic --deck ./beams.yaml --steps 560 --check none --threads $n --quiet \
        --every 280 --out-fields s$n.npy --out-particles q$n.npy --plot-phase-space v$n.png \
        --json shots$n.json
    cmp s$n.npy s$n-560.npy || fail "the last snapshot is not the end"
    cmp q1-280.npy q$n-280.npy || fail "snapshots depend on threads"
done
for n in 280 560; do
    expect 0 "$HTMT" run pic --deck ./beams.yaml --steps $n --check none --quiet \
        --out-fields f.npy --out-particles p.npy --plot-phase-space v.png --json plain.json
    cmp f.npy s1-$n.npy && cmp p.npy q1-$n.npy && cmp v.png v1-$n.png || fail "snapshot $n differs"
done
for name in predicted_fs history_hash; do
    [ "$(key $name plain.json)" = "$(key $name shots1.json)" ] || fail "snapshots change $name"
done

# An interrupted run keeps its records, too.
interrupt_run INT "$HTMT" run pic --steps 100000 --check none --out-records int.csv
[ "$status" = 4 ] || fail "status $status: $(cat err)"
tail -1 int.csv | grep -q '^# incomplete: [0-9]* of 100000 steps$' || fail "$(tail -1 int.csv)"
