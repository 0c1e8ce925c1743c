#!/bin/bash
# Class: fast.
# Captured runs: a model run that plays one has its time and its history, on its machine and on others,
# alone and as a point of a study; a file of something else, or of a part, is refused in one line.
. "$(dirname "$0")/common"

volume=(volume --slices 4 --check none)
pic=(pic --case thermal --slices 4 --steps 2)

# plays FS THREADS APP...: the captured run has this time, and played by any number of threads its
# history.
plays() {
    local fs=$1 threads=$2
    shift 2
    expect 0 "$HTMT" run "$@" --threads "$threads" --capture "$1.rec" --json run.json
    [ "$(key predicted_fs run.json)" = "$fs" ] || fail "run $*: $(key predicted_fs run.json) fs"
    for threads in 1 2 3; do
        expect 0 "$HTMT" model "$@" --threads $threads --captured "$1.rec" --json model.json
        for name in predicted_fs history_hash events parcels; do
            [ "$(key $name run.json)" = "$(key $name model.json)" ] ||
                fail "$*: $name: run $(key $name run.json), recorded $(key $name model.json)"
        done
    done
}
plays 806803349599 1 "${volume[@]}"
cp volume.rec first.rec
plays 806803349599 3 "${volume[@]}"
cmp first.rec volume.rec || fail 'the file depends on the number of threads'
python3 - "$(stat -c %s volume.rec)" <<'P' || fail 'more than 16 bytes a service'
import json, sys
kinds = json.load(open("model.json"))["resources"]
services = sum(r["served"] for r in kinds if r["kind"] == "bank")
sys.exit(not 0 < int(sys.argv[1]) <= 16 * services)
P
plays 31697080626761 2 pic --case thermal --steps 4 --machine mpp-2000 --execution mpp --slices 8
plays 303803536961 2 "${pic[@]}"
plays 10849921218 2 prim sel
cp pic.rec first.pic

# Another number of processors, which leaves the plan as it is.
for verb in run model; do
    of=()
    [ $verb = run ] || of=(--captured pic.rec)
    expect 0 "$HTMT" $verb "${pic[@]}" "${of[@]}" --set layers.dram.processor.count=2 --json $verb.json
done
same_keys run.json model.json predicted_fs history_hash

# On three other machines, as points of two studies; all windows and clocks play in one order.
faster=(--vary 'each:layers.*.processor.clock=0.1x..10x' --vary 'each:networks.*.*rate=0.1x..10x'
    --vary 'each:networks.*.latency=0.1x..10x' --sample "${MACHINES:-3}" --seed 1)
for app in volume pic; do
    declare -n words=$app
    expect 0 "$HTMT" sweep run "${words[@]}" "${faster[@]}" --csv run.csv
    expect 0 "$HTMT" sweep model "${words[@]}" --captured $app.rec "${faster[@]}" --csv model.csv
    cmp run.csv model.csv >/dev/null || {
        cut -d, -f1-2,20- run.csv model.csv
        fail "$app: the studies differ"
    } >&2
done
expect 0 "$HTMT" model "${volume[@]}" --captured volume.rec --clock windows --clock-threads 2 \
    --check-determinism --json model.json
[ "$(key predicted_fs model.json)" = 806803349599 ] || fail 'another clock has another time'

# Elasticities out of the file are differences of runs, a hundred thousandth up and down.
spell=layers.cram.processor.clock
expect 0 "$HTMT" sensitivity model "${pic[@]}" --captured pic.rec --figures $spell --json s.json
expect 0 "$HTMT" sweep run "${pic[@]}" --vary "$spell=0.99999x,1x,1.00001x" --csv run.csv
python3 - <<'P' || fail 'another elasticity'
import csv, json, sys
less, t, more = (float(r["T_s"]) for r in csv.DictReader(open("run.csv")))
told = json.load(open("s.json"))["figures"][0]["cases"][0]["larger"]
sys.exit(not -0.3 < told < -0.2 or abs((more - less) / t / 2e-5 - told) > 1e-4)
P

