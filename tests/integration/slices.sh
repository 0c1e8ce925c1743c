#!/bin/bash
# Class: fast.
# Histories again, each slice's state unreadable while another slice plays: every eighth row, which
# begins elsewhere for each commit. HTMT_LONG=1: all rows.
set -eu
here=$(dirname "$0")
. "$here/../random/first"
export HISTORIES_OPTIONS=--checked HISTORIES_CHECKED=1
if [ -n "${HTMT_LONG-}" ]; then
    export HISTORIES_EVERY=
else
    export HISTORIES_EVERY=8 HISTORIES_FIRST=$((first % 8 + 1))
fi
for script in histories histories_windows histories_programs; do
    bash "$here/$script.sh"
done
