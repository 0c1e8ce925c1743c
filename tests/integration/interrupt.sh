#!/bin/bash
# Class: fast threads.
# A run that is interrupted ends with a report marked so and status 4; during set-up it ends at once.
. "$(dirname "$0")/common"

# What is interrupted would take minutes. It ends at once, but a busy host may hold it up.
soon=10000000
[ -z "${SANITIZE-}" ] || soon=60000000

# reports SIGNAL COMMAND...: the run ends soon with a report that is marked, one line and its JSON, and
# no process is left. A background job of a script ignores SIGINT unless it asks for it; a person's does
# not.
reports() {
    local status=0 begin pid
    rm -f struck.json
    : >err # of the command before
    env --default-signal=INT "${@:2}" --json struck.json --progress json >out 2>err &
    pid=$!
    emulating $pid
    sleep 0.5
    kill "-$1" "$pid" 2>/dev/null || fail "it was over before it could be interrupted: $*"
    begin=$EPOCHREALTIME
    wait "$pid" || status=$?
    ((${EPOCHREALTIME/./} - ${begin/./} < soon)) || fail "too late: $*"
    [ "$status" = 4 ] || fail "status $status: $*: $(cat err)"
    grep -v '^{' err >said || :
    grep -q '^INCOMPLETE' out || fail "the report is not marked: $*"
    grep -q '^RUN RECORD' out || fail "the report has no end: $*"
    [ "$(wc -l <said)" = 1 ] && grep -q ': interrupted by the user (at ' said || fail "$*: $(cat err)"
    [ "$(key complete struck.json)" = false ] || fail "no JSON: $*"
    [ -z "$(find . -name '*.tmp')" ] || fail "left: $(ls)"
}
reports INT "$HTMT" model cannon --machine htmt-2007 --size 100000 --slices 16 --schedule paper
# On the clock of one thread, and by partitions of two, with workers beside them and without.
plasma='pic --case thermal --cells 16,16,16 --slices 8 --steps 100000'
reports INT "$HTMT" model $plasma
reports TERM "$HTMT" model $plasma --clock shared --clock-threads 2
reports TERM "$HTMT" run $plasma --threads 3
reports INT "$HTMT" run $plasma --threads 3 --clock-threads 2
reports TERM "$HTMT" run $plasma --threads 2 --clock-threads 2 --trace t

# During set-up, and in verbs that make no report, one line comes at once.
# at_once SIGNAL COMMAND...
at_once() {
    local status=0 begin pid
    env --default-signal=INT "${@:2}" >out 2>err &
    pid=$!
    armed $pid
    sleep 0.5
    kill "-$1" "$pid" 2>/dev/null || fail "it was over before it could be interrupted: $*"
    begin=$EPOCHREALTIME
    wait "$pid" || status=$?
    ((${EPOCHREALTIME/./} - ${begin/./} < soon)) || fail "too late: $*"
    [ "$status" = 4 ] && [ "$(cat err)" = 'htmt: interrupted' ] && [ ! -s out ] ||
        fail "status $status: $*: $(cat out err)"
}
at_once INT "$HTMT" run volume --phantom 400 --size 64
at_once TERM "$HTMT" run sar --lines 20000 --samples 4000
at_once TERM "$HTMT" scene sar --out scene --lines 8000 --samples 4000 --scatter 50000
[ -z "$(find . -name 'scene*')" ] || fail "left: $(ls)"