# The contents of the file are a part of a point's key.
expect 0 "$HTMT" run "${pic[@]}" --seed 2 --capture other.rec
store=(sweep model "${pic[@]}" --captured pic.rec --vary 'networks.*.latency=1x,2x' --study s.db)
expect 0 "$HTMT" "${store[@]}"
expect 0 "$HTMT" "${store[@]}"
grep -q ': 0 of them computed now' out || fail "computed again: $(tail -1 out)"
cp other.rec pic.rec
expect 2 "$HTMT" "${store[@]}"
grep -q "found a captured run of '--seed 2', expected '--seed 1'" err || fail "$(cat err)"

# Of another application, options, input, plan.
refuse "found a captured run of 'volume', expected 'pic'" model "${pic[@]}" --captured volume.rec
refuse "found a captured run of '--slices 4', expected '--slices 2'" model volume --slices 2 --check none \
    --captured volume.rec
refuse "found a captured run of '--frames 1', expected '--frames 2'" model "${volume[@]}" --frames 2 \
    --captured volume.rec
refuse "found a captured run without '--alpha 0.4'" model "${volume[@]}" --alpha 0.4 --captured volume.rec
refuse "found a captured run of '--steps 2', expected one without it" model pic --case thermal --slices 4 \
    --captured pic.rec --seed 2
python3 - <<'P'
for name, step in ("one.raw", 7), ("two.raw", 11):
    open(name, "wb").write(bytes(i * i // step % 256 for i in range(32768)))
P
raw=(volume --dims 32,32,32 --type uint8 --slices 2 --check none --volume input.raw)
cp one.raw input.raw
expect 0 "$HTMT" run "${raw[@]}" --capture raw.rec
expect 0 "$HTMT" model "${raw[@]}" --captured raw.rec
cp two.raw input.raw
refuse "found a captured run of '--volume input.raw #" model "${raw[@]}" --captured raw.rec
refuse 'found another plan' model "${volume[@]}" --captured volume.rec \
    --set 'layers.cram.memory.capacity=32 KiB'
refuse 'found other tables of the input' model "${pic[@]}" --captured first.pic \
    --set 'layers.cram.memory.capacity=256 KiB'

# Parts, and other files.
for bytes in 0 7 100 60000 $(($(stat -c %s volume.rec) - 1)); do
    head -c "$bytes" volume.rec >cut.rec
    refuse 'cut.rec: found ' model "${volume[@]}" --captured cut.rec
done
python3 - <<'P'
bytes = bytearray(open("volume.rec", "rb").read())
bytes[50000] ^= 16
open("bad.rec", "wb").write(bytes)
P
refuse 'bad.rec: found a damaged block' model "${volume[@]}" --captured bad.rec
refuse 'found another kind of file' model "${volume[@]}" --captured run.json
refuse 'no.rec' model "${volume[@]}" --captured no.rec

# What does not go together.
refuse '--capture: only run has kernels' model "${volume[@]}" --capture x.rec
refuse '--captured: only model plays' run "${volume[@]}" --captured volume.rec
refuse '--captured: only model plays' predict "${volume[@]}" --captured volume.rec
refuse '--captured: found --lint' model "${volume[@]}" --captured volume.rec --lint
refuse '--captured: found --fold' model "${pic[@]}" --captured pic.rec --fold
refuse '--capture: of one run' sweep run "${pic[@]}" --capture x.rec --vary opt:steps=1,2
refuse '--capture: found x.rec, expected another file than that of --json' run "${pic[@]}" --json x.rec --capture x.rec

# Posts have no kernels here: there is nothing to keep, and a model run that plays it is the same.
for machine in am-cca htmt-torus; do
    graph=(graph bfs --er 6 --machine $machine --slices 9)
    expect 0 "$HTMT" run "${graph[@]}" --capture graph.rec --json run.json
    expect 0 "$HTMT" model "${graph[@]}" --captured graph.rec --json model.json
    same_keys run.json model.json predicted_fs history_hash events parcels
done

# A disk that is full; a folder that is not there.
expect 4 "$HTMT" run "${pic[@]}" --capture /dev/full --quiet
one_line '/dev/full'
refuse 'nowhere' run "${pic[@]}" --capture nowhere/x.rec
[ ! -e x.rec ] || fail 'a refused run left a file'
