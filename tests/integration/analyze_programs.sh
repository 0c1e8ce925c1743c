#!/bin/bash
# Class: fast foreign.
# Programs of nests with conditions of all kinds, drawn at random (tests/random/loops.py): what htmt
# analyze writes, htmt bound reads, and operations and references are those of numbers that count.
#     analyze_programs.sh [SEED COUNT]
. "$(dirname "$0")/common"

if [ ! -x "$(dirname "$HTMT")/htmt-analyze" ]; then
    lacks 'libclang or isl' 'htmt-analyze'
    exit 77
fi
seed=${1:-1} count=${2:-$(only_memory && echo 1 || echo 10)}

python3 "$root/tests/random/loops.py" write "$seed" "$count" >programs.c
${CXX:-g++} -std=c++17 -O0 -w -I"$root/tests/source" -DPROGRAMS="\"$PWD/programs.c\"" \
    -o programs "$root/tests/source/programs.cc" || fail 'programs.cc'
expect 0 "$HTMT" analyze programs.c --nests n.yaml
for values in n=7,p=2 n=2,p=5 n=1,p=0 n=10,p=3; do
    IFS='=,' read -r _ n _ p <<<"$values"
    ./programs "$n" "$p" >counted || fail "programs $n $p"
    expect 0 "$HTMT" bound ./n.yaml --machine exasat-listing1 --param $values --json b.json
    python3 "$root/tests/random/loops.py" judge counted n.yaml b.json $values >judged ||
        fail "seed $seed, $values: $(head -5 judged)"
done
