#!/bin/bash
# Class: fast foreign.
# The JSON file has the keys of the contract, appears whole, and replaces an older one.
. "$(dirname "$0")/common"

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
[ "$(ls | sort | tr '\n' ' ')" = 'err out out.json ' ] || fail "left behind: $(ls)"

expect 0 "$HTMT" predict cannon --size 64 --slices 4 --json -
[ "$(head -c 1 out)" = '{' ] || fail "the report is in the way of the object"
grep -q '"terms": ' out || fail "no terms"
