#!/bin/bash
# Class: fast foreign.
# Networks with an inside by the command: what each key costs a message alone, which networks change
# nothing, who blocks whom, the examples on machines with ports inside, one result for every way of
# the clock, and each mistake of a machine, a graph or a table in one line.
. "$(dirname "$0")/common"
examples=$(dirname "$HTMT")/examples

# ---- a message alone ----------------------------------------------------------------------------

# Three switches in a row. A packet of 1600 B needs 10 us on a link, its head 1 us in a switch.
cat >row.yaml <<'Y'
htmt-graph: 1
ends: [a, b]
switches:
  1: {ports: 2, at: [0, 0]}
  2: {ports: 2, at: [1, 0]}
  3: {ports: 2, at: [2, 0]}
links: [a - 1.0, 1.1 - 2.0, 2.1 - 3.0, 3.1 - b]
Y
cat >three.yaml <<'Y'
htmt-machine: 1
base: hpsc-simple
slices: {value: 2, source: s}
networks:
  myrinet:
    startup: {value: 0 s, source: s}
    startup-next: {value: 0 s, source: s}
    inside:
      graph: ./row.yaml
      switching: cut-through
      routing: shortest
      packet: {value: 1600 B, source: s}
      wire: {value: 0 s, source: s}
      switch: {value: 1 us, source: s}
      control: {value: 0 s, source: s}
      blocked: link
      deadlock: allowed
Y

# table NAME BLOCK...: what node 0 sends to node 1.
table() {
    local name=$1
    shift
    printf 'htmt-traffic: 1\nnodes:\n  - send:\n' >"$name.table"
    printf '      - {to: 1, bytes: %s}\n' "$@" >>"$name.table"
    echo '  - {}' >>"$name.table"
}
table one 1600
table four 6400
table five 6000
table both 1600 1600

# takes US TABLE FIGURE...: so long until the last message is received. A figure without a dot is of
# the network, one with a dot in front of its inside.
takes() {
    local us=$1 name=$2 figures=() figure
    shift 2
    for figure; do
        case $figure in
        .*) figures+=(--set "networks.myrinet.inside$figure") ;;
        *) figures+=(--set "networks.myrinet.$figure") ;;
        esac
    done
    expect 0 "$HTMT" model traffic --machine "${machine-./three.yaml}" --table "$name.table" \
        "${figures[@]}" --latencies times.csv --quiet
    found=$(sed -n 's/^message,.*,//p' times.csv | sort -n | tail -1)
    [ "$found" = "$(printf %.0f "${us}e9")" ] ||
        fail "$name with $*: $found fs, not $us us"
}

# The switchings.
takes 43 one .switching=store-and-forward
takes 73 four .switching=store-and-forward
for switching in cut-through wormhole; do
    takes 13 one .switching=$switching
    takes 43 four .switching=$switching
done
# Each key.
takes 21 one '.wire=2 us'
takes 19 one '.switch=3 us'
takes 14 one '.header.fixed=160 B'
takes 13.3 one '.header.hop=16 B' '.switch=0 s' '.wire=0.75 us'
takes 33 one '.setup=5 us'
takes 53 one '.route=10 us'
takes 61 one '.copy=0.01 us/B'
takes 23 one '.rate=80 MB/s'
takes 23 one '.rate=12.5 ns/B'
takes 3 one .rate=not-modelled
takes 13 one '.packet=400 B'
takes 20.5 one '.packet=400 B' .switching=store-and-forward
takes 13 four .planes.count=4
takes 13 four .planes.count=4 .planes.as=scaled
takes 5.5 one .planes.count=4 .planes.as=scaled
takes 13 one .lanes=2
takes 106 four '.buffer=1 packet' .switching=store-and-forward
takes 121 four '.buffer=1 packet' .switching=store-and-forward '.control=5 us'
takes 20 one 'latency=7 us'
takes 19 one 'receive=6 us'
takes 33 both 'startup=10 us'
takes 40 both 'startup=10 us' 'startup-next=7 us'
# Blocks go to memory when all of a node are in.
takes 13 one 'local-rate=160 MB/s'
grep -q '^iteration,0,,,,,0,23000000000$' times.csv || fail "local-rate: $(cat times.csv)"
# A slow link behind a fast one, 5 packets: a second buffer helps.
cat >slow-row.yaml <<'Y'
htmt-graph: 1
ends: [a, b]
switches: {1: {ports: 2}}
links:
  - {join: a - 1.0, rate: {value: 120 MB/s, source: s}}
  - {join: 1.1 - b, rate: {value: 40 MB/s, source: s}}
