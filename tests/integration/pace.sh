#!/bin/bash
# Class: fast.
# A channel is occupied for start-up and the longest of three: words at its rate, accesses of the memories at
# both ends. Ports inside a network hold it longer. BOTTLENECKS names the term that binds: the time of the run
# follows that one, and no other.
. "$(dirname "$0")/common"

# pace TERM ARGUMENTS...: the first link of the list has that term, in the report, the object and the trace; sets
# `time` (fs).
pace() {
    local term=$1 tail=": $1 sets the pace"
    [ "$term" != rate ] || tail=''
    shift
    expect 0 "$HTMT" model traffic --pattern all-to-all --machine htmt-torus --slices 4 --slots 3 --json j --trace t "$@"
    grep -q "^  1. vortex dram out: .*, saturated$tail$" out || fail "$*: not '$term': $(grep -A3 ^BOTTLENECKS out)"
    expect 0 "$HTMT" report j
    grep -q "^  1. vortex dram out: .*, saturated$tail$" out || fail "$*: of the object: $(grep -A3 ^BOTTLENECKS out)"
    expect 0 "$HTMT" report t
    grep -q "vortex dram out: .*, saturated$tail$" out || fail "$*: of the trace: $(grep -A3 ^BOTTLENECKS out)"
    python3 -c 'import json, sys
assert {r["name"]: r for r in json.load(open("j"))["resources"]}["vortex dram out"]["term"] == sys.argv[1]' "$term"
    time=$(sed -n 's/.*"predicted_fs": *\([0-9]*\).*/\1/p' j)
}

# near A B: within a tenth.
near() { [ $((10 * $1)) -ge $((9 * $2)) ] && [ $((10 * $1)) -le $((11 * $2)) ] || fail "$1 fs, not about $2 fs: $3"; }

rate='networks.vortex.ports.dram.out-rate'
access='layers.dram.memory.access'
# 10,000 words: 9.7 us of DRAM, 1 us of the channel.
pace 'DRAM access' --bytes 80000
all=$time
pace 'DRAM access' --bytes 80000 --set $rate='20 Gword/s'
near "$time" "$all" 'a channel of twice the rate'
pace 'DRAM access' --bytes 80000 --set $access='0.485 ns/word'
near "$time" $((all / 2)) 'half of the access time'
# Without access times the rate binds, here one word in 1.25 ns, below that of the ports inside.
pace rate --bytes 80000 --set $access=not-modelled --set $rate='0.8 Gword/s'
all=$time
pace rate --bytes 80000 --set $access=not-modelled --set $rate='0.4 Gword/s'
near "$time" $((2 * all)) 'half of the rate'
# 10 words: 9.7 ns, and a start-up of 1 us.
pace start-up --bytes 80 --set networks.vortex.startup='1 us'
all=$time
pace start-up --bytes 80 --set networks.vortex.startup='2 us'
near "$time" $((2 * all)) 'twice the start-up'
# Ports of a hundredth of their rate: 10,000 words take 50 us there.
pace 'inside of the network' --bytes 80000 --set networks.vortex.inside.rate='0.2 Gword/s'
all=$time
pace 'inside of the network' --bytes 80000 --set networks.vortex.inside.rate='0.1 Gword/s'
near "$time" $((2 * all)) 'ports of half the rate'

# ---- flights ---------------------------------------------------------------------------------------
# Two slices play ping-pong: one message is under way all the time, but for its time on channels and in
# processors. What --explain finds on the path is what the run counts without it: messages in flight of all slices.
# flights MACHINE NETWORK ARGUMENTS...
flights() {
    local machine=$1 network=$2
    shift 2
    expect 0 "$HTMT" model traffic --pattern ping-pong --partner 1 --bytes 100 --slots 20 --slices 4 \
        --machine "$machine" --json counted "$@"
    grep -q "^  [123]. $network latency: .* messages of a slice in flight on average$" out || fail "$machine: $(grep -A3 ^BOTTLENECKS out)"
    expect 0 "$HTMT" model traffic --pattern ping-pong --partner 1 --bytes 100 --slots 20 --slices 4 \
        --machine "$machine" --json explained --explain "$@"
    python3 - "$network latency" <<'END' || fail "$machine: latency"
import json, sys
of = lambda file: {x["name"]: x for x in json.load(open(file))["bottlenecks"]}.get(sys.argv[1])
counted, explained = of("counted"), of("explained")
assert counted["kind"] == explained["kind"] == "latency" and not counted["binding"]
assert abs(4 * counted["mean_queue"] - explained["path_share"]) < 0.02, (counted, explained)
END
}
flights htmt-oct98 vortex
flights htmt-torus vortex --set networks.vortex.inside.wire='20 ns' --set networks.vortex.inside.switch='5 ns'
flights hpsc-lanes myrinet
# Another clock and processes count the same.
same=(model traffic --pattern uniform --slots 20 --machine htmt-oct98 --slices 16)
expect 0 "$HTMT" "${same[@]}" --json a --clock sequential
expect 0 "$HTMT" "${same[@]}" --json b --clock windows
python3 -c 'import json; a, b = (json.load(open(f))["bottlenecks"] for f in "ab"); assert a == b and any(x["kind"] == "latency" for x in a)' ||
    fail 'other flights by another clock'

# ---- one path --------------------------------------------------------------------------------------
# The path that a run finds while it is played is that of its trace, cause by cause. Where several packets of a
# message queue at once, the run follows its first one; so these have one packet, or nothing in their way.
path() {
    expect 0 "$HTMT" model traffic "$@" --explain --trace t --json j
    expect 0 "$HTMT" trace path t --json p
    python3 - <<'END' || fail "$*: another path in the trace"
import json
run, trace = json.load(open("j")), json.load(open("p"))
assert run["explanation"]["sums_fs"] == trace["sums_fs"], (run["explanation"]["sums_fs"], trace["sums_fs"])
END
}
path --machine gcel --pattern all-to-all --bytes 1024 --slots 2 --slices 16
path --machine hpsc-lanes --pattern ping-pong --partner 1 --bytes 100 --slots 20 --slices 4
expect 0 "$HTMT" model traffic --machine gcel --pattern all-to-all --bytes 1024 --slots 2 --slices 16 --explain
grep -q '^  1. grid ports: [78].* % of the path, messages queue for ports inside$' out || fail "$(grep -A3 ^BOTTL out)"
