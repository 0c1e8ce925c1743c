#!/bin/bash
# Count the instructions of a stage and of an event: bench/instructions.sh BUILD COMPILER
#   ONLY=PATTERN   only the cases whose names match the regular expression
#   RECORD=1       the counts become those of bench/instructions
# Each case runs twice under callgrind, with two lengths, two cases at once. What is printed is the
# difference of the instructions over the difference of the events, so what a run does once is not in
# it. The first case is the load played by hand.
#
# The counts are compared with those of the file bench/instructions: status 1 when one is above its
# own by more than 1 %, or below by more than 2 %. Then whoever meant it records them anew, and the
# commit says why. Counts of another compiler cannot be compared.
set -euo pipefail

build=${1:?folder of the build} compiler=$("${2:?compiler}" --version | head -n 1)
counts=${0%/*}/instructions
command -v valgrind >/dev/null ||
    { echo 'valgrind is missing: .ci/deps .ci/packages-check.txt' >&2; exit 2; }
# glibc has a memcpy() for each processor, callgrind that of its host; these all hosts have.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-AVX,-ERMS,-FSRM
# jemalloc gives pages back as time passes, so a busy host adds up to 2 % to a case.
export MALLOC_CONF=dirty_decay_ms:-1,muzzy_decay_ms:-1
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

# Instructions and events of a command that prints its events.
count() {
    local own
    own=$(mktemp -d "$home/XXXXXX")
    valgrind --tool=callgrind --callgrind-out-file="$own/out" "${@:2}" >"$own/says" 2>"$own/err" ||
        { cat "$own/err" >&2; exit 1; }
    echo "$(awk '/^==.*Collected : / { n += $NF } END { print n }' "$own/err") $("$1" <"$own/says")"
}

events_of_bench() { while read -r _ _ _ _ _ work; do echo $((16#$work)); done; }
events_of_study() { sed -n 's/^\([0-9]*\) points, 0 refused$/\1/p'; }
events_of_htmt() { sed -n 's/^ *"events": \([0-9]*\).*/\1/p'; }

# A case, how its events are read, the option of its length, two lengths, the command.
cases=0
measure() {
    local name=$1 events=$2 option=$3 short=$4 long=$5 at=$home/$((100 + cases))
    shift 5
    [[ $name =~ ${ONLY:-.} ]] || return 0
    [ $((cases++)) -lt 2 ] || wait -n
    {
        count "$events" "$@" "$option" "$short" >"$at.short"
        count "$events" "$@" "$option" "$long" >"$at.long"
        paste "$at.short" "$at.long" |
            awk -v name="$name" '{ printf "RESULT instructions %s %.1f instr 0\n", name, ($3 - $1) / ($4 - $2) }' \
                >"$at.case"
    } &
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

for way in hand model run; do
    stages $way 256x16 4 12
    stages $way 256x128 2 4
done
for ends in 16 256; do
    measure "messages-$ends" events_of_bench --rounds 100 500 \
        "$build/bench/emulator_messages" --endpoints "$ends"
done
measure posts-16 events_of_bench --rounds 1000 5000 \
    "$build/bench/emulator_posts" --endpoints 16 --inputs none
measure posts-in-16 events_of_bench --rounds 1000 5000 \
    "$build/bench/emulator_posts" --endpoints 16
# It plays both schedules and counts the events of one
model cannon-folded --size 4096 8192 cannon --slices 16
model pic-folded --steps 2 22 pic --case thermal --cells 126,512,512 --slices 4096
# Of both processes: the one that computes, the one that waits and prints
flop='layers.cram.processor.flop=1 ps..10 ps:'
measure study-point events_of_study --vary "${flop}20" "${flop}120" "$build/htmt" sweep predict \
    cannon --machine htmt-2007 --size 208000 --schedule paper --jobs 1
wait
{
    echo 'ROUND 1'
    for ((i = 0; i < cases; i++)); do cat "$home/$((100 + i)).case"; done
} >"$home/results"
awk -f "${0%/*}/table.awk" "${0%/*}/targets" "$home/results"

if [ "${RECORD:-}" ]; then
    { echo "$compiler"
      awk '$1 == "RESULT" { print $3, $4 }' "$home/results"; } >"$home/counts"
    mv "$home/counts" "$counts"
    exit
fi
read -r recorded <"$counts"
if [ "$recorded" != "$compiler" ]; then
    echo "no comparison: $counts is of $recorded, this is $compiler"
    exit
fi
printf '\ncompared with %s\n' "$counts"
awk 'FNR == NR { if (FNR > 1) was[$1] = $2; next }
     $1 == "RESULT" {
         if (!($3 in was)) {
             printf "  %s: no count is recorded\n", $3
             failed = 1
             next
         }
         change = 100 * ($4 / was[$3] - 1)
         bad = change > 1 || change < -2
         failed += bad
         printf "  %-24s %8.1f, was %8.1f: %+.2f %%%s\n", $3, $4, was[$3], change,
             bad ? ", more than +1 or -2: RECORD=1 make bench-instructions, and say why" : ""
     }
     END { exit failed != 0 }' "$counts" "$home/results"
