#!/bin/bash
# Class: fast foreign threads.
# Random command lines: a run tells the same with 1 and 3 threads, with either clock and, where there is
# mpirun, by several processes; run and model agree, a folded model agrees with the whole one. Each commit
# has lines of its own, the same ones whenever it is tested. Sanitizers make a run some ten times slower.
set -eu
. "$(dirname "$0")/../random/first"
launch=()
if [ -z "${SANITIZE-}" ] && command -v mpirun >/dev/null && [ -e "$(dirname "$HTMT")/mpi.so" ]; then
    . "$(dirname "$0")/../ranks/launch"
fi
"${RANDOM_LINES:-build/tests/random/command_lines}" "$HTMT" "$first" \
    "$([ -n "${SANITIZE-}" ] && echo 10 || echo 60)" "${launch[@]}"
