#!/bin/bash
# Class: fast.
# Processes of one mpirun: what they exchange, who of them prints and writes, and how all of them end
# when one fails, dies or is interrupted.
. "$(dirname "$0")/common"
build=$(dirname "$HTMT")
model=(model cannon --size 1024 --slices 16)

# ---- without a launcher ------------------------------------------------------------------------------
refuse "--mpi: found 'yes', expected auto, on or off" "${model[@]}" --mpi yes
refuse '--mpi: found no launcher, expected mpirun -n RANKS htmt' "${model[@]}" --mpi on
expect 0 "$HTMT" "${model[@]}" --json alone.json
for kind in auto off; do
    expect 0 "$HTMT" "${model[@]}" --mpi $kind --quiet
    [ "$(wc -l <out)" = 1 ] || fail "--mpi $kind: $(cat out)"
done

# ---- without mpi.so ----------------------------------------------------------------------------------
mkdir -p bare/apps
cp "$HTMT" bare/htmt
cp "$build/apps/cannon.so" bare/apps
launched=(env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 PMIX_RANK=0)
expect 4 "${launched[@]}" bare/htmt "${model[@]}" --mpi on
grep -q '^htmt model: --mpi: this installation lacks mpi.so' err || fail "no mpi.so: $(cat err)"
one_line
expect 4 "${launched[@]}" OMPI_COMM_WORLD_RANK=1 bare/htmt "${model[@]}" --mpi on
grep -q '^htmt model: --mpi: this installation lacks mpi.so' err || fail "rank 1 alone: $(cat err)"
expect 0 "${launched[@]}" bare/htmt "${model[@]}" --quiet
grep -q '^htmt: warning: this installation lacks mpi.so; each process' err || fail "copies: $(cat err)"

# ---- with it -----------------------------------------------------------------------------------------
. "$root/tests/ranks/launch"

# ours: the lines of err that are none of mpirun's.
ours() {
    grep '^htmt' err | grep -v ': warning: ' || :
}

# one_line TEXT: one line of ours, with TEXT.
one_line() {
    [ "$(ours | wc -l)" = 1 ] || fail "not one line: $(cat err)"
    ours | grep -qF -- "$1" || fail "'$1' is not in: $(ours)"
}

# A plug-in that fills objects of all slices knows nothing of ranks: one process, or a line.
cat >fill.c <<'END'
#include "emul/htmt.h"
#include <string.h>
static int create(struct htmt_task *t, void *w, struct htmt_emulator *e)
{
    (void)w;
    for (uint32_t s = 0; s < 2; s++) {
        struct htmt_object *o;
        if (htmt_object_create(e, s, (uint32_t)htmt_emulator_layer(e, "dram"), 64, "o", &o))
            return HTMT_EINVAL;
        if (!htmt_task_is_model(t))
            memset(htmt_object_bytes(o), 0, 64);
    }
    return 0;
}
const struct htmt_app htmt_app = {HTMT_APP_BEGIN, .name = "fill", .summary = "x", .create = create};
END
gcc -O1 -shared -fPIC -I"$root" -I"$build/include/htmt" fill.c -o fill.so
expect 0 "$HTMT" run ./fill.so --slices 2 --quiet
expect 2 "${launch[@]}" -n 2 "$HTMT" run ./fill.so --slices 2 --quiet
one_line '--mpi: found 2 processes, and fill says nothing of ranks'
expect 0 "${launch[@]}" -n 2 "$HTMT" run ./fill.so --slices 2 --quiet --mpi off

# What each rank hands over comes to the rank that it is for, short and long.
for ranks in 1 2 3; do
    expect 0 "${launch[@]}" -n $ranks "$build/tests/ranks/transport" check "$build/mpi.so"
    expect 0 "${launch[@]}" -n $ranks "$build/tests/ranks/transport" check "$build/mpi.so" 20 3000000
done

