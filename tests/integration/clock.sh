#!/bin/bash
# Class: fast threads.
# The clock by windows and the clock in one order over all slices predict the same in every figure of
# the JSON object; the report says which way the clock went, and why it went in one order.
. "$(dirname "$0")/common"

# figures FILE: the object without what tells of the clock and of the host.
figures() {
    sed -E '/^  "(clock|wall)": \{/,/^  \}/d; s/"(windows|sequential)"/"CLOCK"/' "$1"
}

# way KEY FILE: value of a key of the object `clock`.
way() {
    sed -n '/^  "clock": {/,/^  }/s/^    "'"$1"'": \(.*[^,]\),\{0,1\}$/\1/p' "$2"
}

# agree STATUS ARGUMENTS...: with both clocks, of which one goes by windows.
agree() {
    local status=$1 kind
    shift
    for kind in windows sequential; do
        expect "$status" "$HTMT" model "$@" --clock $kind --json one.json --quiet
        mv one.json $kind.json
    done
    [ "$(way kind windows.json)" = '"windows"' ] || fail "no windows: $*: $(way reason windows.json)"
    [ "$(way kind sequential.json)" = '"sequential"' ] || fail "windows in spite of all: $*"
    diff <(figures windows.json) <(figures sequential.json) >differs ||
        fail "the clocks differ: $*: $(head -n 5 differs)"
    grep -q '"history_hash"' sequential.json || fail "no figures: $*"
}

agree 0 cannon --size 256 --slices 16 --summary
agree 0 cannon --size 128 --slices 4 --machine small-htmt --block 16
agree 0 cannon --size 260 --slices 25 --machine htmt-2007
agree 0 cannon --size 512 --slices 64 --fold
agree 0 sar --lines 300 --samples 400 --slices 6 --rcmc on
agree 0 sar --lines 640 --samples 400 --patch-lines 300 --slices 2
agree 0 pic --case thermal --slices 16 --steps 3
agree 0 pic --case langmuir --slices 2 --machine small-htmt --steps 2
agree 0 volume --phantom 24 --size 40 --subcube 9 --slices 7
agree 0 volume --phantom 24 --size 32 --slices 1
# What a run that fails has reached.
agree 3 pic --case thermal --slices 4 --steps 3 --mail 300

# ---- what the report says --------------------------------------------------------------------------

# says LINE ARGUMENTS...: the line `clock` of the report, and of the report of its JSON object.
says() {
    local line=$1
    shift
    expect 0 "$HTMT" "$@" --json one.json
    grep -qxE "  clock {9}$line" out || fail "$*: not '$line': $(grep '^  clock' out)"
    grep '^  clock' out >line
    expect 0 "$HTMT" report one.json
    grep '^  clock' out | cmp -s line - || fail "$*: another line of the object: $(grep '^  clock' out)"
}

cannon=(cannon --size 64 --slices 4)
order='one order of all slices:'
says 'windows of 20.12 ns, [0-9,]+ of them, [0-9]+\.[0-9] events each' model "${cannon[@]}" --clock windows
says 'one window: no slice that is played hears of another' model "${cannon[@]}" --fold
says 'one window: no slice that is played hears of another' model cannon --size 64 --slices 1
says "$order one thread plays all slices" model "${cannon[@]}"
says "$order it was asked for" model "${cannon[@]}" --clock sequential
says "$order it was asked for" run "${cannon[@]}" --clock=sequential
says "$order network vortex joins slices without a latency" \
    model "${cannon[@]}" --machine hereld-tables --clock windows
says "$order network cnet joins slices without a latency" \
    model "${cannon[@]}" --set networks.cnet.latency=0ns --set networks.cnet.ports.cram.out-rate=not-modelled
says "$order the critical path is followed" model "${cannon[@]}" --clock windows --explain
says "$order departures are counted" model "${cannon[@]}" --lint
says "$order a trace is recorded" model "${cannon[@]}" --trace t.trace --fold
says "$order one thread plays all slices" model "${cannon[@]}" --trace t.trace
says 'windows of 20.12 ns, [0-9,]+ of them, [0-9]+\.[0-9] events each' \
    model "${cannon[@]}" --clock-threads 2 --trace t.trace
