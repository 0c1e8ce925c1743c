#!/bin/bash
# A run that is interrupted ends with a report marked so and status 4.
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
