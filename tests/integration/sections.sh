#!/bin/bash
# Class: fast.
# --sections: the shipped applications name their iterations; predicted time and history stay, the
# sections' times sum up to the slices', and a trace has the same sections as the results.
. "$(dirname "$0")/common"

# named SECTION COUNT APP...: a section of that name, and so many of them.
named() {
    local section=$1 count=$2
    shift 2
    expect 0 "$HTMT" model "$@" --threads 1 --json plain.json --quiet
    expect 0 "$HTMT" model "$@" --threads 1 --sections --json named.json --quiet
    python3 - "$section" "$count" <<'P' || fail "$*: the sections are wrong"
import json, sys
plain, named = (json.load(open(f)) for f in ("plain.json", "named.json"))
for key in ("predicted_fs", "history_hash"):
    assert plain[key] == named[key], (key, plain[key], named[key])
assert "sections" not in plain, plain["sections"]
sections = named["sections"]
names = [s["name"] for s in sections]
assert sys.argv[1] in names and len([n for n in names if n]) == int(sys.argv[2]), names
slices = named["slices"] * named["predicted_fs"] / 1e15
assert abs(sum(s["time_s"] for s in sections) / slices - 1) < 1e-9, (sections, slices)
assert abs(sum(s["share"] for s in sections) - 1) < 1e-9, sections
P
}

command -v python3 >/dev/null || { lacks python3 'sections of results'; exit 0; }
named 'step 2' 3 pic --cells 8,8,8 --slices 2 --steps 3
named 'steps 2-3' 25 pic --cells 4,4,4 --slices 1 --steps 50
named 'block products 2-3' 32 cannon --size 1024 --slices 4
named 'patch 1' 2 sar --lines 256 --samples 256 --slices 2 --patches 4
named 'patches 2-3' 20 sar --lines 256 --samples 256 --slices 1 --patches 40
named 'step 32' 17 pic --cells 4,4,4 --slices 1 --steps 33
named 'frame 0' 1 volume --size 32 --phantom 16 --slices 2
named 'iteration 1' 2 traffic --machine hpsc-simple --table hpsc-simple --iterations 2
expect 0 "$HTMT" model pic --cells 8,8,8 --slices 2 --steps 3 --sections --trace t.trace
sed -n '/^SECTIONS/,/^$/p' out >sections
grep -q '^  step 1 ' sections || fail 'the report has no sections'
expect 0 "$HTMT" report t.trace
sed -n '/^SECTIONS/,/^$/p' out | diff sections - || fail 'the trace has other sections'
refuse '--sections: only run and model can tell' predict pic --sections
