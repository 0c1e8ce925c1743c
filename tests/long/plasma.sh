#!/bin/bash
# The shipped plasmas, whole: correct against the serial program, the same bits with one thread and
# with two, and on other slices the same physics.
. "$(dirname "$0")/../integration/common"

for case in langmuir two-stream landau thermal; do
    for threads in 1 2; do
        expect 0 "$HTMT" run pic --case $case --slices 4 --threads $threads --json $threads.json \
            --out-records $threads.csv --out-particles $threads.p.npy --out-fields $threads.f.npy
    done
    grep -q '"correct": true' 1.json || fail "$case: not correct"
    [ "$(key history_hash 1.json)" = "$(key history_hash 2.json)" ] || fail "$case: other histories"
    for file in csv p.npy f.npy; do
        cmp -s 1.$file 2.$file || fail "$case: other bits in $file with two threads"
    done
done

# The wave of two beams grows as exp(0.352 t), within 1 %: least squares from t = 15 to 24.
expect 0 "$HTMT" run pic --case two-stream --slices 16 --check none --out-records beams.csv
awk -F, 'NR > 1 && $1 > 14.95 && $1 < 24.05 {
             y = log($2) / 2; n++; t += $1; s += y; tt += $1 * $1; ts += $1 * y
         }
         END { gamma = (n * ts - t * s) / (n * tt - t * t); exit !(gamma > 0.3485 && gamma < 0.3555) }' beams.csv ||
    fail 'two beams do not grow as theory says'

# Of the whole machine one slice stands for all: 13 million events or 3000, and the same tables.
whole="--case thermal --cells 126,512,512 --steps 2 --slices 4096"
for fold in '' --fold; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" model pic $whole $fold
    sed -n '/fs)$/p; /^PHASES/,/^NOT MODELLED/p' out >"whole$fold"
done
[ "$(wc -l <whole)" -gt 50 ] || fail 'no tables'
cmp whole whole--fold || fail 'folded differs from unfolded'
