#!/bin/bash
# A scene of full size, near and squinted radar, both precisions: right, and the same bits, times
# and history with 1, 2, 3 and 8 threads, in one patch and in several.
. "$(dirname "$0")/../integration/common"

# focus NAME OPTION...: with each number of threads as with one.
focus() {
    local name=$1 threads what
    shift
    for threads in 1 2 3 8; do
        expect 0 "$HTMT" run sar --params "$name.yaml" --slices 2 --threads $threads \
            --out $threads.npy --json $threads.json "$@"
        [ "$(key correct $threads.json)" = true ] || fail "not correct: $name $*"
        for what in predicted_fs events history_hash; do
            [ "$(key $what $threads.json)" = "$(key $what 1.json)" ] ||
                fail "$what differs with $threads threads: $name $*"
        done
        cmp 1.npy $threads.npy || fail "the image differs with $threads threads: $name $*"
        [ $threads = 1 ] || rm $threads.npy
    done
}

expect 0 "$HTMT" scene sar --radar ers --snr -3 --out ers
expect 0 "$HTMT" scene sar --radar radarsat --bits 4 --agc 12 --bias 0.4 --snr -6 --out radarsat
focus ers
focus ers --precision single --rcmc on
focus ers --patch-lines 2600 --rcmc on
focus radarsat
focus radarsat --precision single --lengths power-of-two --edges keep
