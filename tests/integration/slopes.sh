#!/bin/bash
# Class: fast foreign.
# Slopes of random programs on random machines, by the critical paths of one run, are what differences of
# runs are, on both sides of ties; tests/long has more of them.
set -eu
"$(dirname "${RANDOM_PROGRAMS:-build/tests/random/programs}")/slopes" \
    --count "$([ -n "${SANITIZE-}" ] && echo 6 || echo 60)"
