#!/bin/bash
# Class: fast.
# A small limit of the stack ends no run: the threads of the emulator have stacks of a fixed size.
. "$(dirname "$0")/common"

# The sanitizers' own frames need more.
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"

for threads in 1 4; do
    for line in 'pic --slices 2' 'cannon --size 64 --slices 4' 'sar --slices 2' \
        'volume --size 32 --slices 4'; do
        # shellcheck disable=SC2086
        (ulimit -s 256 && expect 0 "$HTMT" run $line --threads $threads --quiet)
    done
done

# Threads that the host refuses: one line.
(ulimit -v 4000000 && expect 4 "$HTMT" run cannon --size 64 --slices 4 --threads 1024)
[ "$(wc -l <err)" = 1 ] || fail "not one line: $(cat err)"
grep -q 'the host refuses 1023 worker threads; ask for fewer' err || fail "$(cat err)"
