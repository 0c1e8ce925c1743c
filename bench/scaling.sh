#!/bin/bash
# Measure threads of the clock and ranks on this host, and predict more of them by a closed form:
# bench/scaling.sh BUILD
#   REPEAT=N       runs of each case, the best of them counts, default 3
#   ONLY=PATTERN   only the cases whose names match the regular expression
#   SLICES=LIST    numbers of slices, squares, default "16 256 1024"
#   LARGE=no       without the runs that tell the windows of the large problems (half a minute)
# bench/scaling.awk has the closed form. The raw lines stay in BUILD/bench/scaling.
set -euo pipefail
shopt -s inherit_errexit

build=$(realpath "${1:?folder of the build}")
repeat=${REPEAT:-3}
home=$(mktemp -d)
results=$build/bench/scaling
trap 'rm -rf "$home"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0
: >"$results"

has_ranks() { [ -e "$build/mpi.so" ] && command -v mpirun >/dev/null; }

# The command beside an mpi.so that counts what ranks exchange.
mkdir "$home/counting"
cp "$build/htmt" "$home/counting/htmt"
cp "$build/bench/exchanges.so" "$home/counting/mpi.so"
ln -s "$build/apps" "$build/share" "$home/counting/"

# ---- one case ------------------------------------------------------------------------------------
arguments() {
    local app=$1 slices=$2 side depth t=2 times=1
    side=$(awk "BEGIN { print sqrt($slices) }")
    depth=$((side > 16 ? 2 * side : 32))
    ((slices > 16)) || { t=8 times=16; } # else too short to be measured
    case $app in
    cannon) echo "cannon --t $t --block 128 --size $((side * t * 128))" ;;
    pic) echo "pic --case thermal --steps $((2 * times)) --cells $depth,$((side * 8)),$((side * 8))" ;;
    volume) echo "volume --phantom 64 --size 512 --frames $times" ;;
    esac
    echo "--slices $slices"
}

# Events, windows, seconds of a model run.
once() {
    "$@" --quiet --progress off --json "$home/json" >/dev/null
    sed -n 's/^ *"\(events\|windows\|emulate_s\)": \([0-9.e+-]*\),\{0,1\}$/\1 \2/p' "$home/json" |
        awk '{ v[$1] = $2 } END { print v["events"], v["windows"], v["emulate_s"] }'
}

# The same of the quickest of several.
best() {
    local i
    for ((i = 0; i < repeat; i++)); do once "$@"; done | sort -g -k 3 | head -n 1
}

measure() {
    local app=$1 slices=$2 name=$1-$2 command=() sequential windows threads ranks='- - -' bytes=-
    [[ $name =~ ${ONLY:-.} ]] || return 0
    # shellcheck disable=SC2207
    command=(model $(arguments "$app" "$slices"))
    sequential=$(best "$build/htmt" "${command[@]}" --clock sequential)
    windows=$(best "$build/htmt" "${command[@]}" --clock windows --clock-partitions 2)
    threads=$(best "$build/htmt" "${command[@]}" --clock windows --clock-threads 2)
    if has_ranks; then
        ranks=$(best mpirun -n 2 "$build/htmt" "${command[@]}")
        HTMT_COUNTED_MPI=$build/mpi.so mpirun -x HTMT_COUNTED_MPI -n 2 "$home/counting/htmt" \
            "${command[@]}" --quiet >/dev/null 2>"$home/counted"
        bytes=$(sed -n 's/^EXCHANGES \([0-9]*\) \([0-9]*\) .*/\1 \2/p' "$home/counted" |
            awk '{ printf "%.0f", $2 / $1 }')
    fi
    echo "CASE $app $slices $sequential $windows $threads $ranks $bytes" >>"$results"
}

# ---- what windows cost ---------------------------------------------------------------------------
partitions() {
    local p
    for p in 2 64 256; do
        # shellcheck disable=SC2046
        echo "PARTITIONS $p $(best "$build/htmt" model $(arguments pic 256) --clock windows \
            --clock-partitions "$p")"
    done >>"$results"
}

exchanges() {
    local bytes
    has_ranks || return 0
    for bytes in 0 256 1024 3968 16384 65536; do
        for ((i = 0; i < repeat; i++)); do
            mpirun -n 2 "$build/tests/ranks/transport" time "$build/mpi.so" 5000 "$bytes"
        done | sort -g -k 3 | sed -n '1s/^\([0-9]*\) bytes: \(.*\) us/EXCHANGE \1 \2/p'
    done >>"$results"
}

# ---- the large problems --------------------------------------------------------------------------
# Name, slices of the machine, events of them all, windows, ns an event of a smaller problem with as much
# memory a slice, how even loads are.
predicted() { sed -n 's/^ *"predicted_fs": \([0-9]*\),$/\1/p' "$home/json"; }
fold() { echo "$(once "$build/htmt" model "$@" --fold) $(predicted)"; }
unfolded() {
    echo "$(once "$build/htmt" model "$@" --clock windows --clock-partitions 2) $(predicted)"
}

# All slices do the same at the same time, so their number does not change the windows; those of s x s
# slices grow linearly with s.
large_cannon() {
    local few more events
    events=$(fold cannon --size 208000)
    few=$(unfolded cannon --t 24 --block 136 --slices 16 --size $((4 * 24 * 136)))
    more=$(unfolded cannon --t 24 --block 136 --slices 64 --size $((8 * 24 * 136)))
    echo "$events $few $more" | awk '{ w = $10 + ($10 - $6) / 4 * 56
        printf "LARGE cannon 4096 %.0f %.0f %.1f alike\n", $1 * 4096, w, 1e9 * $11 / $9 }'
}

# Windows grow with virtual time. large NAME LOADS < the folded whole, a smaller one
large() {
    awk -v name="$1" -v loads="$2" '{ printf "LARGE %s 4096 %.0f %.0f %.1f %s\n", name, $1 * 4096,
        $6 * $4 / $8, 1e9 * $7 / $5, loads }'
}

# As many cells a slice on 256 slices.
large_pic() {
    local thermal=(pic --case thermal --steps 1) events some
    events=$(fold "${thermal[@]}" --slices 4096 --cells 254,4096,4096)
    some=$(unfolded "${thermal[@]}" --slices 256 --cells 254,1024,1024)
    echo "$events $some" | large pic alike
}

# A quarter of the edge.
large_volume() {
    local hereld=(volume --costs volume-hereld) events some
    events=$(fold "${hereld[@]}" --dims 12545,12545,12545 --size 12800 --half-height 6272)
    some=$(unfolded "${hereld[@]}" --dims 3137,3137,3137 --size 3200 --half-height 1568 --slices 256)
    echo "$events $some" | large volume independent
}

echo "HOST $(nproc) $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" >>"$results"
"$build/bench/team_rounds" | sed 's/^RESULT team-round threads_\([0-9]*\) \([^ ]*\).*/ROUND \1 \2/' >>"$results"
exchanges
partitions
for app in cannon pic volume; do
    for slices in ${SLICES:-16 256 1024}; do
        measure $app "$slices"
    done
done
if [ "${LARGE:-yes}" = yes ]; then
    { large_cannon; large_pic; large_volume; } >>"$results"
fi
awk -f "${0%/*}/scaling.awk" "$results"
