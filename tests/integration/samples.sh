#!/bin/bash
# Class: fast foreign.
# A Latin hypercube of 200 points: one in each 200th of each axis, and the rank correlations that SciPy
# finds in the same rows: recorded ones, and computed anew where it is installed.
set -eu
. "$(dirname "$0")/common"

expect 0 "$HTMT" sweep predict cannon --machine htmt-2007 --size 208000 --schedule paper --sample 200 \
    --seed 7 --vary 'layers.cram.processor.flop=0.5x..2x' --vary 'layers.dram.processor.[ls]*=0.8x..1.5x' \
    --vary 'layers.*.memory.access=0.1x..10x' --csv s.csv --json s.json
cat >check.py <<'P'
import csv, json, math, sys
rows = list(csv.DictReader(open("s.csv")))
said = json.load(open("s.json"))["samples"][0]["rank_correlation"]
axes = {"layers.cram.processor.flop": (.5, 2), "layers.dram.processor.[ls]*": (.8, 1.5),
        "layers.*.memory.access": (.1, 10)}
for key, (low, high) in axes.items():
    # Factors have six digits, so one may stand on the edge of its part.
    parts = sorted(200 * math.log(float(r[key][:-1]) / low) / math.log(high / low) for r in rows)
    if not all(i - 2e-3 < part < i + 1 + 2e-3 for i, part in enumerate(parts)) or len(parts) != 200:
        sys.exit(f"{key}: {parts}")
# What scipy.stats.spearmanr() of SciPy 1.10.1 found in the rows of this command line.
recorded = {"layers.cram.processor.flop": 0.9837365934148354, "layers.dram.processor.[ls]*": -0.03908947723693093,
            "layers.*.memory.access": 0.09989349733743344}
try:
    from scipy.stats import spearmanr
except ImportError:
    spearmanr = None
for key in axes:
    of = [float(r[key][:-1]) for r in rows], [float(r["T_s"]) for r in rows]
    for known in [recorded[key]] + ([spearmanr(*of).correlation] if spearmanr else []):
        if abs(known - said[key]) > 1e-12:
            sys.exit(f"{key}: {said[key]!r}, expected {known!r}")
P
"$(command -v /usr/bin/python3 || echo python3)" check.py 2>said || fail "$(cat said)"
