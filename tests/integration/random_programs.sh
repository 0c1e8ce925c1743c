#!/bin/bash
# Random programs on random machines: every way to play one gives the same, and the 1000 have all
# that programs are made of. Sanitizers make a program some twenty times slower.
set -eu
programs=${RANDOM_PROGRAMS:-build/tests/random/programs}
if [ -n "${SANITIZE-}" ]; then
    "$programs" --from 1 --count 60
    "$programs" --from 1099511627776 --count 20
    "$programs" --from 2199023255552 --count 20
else
    "$programs" --from 1 --count 1000 --every-class
    # From here on networks have ports inside.
    "$programs" --from 1099511627776 --count 300
    # From here on processors route packets, or blocked ones start again at their senders.
    "$programs" --from 2199023255552 --count 300
fi
