#!/bin/bash
# Class: fast.
# Programs in memory banks on all 2,556 slices and as several processes: one time and history.
. "$(dirname "$0")/common"

p21=(--machine upmem-p21)

# All slices of the machine, played and folded, to the femtosecond.
for program in va red hst-s; do
    options=("${p21[@]}" --dpus 2556 --size $((2556 * 1024)) --tasklets 4 --costs prim-upmem)
    expect 0 "$HTMT" model prim "$program" "${options[@]}" --json all.json --quiet
    expect 0 "$HTMT" model prim "$program" "${options[@]}" --fold --json one.json --quiet
    same_keys all.json one.json predicted_fs
done

# Without --dpus all slices take part.
expect 0 "$HTMT" model prim va "${p21[@]}" --size 2616 --json all.json --quiet
grep -q '"slices": 2556,' all.json || fail 'not all slices of the machine'

# One to three processes; a launch takes time, so that slices are played in windows.
. "$root/tests/ranks/launch"
windows=("${p21[@]}" --set 'networks.bus.launch=20 us' --dpus 9 --size 9001 --tasklets 5)
for program in va sel scan-rss; do
    expect 0 "$HTMT" run prim "$program" "${windows[@]}" --json alone.json --quiet
    for ranks in 2 3; do
        expect 0 "${launch[@]}" -n $ranks "$HTMT" run prim "$program" "${windows[@]}" \
            --json ranks.json --quiet
        same_keys alone.json ranks.json predicted_fs history_hash parcels
        grep -q '"correct": true' ranks.json || fail "$program, $ranks ranks: not correct"
    done
done
