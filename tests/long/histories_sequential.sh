#!/bin/bash
# The same as both histories.sh by the clock in one order over all slices.
set -eu
export HISTORIES_OPTIONS="${HISTORIES_OPTIONS:+$HISTORIES_OPTIONS }--clock sequential"
bash "$(dirname "$0")/../integration/histories.sh"
exec bash "$(dirname "$0")/histories.sh"
