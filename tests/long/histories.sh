#!/bin/bash
# The same as tests/integration/histories.sh for commands that take longer.
. "$(dirname "$0")/../histories/common"

compare "$expected/commands-long" again || fail "predictions differ: tests/histories/README.md"
