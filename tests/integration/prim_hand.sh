#!/bin/bash
# Class: fast.
# va by hand: 8 blocks of 256 elements on one slice, a cycle is a nanosecond. A block's 5 instructions
# an element take 11 cycles each: 14,080. A copy takes the engine for E = 34.6 + 1024 / rate, and its
# tasklet for 10 more.
. "$(dirname "$0")/common"

# takes NANOSECONDS TASKLETS RATE: the kernel.
takes() {
    expect 0 "$HTMT" model prim va --machine upmem-p21 --set 'layers.wram.processor.clock=1 GHz' \
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
