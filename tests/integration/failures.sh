#!/bin/bash
# Class: fast threads.
# Failures that are no bad input: each has its status and its line.
. "$(dirname "$0")/common"

expect 3 "$HTMT" run cannon --size 64 --slices 4 --set 'layers.cram.memory.capacity=48 bytes'
one_line
expect 3 "$HTMT" run cannon --size 1024 --slices 4 --block 512
one_line
grep -q '[0-9].*[0-9]' err || fail "no arithmetic: $(cat err)"

# A device or a pipe stays what it is.
mkfifo pipe
cat pipe >piped &
expect 0 "$HTMT" run cannon --size 16 --slices 4 --json pipe --quiet
wait $!
[ -p pipe ] && [ "$(tail -n 1 piped)" = '}' ] || fail "the pipe got no object"
[ -c /dev/full ] && ln -s /dev/full full
expect 4 "$HTMT" run cannon --size 16 --slices 4 --json full --quiet
one_line
[ -L full ] || fail "a link to a device was replaced"

status=0
"$HTMT" help >/dev/full 2>err || status=$?
[ "$status" = 4 ] || fail "status $status with no room for the output"
one_line
