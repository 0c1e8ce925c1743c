#!/bin/bash
# Class: fast.
# What a person reads: all sections, nothing wider than 99 columns, nothing on standard error. The JSON
# file has the keys of the contract, appears whole, and replaces an older one.
. "$(dirname "$0")/common"

narrow() {
    expect 0 "$HTMT" "$@"
    [ ! -s err ] || fail "$*: standard error: $(cat err)"
    awk 'length > 99 { print; wide = 1 } END { exit wide }' out >wide || fail "$*: $(cat wide)"
}

narrow help
for name in run model predict validate machine trace timeline pipeline help cannon; do
    narrow help "$name"
done
narrow --version
for machine in htmt-oct98 htmt-2007 small-htmt; do
    narrow predict cannon --machine "$machine" --size 64 --slices 4
done
narrow model cannon --size 256 --slices 16
narrow run cannon --size 256 --slices 16
for section in RESULT PREDICTED WALL PHASES RESOURCES MEMORIES BOTTLENECKS 'NOT MODELLED' \
    'RUN RECORD'; do
    grep -q "^$section" out || fail "no section $section"
done
grep -q '^  closed form' out || fail "no closed form beside the prediction"
grep -q '^  correct' out || fail "not correct"
for app in cannon sar volume pic; do
    narrow model "$app" --slices 1 --explain --summary --lint --table csv:table.csv
    for section in EXPLANATION SUMMARY DEPARTURES; do
        grep -q "^$section" out || fail "$app: no section $section"
    done
    [ -s table.csv ] || fail "$app: no table"
done
narrow predict cannon --machine htmt-2007 --largest

# Matrices of files count by their size when the slices are chosen.
expect 0 "$HTMT" run cannon --size 300 --slices 1 --out a.npy --quiet
narrow run cannon --a a.npy --b a.npy
grep -q '^  slices        4 of 4,096: each gets at least one full subblock' out || fail "not 4 slices"
narrow run cannon --size 64 --slices 4 --quiet
[ "$(wc -l <out)" = 1 ] || fail "--quiet is not one line"

# ---- JSON --------------------------------------------------------------------------------------------
echo old >out.json
expect 0 "$HTMT" run cannon --size 64 --slices 4 --json out.json
for name in schema app machine costs precision kernel_set mode slices threads seed correct check \
    predicted_fs predicted_s flops predicted_flops_per_s wall parcels events history_hash phases \
    resources memories bottleneck; do
    grep -q "^  \"$name\": " out.json || fail "no key $name"
done
[ "$(key correct out.json)" = true ] || fail "not correct"
[ "$(key mode out.json)" = '"run"' ] || fail "mode: $(key mode out.json)"
key history_hash out.json | grep -qx '"[0-9a-f]\{16\}"' || fail "history_hash"
key predicted_fs out.json | grep -qx '[0-9][0-9]*' || fail "predicted_fs"
/usr/bin/python3 - <<'END' || fail "no JSON, or the model run differs"
import json
of = json.load(open("out.json"))
assert of["model"]["same_events"] and of["model"]["predicted_fs"] == of["predicted_fs"]
END
[ "$(head -c 1 out.json)" = '{' ] && [ "$(tail -n 1 out.json)" = '}' ] || fail "not one object"
[ "$(ls -d *out.json* | tr '\n' ' ')" = 'out.json ' ] || fail "left behind: $(ls)"

expect 0 "$HTMT" predict cannon --size 64 --slices 4 --json -
[ "$(head -c 1 out)" = '{' ] || fail "the report is in the way of the object"
grep -q '"terms": ' out || fail "no terms"
