#!/bin/bash
# Class: fast threads.
# A command line that ends in a deadlock says who waits for what: the report with the waiters goes
# where the report of the run goes, the line of the error to standard error, the status is 3.
# A plasma whose mailboxes hold less than flies to them is such a one.
. "$(dirname "$0")/common"

stuck=(pic --case thermal --slices 4 --steps 3 --mail 300)

waits() {
    grep -q '^percolation deadlock at [0-9.e-]* s virtual time: [0-9]* wait$' "$1" ||
        fail "no deadlock in $1: $(head -n 3 "$1")"
    grep -q '^  a send #[0-9]* (slice [0-9]) waits for room for [0-9]* records in mailbox ' "$1" ||
        fail "no send waits in $1"
    grep -q '^  Desk #1 (slice 0) waits for htmt_retire()$' "$1" || fail "no activation in $1"
    grep -q '^no cycle among those who hold: ' "$1" || fail "no word of a cycle in $1"
}

for verb in run model; do
    expect 3 "$HTMT" "$verb" "${stuck[@]}"
    waits out
    grep -q '^INCOMPLETE: ' out || fail "$verb: the report is not marked incomplete"
    [ "$(wc -l <err)" = 1 ] || fail "$verb: not one line: $(cat err)"
    grep -q "^htmt $verb pic: step 0: found .* its mailbox holds; --mail [0-9]* has room for all$" err || fail "$verb: $(cat err)"
done

# The all-reduce at the end of the step, and the slices that have not come to it.
grep -q '^    its fiber next waits for 1 more signal; to come from all-reduce record$' out ||
    fail "no fiber waits for the all-reduce"
grep -q '^  all-reduce record waits in round 1 for slices [0-9, ]*[0-9]$' out ||
    fail "nobody is absent from the all-reduce"

# Standard output is the JSON object's.
expect 3 "$HTMT" model "${stuck[@]}" --json -
waits err
[ "$(key complete out)" = false ] || fail "a deadlock that is complete"