Y
sed 's/row.yaml/slow-row.yaml/; s/1600 B/1200 B/; s/1 us/0 s/' three.yaml >slow.yaml
machine=./slow.yaml takes 200 five .switching=store-and-forward '.buffer=1 packet'
machine=./slow.yaml takes 160 five .switching=store-and-forward '.buffer=2 packet'

# ---- insides that change nothing ----------------------------------------------------------------

# inside TOPOLOGY ROUTING [SHAPE LANES]: without times and limits, whole messages.
inside() {
    printf '    inside:\n      topology: %s\n      routing: %s\n      switching: wormhole\n' "$1" "$2"
    for figure in packet header rate wire switch buffer planes setup route copy control; do
        echo "      $figure: {value: not-modelled, source: s}"
    done
    echo "      lanes: {value: ${4-1}, source: s}"
    [ -z "${3-}" ] || echo "      shape: {value: $3, source: s}"
}

# Machines of the shipped names in the folders crossbar and torus.
for folder in crossbar torus; do
    cp -r "$root/machines" $folder
    for name in small-htmt htmt-oct98; do
        cp "$root/machines/$name.yaml" "$folder/plain-$name.yaml"
        printf 'htmt-machine: 1\nbase: ./plain-%s.yaml\nnetworks:\n  cnet:\n' $name
        if [ $folder = torus ]; then
            inside torus torus square 2
        else
            inside crossbar shortest
            echo '  vortex:'
            inside crossbar shortest
        fi
    done | csplit -s -f part - '/^htmt-machine/' '{*}'
    mv part01 $folder/small-htmt.yaml
    mv part02 $folder/htmt-oct98.yaml
    rm part00
done

# alike FOLDER ARGUMENTS...: time and history are those without an inside.
alike() {
    local folder=$1
    shift
    expect 0 "$HTMT" "$@" --json plain.json --quiet
    HTMT_MACHINE_PATH=$folder expect 0 "$HTMT" "$@" --json ports.json --quiet
    same_keys plain.json ports.json predicted_fs history_hash
    [ "$(key network_history ports.json)" != "$(key network_history plain.json)" ] ||
        fail "$folder, $*: no packet was inside"
}
alike crossbar model cannon --size 512 --slices 16
alike crossbar run cannon --size 256 --slices 4
alike crossbar model pic --steps 40
alike crossbar model sar --slices 4
alike crossbar model volume --slices 16
alike crossbar model traffic --pattern uniform --slots 10 --slices 64
alike torus model cannon --size 512 --slices 16
alike torus model cannon --size 512 --slices 16 --clock windows
alike torus run cannon --size 256 --slices 4
HTMT_MACHINE_PATH=crossbar expect 0 "$HTMT" model cannon --size 512 --slices 16 --fold --quiet
expect 3 "$HTMT" model cannon --machine htmt-torus --size 512 --slices 16 --fold
grep -q 'network vortex: packets of different slices may block each other inside' err ||
    fail "folded: $(cat err)"

# The numbered examples print what they print, those of the pages run.
for folder in crossbar torus; do
    if [ -z "${SANITIZE-}" ]; then
        for example in "$root"/examples/[0-9][0-9]-*; do
            HTMT_MACHINE_PATH=$folder expect 0 "$examples/${example##*/}" 2
            diff "$example/expected.txt" out >difference ||
                fail "${example##*/} with a $folder: $(cat difference)"
        done
        include=$(dirname "$HTMT")/include
        gcc -O1 -shared -fPIC -I"$include" -I"$include/htmt" "$root/examples/tutorial/heat.c" -o heat.so
        alike $folder model ./heat.so --slices 4
        HTMT_MACHINE_PATH=$folder expect 0 "$HTMT" run ./heat.so --slices 4 --check-determinism
    fi
    alike $folder model "$examples/dot.so" --slices 8
    HTMT_MACHINE_PATH=$folder expect 0 "$HTMT" run "$examples/dot.so" --slices 8 --check-determinism
