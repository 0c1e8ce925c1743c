#!/bin/bash
# Count the instructions of a stage and of an event: bench/instructions.sh BUILD
#   ONLY=PATTERN   only the cases whose names match the regular expression
# Each case runs twice under callgrind, with two lengths. What is printed is the difference of the
# instructions over the difference of the events, so what a run does once is not in it. The first
# case is the load played by hand.
set -euo pipefail

build=${1:?folder of the build}
command -v valgrind >/dev/null ||
    { echo 'valgrind is missing: .ci/deps .ci/packages-check.txt' >&2; exit 2; }
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

# Instructions and events of a command that prints its events.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$home/out" "${@:2}" >"$home/says" 2>"$home/err" ||
        { cat "$home/err" >&2; exit 1; }
    echo "$(sed -n 's/^==.*Collected : //p' "$home/err") $("$1" <"$home/says")"
}

events_of_bench() { while read -r _ _ _ _ _ work; do echo $((16#$work)); done; }
events_of_htmt() { sed -n 's/^ *"events": \([0-9]*\).*/\1/p'; }

# A case, how its events are read, the option of its length, two lengths, the command.
measure() {
    local name=$1 events=$2 option=$3 short=$4 long=$5
    shift 5
    [[ $name =~ ${ONLY:-.} ]] || return 0
    echo "$(count "$events" "$@" "$option" "$short") $(count "$events" "$@" "$option" "$long")" |
        awk -v name="$name" '{ printf "RESULT instructions %s %.1f instr 0\n", name, ($3 - $1) / ($4 - $2) }'
}

stages() {
    local way=$1 load=$2 short=$3 long=$4
    local program=$build/bench/emulator_stages options=(--mode "$way")
    [[ $way != hand ]] || program=$build/bench/hand_stages options=(--check none)
    measure "$way-$load" events_of_bench --generations "$short" "$long" \
        "$program" --slices "${load%x*}" --each "${load#*x}" "${options[@]}"
}

model() {
    local name=$1 option=$2 short=$3 long=$4
    shift 4
    measure "$name" events_of_htmt "$option" "$short" "$long" \
        "$build/htmt" model "$@" --fold --threads 1 --json -
}

{
    echo 'ROUND 1'
    for way in hand model run; do
        stages $way 256x16 4 12
        stages $way 256x128 2 4
    done
    for ends in 16 256; do
        measure "messages-$ends" events_of_bench --rounds 100 500 \
            "$build/bench/emulator_messages" --endpoints "$ends"
    done
    # It plays both schedules and counts the events of one
    model cannon-folded --size 4096 8192 cannon --slices 16
    model pic-folded --steps 2 22 pic --case thermal --cells 126,512,512 --slices 4096
} >"$home/results"
awk -f "${0%/*}/table.awk" "${0%/*}/targets" "$home/results"
