#!/bin/bash
# Class: long.
# On 20 random machines, times, rates and latencies x 0.1 to 10, a captured run is the run there: to
# the digit for volume, prim, md, nbody and two steps of pic. Over 30 steps of pic particles reach their cells in
# another order there, which is another order of sums: the times stay within 2 in 10^4.
. "$(dirname "$0")/../integration/common"

# study SEED APP...: run.csv and model.csv, of the same machines.
study() {
    local seed=$1
    shift
    local machines=(--vary 'each:layers.*.processor.clock=0.1x..10x' --sample 20 --seed "$seed"
        --vary 'each:layers.*.processor.flop=0.1x..10x' --vary 'each:networks.*.*rate=0.1x..10x'
        --vary 'each:networks.*.latency=0.1x..10x')
    expect 0 "$HTMT" run "$@" --seed "$seed" --capture run.rec
    expect 0 "$HTMT" sweep run "$@" "${machines[@]}" --csv run.csv
    expect 0 "$HTMT" sweep model "$@" --captured run.rec "${machines[@]}" --csv model.csv
}

study 11 volume --slices 4 --check none
cmp run.csv model.csv || fail 'volume differs'
study 12 volume --slices 3 --frames 2 --check none
cmp run.csv model.csv || fail 'two frames differ'
study 13 prim scan-rss --size 65536
cmp run.csv model.csv || fail 'prim differs'
study 16 md --edge 7 --steps 40 --slices 8 --skin 0.05 --temperature 3 --check none
cmp run.csv model.csv || fail 'md differs'
study 17 nbody --bodies 1500 --slices 4 --theta 0.7 --steps 3 --check none
cmp run.csv model.csv || fail 'nbody differs'
study 14 pic --case thermal --slices 4 --steps 2
cmp run.csv model.csv || fail 'pic differs'
study 15 pic --case thermal --slices 4 --steps 30 --check none
python3 - <<'P' || fail 'pic is too far off'
import csv, sys
pairs = [[float(r["T_s"]) for r in rows]
         for rows in zip(*(csv.DictReader(open(f)) for f in ("run.csv", "model.csv")))]
off = [abs(model / run - 1) for run, model in pairs]
print(f"pic, 30 steps: {off.count(0)} of {len(off)} machines to the digit, the others within {max(off):.1g}")
sys.exit(len(off) != 20 or max(off) > 1e-4)
P
