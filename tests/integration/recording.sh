#!/bin/bash
# Class: fast.
# `--trace`: the run stays as it is, the file has the same bytes whatever the host does and few of
# them, filters leave out what they say, and a run that fails leaves a whole file or none.
. "$(dirname "$0")/common"

# ---- nothing changes -----------------------------------------------------------------------------
pic=(pic --case langmuir --steps 2 --slices 4)
expect 0 "$HTMT" run "${pic[@]}" --json plain.json
expect 0 "$HTMT" run "${pic[@]}" --json traced.json --trace all.trace --explain --lint
same_keys plain.json traced.json predicted_fs history_hash events parcels
hash=$(key history_hash plain.json | tr -d '"')
expect 0 "$HTMT" trace info all.trace
grep -qF "$hash" out || fail "a trace of another run: $(grep hash out)"

# The runs beside it, without a trace of their own, do not write over it.
for options in '--threads 1' '--threads 2 --delay-seed 5' '--threads 8 --delay-seed 9 --run-ahead 1KiB' \
    '--threads 2 --check-determinism --quiet'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" run "${pic[@]}" $options --trace one.trace
    cmp one.trace all.trace || fail "other bytes with $options"
done

# ---- any clock -------------------------------------------------------------------------------------
# same_trace STATUS ARGUMENTS...: byte for byte, by one order of all slices and by windows.
same_trace() {
    local status=$1 clock
    shift
    expect "$status" "$HTMT" model "$@" --quiet --clock sequential --trace one.trace
    for clock in '--clock windows' '--clock shared --clock-threads 2' \
        '--clock-threads 3 --clock-partitions 7'; do
        # shellcheck disable=SC2086
        expect "$status" "$HTMT" model "$@" --quiet $clock --trace two.trace
        cmp one.trace two.trace || fail "other bytes with $clock: $*"
    done
}
same_trace 0 cannon --size 8192 --slices 16 # blocks that are full before the end
same_trace 0 pic --case thermal --slices 16 --steps 3
same_trace 0 volume --phantom 24 --size 40 --subcube 9 --slices 7
same_trace 0 sar --lines 300 --samples 400 --slices 6 --rcmc on
same_trace 0 pic --slices 4 --trace-slices 1-2 --trace-window 1ms..2ms
same_trace 0 pic --case langmuir --slices 2 --machine small-htmt --steps 2
same_trace 3 pic --case thermal --slices 4 --steps 3 --mail 300 # what waits at the end, too

# ---- few bytes: at most 14 an interval, 5 on disk --------------------------------------------------
word() {
    od -A n -t u"$3" -j "$2" -N "$3" "$1" | tr -d ' '
}
# small FILE: sums over its index.
small() {
    local size index blocks raw=0 intervals=0 i
    size=$(stat -c %s "$1")
    index=$(word "$1" $((size - 48)) 8)
    blocks=$(word "$1" $((size - 40)) 8)
    for ((i = index; i < index + 64 * blocks; i += 64)); do
        raw=$((raw + $(word "$1" $((i + 12)) 4)))
        intervals=$((intervals + $(word "$1" $((i + 32)) 4)))
    done
    [ "$intervals" -ge 40000 ] || fail "$1: $intervals intervals are too few to tell"
    [ "$raw" -le $((14 * intervals)) ] || fail "$1: $raw bytes inflated, $intervals intervals"
    [ "$size" -le $((5 * intervals)) ] || fail "$1: $size bytes, $intervals intervals"
}
for words in 'cannon --size 2048 --slices 64' 'sar --lines 2048 --samples 2048 --slices 8' \
    'pic --case thermal --cells 32,32,32 --slices 16 --steps 4' \
    'volume --slices 16 --dims 400,400,400 --alpha 0.4'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" model $words --trace few.trace --quiet
    small few.trace
    expect 0 "$HTMT" trace check few.trace
done

# ---- filters -------------------------------------------------------------------------------------
intervals() {
    "$HTMT" trace check "$1" | sed -n 's/^good: \([0-9,]*\) intervals.*/\1/p' | tr -d ,
}
whole=$(intervals all.trace) sum=0
for slice in 0 1 2 3; do
    expect 0 "$HTMT" run "${pic[@]}" --quiet --trace part.trace --trace-slices $slice
    sum=$((sum + $(intervals part.trace)))
