#!/bin/bash
# Class: fast foreign.
# Every table, pattern and option that makes no traffic is refused in one line.
. "$(dirname "$0")/common"

# table FILE [SED COMMAND]: a good table, changed.
table() {
    sed "${2-}" >"$1" <<'Y'
htmt-traffic: 1
about: two stages and a program
nodes:
  - name: source
    period: 2 us
    send:
      - {to: 1, bytes: 800, index: 1}
      - {to: 1, bytes: 400, index: 0, route: [1, 2]}
  - name: filter
    clock: 100 MHz
    cycles: 100
    receive: [400, 800]
    send:
      - {to: 2, bytes: 80}
  - name: program
    program:
      - {rcv: 1}
      - {compute: 1 us}
      - {send: 3, bytes: 8}
  - name: last
    program:
      - {arecv: 2}
Y
}

traffic() {
    local text=$1
    shift
    refuse "$text" model traffic --machine small-htmt "$@"
    refuse "$text" predict traffic --machine small-htmt "$@"
}

# changed SED TEXT: the table with that change.
changed() {
    table bad.yaml "$1"
    traffic "$2" --table ./bad.yaml
}

table good.yaml
expect 0 "$HTMT" run traffic --machine small-htmt --table ./good.yaml --iterations 3 --quiet

# The file.
changed 's/^htmt-traffic: 1/htmt-traffic: 2/' './bad.yaml:1: found another version of htmt-traffic than 1'
changed '/^nodes/,$d' 'nodes'
changed 's/period:/perid:/' "./bad.yaml:5: "
changed 's/- {rcv: 1}/- {recv: 1}/' './bad.yaml:17: '
changed 's/- {rcv: 1}/- {rcv: 1, compute: 1 us}/' './bad.yaml:17: expected one of compute, send, asend, rcv and arecv'
changed 's/- {rcv: 1}/- {bytes: 8}/' './bad.yaml:17: expected one of compute'
changed 's/- {rcv: 1}/- {rcv: 1, bytes: 8}/' './bad.yaml:17: found bytes, index or route beside no send'
changed 's/send: 3, bytes: 8/send: 3/' "./bad.yaml:19: the message lacks 'bytes'"
changed 's/^    cycles: 100//' './bad.yaml:9: found one of clock and cycles, expected both'
changed 's/^    cycles: 100/    program: []/' 'found a program beside clock'
changed 's/^    period: 2 us/&\n    receive: [8]/' './bad.yaml:4: found a period beside receive'

# Figures.
changed 's/period: 2 us/period: -2 us/' './bad.yaml:5: found '
changed 's/period: 2 us/period: 2/' './bad.yaml:5: found '
changed 's/clock: 100 MHz/clock: 100/' './bad.yaml:10: found '
changed 's/cycles: 100/cycles: 1.5/' './bad.yaml:11: found '
changed 's/compute: 1 us/compute: 9999999 s/' './bad.yaml:18: '
changed 's/bytes: 800/bytes: 0/' './bad.yaml:7: found 0 bytes, expected 1 to 1073741824'
changed 's/bytes: 800/bytes: 1073741825/' './bad.yaml:7: found 1073741825 bytes, expected 1 to'
changed 's/bytes: 800/bytes: -1/' './bad.yaml:7: found '
changed 's/route: \[1, 2\]/route: []/' './bad.yaml:8: found a route without ports'
changed 's/route: \[1, 2\]/route: [1, 65536]/' "./bad.yaml:8: found '65536' for a port of a route"

# Who with whom.
changed 's/{to: 2, bytes: 80}/{to: 4, bytes: 80}/' './bad.yaml:14: found target 4, expected a node from 0 to 3'
changed 's/{to: 2, bytes: 80}/{to: 1, bytes: 80}/' './bad.yaml:14: found target 1, which is the node itself'
changed 's/index: 1}/index: 0}/' './bad.yaml:8: found index 0 of node 1 a second time'
changed 's/index: 1}/index: 2}/' './bad.yaml:7: found a send without a receive: node 1 lists 2 blocks, none of index 2'
changed 's/\[400, 800\]/[400, 800, 8]/' './bad.yaml:9: found a receive without a send: node 1 lists 3 blocks and hears 2'
changed 's/\[400, 800\]/[400]/' './bad.yaml:7: found a send without a receive'
changed 's/\[400, 800\]/[800, 400]/' './bad.yaml:8: found 400 bytes for index 0 of node 1, which expects 800'
changed 's/- {rcv: 1}/- {rcv: 0}/' 'found a receive from node 0 without a send'
changed 's/- {arecv: 2}/- {arecv: 1}/' 'found a receive from node 1 without a send'
changed 's/- {rcv: 1}/&\n      - {rcv: 1}/' './bad.yaml:18: found a receive from node 1 without a send'
changed 's/{send: 3, bytes: 8}/&\n      - {asend: 3, bytes: 8}/' './bad.yaml:20: found a send to node 3 without a receive'

