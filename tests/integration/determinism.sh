#!/bin/bash
# Class: fast threads.
# The prediction is the same bits whatever the host threads and delays, and whatever the clock was
# asked beside.
. "$(dirname "$0")/common"

runs() {
    "$HTMT" "$1" cannon --size 256 --slices 4 --json - "${@:2}"
}

runs run --threads 1 >first.json
for option in --threads=2 --threads=3 --threads=8 --threads=spell=2,spim=1,dpim=1 \
    '--threads=3 --delay-seed=7' '--threads=2 --run-ahead=1MiB' --checked; do
    # shellcheck disable=SC2086
    runs run $option >again.json
    same_keys first.json again.json predicted_fs history_hash events parcels
    [ "$(key correct again.json)" = true ] || fail "$option: not correct"
done

runs model >model.json
same_keys first.json model.json predicted_fs history_hash
[ "$(key correct model.json)" = null ] || fail "a model run says correct"

expect 0 "$HTMT" run cannon --size 256 --slices 4 --check-determinism
grep -q '^  equal  *4 more runs' out || fail "no word of the comparison"
