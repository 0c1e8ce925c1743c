#!/bin/bash
# Long runs do not grow: one after another, for SOAK_SECONDS (3600) in all, and their memory is printed
# over time. What was allocated and what was in memory may not be more at the end than after the
# beginning: the medians of the last and of the second quarter of each run are compared.
. "$(dirname "$0")/../integration/common"
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
SECONDS_EACH=$((${SOAK_SECONDS:-3600} / 4))
ALLOCATED_MORE=2048 RESIDENT_MORE=4096 # KiB
build=$(dirname "$HTMT")
heap=$build/tests/soak/heap.so
every=$(awk -v s="$SECONDS_EACH" 'BEGIN { print s < 400 ? 0.5 : s / 800 }')

# soak NAME COMMAND...: it is ended by Ctrl-C, and killed if it does not heed it.
soak() {
    local name=$1
    shift
    HEAP_FILE=$work/$name HEAP_EVERY=$every LD_PRELOAD=$heap env --default-signal=INT \
        timeout --foreground -k 60 -s INT "$SECONDS_EACH" nice "$@" >"$name-out" 2>"$name-err" </dev/null || :
}

# median COLUMN FROM TO FILE: of the lines of that part of the time.
median() {
    awk -v column="$1" -v from="$2" -v to="$3" -v all="$SECONDS_EACH" \
        '$1 > from * all && $1 <= to * all { print $column }' "$4" | sort -n |
        awk '{ value[NR] = $1 } END { print NR ? value[int((NR + 1) / 2)] : "none" }'
}

# kept FILE: KiB that a run of plasma writes to its memory from the second quarter to the last: nine
# words of each slice and step.
kept() {
    local steps
    case ${1##*/} in
    threads.* | ranks.*)
        steps=$(sed -n 's/.* \([0-9]*\) of [0-9]* steps ended.*/\1/p' "${1%.*}-out")
        echo $((${steps:-0} * 9 * 8 * 8 / 2 / 1024))
        ;;
    *) echo 0 ;;
    esac
}

# judge FILE: its table; notes it if it grew.
judge() {
    local column name bound begin end
    echo "${1##*/}"
    echo '   seconds  allocated KiB  resident KiB'
    awk -v step="$(($(wc -l <"$1") / 12 + 1))" 'NR % step == 0 { printf "%10.0f %14d %13d\n", $1, $2, $3 }' "$1"
    for column in 2 3; do
        [ $column = 2 ] && name=allocated bound=$ALLOCATED_MORE ||
            name=resident bound=$((RESIDENT_MORE + $(kept "$1")))
        begin=$(median $column 0.25 0.5 "$1")
        end=$(median $column 0.75 1 "$1")
        [ "$begin" != none ] && [ "$end" != none ] || fail "${1##*/} ended early: $(cat "${1%.*}-err")"
        echo "$name: $begin KiB in the second quarter, $end KiB in the last, at most $bound more"
        [ $((end - begin)) -le $bound ] || grew+=" ${1##*/} ($name)"
    done
}

plasma='--case thermal --cells 32,32,32 --slices 8 --steps 1000000 --check none'
soak programs "${RANDOM_PROGRAMS:-$build/tests/random/programs}" --count 1000000000
soak threads "$HTMT" run pic $plasma --threads 3 --clock-threads 2
soak model "$HTMT" model pic --case thermal --slices 8 --steps 50000000 --clock-threads 2
if command -v mpirun >/dev/null && [ -e "$build/mpi.so" ]; then
    . "$root/tests/ranks/launch"
    soak ranks "${launch[@]}" -n 2 "$HTMT" run pic $plasma
fi
grew=
for file in "$work"/{programs,threads,model,ranks}.*; do
    [ ! -e "$file" ] || judge "$file"
done
[ -z "$grew" ] || fail "more at the end:$grew"
