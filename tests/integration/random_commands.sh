#!/bin/bash
# Random command lines: a run has the same history with 1 and 3 threads, run and model agree, a
# folded model agrees with the whole one. Sanitizers make a run some ten times slower.
set -eu
"${RANDOM_LINES:-build/tests/random/command_lines}" "$HTMT" 1 "$([ -n "${SANITIZE-}" ] && echo 20 || echo 200)"
