#!/bin/bash
# A run that is interrupted ends with a report marked so and status 4; during set-up it ends at once.
. "$(dirname "$0")/common"

# A background job of a script ignores SIGINT unless it asks for it; a person's does not.
env --default-signal=INT "$HTMT" model cannon --machine htmt-2007 --size 100000 --slices 16 \
    --schedule paper >out 2>err &
pid=$!
sleep 1
kill -INT "$pid" 2>/dev/null || fail "it was over before it could be interrupted"
status=0
wait "$pid" || status=$?
[ "$status" = 4 ] || fail "status $status: $(cat err)"
grep -q '^INCOMPLETE' out || fail "the report is not marked"
grep -q '^RUN RECORD' out || fail "the report has no end"

# During set-up, and in verbs that make no report, one line comes at once.
# at_once SIGNAL COMMAND...
at_once() {
    local status=0 begin
    env --default-signal=INT "${@:2}" >out 2>err &
    pid=$!
    sleep 1
    kill "-$1" "$pid" 2>/dev/null || fail "it was over before it could be interrupted: $*"
    begin=$EPOCHREALTIME
    wait "$pid" || status=$?
    ((${EPOCHREALTIME/./} - ${begin/./} < 1000000)) || fail "it took more than a second: $*"
    [ "$status" = 4 ] && [ "$(cat err)" = 'htmt: interrupted' ] && [ ! -s out ] ||
        fail "status $status: $*: $(cat out err)"
}
at_once INT "$HTMT" run volume --phantom 400 --size 64
at_once TERM "$HTMT" run sar --lines 20000 --samples 4000
at_once TERM "$HTMT" scene sar --out scene --lines 8000 --samples 4000 --scatter 50000
[ -z "$(find . -name 'scene*')" ] || fail "left: $(ls)"
