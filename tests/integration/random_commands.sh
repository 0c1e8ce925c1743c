#!/bin/bash
# Class: fast foreign threads.
# Random command lines: a run has the same history with 1 and 3 threads, run and model agree, a
# folded model agrees with the whole one. Each commit has lines of its own, the same ones whenever it is
# tested. Sanitizers make a run some ten times slower.
set -eu
. "$(dirname "$0")/../random/first"
"${RANDOM_LINES:-build/tests/random/command_lines}" "$HTMT" "$first" "$([ -n "${SANITIZE-}" ] && echo 20 || echo 100)"
