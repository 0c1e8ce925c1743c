#!/bin/bash
# Class: fast.
# SAR from the command line: three ways to one time, the same image for any threads and patches.
. "$(dirname "$0")/common"

small="--lines 300 --samples 400"
for set in "" "--precision single" "--rcmc off --edges keep" "--costs sar-hereld"; do
    # shellcheck disable=SC2086
    for threads in 1 2; do
        expect 0 "$HTMT" run sar $small $set --slices 2 --threads $threads \
            --out $threads.npy --json $threads.json
        [ "$(key correct $threads.json)" = true ] || fail "not correct: $set"
    done
    cmp 1.npy 2.npy || fail "other bits with two threads: $set"
    same_keys 1.json 2.json predicted_fs history_hash
    # shellcheck disable=SC2086
    expect 0 "$HTMT" model sar $small $set --slices 2 --json model.json
    same_keys 1.json model.json predicted_fs history_hash
done

expect 0 "$HTMT" run sar --lines 640 --samples 400 --patch-lines 300 --slices 2 --check-determinism
expect 0 "$HTMT" run sar $small --slices 1 --checked
expect 0 "$HTMT" model sar $small --slices 4 --patches 8 --json all.json
expect 0 "$HTMT" model sar $small --slices 4 --patches 8 --fold --json folded.json
same_keys all.json folded.json predicted_fs
expect 0 "$HTMT" predict sar $small --patches 3

refuse '--patches: of a run the data tells' run sar --patches 2
refuse '--raw without --params' run sar --raw x
refuse '--precision' run sar --precision half
refuse "--rcmc: found 'perhaps'" run sar --rcmc perhaps
refuse '--fold: found 3 patches on 2 slices, expected' model sar --patches 3 --slices 2 --fold
refuse 'point.words: found 2 words, expected 1 words' run sar --costs sar-hereld --precision single
refuse 'found no layer hram' run sar --machine small-two-layer
refuse 'are not in full exposure' run sar --lines 20
expect 3 "$HTMT" run sar --machine small-htmt
grep -q 'references of .* and a parcel of' err || fail "no arithmetic: $(cat err)"