done

# ---- who blocks whom ----------------------------------------------------------------------------

# Four packets round a ring, one lane, room for one: a circle of four. Two lanes open it.
cat >ring.yaml <<'Y'
htmt-machine: 1
base: ./three.yaml
slices: {value: 4, source: s}
networks:
  myrinet:
    inside:
      topology: torus
      shape: {value: 4, source: s}
      buffer: {value: 1 packet, source: s}
Y
{
    printf 'htmt-traffic: 1\nnodes:\n'
    printf '  - program: [{asend: %d, bytes: 1600}]\n' 2 3 0 1
} >ring.table
for switching in store-and-forward cut-through wormhole; do
    for clock in sequential windows; do
        ring=(model traffic --machine ./ring.yaml --table ring.table --clock $clock
            --set "networks.myrinet.inside.switching=$switching")
        expect 3 "$HTMT" "${ring[@]}"
        [ "$(grep -c . err)" = 1 ] || fail "a circle in more than a line: $(cat err)"
        for i in 0 1 2 3; do
            grep -q "slice $i to slice $(((i + 2) % 4)) holds switch $i +x, wants switch $(((i + 1) % 4)) +x" err ||
                fail "$switching: packet $i of the circle is not named: $(cat err)"
        done
        grep -q '^cycle of packets: packet 1 of 1 from slice 0' out || fail "no cycle: $(cat out)"
        expect 0 "$HTMT" "${ring[@]}" --set networks.myrinet.inside.routing=torus \
            --set networks.myrinet.inside.lanes=2 --quiet
    done
done

# All to all on a mesh without limits, where packets pass those that wait for other ports: the
# busiest link has 128 packets.
cat >mesh.yaml <<'Y'
htmt-machine: 1
base: ./three.yaml
slices: {value: 64, source: s}
networks:
  myrinet:
    inside:
      topology: mesh
      shape: {value: 8 x 8, source: s}
      routing: xy
      switching: wormhole
      switch: {value: 0 s, source: s}
Y
for order in '141' '174 --order listed'; do
    # shellcheck disable=SC2086
    set -- $order
    packets=$1
    shift
    expect 0 "$HTMT" model traffic --machine ./mesh.yaml --pattern all-to-all --bytes 1600 "$@" \
        --json mesh.json --quiet
    [ "$(predicted mesh.json)" = "${packets}0000000000" ] ||
        fail "all to all $*: $(predicted mesh.json) fs, not $packets packets of 10 us"
    for way in '--clock windows' '--clock shared --clock-threads 3'; do
        # shellcheck disable=SC2086
        expect 0 "$HTMT" model traffic --machine ./mesh.yaml --pattern all-to-all --bytes 1600 "$@" \
            $way --json way.json --quiet
        same_keys mesh.json way.json predicted_fs history_hash network_history
    done
done

# The port where a head waited, and who had it.
expect 0 "$HTMT" model traffic --machine hpsc-simple --table hpsc-simple --explain
grep -A1 '^  blocked  myrinet 2.2, slice 0 to ' out | tr -d '\n' | grep -q ' 95.00 us .* 3$' || fail "no port: $(grep blocked out)"

# ---- traffic of an application on another machine -----------------------------------------------

expect 0 "$HTMT" traffic record pic --steps 4 --out pic.table --quiet
expect 0 "$HTMT" model traffic --table pic.table --machine gcel --json pic.json --quiet
# The closed form knows the network of the slices that are played.
expect 0 "$HTMT" predict traffic --table pic.table --machine gcel --json bound.json --quiet
python3 - <<'PYTHON' || fail 'the bound is above the time, or far below'
import json
time, bound = (json.load(open(f + ".json"))["predicted_s"] for f in ("pic", "bound"))
raise SystemExit(not 0.5 * time < bound <= time)
PYTHON
refuse './none.table' model traffic --table none.table

# ---- mistakes -----------------------------------------------------------------------------------

