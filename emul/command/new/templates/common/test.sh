#!/bin/sh
# sh test.sh FOLDER: program and plug-in of that folder find correct results, keep to their data, and
# are the same for any number of threads. HTMT: the command, if the shell does not find it.
set -eu
cd "${1:-.}"
same='--machine small-htmt --slices 4'
for run in "${HTMT:-htmt} run ./@NAME@.so" './@NAME@ run'; do
    $run $same --checked --check-determinism --quiet
    $run $same --json - >result.json
    grep -q '"correct": true' result.json
done
./@NAME@ model $same --quiet
rm result.json
echo '@NAME@: passed'
