#!/bin/bash
# The same as both histories.sh by the clock that plays slices in windows.
set -eu
export HISTORIES_OPTIONS="${HISTORIES_OPTIONS:+$HISTORIES_OPTIONS }--clock windows"
bash "$(dirname "$0")/../integration/histories.sh"
exec bash "$(dirname "$0")/histories.sh"
