#!/bin/bash
# Class: fast foreign.
# Traffic by the command: what is recorded, exported and regenerated; one history for every way of
# the clock, threads and processes.
. "$(dirname "$0")/common"

# same NAME ARGUMENTS...: the model run has one time and history whichever way the clock goes.
same() {
    local name=$1 way ways=('--clock windows' '--clock shared --clock-threads 2' '--clock-threads 3 --clock-partitions 5')
    shift
    ! only_memory || ways=('--clock shared --clock-threads 2')
    expect 0 "$HTMT" model traffic "$@" --json "$name.json" --quiet
    for way in "${ways[@]}"; do
        # shellcheck disable=SC2086
        expect 0 "$HTMT" model traffic "$@" $way --json way.json --quiet
        same_keys "$name.json" way.json predicted_fs history_hash
    done
}

small=(--machine small-htmt)
same stages --table stages --iterations 5 "${small[@]}"
same rendezvous --table rendezvous --iterations 5 "${small[@]}"
same grid --table hpsc-grid --order rotated --iterations 3
same uniform --pattern uniform --slots 40 --rate 1e6 --slices 64
same flood --pattern all-to-all --slots 2 --slices "$(only_memory && echo 100 || echo 400)"
measured=1us..$(only_memory && echo 2us || echo 3us)
same measured --pattern uniform --load 0.4 --bytes 64 --measure "$measured" --slices 64 \
    --latencies measured.csv
same hot --pattern hotspot --synchronous --slots 20 "${small[@]}"

# A run has the history of its model, and checks each message.
for table in stages rendezvous hpsc-simple $(only_memory || echo hpsc-grid); do
    expect 0 "$HTMT" run traffic --table $table --iterations 3 --check-determinism --json r.json
    grep -q '"correct": true' r.json || fail "$table: not checked"
    expect 0 "$HTMT" run traffic --table $table --checked --quiet
    grep -q '"equal": true' r.json || fail "$table: not the same again"
    expect 0 "$HTMT" model traffic --table $table --iterations 3 --json m.json --quiet
    [ "$(history r.json)" = "$(history m.json)" ] || fail "$table: run and model differ"
done

# Another seed, another time; the same seed, the same.
for seed in 1 2 1; do
    expect 0 "$HTMT" model traffic --pattern uniform --rate 1e6 --slots 20 "${small[@]}" --seed $seed \
        --json "s$seed.json" --quiet
    predicted "s$seed.json" >>times
done
[ "$(sort -u times | wc -l)" = 2 ] || fail "seeds: $(cat times)"

# ---- networks with an inside ------------------------------------------------------------------------

# came TARGET,INDEX US: when that message of example 1 was received.
came() {
    grep -q "^message,0,[0-9]*,$1,16000,0,$2000000000\$" times.csv || fail "$1 not at $2 us: $(cat times.csv)"
}
# contends N US MACHINE ARGUMENTS...: so many packets find a port taken; the last one comes at US, with
# several lanes within the time of some bytes.
contends() {
    local n=$1 us=$2 machine=$3 fs
    shift 3
    expect 0 "$HTMT" model traffic --machine "$machine" "$@" --latencies times.csv --json inside.json
    grep -q "inside: .* $n contentions" out || fail "$machine $*: not $n contentions: $(cat out)"
    fs=$(grep ^message times.csv | cut -d, -f8 | sort -n | tail -1)
    [ "$machine" != hpsc-lanes ] || fs=$(((fs + 25000000) / 50000000 * 50000000))
    [ "$fs" = "${us}000000000" ] || fail "$machine $*: the last message does not come at $us us, but at $fs fs"
}

# Pauer, example 1: P.ex1.at.* and the ports of the golden table.
contends 5 739 hpsc-simple --table hpsc-simple
for at in '5,0 114' '3,0 319' '5,1 430' '3,1 637' '4,0 113' '5,2 218' '3,2 423' '5,3 532' '3,3 739'; do
    # shellcheck disable=SC2086
    came $at
done
# Example 2: the grid, and four switches of eight ports; in order and rotated.
contends 73 3186 hpsc-grid --table hpsc-grid
contends 55 2660 hpsc-grid --table hpsc-grid --order rotated
contends 40 2100 hpsc-eight --table hpsc-grid
contends 24 1172 hpsc-eight --table hpsc-grid --order rotated
# The wrap that the text proposes, and the same with two lanes.
contends 59 2646 hpsc-lanes --table hpsc-grid
contends 44 2612 hpsc-lanes --table hpsc-grid --order rotated
expect 3 "$HTMT" model traffic --machine hpsc-wrap --table hpsc-grid
# Blocks go to memory when all are in: four of 100 us each, behind the last one; then 50 us of work.
expect 0 "$HTMT" run traffic --machine hpsc-simple --table hpsc-simple --json local.json --quiet \
    --set 'networks.myrinet.local-rate=160 MB/s'
[ "$(predicted local.json)" = $(((739 + 4 * 100 + 50) * 1000000000)) ] ||
    fail "local-rate: $(predicted local.json)"
# What is inside keeps its bytes and its history.
expect 0 "$HTMT" run traffic --machine hpsc-simple --table hpsc-simple --check-determinism --iterations 2 \
    --json r.json
