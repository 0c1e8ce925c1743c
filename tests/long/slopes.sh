#!/bin/bash
# The same for 1300 programs, of which more than 1000 come to their end.
set -eu
"$(dirname "${RANDOM_PROGRAMS:-build/tests/random/programs}")/slopes" \
    --count "$([ -n "${SANITIZE-}" ] && echo 60 || echo 1300)"
