#!/bin/bash
# Class: fast.
# Traces, --explain and --lint of machines whose slices a host leads: all readers take what all
# writers write, sums hold, and one slice that stands for all says what all say.
. "$(dirname "$0")/common"

p21=(--machine upmem-p21)
e19=(--machine upmem-e19)

# readable NAME: every reader takes NAME.trace.
readable() {
    expect 0 "$HTMT" trace check "$1.trace"
    grep -q "^good: .*; their sums are the run's" out || fail "$1: $(cat out)"
    expect 0 "$HTMT" trace info "$1.trace"
    grep -q '^slices .*, and the host$' out || fail "$1: no host: $(cat out)"
    expect 0 "$HTMT" trace digest "$1.trace"
    expect 0 "$HTMT" trace path "$1.trace"
    cp out "$1.path"
    expect 0 "$HTMT" trace sort "$1.trace" -o "$1.sorted"
    expect 0 "$HTMT" trace export "$1.trace" --csv "$1.csv" --paje "$1.paje" --perfetto "$1.perfetto"
    expect 0 "$HTMT" timeline "$1.trace" -o "$1.html" --svg "$1.svg"
    expect 0 "$HTMT" timeline "$1.trace" --gantt -o "$1.gantt.svg"
    expect 0 "$HTMT" report "$1.trace"
    expect 0 "$HTMT" report "$1.json" --trace "$1.trace" --html "$1.report.html"
}

# Runs and models, all slices and one for all, transfers of all kinds, both networks.
count=0
while read -r verb words; do
    count=$((count + 1))
    # shellcheck disable=SC2086
    expect 0 "$HTMT" $verb $words --trace $count.trace --json $count.json --quiet
    readable $count
done <<END
run prim va ${p21[*]} --dpus 4 --size 5000
model prim va ${p21[*]} --dpus 4 --size 4096 --fold
run prim sel ${p21[*]} --dpus 5 --size 999 --tasklets 3
model prim scan-ssa ${e19[*]} --dpus 64 --size 65536 --fetch parallel --fold
run prim hst-s ${p21[*]} --dpus 3 --size 3000 --clock-threads 2 --set networks.bus.launch=20us
model micro launch ${e19[*]} --fold --dpus 64
run micro host ${p21[*]} --dpus 3 --mode broadcast --words 100
model micro host ${p21[*]} --dpus 3 --mode serial --words 100 --fold
run micro copy ${e19[*]} --dpus 2 --tasklets 7
END

# The DPU is busy while its port issues; its threads are inside for eleven cycles an instruction.
expect 0 "$HTMT" model prim va "${p21[@]}" --dpus 1 --tasklets 1 --size 5000 --trace one.trace --json one.json
busy() { # NAME: seconds of the DPU's port, of a report or a trace
    tr -d ' \n' <"$1" | grep -o '"name":"DPU".*' | grep -o '"busy_s":[-+.0-9e]*' | head -1 | cut -d: -f2
}
expect 0 "$HTMT" trace export one.trace --csv one.csv
inside=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    $at["resource"] == "\"DPU\"" { s += $at["end_fs"] - $at["start_fs"] } END { print s * 1e-15 }' one.csv)
awk -v b="$(busy one.json)" -v i="$inside" 'BEGIN { exit !(b > 0 && (i / b - 11) ^ 2 < 1e-8) }' ||
    fail "busy $(busy one.json), inside $inside"

# What a run is explained by. The path through a trace of it goes by the bus for the same time.
explanation() { sed -n '/^EXPLANATION/,/^$/p' out; }
for words in 'run prim va' 'model prim red --fetch parallel' 'run micro host'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" $words "${p21[@]}" --dpus 4 --explain --trace path.trace
    explanation | grep ' bus host out .* bus host out ' >wanted
    grep -q '(pull) put' wanted || fail "$words: no bus: $(cat wanted)"
    expect 0 "$HTMT" trace path path.trace
    sed -n '/^CRITICAL/,/^$/p' out | grep ' bus host out .* bus host out ' | diff -w - wanted ||
        fail "$words: another path"
done

# It does not depend on how many slices are played.
while read -r words; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" model $words --explain
    explanation >all
    # shellcheck disable=SC2086
    expect 0 "$HTMT" model $words --explain --fold
    explanation >folded
    [ -s all ] && cmp -s all folded || fail "$words, folded: $(diff all folded)"
done <<END
prim va ${e19[*]} --dpus 512 --size 512000
prim red ${p21[*]} --dpus 64 --size 65536
prim scan-rss ${p21[*]} --dpus 8 --size 8192 --fetch parallel
micro launch ${e19[*]} --dpus 64
micro host ${p21[*]} --dpus 3 --mode broadcast --words 100
END
grep -q '(push) put' all || fail "no transfer: $(cat all)"

# Reads and writes of the engine are two rows.
expect 0 "$HTMT" model prim va "${p21[@]}" --dpus 2 --size 4096
grep -q '^ *(read) *put *dma wram out' out && grep -q '^ *(write) *put *dma wram out' out ||
    fail "reads and writes are one: $(cat out)"
expect 0 "$HTMT" model prim va "${p21[@]}" --dpus 2 --size 4096 --trace w.trace --trace-types '(write)' --quiet
expect 0 "$HTMT" trace export w.trace --csv w.csv
[ "$(awk -F, 'NR > 1' w.csv | grep -c '(write)')" = "$(awk 'NR > 1' w.csv | wc -l)" ] || fail 'not writes alone'

# The departures of programs that a host leads.
for words in 'run prim va' 'model prim scan-ssa' 'model micro copy' 'run micro host'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" $words "${p21[@]}" --dpus 4 --lint
    grep -q '^  not checked\|^  correct' out || fail "$words: $(cat out)"
done