grep -q '"correct": true' r.json || fail 'inside: not correct'
same inside --machine hpsc-grid --table hpsc-grid --iterations 2
same vortex --machine htmt-vortex --slices 24 --pattern uniform --bytes 300 --load 0.7 --measure 20ns..80ns
python3 - <<'PYTHON' || fail 'what cylinders say is not what ports and packets say'
import json
run = json.load(open("vortex.json"))
vortex, inside, cylinders = run["vortices"][0], run["insides"][0], run["cylinders"]
assert len(cylinders) == 6 and all(c["nodes"] == 32 * 5 for c in cylinders)
assert vortex["packets"] == inside["packets"] > 1000 and vortex["deflections"] > 100 < vortex["waited"]
assert inside["hops"] == vortex["packets"] + sum(c["packets"] for c in cylinders)
assert inside["contentions"] == vortex["deflections"] + vortex["waited"]
assert vortex["deflections"] == sum(c["deflections"] for c in cylinders) and not cylinders[-1]["deflections"]
for c in cylinders:
    assert c["packets"] >= vortex["packets"]
    slots = run["predicted_fs"] / 800000
    assert abs(c["load"] - c["packets"] / (c["nodes"] * slots)) < 1e-12
PYTHON
same mesh --machine gcel --pattern uniform --slots 5
# A message alone, to the femtosecond: Mermaid's ping-pong over several hops.
for machine in gcel powerstone1; do
    for partner in $(only_memory || echo 1 9) 63; do
        expect 0 "$HTMT" model traffic --machine $machine --pattern ping-pong --partner $partner \
            --bytes 1000 --slots 3 --json p.json
        grep -q 'message by message; the virtual clock says 0.0 % ' out ||
            fail "$machine, to $partner: $(grep closed out)"
    done
done
# Where processors route, links must be slower than they: else what follows waits for them.
expect 0 "$HTMT" model traffic --machine gcel --pattern ping-pong --bytes 4000 --slots 3 \
    --set networks.grid.inside.rate=not-modelled --set networks.grid.inside.setup=not-modelled
grep -q 'bound of the busiest port' out || fail "too fast links: $(grep closed out)"
# A route that leads elsewhere.
sed 's/route: \[2, 3, 3\]/route: [2, 3]/' "$HTMT_TRAFFIC_PATH/hpsc-simple.yaml" >astray.yaml
refuse './astray.yaml:10: the route leads to ' model traffic --machine hpsc-simple --table ./astray.yaml

# What Cannon sends over CNET, by the model and by a run, and how long that takes alone.
for how in '' --run; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" traffic record cannon --size 256 --slices 16 --network cnet --out "c$how.yaml" \
        $how --quiet --json cannon.json
done
cmp c.yaml c--run.yaml || fail 'run and model send other messages'
expect 0 "$HTMT" model traffic --table ./c.yaml --layer cram --json c.json --quiet
[ "$(predicted c.json)" -le "$(predicted cannon.json)" ] || fail 'the messages alone take longer'
[ "$(predicted c.json)" -gt $(($(predicted cannon.json) / 2)) ] || fail 'the messages take no time'
expect 0 "$HTMT" model traffic --profile ./c.yaml --layer cram --seed 2
grep -q 'profile: .* bytes a message, .* partners a node' out || fail 'no profile'

# Recorded traffic is recorded again as it is, but for what ports waited.
expect 0 "$HTMT" traffic record traffic --table ./c.yaml --layer cram --out d.yaml --quiet
[ "$(grep -c asend c.yaml)" = "$(grep -c asend d.yaml)" ] || fail 'other messages'

# The tables of the LANais.
expect 0 "$HTMT" traffic export --table stages
grep -qx '   0  transmit        4000       4000      1      1  -' out || fail "export: $(cat out)"
grep -qx '   1  receive         4000       4000      0      1  -' out || fail "export: $(cat out)"
mv out first
expect 0 "$HTMT" export traffic --table stages --out lanais.txt
cmp first lanais.txt || fail 'the file has another table'
expect 0 "$HTMT" traffic export --table hpsc-grid --order rotated
[ "$(grep -m1 '^   1  transmit' out | awk '{ print $5 }')" = 9 ] || fail 'not rotated'

# Times of iterations and messages.
expect 0 "$HTMT" model traffic --table stages --iterations 4 "${small[@]}" --latencies times.csv
grep -qx 'iteration,3,,,,,60000000000,76450000000' times.csv || fail "times: $(cat times.csv)"
grep -qx 'message,0,1,2,0,2000,11100000000,11450000000' times.csv || fail "times: $(cat times.csv)"
grep -q 'least period that the network sustains: 10 us' out || fail "no period: $(cat out)"
expect 0 "$HTMT" model traffic --table stages --iterations 8 "${small[@]}" --period '4 us'
grep -q 'the period asked for is too short' out || fail "a period that is too short: $(cat out)"

# Several processes, where MPI is: the end of this script.
. "$root/tests/ranks/launch"
for n in 2 $(only_memory || echo 3); do
    expect 0 "${launch[@]}" -n $n "$HTMT" model traffic --table hpsc-grid --order rotated \
        --iterations 3 --json ranks.json --quiet
    [ "$(history ranks.json)" = "$(history grid.json)" ] || fail "$n processes: another history"
    expect 0 "${launch[@]}" -n $n "$HTMT" model traffic --pattern uniform --load 0.4 --bytes 64 \
        --measure "$measured" --slices 64 --json ranks.json --latencies ranks.csv --quiet
    [ "$(history ranks.json)" = "$(history measured.json)" ] || fail "$n processes: another history"
    cmp ranks.csv measured.csv || fail "$n processes: other latencies"
    expect 0 "${launch[@]}" -n $n "$HTMT" run traffic --table hpsc-grid --json ranks.json --quiet
    grep -q '"correct": true' ranks.json || fail "$n processes: not correct"
done
