#!/bin/bash
# Class: fast foreign.
# Random programs of nests, with statements before, between and behind inner loops, conditions, calls
# and repeats (tests/random/loops.py): what a memory moves that plays the compiled programs lies between
# the two ends of `htmt bound`, in each program, at each capacity, by words and by lines.
#     loop_streams.sh [SEED COUNT]
. "$(dirname "$0")/common"

if [ ! -x "$(dirname "$HTMT")/htmt-analyze" ]; then
    lacks 'libclang or isl' 'htmt-analyze'
    exit 77
fi
seed=${1:-1} count=${2:-$(only_memory && echo 1 || echo 6)}

python3 "$root/tests/random/loops.py" inside "$seed" "$count" >programs.c
${CXX:-g++} -std=c++17 -O0 -w -I"$root/tests/source" -DPROGRAMS="\"$PWD/programs.c\"" \
    -o programs "$root/tests/source/streams.cc" || fail 'streams.cc'
expect 0 "$HTMT" analyze programs.c --nests n.yaml
for given in '12 3 8 1 2 3 6 11 24 60 150 400' '9 1 8 5 30 220' '16 2 64 1 3 5 9 20 45' '8 3 64 2 4 12 40'; do
    # In lines, rows are whole lines: at which row an array begins is not known of a pointer.
    read -r n p line numbers <<<"$given"
    capacities=
    for number in $numbers; do capacities+=$((number * line)),; done
    LINE=$line CAPACITIES=${capacities%,} ./programs "$n" "$p" >simulated || fail "programs $n $p"
    for number in $numbers; do
        expect 0 "$HTMT" bound ./n.yaml --machine exasat-listing1 --param "n=$n,p=$p" \
            --cache $((number * line)) --lines "${line}B" --csv b.csv
        python3 "$root/tests/random/loops.py" moved simulated b.csv $((number * line)) >judged ||
            fail "seed $seed, n=$n, p=$p, lines of $line B: $(head -5 judged)"
    done
done
