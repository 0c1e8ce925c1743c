#!/bin/bash
# Class: fast.
# The same as histories.sh by the clock that plays slices in windows, for every fourth row.
export HISTORIES_OPTIONS="${HISTORIES_OPTIONS:+$HISTORIES_OPTIONS }--clock windows"
export HISTORIES_EVERY=${HISTORIES_EVERY-4}
exec bash "$(dirname "$0")/histories.sh"
