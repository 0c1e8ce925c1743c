#!/bin/bash
# The same for 50000 programs, others than those of every test.
set -eu
"${RANDOM_PROGRAMS:-build/tests/random/programs}" --from 1001 \
    --count "$([ -n "${SANITIZE-}" ] && echo 2000 || echo 50000)"
