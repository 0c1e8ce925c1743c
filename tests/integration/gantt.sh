#!/bin/bash
# Class: fast.
# Traces of ports inside networks, and Gantt charts of them: the five contentions of Pauer's example
# 1 are at their instants, sums are the report's, files are the same however the clock is cut, and
# what cannot be drawn is refused in one line.
. "$(dirname "$0")/common"
export PYTHONPATH=$root/emul/python PYTHONDONTWRITEBYTECODE=1

record() {
    local trace=$1
    shift
    expect 0 "$HTMT" "$@" --trace "$trace" --quiet
    expect 0 "$HTMT" trace check "$trace"
}

# ---- Pauer's example 1 --------------------------------------------------------------------------
record one.trace run traffic --machine hpsc-simple --table hpsc-simple --json one.json
expect 0 "$HTMT" timeline --gantt one.trace -o one.svg --json shares.json
expect 0 "$HTMT" timeline one.trace --gantt -o one.png
python3 "$root/tests/trace/contentions.py" one.trace one.svg shares.json \
    "$HTMT_GOLDEN_PATH/hpsc.csv" one.json >log 2>&1 || fail "$(cat log)"

# The same bytes from a sorted trace, and the same digest.
expect 0 "$HTMT" trace sort one.trace -o sorted.trace
cmp -s one.trace sorted.trace || fail 'a sorted trace has other bytes'
for kind in csv paje perfetto; do
    expect 0 "$HTMT" trace export one.trace --$kind one.$kind
    [ -s one.$kind ] || fail "no $kind"
done
expect 0 "$HTMT" timeline one.trace -o one.html

# ---- sums, and the clock's windows --------------------------------------------------------------
for machine in gcel powerstone1 hpsc-lanes hpsc-apu hpsc-eight; do
    set -- model traffic --machine $machine --pattern all-to-all --bytes 1024 --slots 2
    record a.trace "$@"
    record b.trace "$@" --clock shared --clock-threads 2
    cmp -s a.trace b.trace || fail "$machine: other bytes by windows"
done

# A part of a trace has the window's intervals alone.
expect 0 "$HTMT" timeline a.trace --gantt -o a.svg --window 5us..9us --slices 0 --rows out,in

# What was still going on when a run ended ends there: packets that wait for each other in a circle.
for clock in sequential windows; do
    expect 3 "$HTMT" model traffic --machine hpsc-wrap --table hpsc-grid --trace $clock.trace \
        --quiet --clock $clock
    expect 0 "$HTMT" trace check $clock.trace
done
expect 0 "$HTMT" timeline sequential.trace --gantt -o circle.svg

# ---- without an inside --------------------------------------------------------------------------
record plain.trace model cannon --size 64 --slices 4
[ "$(head -c 8 plain.trace | od -An -tu1 | tr -d ' \n')" = 72847784848267"1" ] ||
    fail 'not version 1'
[ "$(head -c 8 one.trace | tail -c 1 | od -An -tu1 | tr -d ' ')" = 2 ] || fail 'not version 2'
expect 0 "$HTMT" timeline plain.trace --gantt -o plain.svg

# ---- refused ------------------------------------------------------------------------------------
refuse "--rows: found ports or queues, but the networks of this trace have no inside" \
    timeline plain.trace --gantt -o no.svg --rows ports
refuse "--rows: found 'port', expected some of source, out, in, ports, queues, nodes" \
    timeline one.trace --gantt -o no.svg --rows out,port
refuse "--rows: expected a Gantt chart" timeline one.trace -o no.html --rows out
refuse "nothing for these rows" timeline one.trace --gantt -o no.svg --rows source
[ ! -e no.svg ] || fail 'a refused chart'

# Damage is found: each byte of the runs and of what the footer says of them.
python3 - one.trace <<'PYTHON' || fail 'cannot damage the trace'
import json, struct, sys, zlib
data = bytearray(open(sys.argv[1], "rb").read())
footer = struct.unpack("<Q", data[-32:-24])[0]
at = json.loads(zlib.decompress(bytes(data[footer:-48])))["ports"]["at"]
data[at + 3] ^= 1
open("damaged.trace", "wb").write(data)
PYTHON
refuse "the file is damaged" trace check damaged.trace