# machine SED TEXT: that change of a machine is refused wherever it is read.
machine() {
    sed "$1" three.yaml >bad.yaml
    ! cmp -s three.yaml bad.yaml || fail "nothing changes: $1"
    refuse "$2" machine check ./bad.yaml
    refuse "$2" model traffic --machine ./bad.yaml --table one.table
    refuse "$2" run traffic --machine ./bad.yaml --table one.table
}
machine 's/graph: .*/topology: mesh\n      shape: {value: 1 x 1, source: s}/' \
    './bad.yaml:10: networks.myrinet.inside.shape: 1 ends do not hold the 2 slices of the machine'
machine 's/slices: {value: 2/slices: {value: 3/' \
    './bad.yaml:9: networks.myrinet.inside.graph: 2 ends do not hold the 3 slices of the machine'
machine 's/1600 B/8 B/; s/wire:/header: {fixed: 6 B, hop: 1 B, source: s}\n      &/' \
    './bad.yaml:12: networks.myrinet.inside.packet: found 8 bytes, expected more than the header of 9 bytes'
machine 's/wire:/buffer: {value: 1500 B, source: s}\n      &/' \
    "./bad.yaml:13: networks.myrinet.inside.buffer: found 1500 bytes, but cut-through keeps whole packets of up to 1600 bytes"
machine 's/wire: {value: 0 s/buffer: {value: 1599 B, source: s}\n      wire: {value: 10 us/; s/cut-through/wormhole/' \
    './bad.yaml:13: networks.myrinet.inside.buffer: found 1599 bytes, but a credit is back after wire and control'
machine 's/graph: .*/topology: torus\n      shape: {value: 2, source: s}/; s/shortest/torus/' \
    "networks.myrinet.inside.lanes: routing 'torus' changes lanes where a ring closes, expected at least 2"
machine 's/switch: .*/switch: 1 us/' \
    "./bad.yaml:14: networks.myrinet.inside.switch: found '1 us' without a source, expected {value: ..., source: ...}"
machine 's/switch: .*/switch: {value: 1 us}/' './bad.yaml:14: '
machine 's/graph: .*/topology: ring/' \
    "./bad.yaml:9: networks.myrinet.inside.topology: found 'ring', expected one of"
machine 's/routing: .*/routing: xyz/' \
    "./bad.yaml:11: networks.myrinet.inside.routing: found 'xyz', expected one of 'xy', 'torus', 'geometric'"
machine 's/blocked: .*/blocked: switch/' \
    "./bad.yaml:16: networks.myrinet.inside.blocked: found 'switch', expected 'link' or 'source'"
machine 's/blocked: .*/&\n      bufer: {value: 1 packet, source: s}/' \
    './bad.yaml:17: '
machine 's/blocked: .*/&\n      router: attic/' \
    "./bad.yaml:17: networks.myrinet.inside.router: found 'attic', expected 'none' or a layer with processors"
machine 's/graph: .*/graph: hpsc-simpel/' "no graph 'hpsc-simpel', did you mean 'hpsc-simple'?"
refuse '--set networks.grid.inside.shape: 16 ends do not hold the 64 slices of the machine' \
    model traffic --machine gcel --set 'networks.grid.inside.shape=4 x 4' --pattern uniform

# graph TEXT LINES: those lines make no graph.
graph() {
    local text=$1
    shift
    printf 'htmt-graph: 1\n' >bad-row.yaml
    printf '%s\n' "$@" >>bad-row.yaml
    sed 's/row.yaml/bad-row.yaml/' three.yaml >bad.yaml
    refuse "bad-row.yaml:$text" machine check ./bad.yaml
    refuse "bad-row.yaml:$text" model traffic --machine ./bad.yaml --table one.table
    refuse "bad-row.yaml:$text" machine picture ./bad.yaml -o bad.svg
}
ends='ends: [a, b]'
switches='switches: {1: {ports: 3}, 2: {ports: 2}}'
graph "6: '1.0' has two links" "$ends" "$switches" 'links:' '  - a - 1.0' '  - b - 1.0'
graph "2: end 'b' has no link" "$ends" "$switches" 'links: [a - 1.0, 1.1 - 2.0]'
graph "1: the graph is in pieces: no links lead from 'a' to 'b'" \
    "$ends" "$switches" 'links: [a - 1.0, b - 2.0]'
graph "3: board 'bad-row' is inside itself" "$ends" 'boards: {own: bad-row}' "$switches" \
    'links: [a - 1.0, b - 1.1]'