says "$order an observer hears every event" model "${cannon[@]}" --check-determinism --fold
says "$order kernels run" run "${cannon[@]}"
says "$order kernels are checked one at a time" run "${cannon[@]}" --clock windows --checked

# ---- partitions and threads ------------------------------------------------------------------------

# deals LINE ARGUMENTS...: the line `partitions` of the report, and of the report of its JSON object.
deals() {
    local line=$1
    shift
    expect 0 "$HTMT" model "$@" --json one.json
    grep '^  partitions' out >line || :
    [ -z "$line" ] || grep -qxE "  partitions {4}$line" line || fail "$*: not '$line': $(cat line)"
    [ -n "$line" ] || [ ! -s line ] || fail "$*: $(cat line)"
    expect 0 "$HTMT" report one.json
    { grep '^  partitions' out || :; } | cmp -s line - || fail "$*: another line of the object"
}

time='[0-9.]+ [mun]?s'
deals '' "${cannon[@]}"
deals '' "${cannon[@]}" --clock-threads 2 --clock sequential
deals '2 on one thread' "${cannon[@]}" --clock windows
deals '3 on one thread' "${cannon[@]}" --clock windows --clock-partitions 3
deals "4 on 2 threads; [0-9]+ windows shared, $time awaited" "${cannon[@]}" --clock-threads 2
deals "4 on 3 threads; [0-9]+ windows shared, $time awaited" "${cannon[@]}" --clock-threads 3 --clock-partitions 9
deals "4 on 3 threads; 14 windows shared, $time awaited" "${cannon[@]}" --clock shared --clock-threads 3 --clock-partitions 9
deals '2 on one thread' "${cannon[@]}" --clock shared
deals '' "${cannon[@]}" --clock windows --clock-partitions 1
grep -q 'one partition has all slices' out || fail "not the reason: $(grep '^  clock' out)"
expect 0 "$HTMT" model cannon --size 1024 --slices 64 --clock-threads 2 --json one.json
[ "$(way partitions one.json) $(way threads one.json)" = '4 2' ] || fail "not 4 partitions on 2 threads"
expect 0 "$HTMT" model cannon --size 1024 --slices 64 --clock shared --clock-threads 2 --json one.json
[ "$(way shared_windows one.json)" = "$(way windows one.json)" ] || fail "windows that were not shared"
# On one processor no window is shared, unless it must be.
processor=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
expect 0 taskset -c "$processor" "$HTMT" model cannon --size 1024 --slices 64 --clock-threads 2 --json pinned.json
[ "$(way partitions pinned.json) $(way shared_windows pinned.json)" = '4 0' ] || fail "threads without processors"
expect 0 taskset -c "$processor" "$HTMT" model cannon --size 1024 --slices 64 --clock shared --clock-threads 2 --json two.json
[ "$(way shared_windows two.json)" = "$(way windows one.json)" ] || fail "not shared on one processor"
[ "$(key history_hash two.json)$(key history_hash pinned.json)" = "$(key history_hash one.json)$(key history_hash one.json)" ] ||
    fail "other histories on one processor"
expect 0 "$HTMT" model "${cannon[@]}" --json one.json
[ "$(way partitions one.json) $(way threads one.json) $(way shared_windows one.json)" = '1 1 0' ] ||
    fail "partitions of one order: $(sed -n '/^  "clock"/,/}/p' one.json)"
[ "$(way awaited_s one.json)" = 0.0 ] || fail "awaited: $(way awaited_s one.json)"

# However the slices are dealt, all figures are those of one order.
dealt_apps=('cannon --size 256 --slices 16' 'pic --case thermal --slices 16 --steps 3'
    'sar --lines 300 --samples 400 --slices 6 --rcmc on' 'volume --phantom 24 --size 40 --subcube 9 --slices 7')
for app in "${dealt_apps[@]}"; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" model $app --json sequential.json --quiet --clock sequential
    sed '/^    "options"/,/^    \],/d' sequential.json | figures /dev/stdin >"${app%% *}.order"
