#!/bin/bash
# Class: fast foreign.
# htmt compare: each line is what predict says; parts add up; files are alike; bad input.
. "$(dirname "$0")/common"

machines=htmt-oct98,mpp-2000,serial-2000,mpp-2000:serial
for app in sar volume; do
    expect 0 "$HTMT" compare $app --machines $machines --json $app.json --csv $app.csv --plot $app.svg
    mv out $app.txt
    grep -q '<svg' $app.svg || fail 'no picture'
    expect 0 "$HTMT" compare $app --machines $machines --json -
    cmp -s out $app.json || fail 'other bytes'
    for model in htmt:htmt-oct98 mpp:mpp-2000 serial:serial-2000; do
        expect 0 "$HTMT" predict $app --execution "${model%%:*}" --machine "${model#*:}" \
            --json "$app-${model%%:*}.json"
    done
    python3 - $app <<'P' || fail "$app"
import csv, json, sys
app = sys.argv[1]
found = json.load(open(f"{app}.json"))["machines"]
rows = list(csv.DictReader(open(f"{app}.csv")))
text = open(f"{app}.txt").read()
names = [("htmt-oct98", "htmt"), ("mpp-2000", "mpp"), ("serial-2000", "serial"), ("mpp-2000", "serial")]
if [(m["machine"], m["model"]) for m in found] != names:
    sys.exit("machines and models")
for m, r in zip(found, rows):
    parts = m["parts_s"]
    if abs(sum(parts.values()) - m["T_s"]) > 1e-12 * m["T_s"] or min(parts.values()) < 0:
        sys.exit(f"{m['machine']}: parts {parts} of {m['T_s']}")
    if m["speed_up"] != found[0]["T_s"] / m["T_s"] or parts[m["bound_by"]] != max(parts.values()):
        sys.exit(f"{m['machine']}: speed-up or bound")
    if [float(r["T_s"]), float(r["network_s"]), r["term"]] != [m["T_s"], parts["network"], m["term"]]:
        sys.exit(f"{m['machine']}: CSV")
    if m["term"] not in text:
        sys.exit(f"{m['machine']}: no term")
for m in found[:3]:
    if m["T_s"] != json.load(open(f"{app}-{m['model']}.json"))["predicted_s"]:
        sys.exit(f"{m['machine']}: not what predict says")
if found[1]["parts_s"]["memory"] or found[2]["parts_s"]["network"]:
    sys.exit("parts of other models")
P
done

# Of parcels, too, on problems bound by different things, with options and figures of the user.
for words in 'cannon --size 4096' 'cannon --size 300 --slices 6' 'pic --slices 4 --case thermal' \
    'pic --phases push --case thermal' 'volume --alpha 0.5' 'sar --patches 9 --slices 2'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" compare $words --machines htmt-oct98,htmt-2007 --json c.json
    python3 -c '
import json, sys
for m in json.load(open("c.json"))["machines"]:
    p = list(m["parts_s"].values())
    if min(p) < 0 or abs(sum(p) - m["T_s"]) > 1e-12 * m["T_s"] or not p[0]: sys.exit(str(m))' ||
        fail "$words"
done
expect 0 "$HTMT" compare sar --machines serial-2000 --set layers.cache.processor.lambda=1 --json a.json
python3 -c '
import json, sys
m = json.load(open("a.json"))["machines"][0]
sys.exit(m["parts_s"]["memory"] > 0 or m["parts_s"]["compute"] != m["T_s"])' ||
    fail 'what hides all is shown'
expect 0 "$HTMT" compare cannon --size 60000 --machines serial-2000
grep -q 'warning: serial-2000: memory main-memory' out || fail 'no warning'

# One processor has one slice, whatever the others take.
expect 0 "$HTMT" compare cannon --size 2048 --slices 16 --machines mpp-2000,serial-2000
cp out slices
expect 0 "$HTMT" compare cannon --size 2048 --machines mpp-2000,serial-2000 --slices=16
cmp -s slices out && grep -qE '^  mpp-2000 +mpp +16 ' out && grep -qE '^  serial-2000 +serial +1 ' out ||
    fail "$(cat out)"

bad() {
    local text=$1
    shift
    refuse "$text" compare "$@"
}
# A closed form that tells no parts, of an application without other models.
expect 0 "$HTMT" compare kernels --machines serial-2000:htmt --json k.json --csv k.csv
grep -q ' - *- *-  -$' out || fail 'parts that nobody told'
python3 -c '
import json, sys
m = json.load(open("k.json"))["machines"][0]
sys.exit(m["parts_s"] != {} or m["bound_by"] is not None or m["term"] is not None)' || fail 'parts'
bad 'serial-2000, serial: kernels has no other model than htmt' kernels --machines serial-2000
bad 'found --captured' sar --machines mpp-2000 --captured x.rec
bad 'expected an application' --machines mpp-2000
bad 'expected --machines' sar
bad '--machines: the value is missing' sar --machines
bad '--machines: given twice' sar --machines mpp-2000 --machines serial-2000
bad "did you mean 'mpp-2000'?" sar --machines mpp-2001
bad "unknown model of execution 'seral', did you mean 'serial'?" sar --machines mpp-2000:seral
bad 'htmt-oct98, mpp: --execution mpp: found machine htmt-oct98 with 4 layers' \
    sar --machines htmt-oct98:mpp
bad 'mpp-2000, htmt: ' sar --machines mpp-2000:htmt
bad 'found --machine, expected --machines' sar --machines mpp-2000 --machine mpp-2000
bad 'found --execution' sar --machines mpp-2000 --execution mpp
bad "unknown application 'rar'" rar --machines mpp-2000
bad "unknown option '--linse'" sar --machines mpp-2000 --linse 3
bad '--json' sar --machines mpp-2000 --json nowhere/x.json
bad '.svg' sar --machines mpp-2000 --plot x.gif
bad 'of one run' sar --machines mpp-2000 --lint
bad 'memory main-memory' cannon --size 60000 --machines serial-2000 --strict