graph "4: switch '1' has no port '3'" "$ends" "$switches" 'links: [a - 1.3, b - 1.1]'
graph "4: rate: found '5 MB/s' without a source" "$ends" "$switches" \
    'links: [{join: a - 1.0, rate: 5 MB/s}, b - 1.1]'

# Routes.
route() {
    sed "s/route: \[2, 3, 3\]/route: $1/" "$HTMT_TRAFFIC_PATH/hpsc-simple.yaml" >astray.yaml
    refuse "./astray.yaml:10: $2" model traffic --machine hpsc-simple --table ./astray.yaml
}
route '[0, 3, 3]' 'port 0, number 1 of the route, at 1: there is no link'
route '[9, 3, 3]' 'port 9, number 1 of the route, at 1: there is no link'
route '[2, 3]' 'the route leads to 4, expected node-bottom'
route '[1]' 'the route leads to source-top, expected node-bottom'
route '[2, 1, 2, 3, 3]' 'port 1, number 2 of the route, at 3: the way goes round in a circle'
route '[2, 3, 3, 3]' 'a route of 4 ports ends after 3 of them'

# Tables of another node count, and a receive without a send.
refuse '--table: found 16 nodes in hpsc-grid and 6 slices' model traffic --machine hpsc-simple \
    --table hpsc-grid
printf 'htmt-traffic: 1\nnodes:\n  - program: [{rcv: 1}]\n  - {}\n' >receive.table
refuse './receive.table:3: found a receive from node 1 without a send' model traffic \
    --machine ./three.yaml --table receive.table
# A packet that is sent before Stop can come.
expect 2 "$HTMT" model traffic --machine hpsc-simple --table hpsc-simple --quiet \
    --set 'networks.myrinet.inside.rate=160 GB/s'
one_line
grep -q "of 16000 bytes from slice 0 to slice 5 is sent in 1e-07 s, but .* of its way take 8e-06 s" err || fail "another refusal: $(cat err)"

# ---- several ways -------------------------------------------------------------------------------

# What is drawn, and what waits at a switch, is the same for any threads, clock and windows; messages
# of packets that overtake each other are whole, in their order.
net=networks.net.inside
ways() {
    local again=--check-determinism
    ! only_memory || again=--quiet
    expect 0 "$HTMT" model traffic --pattern uniform --bytes 256 --slots 8 --rate 3e7 $again "$@"
    only_memory || grep -q '^  equal  *6 more runs' out || fail "$*: $(cat out)"
}
ways --machine fat-tree-64
ways --machine fat-tree-64 --set $net.routing=up-adaptive --set $net.ties=hash
ways --machine fat-tree-64 --set $net.order=keep --set $net.allocate=pairs
ways --machine dragonfly-72
ways --machine dragonfly-72 --set $net.routing=valiant
ways --machine fat-tree-64 --set $net.topology=flattened-butterfly --set "$net.shape=4 x 4 x 4" \
    --set $net.routing=ugal
ways --machine fat-tree-64 --set $net.topology=concentrated-mesh --set "$net.shape=4 x 4 x 4" \
    --set $net.routing=o1turn
ways --machine fat-tree-64 --set $net.topology=hypercube --set $net.shape=6 --set $net.routing=valiant
ways --machine fat-tree-64 --set $net.topology=torus --set $net.shape=square \
    --set $net.routing=minimal-adaptive --set $net.ties=hash --set $net.allocate=pairs

# Nor does it depend on them which of several lanes a wire is dealt to first, where many have news at
# one instant.
if ! only_memory; then
    expect 0 "$HTMT" model traffic --pattern uniform --bytes 256 --load 0.9 --slots 12 --check-determinism \
        --machine fat-tree-64 --set $net.topology=mesh --set "$net.shape=8 x 8" --set $net.lanes=8 \
        --set $net.routing=o1turn
    grep -q '^  equal  *6 more runs' out || fail "eight lanes: $(cat out)"
fi

# Another seed draws other ways, the same one the same ways, of any threads; 0 is as none.
ways --machine fat-tree-64 --set $net.seed=7
for seed in none 0 7 8; do
    expect 0 "$HTMT" model traffic --machine fat-tree-64 --pattern uniform --bytes 256 --slots 4 --rate 3e7 \
        $([ $seed = none ] || echo --set $net.seed=$seed) --json seed-$seed.json
    expect 0 "$HTMT" machine routes fat-tree-64 --from 3 --to 60 \
        $([ $seed = none ] || echo --set $net.seed=$seed) --json ways-$seed.json
