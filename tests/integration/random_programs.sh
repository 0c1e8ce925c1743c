#!/bin/bash
# Class: fast foreign threads.
# Random programs on random machines: every way to play one gives the same. Each commit has programs of
# its own, the same ones whenever it is tested. HTMT_LONG=1: the first 1600 of all programs, which have
# all that programs are made of. Sanitizers make a program some twenty times slower.
set -eu
programs=${RANDOM_PROGRAMS:-build/tests/random/programs}
. "$(dirname "$0")/../random/first"

# From here on networks have ports inside, then processors route packets, or blocked ones start again at
# their senders.
ports=1099511627776 packets=2199023255552
# Those whose ways once differed: a steered post in a model, waits for channels that full queues hold in
# sections, a move that took its channel ahead of heads that are not known, and a circle through ranks.
"$programs" --numbers <(printf '%s\n' 9 36 248 348 $((ports + 68)) $((ports + 111)) $((ports + 141)) 5565)

if [ -n "${SANITIZE-}" ]; then
    # By threads, half as many: each way of each is played by several.
    each=2
    [ "$SANITIZE" != thread ] || each=1
    "$programs" --from "$first" --count $((3 * each))
    "$programs" --from $((ports + first)) --count $each
    "$programs" --from $((packets + first)) --count $each
elif [ -z "${HTMT_LONG-}" ]; then
    "$programs" --from "$first" --count 120
    "$programs" --from $((ports + first)) --count 40
    "$programs" --from $((packets + first)) --count 40
else
    "$programs" --from 1 --count 1000 --every-class
    "$programs" --from $ports --count 300
    "$programs" --from $packets --count 300
fi
