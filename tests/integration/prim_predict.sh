#!/bin/bash
# Class: fast.
# Programs in memory banks by hand; their closed forms within 2 % of the clock, whole and kernel alone.
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

# ---- by hand -----------------------------------------------------------------------------------------
# va by hand: 8 blocks of 256 elements on one slice, a cycle is a nanosecond. A block's 5 instructions
# an element take 11 cycles each: 14,080. A copy takes the engine for E = 34.6 + 1024 / rate, and its
# tasklet for 10 more.
# takes NANOSECONDS TASKLETS RATE: the kernel.
takes() {
    expect 0 "$HTMT" model prim va --machine upmem-p21 --set 'layers.wram.processor.clock=1 GHz' \
        --set 'networks.bus.first-launch.value.1=0 us' \
        --set "networks.dma.rate=$3 B/cycle" --dpus 1 --size 2048 --tasklets "$2" --json j --quiet
    tr -d ' \n' <j | grep -oE '"name":"kernel","value":[-+.0-9e]+' | sed 's/.*://' >kernel
    awk -v wanted="$1" '{ exit !(($1 * 1e9 - wanted) ^ 2 < 1e-8) }' kernel ||
        fail "$2 tasklets, $3 B/cycle: $(cat kernel) s, not $1 ns"
}

# One: each block takes 3 copies and the computation one after the other, 3 * (E + 10) + 14,080.
takes 125998.4 1 2
takes 162862.4 1 0.5

# Two: reads of both alternate in the engine. The first one has its second array at 3 E + 10, has
# computed and writes when the engine is free; then, E later, the second one does the same, and ends
# at 4 E + 10 + 14,080 + E + 10. From then on both read and write behind each other: a round takes
# 5 E + 14,080 + 10, and four of them 4 * that + 10.
takes 67302.0 2 2
takes 98022.0 2 0.5

# Eight, a block each: the engine reads all first arrays, then all second ones, until 16 E. At 2 B a
# cycle the last one then computes, and all others have written: 16 E + 10 + 14,080 + E + 10. At a
# quarter of that the engine is never free: 24 E and the last latency.
takes 23392.2 8 2
takes 49992.4 8 0.5
