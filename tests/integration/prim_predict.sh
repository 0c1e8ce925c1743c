#!/bin/bash
# Class: fast.
# Closed forms of programs in memory banks: within 2 % of the clock, whole and kernel alone.
. "$(dirname "$0")/common"

p21=(--machine upmem-p21)

# value FILE NAME: of a term of predict, or of a figure that a model run found.
value() { tr -d '\n' <"$1" | grep -oE "\"name\": *\"$2\",[^}]*\"value\": *[-+.0-9e]+" | sed 's/.*: *//'; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { e = a / b - 1; exit !(b > 0 && e * e < 4e-4) }'; }

# What bounds: the chain of a tasklet, the engine, the port; blocks that do not divide, many rounds.
for program in va red hst-s; do
    for sizes in '1 3 24' '300 1 1' '65536 4 2' '65536 4 11' '100003 7 12' '20000 1 13' \
        '20000 1 24' '2621440 4 8' '8000000 2 16' '131072 2556 16'; do
        read -r size dpus tasklets <<<"$sizes"
        for costs in '' '--costs prim-upmem'; do
            options=("${p21[@]}" --size "$size" --dpus "$dpus" --tasklets "$tasklets")
            # shellcheck disable=SC2086
            expect 0 "$HTMT" model prim "$program" "${options[@]}" $costs --json m.json --quiet
            # shellcheck disable=SC2086
            expect 0 "$HTMT" predict prim "$program" "${options[@]}" $costs --json p.json --quiet
            near "$(value p.json kernel)" "$(value m.json kernel)" ||
                fail "$program, $sizes $costs: kernel $(value p.json kernel), $(value m.json kernel)"
            near "$(value p.json T)" "$(key predicted_fs m.json)e-15" ||
                fail "$program, $sizes $costs: $(value p.json T), $(key predicted_fs m.json) fs"
        done
    done
done

# A launch that takes time, another machine, another rate of the engine.
for set in 'networks.bus.launch=20 us' 'networks.dma.rate=0.5 B/cycle'; do
    options=("${p21[@]}" --set "$set" --dpus 4 --size 65536 --tasklets 8)
    expect 0 "$HTMT" model prim va "${options[@]}" --json m.json --quiet
    expect 0 "$HTMT" predict prim va "${options[@]}" --json p.json --quiet
    near "$(value p.json T)" "$(key predicted_fs m.json)e-15" || fail "$set"
done

refuse 'sel has no closed form' predict prim sel "${p21[@]}"
refuse 'found no host' predict prim va --machine htmt-oct98
