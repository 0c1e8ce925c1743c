#!/bin/bash
# Class: fast.
# Operations of a class for which the machine has no rate take no time: a warning of each processor and
# class says how many, --strict refuses, and PHASES and the object list every class that was counted.
. "$(dirname "$0")/common"

# VA adds 65536 pairs: on each element two loads, a store and two operations on integers.
expect 0 "$HTMT" run prim va --slices 3 --json a.json
tr -s ' \n' ' ' <out >flat
for line in '131072 iop of SPELL take no time: machine htmt-oct98 has no rate for them (layers.cram.processor.iop)' \
    '131072 loads of SPELL take no time: ' '65536 stores of SPELL take no time: '; do
    grep -qF "warning $line" flat || fail "no warning '$line'"
done
[ "$(grep -c '^  warning' out)" = 3 ] || fail 'not three warnings'
sed -n '/^PHASES/,/^$/p' out >phases
for quantity in '131.1 kiop' '131.1 kloads' '65.54 kstores'; do
    grep -q " $quantity\\( \\|\$\\)" phases || fail "no $quantity: $(cat phases)"
done
tr -d ' \n' <a.json >flat
grep -q '"classes":{"iop":131072.0,"loads":131072.0,"stores":65536.0}' flat || fail 'not every class in the object'
[ "$(grep -o '"name":"unpriced"' flat | wc -l)" = 3 ] || fail 'no warnings in the object'

expect 2 "$HTMT" run prim va --slices 3 --strict
grep -q '^htmt run prim: --strict: 131072 iop of SPELL take no time' err || fail "$(cat err)"

# A machine that has the rates says nothing, and the time is no longer that of the transfers alone.
expect 0 "$HTMT" run prim va --slices 3 --strict --json b.json --set 'layers.cram.processor.iop=1 ns' \
    --set 'layers.cram.processor.load=1 ns' --set 'layers.cram.processor.store=1 ns'
! grep -q '^  warning' out || fail 'a warning of priced operations'
of() { sed -n 's/^  "predicted_fs": \([0-9]*\),.*/\1/p' "$1"; }
[ "$(of b.json)" -gt "$(of a.json)" ] || fail "$(of a.json) fs without rates, $(of b.json) fs with them"

# What nobody used is not listed: networks of the report are those that moved words.
expect 0 "$HTMT" run prim va --slices 3
sed -n '/^NOT MODELLED/,/^$/p' out >open
grep -q 'networks.rti.startup' open && ! grep -q 'hram' open || fail "$(cat open)"
expect 0 "$HTMT" machine check htmt-oct98
grep -q 'networks.hram-channel.startup, latency' out || fail 'check does not list the rest'