# Numbers of nodes.
traffic '--table: found 4 nodes in good and 3 slices, expected as many' --table ./good.yaml --slices 3
traffic 'found 16 nodes in hpsc-grid and 4 slices' --table hpsc-grid

# Patterns.
traffic "--pattern: found 'all', expected one of" --pattern all
traffic 'found none of --table, --profile and --pattern, expected one'
traffic 'found several of --table, --profile and --pattern' --table stages --pattern uniform
traffic "--bytes: found 0, expected 1 to 1073741824" --pattern uniform --bytes 0
traffic "--slots: found 'few', expected a whole number" --pattern uniform --slots few
traffic '--rate: ' --pattern uniform --rate -1
traffic '--hot: ' --pattern hotspot --hot 2
traffic '--partner: found 4, expected 1 to 3' --pattern ping-pong --partner 4
traffic 'found 3 slices, pattern equal-distance needs an even number' --pattern equal-distance --slices 3
traffic 'found 3 slices, pattern transpose needs a square number' --pattern transpose --slices 3
traffic 'found 1 slice, a pattern needs 2' --pattern uniform --slices 1
traffic '--rate with ping-pong' --pattern ping-pong --rate 1e6
traffic '--rate with --compute' --pattern uniform --rate 1e6 --compute 1us
traffic '--rate with --load' --pattern uniform --rate 1e6 --load 0.5
traffic '--load: found 1.5' --pattern uniform --load 1.5
traffic '--load: expected a --pattern' --table stages --load 0.5
traffic '--measure: expected a --pattern' --table stages --measure 1us..2us
traffic '--measure: expected --load or --rate' --pattern uniform --measure 1us..2us
traffic "--measure: found '1us', expected T0..T1" --pattern uniform --load 0.5 --measure 1us
traffic "--measure: found '2us..1us', which ends before it begins" --pattern uniform --load 0.5 --measure 2us..1us
traffic '--measure: found ' --pattern uniform --load 0.5 --measure 1..2
traffic '--measure with --slots' --pattern uniform --load 0.5 --measure 1us..2us --slots 3
traffic '--measure with --synchronous' --pattern uniform --load 0.5 --measure 1us..2us --synchronous
traffic '--rate: found 1e+09 messages a second, the port sends' --pattern uniform --rate 1e9 --measure 1us..2us
traffic "--arrivals: found 'often', expected one of" --pattern uniform --rate 1e6 --arrivals often
traffic '--arrivals: expected --load or --rate' --pattern uniform --arrivals bernoulli
traffic '--group: found 3, expected a divisor of the 4 slices' --pattern adversarial --group 3
traffic 'found 3 slices, pattern shuffle needs a power of two' --pattern shuffle --slices 3
refuse 'expected htmt model' run traffic --pattern uniform --load 0.5 --measure 1us..2us --machine small-htmt
refuse 'expected htmt model' predict traffic --pattern uniform --load 0.5 --measure 1us..2us --machine small-htmt
traffic '--iterations with --pattern: a pattern has --slots' --pattern uniform --iterations 2
traffic '--period with --pattern: a pattern has --rate' --pattern uniform --period 1us
traffic '--period: ' --table stages --period -1us
traffic '--compute: ' --table stages --compute 1
traffic '--compute: ' --table stages --compute 1us,soon
traffic "--layer: machine small-htmt has no layer 'attic'" --table stages --layer attic
traffic '--layer: found hram, expected one with processors' --table stages --layer hram
traffic "--order: found 'sorted', expected one of" --table stages --order sorted
refuse 'a run has a place for each message' run traffic --pattern all-to-all --slices 512
refuse '.csv' model traffic --table stages --latencies a.txt
refuse 'costs' model traffic --table stages --costs pic-hereld
refuse "no table of traffic 'stage', did you mean 'stages'?" model traffic --table stage

# Messages that do not fit: of a run each has its place.
table large.yaml 's/bytes: 400/bytes: 1000000/; s/\[400, 800\]/[1000000, 800]/; s/bytes: 800/bytes: 800000/; s/, 800\]/, 800000]/'
expect 3 "$HTMT" run traffic --machine small-htmt --table ./large.yaml
grep -q 'htmt model lets them lie in one place' err || fail 'no word about the model run'
expect 0 "$HTMT" model traffic --machine small-htmt --table ./large.yaml --quiet

# Two nodes that wait for each other.
cat >circle.yaml <<'Y'
htmt-traffic: 1
nodes:
  - program: [{rcv: 1}, {asend: 1, bytes: 8}]
  - program: [{rcv: 0}, {asend: 0, bytes: 8}]
Y
expect 3 "$HTMT" model traffic --machine small-htmt --table ./circle.yaml

# The verb.
refuse '--out FILE is missing' traffic record cannon
refuse "unknown action 'recrd', did you mean 'record'?" traffic recrd
refuse 'what to do is missing' traffic
refuse "--network: machine small-htmt has no network 'ether'" traffic record traffic --table stages \
    --machine small-htmt --out t.yaml --network ether --quiet
refuse '--table NAME is missing' traffic export
refuse "no table of traffic 'nothing'" export traffic --table nothing