# Rank 0 prints and writes, once; the history is that of one process.
expect 0 "${launch[@]}" -n 2 "$HTMT" "${model[@]}" --json two.json --quiet
[ "$(wc -l <out)" = 1 ] && [ ! -s err ] || fail "two ranks print: $(cat out err)"
same_keys alone.json two.json predicted_fs history_hash
expect 0 "${launch[@]}" -n 2 "$HTMT" "${model[@]}" --mpi off --quiet
[ "$(wc -l <out)" = 2 ] || fail "two copies: $(cat out)"
expect 0 "${launch[@]}" -n 1 "$HTMT" "${model[@]}" --mpi on --quiet
[ "$(wc -l <out)" = 1 ] || fail "one rank: $(cat out)"
mkdir outputs
expect 0 "${launch[@]}" -n 2 "$HTMT" run cannon --size 128 --slices 4 --out outputs/c.npy \
    --trace outputs/t --json outputs/j --table csv:outputs/x.csv --quiet
[ "$(ls outputs | paste -sd ' ')" = 'c.npy j t x.csv' ] || fail "outputs: $(ls outputs)"

# A fault of all ranks is one line, with its status.
expect 2 "${launch[@]}" -n 3 "$HTMT" "${model[@]}" --sise 9
one_line "htmt model cannon: unknown option '--sise'"
[ ! -s out ] || fail "printed: $(cat out)"
expect 2 "${launch[@]}" -n 2 "$HTMT" model nothing
one_line "unknown application 'nothing'"
expect 3 "${launch[@]}" -n 2 "$HTMT" run cannon --size 1024 --slices 4 --block 512
one_line 'htmt run cannon: '
expect 4 "${launch[@]}" -n 2 "$HTMT" "${model[@]}" --json /dev/full
one_line '/dev/full'

# ranks_run STATUS LINE0 LINE1: rank 0 runs LINE0 here, rank 1 its line in the folder `there`.
mkdir there
ranks_run() {
    printf '%s\n' 'case $OMPI_COMM_WORLD_RANK in' "0) exec \"\$HTMT\" $2 ;;" \
        "*) cd there && exec \"\$HTMT\" $3 ;;" esac >each
    expect "$1" "${launch[@]}" -n 2 bash each
}

# A fault of one rank before the run is its line, told by rank 0, though rank 0 has long to play.
long='model cannon --size 32768 --slices 4096 --quiet'
ranks_run 2 "$long" "$long --threads 0"
one_line 'htmt model cannon: rank 1: '
ranks_run 2 "$long --json lost.json" 'model nothing'
one_line 'htmt model cannon: rank 1: '
[ ! -e lost.json ] || fail 'a file of a run whose rank 1 has failed'

# Ranks with other options, machines or costs play nothing.
cp "$root/costs/cannon-amaral.yaml" costs.yaml
sed 's/{value: 2 flop,/{value: 3 flop,/' costs.yaml >there/costs.yaml
! cmp -s costs.yaml there/costs.yaml || fail 'the same costs'
printf '%s\n' 'htmt-machine: 1' 'base: htmt-oct98' 'about: a test' 'layers:' '  dram:' '    processor:' \
    '      clock: {value: 400 MHz, source: t}' >machine.yaml
sed 's/400/300/' machine.yaml >there/machine.yaml
for other in '--size 1024 --clock sequential --machine machine.yaml' '--size 13000 --costs costs.yaml'; do
    line="model cannon --slices 16 $other"
    expect 0 "$HTMT" $line --quiet
    ranks_run 2 "$line" "$line"
    one_line 'htmt model cannon: rank 1 has another '
    one_line ' than rank 0, expected the same in all ranks'
done
ranks_run 2 "${model[*]}" 'model cannon --size 512 --slices 16'
one_line 'htmt model cannon: rank 1 has other options than rank 0, expected the same in all ranks'

# A fault of one rank alone in its run: its line, after rank 0's run or, where rank 0 waits for it, by
# itself.
cp "$root/apps/pic/decks/landau.yaml" deck.yaml
line='model pic --deck deck.yaml --slices 4 --quiet'
ranks_run 2 "$line --clock sequential" "$line --clock sequential"
one_line 'htmt model pic: rank 1: deck.yaml: '
ranks_run 2 "$line --json lost.json" "$line"
one_line 'htmt model pic: deck.yaml: '
[ ! -e lost.json ] || fail 'a file of a run whose rank 1 has failed'

