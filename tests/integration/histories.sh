#!/bin/bash
# Class: fast.
# Predicted times, histories and figures of many commands are those of tests/histories/commands.
. "$(dirname "$0")/../histories/common"

compare "$expected/commands" again || fail "predictions differ: tests/histories/README.md"
