#!/bin/bash
# Random programs on random machines predict what tests/histories says, with one host thread or two,
# with and without random delays.
. "$(dirname "$0")/../histories/common"

for threads in 1 2 '2 7'; do
    PROGRAM_THREADS=$threads
    for file in programs trees; do
        compare "$expected/$file" play ||
            fail "predictions differ ($threads threads): tests/histories/README.md"
    done
done