done
[ "$sum" = "$whole" ] || fail "slices have $sum intervals, together $whole"
expect 0 "$HTMT" run "${pic[@]}" --quiet --trace part.trace --trace-slices 0-1,2-3
[ "$(intervals part.trace)" = "$whole" ] || fail 'all slices are not the whole'
for option in '--trace-layers cram' '--trace-layers spell,sram' '--trace-types (put)' \
    '--trace-window 10us..20us'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" run "${pic[@]}" --quiet --trace part.trace $option
    part=$(intervals part.trace)
    [ "$part" -gt 0 ] && [ "$part" -lt "$whole" ] || fail "$option: $part of $whole"
done

rm part.trace
cannon=(model cannon --size 64 --slices 4 --trace part.trace)
refuse '--trace-slices: found slice 4, expected 0 to 3' "${cannon[@]}" --trace-slices 2,4
refuse "--trace-slices: found '2-1', expected slices such as 0-3,7" "${cannon[@]}" --trace-slices 2-1
refuse "--trace-slices: found 'x', expected slices such as 0-3,7" "${cannon[@]}" --trace-slices x
refuse "--trace-slices: found '1,', expected slices such as 0-3,7" "${cannon[@]}" --trace-slices 1,
refuse "has no layer 'cramm', did you mean 'cram'?" "${cannon[@]}" --trace-layers cramm
refuse "--trace-window: found '5us'" "${cannon[@]}" --trace-window 5us
refuse "--trace-window: found '5us..1us'" "${cannon[@]}" --trace-window 5us..1us
refuse '--trace-window: found' "${cannon[@]}" --trace-window 5..6
refuse "--trace: found '-', expected a file" model cannon --size 64 --trace -
refuse '--trace-layers: there is no --trace' model cannon --size 64 --trace-layers cram
refuse '--trace: only run and model can tell' predict cannon --size 64 --trace part.trace
refuse "--trace-slices: found 1 with --fold, expected 0" "${cannon[@]}" --fold --trace-slices 1
refuse 'expected another file than that of --json' "${cannon[@]}" --json part.trace
expect 2 "$HTMT" "${cannon[@]}" --trace-types nobody --quiet
grep -q "type 'nobody', which this program does not have; expected some of .*Transform A" err ||
    fail "no word of types: $(cat err)"
[ ! -e part.trace ] || fail 'a refused command wrote a trace'

# ---- folded: one slice stands for all --------------------------------------------------------------
expect 0 "$HTMT" model cannon --size 512 --slices 64 --fold --trace folded.trace --quiet
expect 0 "$HTMT" trace info folded.trace
grep -q '1 played of 64; each stands for 64' out || fail "$(grep slices out)"
expect 0 "$HTMT" trace check folded.trace

# ---- a deadlock, an interruption -------------------------------------------------------------------
expect 3 "$HTMT" run pic --case thermal --slices 4 --steps 3 --mail 300 --trace stuck.trace
expect 0 "$HTMT" trace check stuck.trace
expect 0 "$HTMT" trace info stuck.trace
grep -q '^INCOMPLETE .*nothing can move' out || fail "not marked: $(cat out)"
grep -q 'waits for room for [0-9]* records in mailbox' out || fail 'nobody waits'

long=(model cannon --machine htmt-2007 --size 100000 --slices 16 --schedule paper)
interrupt_run INT "$HTMT" "${long[@]}" --trace ended.trace
[ "$status" = 4 ] || fail "status $status: $(cat err)"
expect 0 "$HTMT" trace info ended.trace
grep -q '^INCOMPLETE .*interrupted' out || fail "not marked: $(cat out)"

# A signal that ends the process leaves nothing.
interrupt_run HUP "$HTMT" "${long[@]}" --trace gone.trace
[ -z "$(find . -name 'gone.trace*')" ] || fail "left: $(ls)"

# ---- files that cannot be written ------------------------------------------------------------------
expect 4 "$HTMT" model cannon --size 256 --quiet --trace /dev/full
[ "$(cat err)" = 'htmt model cannon: /dev/full: cannot write: No space left on device' ] ||
    fail "$(cat err)"
refuse "there is no folder 'nowhere'" model cannon --size 256 --trace nowhere/x
mkdir shut
chmod a-w shut
if [ ! -w shut ]; then
    refuse "no permission to write into 'shut'" model cannon --size 256 --trace shut/x
fi
echo older >kept.trace
(
    ulimit -f 8
    trap '' XFSZ
    expect 4 "$HTMT" model cannon --size 8192 --slices 16 --quiet --trace kept.trace
    one_line
)
[ "$(cat kept.trace)" = older ] && [ -z "$(find . -name 'kept.trace?*')" ] || fail "left: $(ls)"