done
python3 - <<'END' || fail "seeds of what is drawn"
import json
def of(what):
    return [json.load(open(f"{what}-{s}.json")) for s in ("none", "0", "7", "8")]
none, zero, seven, eight = ([w["share"] for w in r["ways"]] for r in of("ways"))
assert none == zero and len({tuple(s) for s in (zero, seven, eight)}) == 3
none, zero, seven, eight = (r["ports"] for r in of("seed"))
assert none == zero and zero != seven and seven != eight
END
# What a file may leave out, --set may name, and the resolved file is read again.
for keys in 'seed=7 ties=hash' \
    'pipeline=per-flit flit=16B switching=wormhole input-speedup=1 arbiter=oldest priority=64B deadlock=allowed'; do
    # shellcheck disable=SC2046
    expect 0 "$HTMT" machine show fat-tree-64 --resolved $(printf -- "--set $net.%s " $keys)
    cp out resolved.yaml
    expect 0 "$HTMT" machine check ./resolved.yaml
done
printf '%s\n' 'htmt-machine: 1' 'base: fat-tree-64' 'about: another seed' \
    'networks: {net: {inside: {seed: 7}}}' >seed.yaml
expect 0 "$HTMT" machine routes ./seed.yaml --from 3 --to 60 --json ways.json
cmp <(python3 -c 'import json; print(json.load(open("ways-7.json"))["ways"])') \
    <(python3 -c 'import json; print(json.load(open("ways.json"))["ways"])') || fail "the seed of a file"
refuse 'seed: nothing is drawn' machine show gcel --set networks.grid.inside.seed=7
refuse "seed: topology 'data-vortex' has none" machine show htmt-vortex --set networks.vortex.inside.seed=7
for machine in fat-tree-64 dragonfly-72; do
    expect 0 "$HTMT" machine picture $machine -o $machine.svg
    only_memory || expect 0 "$HTMT" run traffic --machine $machine --pattern all-to-all --bytes 300 --slots 1 --json r.json
done

# ---- routers of flits ---------------------------------------------------------------------------

flits() { # what of the inside is different
    cat >flits.yaml <<EOF
htmt-machine: 1
about: routers of flits
base: fat-tree-64
networks:
  net:
    inside:
      switching: wormhole
      pipeline: per-flit
      flit: {value: 16 B, source: test}
$1
EOF
}
flits '      input-speedup: {value: 1, source: test}'
ways --machine ./flits.yaml
flits '      priority: {value: 16 B, source: test}'
ways --machine ./flits.yaml
flits '      arbiter: oldest'
ways --machine ./flits.yaml
expect 0 "$HTMT" machine show ./flits.yaml
grep -q '^networks.net.inside.arbiter *oldest' out || fail "no arbiter: $(cat out)"
flits '      switching: cut-through'
expect 2 "$HTMT" machine check ./flits.yaml
for row in "detours: switch|detours: no packet goes by another group" \
    "links: number|links: no links of groups" \
    "datelines: keep|datelines: no ring has datelines" \
    "priority: {value: 4 KiB, source: test}|expected at most a packet of " \
    "setup: {value: 1 ns, source: test}|take the time 'switch' alone" \
    "buffer: {value: not-modelled, source: test}|give back room, expected a number of bytes" \
    "rate: {value: not-modelled, source: test}|the time of a flit, expected a rate"; do
    flits "      ${row%%|*}"
    refuse "${row#*|}" machine check ./flits.yaml
done
sed -i '/pipeline:/d; s/^      rate:.*//' flits.yaml
refuse 'flit: only routers that send flits have it' machine check ./flits.yaml

# ---- routes -------------------------------------------------------------------------------------

