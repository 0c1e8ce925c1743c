#!/bin/bash
# Class: fast threads.
# The same as histories.sh by a clock of two threads for every fourth row, of three threads and an odd
# number of partitions for another fourth; under a sanitizer for every 48th row.
. "$(dirname "$0")/common"
export HISTORIES_EVERY=${HISTORIES_EVERY-4${SANITIZE:+8}}
more=${HISTORIES_OPTIONS-}

# fourth FIRST OPTIONS: the rows from the first on.
fourth() {
    HISTORIES_FIRST=$1 HISTORIES_OPTIONS="${more:+$more }$2" bash "$root/tests/integration/histories.sh" ||
        fail "rows from $1 on with $2"
}

fourth 2 '--clock shared --clock-threads 2'
fourth 3 '--clock shared --clock-threads 3 --clock-partitions 7'
