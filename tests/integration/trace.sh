#!/bin/bash
# Class: fast foreign.
# `htmt trace` on traces of the command: what each application records adds up to its report; blocks
# in any order are the same trace; what is no whole trace is refused in one line.
. "$(dirname "$0")/common"

check() {
    expect 0 "$HTMT" trace check "$1"
    grep -q "^good: [0-9,]* intervals in [0-9]* blocks*; $2" out || fail "$1: $(cat out)"
}

# ---- each application ----------------------------------------------------------------------------
apps=('cannon --size 256 --slices 4' 'pic --case langmuir --steps 2 --slices 4'
    'volume --phantom 8 --size 8 --slices 2' 'sar --lines 256 --samples 256 --slices 2'
    'cannon --size 4096 --slices 64 --fold')
for words in "${apps[@]}"; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" model $words --trace a.trace --json a.json
    check a.trace "their sums are the run's, to the femtosecond$"
    expect 0 "$HTMT" trace info a.trace
    hash=$(key history_hash a.json | tr -d '"')
    grep -q "^history hash   $hash$" out || fail "$words: hash $hash, trace: $(grep hash out)"
    ! grep -q INCOMPLETE out || fail "$words: incomplete"
done
expect 0 "$HTMT" run cannon --size 64 --slices 4 --trace a.trace
check a.trace "their sums are the run's"

# ---- one of a kind, and what the actions do ------------------------------------------------------
expect 0 "$HTMT" model cannon --size 64 --slices 1 --trace one.trace --quiet
expect 0 "$HTMT" trace info one.trace
grep -q '^slice          1$' out || fail "slices: $(cat out)"
grep -qE ' 1 server; ' out || fail "servers: $(cat out)"
grep -qE ' 1 block, ' out || fail "blocks: $(cat out)"
! grep -qE '\b1 (servers|blocks|slices|steps|intervals|changes)\b' out || fail "plural: $(cat out)"
expect 0 "$HTMT" trace check one.trace
grep -q ' in 1 block; ' out || fail "blocks: $(cat out)"
expect 0 "$HTMT" help trace
for action in info sort digest check path export; do
    grep -qE "^  $action {3,}[a-z]" out || fail "no help on $action: $(cat out)"
done

# ---- the same trace ------------------------------------------------------------------------------
pic=(run pic --case langmuir --steps 2 --slices 4 --quiet)
for threads in 1 3; do
    expect 0 "$HTMT" "${pic[@]}" --threads $threads --trace $threads.trace
    expect 0 "$HTMT" trace digest $threads.trace
    mv out $threads.digest
done
cmp 1.digest 3.digest || fail "digests of 1 and 3 threads differ"
grep -qE '^[0-9a-f]{16}$' 1.digest || fail "no digest: $(cat 1.digest)"
expect 0 "$HTMT" trace sort 1.trace -o sorted.trace
expect 0 "$HTMT" trace sort sorted.trace -o again.trace
cmp sorted.trace again.trace || fail "a sorted trace changes when it is sorted"
expect 0 "$HTMT" trace digest sorted.trace
cmp out 1.digest || fail "sorting changes the digest"
check sorted.trace "their sums are the run's"

# ---- incomplete and filtered traces --------------------------------------------------------------
expect 3 "$HTMT" model pic --case thermal --slices 4 --steps 3 --mail 300 --trace dead.trace
check dead.trace "their sums are the run's"
expect 0 "$HTMT" trace info dead.trace
grep -q '^INCOMPLETE     ' out || fail "not marked incomplete: $(cat out)"
grep -q '^open           percolation deadlock at ' out || fail "who waits is not told: $(cat out)"
interrupt_run INT "$HTMT" model cannon --size 32768 --slices 256 --trace interrupted.trace
check interrupted.trace "their sums are the run's"
expect 0 "$HTMT" trace info interrupted.trace
grep -q '^INCOMPLETE     interrupted by the user' out || fail "not marked incomplete: $(cat out)"
expect 0 "$HTMT" model pic --slices 4 --trace part.trace --trace-slices 1-2 --trace-window 1ms..2ms
check part.trace "filtered, so their sums were not compared$"
expect 0 "$HTMT" trace info part.trace
grep -q '^filter         {.*"slices":\[\[1,2\]\]' out || fail "no filter: $(cat out)"

# ---- what is no whole trace ----------------------------------------------------------------------
# refuses FILE TEXT: by each action, in one line that begins with the path.
refuses() {
    local action
    for action in info check digest 'sort -o out.trace'; do
        # shellcheck disable=SC2086
        refuse "htmt trace: $1: $2" trace ${action/sort/sort $1} $([ "${action%% *}" = sort ] || echo "$1")
        [ ! -e out.trace ] || fail "$action $1 left a file"
    done
}
size=$(stat -c %s 1.trace)
head -c $((size / 2)) 1.trace >half.trace
refuses half.trace "byte $((size / 2 - 8)): found "
head -c 30 1.trace >short.trace
refuses short.trace 'byte 30: found the end of the file, expected at least 56 bytes: the file is cut off'
{ printf 'HTMTTRC\3' && tail -c +9 1.trace; } >newer.trace
refuses newer.trace 'byte 7: found version 3 of the format, expected version 1 or 2'
echo 'time,slice,event' >text.trace
refuses text.trace "byte 0: found 'time,sli', expected 'HTMTTRC', the beginning of a trace"
: >empty.trace
refuses empty.trace 'byte 0: found an empty file, expected a trace'
mkdir folder
refuses folder 'found a folder, expected a file'
refuses nowhere.trace 'cannot open: No such file or directory'

# One bit: in a block, the index, the footer, the trailer.
for at in 100 $((size - 2000)) $((size - 60)) $((size - 30)); do
    byte=$(od -An -tu1 -j "$at" -N 1 1.trace)
    cp 1.trace bit.trace
    # shellcheck disable=SC2059
    printf "\\$(printf %o $((byte ^ 4)))" | dd of=bit.trace bs=1 seek="$at" conv=notrunc 2>dd.log
    expect 2 "$HTMT" trace check bit.trace
    grep -q '^htmt trace: bit.trace: byte [0-9]*: found .*, expected ' err || fail "bit at $at: $(cat err)"
done

# Cut off at some hundred places.
for ((i = 0; i < 200; i++)); do
    head -c $((i < 60 ? i : size - 1 - (i - 60) * (size / 141))) 1.trace >cut.trace
    refuse 'cut.trace: byte ' trace info cut.trace
done

# ---- a disk that is full, an output that is an input ---------------------------------------------
expect 4 "$HTMT" trace sort 1.trace -o /dev/full
[ "$(wc -l <err)" = 1 ] || fail "full disk: $(cat err)"
cp 1.trace same.trace
refuse '' trace sort 1.trace -o 1.trace
cmp 1.trace same.trace || fail "sort wrote over its input"
"$HTMT" trace info 1.trace >/dev/full 2>err && fail "info to a full disk succeeds"
grep -q '^htmt trace: cannot write the result: ' err || fail "full disk: $(cat err)"
