#!/bin/bash
# One prediction of `run cannon --size 1024 --slices 16`: the same bits with 1, 2, 3 and 8 threads,
# RUNS times each, on an idle and on a loaded host, and with random delays before kernels.
. "$(dirname "$0")/../integration/common"
RUNS=${RUNS:-20}

# The figures of one run that must never change, and whether it was correct.
figures() {
    "$HTMT" run cannon --size 1024 --slices 16 --json one.json --quiet "$@" >/dev/null
    for name in correct predicted_fs events parcels history_hash; do
        key $name one.json
    done
}

# repeat WHAT [OPTION]: OPTION gets the number of the run behind it.
repeat() {
    local what=$1 threads run
    for threads in 1 2 3 8; do
        for ((run = 1; run <= RUNS; run++)); do
            [ "$(figures --threads $threads ${2:+"$2$run"})" = "$expected" ] ||
                fail "$what, $threads threads, run $run differs: $(figures --threads $threads)"
            made=$((made + 1))
        done
    done
}

made=0
expected=$(figures --threads 1)
[ "$(head -1 <<<"$expected")" = true ] || fail "not correct: $expected"
repeat idle
repeat delayed --delay-seed=
for ((cpu = 0; cpu < $(nproc); cpu++)); do
    while :; do :; done &
done
repeat loaded
repeat "loaded and delayed" --delay-seed=
echo "$made runs:" $expected
