#!/bin/bash
# Class: fast.
# Random programs on random machines predict what tests/histories says, with one host thread or two,
# with and without random delays, by each clock, and in windows of any width.
. "$(dirname "$0")/../histories/common"

plays=(1 2 '2 7' '1 0 sequential' '1 0 windows' '1 0 1' '1 0 700001')
# A checked run takes long.
[ -z "${HISTORIES_CHECKED-}" ] || [ -n "${HTMT_LONG-}" ] || plays=(2 '1 0 windows')
for play in "${plays[@]}"; do
    PROGRAM_PLAY=$play
    for file in programs trees; do
        compare "$expected/$file" play ||
            fail "predictions differ (THREADS DELAY_SEED CLOCK $play): tests/histories/README.md"
    done
done