# ---- a deadlock --------------------------------------------------------------------------------------
# All ranks together tell who waits for whom.
stuck=(model pic --case thermal --slices 4 --steps 3 --mail 300)
expect 3 "$HTMT" "${stuck[@]}"
sed '/^no cycle/q' out >alone.out
expect 3 "${launch[@]}" -n 2 "$HTMT" "${stuck[@]}"
sed '/^no cycle/q' out | cmp -s - alone.out || fail "the deadlock of two ranks: $(head -n 40 out)"
one_line 'htmt model pic: '

# A circle of packets through the slices of all ranks: the packets, what they hold and want.
circle=(model traffic --machine hpsc-wrap --table hpsc-grid)
expect 3 "$HTMT" "${circle[@]}"
grep '^INCOMPLETE: packets wait for each other in a circle: ' out >alone.out ||
    fail "no circle: $(cat err)"
for n in 2 4; do
    expect 3 "${launch[@]}" -n $n "$HTMT" "${circle[@]}"
    grep '^INCOMPLETE: ' out | cmp -s - alone.out ||
        fail "the circle of $n ranks: $(grep '^INCOMPLETE' out)"
    one_line 'htmt model traffic: packets wait for each other in a circle: packet 1 of 1 from slice '
done

# ---- a killed rank, Ctrl-C ---------------------------------------------------------------------------
# gone: none of the processes is left after a moment; a rank ends a little later than mpirun.
gone() {
    local pid tries
    for pid in "${ranks[@]}"; do
        for ((tries = 0; tries < 600; tries++)); do
            kill -0 "$pid" 2>/dev/null || continue 2
            sleep 0.1
        done
        fail "process $pid is left"
    done
}

# strike WHOM SIGNAL [WORD...]: a rank, by number, or mpirun, once both ranks are in their run, of
# `long` or of these words; sets status. mpirun waits so many seconds, whether ranks are left or not, sends SIGTERM, waits again,
# and then kills them.
strike() {
    local whom=$1 signal=$2 pid tries
    shift 2
    [ $# != 0 ] || set -- ${long% --quiet}
    env --default-signal=INT "${launch[@]}" --mca odls_base_sigkill_timeout 4 -n 2 "$HTMT" \
        "$@" --progress json --json struck.json >out 2>err </dev/null &
    pid=$!
    for ((tries = 0; tries < 3000; tries++)); do
        mapfile -t ranks < <(pgrep -P $pid -x "${HTMT##*/}" | sort -n)
        [ ${#ranks[@]} = 2 ] && grep -q '"emulation"' err && break
        sleep 0.02
    done
    [ ${#ranks[@]} = 2 ] || fail "no ranks: $(cat err)"
    sleep 0.5
    [ "$whom" = mpirun ] && whom=$pid || whom=${ranks[$whom]}
    kill "-$signal" "$whom"
    status=0
    { wait $pid || status=$?; } 2>/dev/null
    gone
    [ "$status" != 0 ] || fail 'status 0'
    [ -z "$(ls | grep 'struck.*tmp')" ] || fail "left: $(ls)"
}

# The others do not come to a report.
for rank in 0 1; do
    strike $rank KILL
    [ "$status" = 137 ] || fail "a killed rank: status $status"
    [ ! -s out ] && [ ! -e struck.json ] || fail "a killed rank: $(ls; cat out)"
    one_line 'htmt: the launcher has ended all ranks of this run'
done

# All ranks end in the same window, and rank 0 tells how far they have come.
plasma='run pic --case thermal --cells 16,16,16 --slices 8 --steps 100000'
while read -r signal line; do
    strike mpirun $signal $line
    grep -q '^INCOMPLETE' out && grep -q '^RUN RECORD' out || fail "no report: $line: $(cat out err)"
    [ "$(grep -c '^RUN RECORD' out)" = 1 ] && [ "$(grep -c '"step": "input"' err)" = 1 ] ||
        fail "two ranks tell: $line: $(cat out err)"
    [ "$(key complete struck.json)" = false ] || fail "no JSON: $line: $(ls)"
    one_line ': interrupted by the user (at '
    rm struck.json
done <<END
INT ${long% --quiet}
TERM ${long% --quiet}
INT $plasma --threads 3 --clock-threads 2
TERM $plasma
END