# Of a fat tree 4 ^ 3 two ends of different halves have 4 x 4 ways, which are drawn alike.
expect 0 "$HTMT" machine routes fat-tree-64 --from 3 --to 60 --json r.json
python3 - r.json <<'END' || fail "ways of a fat tree"
import json, sys
r = json.load(open(sys.argv[1]))
shares = [w["share"] for w in r["ways"]]
assert len(shares) == 16 and abs(sum(shares) - 1) < 1e-12 and not r["more"]
assert all(abs(s - 1 / 16) < 0.005 for s in shares), shares  # five standard errors
assert all(w["switches"] == 5 and len(w["ports"]) == 6 for w in r["ways"])
assert all(p["lanes"] == [0, 1, 2, 3] for w in r["ways"] for p in w["ports"])
END
# A dragonfly: the minimal way, and one by each of 7 other groups.
expect 0 "$HTMT" machine routes dragonfly-72 --from 3 --to 60 --json -
python3 - out <<'END' || fail "ways of a dragonfly"
import json, sys
r = json.load(open(sys.argv[1]))
assert len(r["ways"]) == 8 and all(w["share"] is None for w in r["ways"]) and r["classes"] == 3
END
expect 0 "$HTMT" machine routes dragonfly-72 --from 3 --to 60 --set $net.routing=valiant
grep -q 'ways   7$' out || fail "ways by groups: $(cat out)"
expect 0 "$HTMT" machine routes hpsc-simple --from 0 --to 5
grep -q '100.00 %  source-top > 1.2 > 3.3 > 4.3$' out || fail "another way: $(cat out)"
refuse "whose nodes decide in each slot" machine routes htmt-vortex --from 0 --to 1
refuse "machine 'htmt-oct98' has no network of switches" machine routes htmt-oct98 --from 0 --to 1
refuse "expected a slice below 64" machine routes gcel --from 0 --to 64
refuse "routes needs a machine, --from and --to" machine routes gcel --from 0

# ---- circles ------------------------------------------------------------------------------------

# Shortest ways over hpsc-wrap close circles; the file says that it may, and a run tells of it.
printf '%s\n' 'htmt-machine: 1' 'base: hpsc-wrap' 'about: refused' \
    'networks: {myrinet: {inside: {deadlock: refused}}}' >circle.yaml
refuse 'routing: packets may wait for each other round 8 ports: x1y0.2 > x1y7.2 > x1y6.2' machine check ./circle.yaml
printf '%s\n' 'htmt-machine: 1' 'base: gcel' 'about: a ring' 'networks:' '  grid:' '    inside:' \
    '      topology: torus' '      routing: shortest' '      switching: cut-through' \
    '      buffer: {value: 2 packet, source: test}' >ring.yaml
refuse 'packets may wait for each other round 8 ports: switch 0,0 -y > switch 0,7 -y' machine check ./ring.yaml
echo '      deadlock: allowed' >>ring.yaml
expect 0 "$HTMT" machine check ./ring.yaml

# ---- a fat tree by lists ------------------------------------------------------------------------

expect 0 "$HTMT" machine routes fat-tree-64 --from 3 --to 60 --set "$net.shape=4, 4, 4; 2, 2"
grep -q 'ways   4$' out || fail "ways of a tree of 2 links up: $(cat out)"
expect 0 "$HTMT" machine picture fat-tree-64 --set "$net.shape=4, 4, 4; 2, 2" -o slim.svg
ways --machine fat-tree-64 --set "$net.shape=4, 4, 4; 2, 2" --set $net.routing=up-adaptive

# Lanes that the routing adds, also in the report of a run, and in one of its JSON.
expect 0 "$HTMT" model traffic --machine dragonfly-72 --pattern neighbour --bytes 256 --slots 1 --json lanes.json
grep -q '^  net has 3 lanes, 2 of them added by classes: auto, for 3 classes$' out || fail "no lanes: $(cat out)"
grep -q '"lane_classes": 3, "lanes": 3, "lanes_added": 2' <(tr -s ' \n' ' ' <lanes.json) || fail "no lanes in JSON"
expect 0 "$HTMT" report lanes.json
grep -q '^  net has 3 lanes, 2 of them added' out || fail "no lanes in the report of a file: $(cat out)"
expect 0 "$HTMT" model traffic --machine gcel --pattern neighbour --bytes 256 --slots 1 --json few.json
! grep -q '"lane' few.json || fail "lanes of a machine that says them"
expect 0 "$HTMT" machine show dragonfly-72
grep -q '^networks.net.inside.classes: 3 of 1 lane each, so 3 lanes, 2 of them added$' out || fail "classes: $(cat out)"