done
for dealt in '--clock-threads 1 --clock windows' '--clock-threads 2' '--clock-threads 3 --clock shared' \
    '--clock-threads 2 --clock-partitions 5 --clock shared' '--clock-threads 9 --clock shared' \
    '--clock-threads 2 --clock-partitions 65536 --clock shared'; do
    for app in "${dealt_apps[@]}"; do
        # shellcheck disable=SC2086
        expect 0 "$HTMT" model $app --json dealt.json --quiet $dealt
        [ "$(way kind dealt.json)" = '"windows"' ] || fail "no windows: $app $dealt"
        diff <(sed '/^    "options"/,/^    \],/d' dealt.json | figures /dev/stdin) \
            "${app%% *}.order" >differs ||
            fail "$app $dealt: $(head -n 5 differs)"
    done
done

expect 0 "$HTMT" model "${cannon[@]}" --clock windows --json one.json
[ "$(way reason one.json)" = null ] || fail "a reason in spite of windows"
[ "$(way lookahead_fs one.json)" = 20125000 ] || fail "lookahead: $(way lookahead_fs one.json)"
awk -v events="$(key events one.json)" -v windows="$(way windows one.json)" \
    -v each="$(way events_per_window one.json)" \
    'BEGIN { exit !(windows > 1 && each * windows > events - 1 && each * windows < events + 1) }' ||
    fail "not the events of all windows: $(sed -n '/^  "clock"/,/}/p' one.json)"
expect 0 "$HTMT" model "${cannon[@]}" --clock sequential --json one.json
[ "$(way windows one.json)$(way lookahead_fs one.json)$(way events_per_window one.json)" = 0nullnull ] ||
    fail "windows of one order: $(sed -n '/^  "clock"/,/}/p' one.json)"

# An object of an older version tells nothing of the clock; one that is wrong is refused.
sed '/^  "clock": {/,/^  }/d' one.json >old.json
expect 0 "$HTMT" report old.json
! grep -q '^  clock' out || fail "a clock that nobody told of: $(grep '^  clock' out)"
sed 's/"kind": "sequential"/"kind": "sundial"/' one.json >wrong.json
refuse "clock.kind: found 'sundial', expected 'windows', or 'sequential' and a reason" report wrong.json

# An object of a version that knew no partitions.
sed -E '/^    "(partitions|threads|ranks|shared_windows|awaited_s)"/d; s/("events_per_window": [^,]*),/\1/' one.json >older.json
expect 0 "$HTMT" report older.json
! grep -q '^  partitions' out || fail "partitions that nobody told of: $(grep '^  partitions' out)"

# The way of the clock is no difference between two runs.
expect 0 "$HTMT" model "${cannon[@]}" --json a.json --clock sequential
expect 0 "$HTMT" model "${cannon[@]}" --json b.json --clock shared --clock-threads 2 --clock-partitions 3
expect 0 "$HTMT" report --compare a.json b.json
! grep -q 'option clock' out || fail "a difference: $(grep 'option clock' out)"

# A determinism check compares a model run with one by windows, unless the other clock is asked for.
expect 0 "$HTMT" model "${cannon[@]}" --check-determinism
grep -q '^  equal  *6 more runs' out || fail "no run by windows: $(grep '^  equal' out)"
expect 0 "$HTMT" model "${cannon[@]}" --check-determinism --clock sequential
grep -q '^  equal  *4 more runs' out || fail "windows in spite of all: $(grep '^  equal' out)"

refuse "--clock: found 'window', expected auto, sequential, windows or shared" model cannon --clock window
refuse "--clock: the value is missing" model cannon --clock
refuse "--clock-threads: found 0, expected 1 to 1024" model cannon --clock-threads 0
refuse "--clock-threads: found 1025, expected 1 to 1024" model cannon --clock-threads=1025
refuse "--clock-threads: found '2.5', expected a whole number" run cannon --clock-threads 2.5
refuse "--clock-threads: the value is empty" model cannon --clock-threads ""
refuse "--clock-partitions: found '-1', expected a whole number" model cannon --clock-partitions -1
refuse "--clock-partitions: found 65537, expected 0 to 65536" model cannon --clock-partitions 65537
refuse "--clock-partitions: the value is missing" model cannon --clock-partitions
