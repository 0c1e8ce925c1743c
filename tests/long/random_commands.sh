#!/bin/bash
# The same for 5000 lines, others than those of every test.
set -eu
"${RANDOM_LINES:-build/tests/random/command_lines}" "$HTMT" 1001 5000
