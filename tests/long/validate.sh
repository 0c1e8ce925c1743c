#!/bin/bash
# Every figure of both papers, by closed form, emulation and files.
. "$(dirname "$0")/../integration/common"

expect 0 "$HTMT" validate --quiet
grep -q '^  predict     155 of 155 met' out || fail "$(grep predict out)"
grep -q '^  model       179 of 179 met' out || fail "$(grep model out)"
grep -q '^  input       125 of 125 held' out || fail "$(grep input out)"
