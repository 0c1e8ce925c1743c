#!/bin/bash
# Class: fast.
# cannon and pic by messages: a machine that refused both plays them, results are checked, hashes do
# not depend on threads, a prediction of mpp-2000 is the clock's time, what cannot be done is one line.
. "$(dirname "$0")/common"

# Integers leave no tolerance; particles are those of the serial program.
expect 0 "$HTMT" run cannon --machine gcel --execution mpp --slices 9 --size 50 --entries integers \
    --check exact
grep -q '^  correct  *exact: 0, tolerance 0$' out || fail "not the very bits: $(cat out)"
hash=
for threads in 1 2; do
    expect 0 "$HTMT" run pic --machine gcel --execution mpp --case two-stream --steps 3 --slices 8 \
        --threads $threads --out-fields fields$threads.npy
    grep -q 'correct  *particles:' out || fail "not checked: $(cat out)"
    new=$(sed -n 's/^ *history hash *//p' out)
    [ -z "$hash" ] || [ "$hash" = "$new" ] || fail "$threads threads: another history"
    hash=$new
done
cmp fields1.npy fields2.npy || fail 'fields depend on threads'

# To the femtosecond, whatever is printed of it.
for schedule in overlap in-turn; do
    expect 0 "$HTMT" model cannon --machine mpp-2000 --execution mpp --slices 16 --size 200 \
        --schedule $schedule --json o.json
    python3 - <<'P' || fail "$schedule: another time than the closed form's"
import json
o = json.load(open("o.json"))
raise SystemExit(o["predicted_fs"] != round(o["closed_form"]["predicted_s"] * 1e15))
P
done
expect 0 "$HTMT" model cannon --machine mpp-2000 --execution mpp --slices 16 --stored skewed --fold
expect 0 "$HTMT" predict pic --machine mpp-2000 --execution mpp --slices 16 --case thermal
grep -q 'guards of the field' out || fail "$(cat out)"

refuse 'found 15 nodes, expected a square number' \
    predict cannon --machine mpp-2000 --execution mpp --slices 15
refuse "words, expected at most the 524288 of a node's memory" \
    run cannon --machine gcel --execution mpp --slices 4 --size 1024
refuse 'expected overlap or in-turn' \
    model cannon --machine gcel --execution mpp --schedule paper
refuse '--block with --execution mpp: each node has one block' \
    model cannon --machine gcel --execution mpp --block 4
refuse '--stored skewed: expected with --execution mpp only' model cannon --stored skewed
refuse '--schedule in-turn: expected with --execution mpp only' model cannon --schedule in-turn
refuse '--fold with --execution mpp: expected --stored skewed' \
    model cannon --machine mpp-2000 --execution mpp --slices 16 --fold
refuse 'found machine htmt-oct98 with 4 layers, expected one' run pic --execution mpp
refuse "of a node's memory" run pic --machine gcel --execution mpp --case thermal --slices 2
refuse 'found 13 nodes for 32 x 4 x 4 cells' model pic --machine gcel --execution mpp --slices 13
refuse '--every: expected without --execution mpp' \
    run pic --machine gcel --execution mpp --every 1 --out-fields x.npy
refuse '--phases with --execution mpp: expected all' \
    model pic --machine gcel --execution mpp --phases push
