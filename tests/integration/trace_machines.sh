#!/bin/bash
# Class: fast.
# A trace of a run on each shipped machine holds together: what frees a channel ends before that begins.
. "$(dirname "$0")/common"

# checked COMMAND...: its trace is good.
checked() {
    expect "${status:-0}" timeout 60 "$HTMT" "$@" --trace x.trace --quiet
    expect 0 "$HTMT" trace check x.trace
    grep -q 'their sums are the run' out || fail "$*: $(cat out)"
}
for file in "$root"/machines/*.yaml; do
    machine=$(basename "$file" .yaml)
    case $machine in
    exasat-* | pim-node | hpsc-apu | xeon-6148) checked run kernels --kernel ddot --n 64 --machine "$machine" ;;
    small-two-layer | serial-2000) ;; # no application runs there: its chain has two layers
    upmem-*) checked model prim va --dpus 3 --size 3000 --fetch parallel --machine "$machine" ;;
    hpsc-simple) checked model traffic --table hpsc-simple --machine "$machine" ;;
    hpsc-wrap) status=3 checked model traffic --table hpsc-grid --machine "$machine" ;;
    hpsc-*) checked model traffic --table hpsc-grid --machine "$machine" ;;
    am-cca | am-cca-mesh | updown-node) checked model graph bfs --er 5 --slices 4 --machine "$machine" ;;
    gcel | powerstone1 | mpp-2000 | fat-tree-64 | dragonfly-72) checked model traffic --pattern uniform --slots 3 --machine "$machine" ;;
    *)
        for slices in 4 9; do
            checked model cannon --size 16 --slices $slices --machine "$machine" \
                $([ "$machine" = small-htmt ] && echo --set slices=9)
        done
        ;;
    esac
done
# Several channels behind an inside network that is never free.
checked model traffic --machine htmt-torus --slices 9 --pattern all-to-all --bytes 4000 --slots 2 --layer cram
checked model traffic --machine htmt-torus --slices 9 --pattern all-to-all --bytes 4000 --slots 2 --layer cram --clock shared --clock-threads 2

# Deflections, and packets that wait in front of a Data Vortex.
checked model traffic --machine htmt-vortex --slices 16 --pattern hotspot --bytes 300 --load 0.8 --measure 50ns..100ns
checked model traffic --machine htmt-vortex --slices 16 --pattern hotspot --bytes 300 --load 0.8 --measure 50ns..100ns --clock windows

# What a head waits for inside a network stands in the path of its trace, with the port and who had it.
# At twice the rate of the links the run is shorter by no more than the path says it could be.
simple=(model traffic --machine hpsc-simple --table hpsc-simple)
expect 0 "$HTMT" "${simple[@]}" --explain --trace simple.trace --json simple.json
grep -A1 '^  blocked  myrinet 2.2, slice 0 to ' out | tr -d '\n' | grep -q ' 95.00 us .* 3$' || fail "--explain: $(cat out)"
grep -q 'in flight, myrinet ' out && ! grep -q 'in flight, switch' out || fail "in flight in which network? $(cat out)"
grep -q ' myrinet ports: ' out || fail "whose latency? $(cat out)"
expect 0 "$HTMT" "${simple[@]}" --set 'networks.myrinet.inside.rate=320 MB/s' --json fast.json --quiet
expect 0 "$HTMT" report simple.trace
grep '^  blocked ' out >blocked
[ -s blocked ] || fail "a report of a trace without ports: $(cat out)"
expect 0 "$HTMT" trace path simple.trace --json path.json
grep '^  blocked ' out | cmp -s - blocked || fail "report and path differ: $(cat out)"
grep -A1 '^  blocked  myrinet 2.2, slice 0 to ' out | tr -d '\n' | grep -q ' 94.00 us .* 3$' || fail "no port: $(cat out)"
python3 - <<'PYTHON' || fail 'the path does not say what links that are twice as fast bring'
import json
path, slow, fast = (json.load(open(f + ".json")) for f in ("path", "simple", "fast"))
assert sum(path["sums_fs"].values()) == sum(p["time_fs"] for p in path["path"]) == slow["predicted_fs"]
assert path["principal"] == "myrinet node out" and path["sums_fs"]["blocked"] > 0.3 * slow["predicted_fs"]
gain = next(r["gain_fs"] for r in path["resources"] if r["name"] == "myrinet node out")
assert slow["predicted_fs"] - fast["predicted_fs"] <= gain < slow["predicted_fs"], gain
PYTHON
