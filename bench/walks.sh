#!/bin/bash
# The files that a parcel, a put and a packet pass (docs/architecture.md, "Four walks"):
# bench/walks.sh BUILD. A file counts if the run with the one thing executes a line of it, in line or
# not, that the same run without it does not execute. Begin and end of a run are in both.
set -euo pipefail
walk=${1:?folder of the build}/bench/walk
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

# FILE:LINE of all that the calls execute which make the type, the parcel and the run.
lines() {
    valgrind --tool=callgrind --callgrind-out-file="$home/out" --compress-pos=no --compress-strings=no \
        --toggle-collect=htmt_type_create --toggle-collect=htmt_assemble \
        --toggle-collect=htmt_emulator_run "$walk" "$@" \
        >"$home/says" 2>&1 || { cat "$home/says" >&2; exit 1; }
    awk '/^f[lie]=/ { file = substr($0, 4) } /^calls=/ { getline; next } /^[0-9]+ / { print file ":" $1 }' \
        "$home/out" |
        sed -E "s,^.*/((parcels|layers|runtime)/),\1," | sort -u
}

for what in parcel put packet; do
    lines "$what" 0 >"$home/without"
    lines "$what" 1 >"$home/with"
    comm -13 "$home/without" "$home/with" |
        awk -F: '/^(parcels|layers|runtime)\// { n[$1]++ } END { for (f in n) print f }' | sort >"$home/files"
    echo "$what: $(wc -l <"$home/files") files"
    sed 's/^/  /' "$home/files"
done
