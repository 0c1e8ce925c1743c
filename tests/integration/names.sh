#!/bin/bash
# Class: fast foreign.
# A bare name is what is shipped, or on the path of its variable: a file that lies in the current
# folder changes nothing. What is not shipped is named by its path.
. "$(dirname "$0")/common"
unset HTMT_MACHINE_PATH HTMT_COSTS_PATH HTMT_GOLDEN_PATH HTMT_TRANSFER_PATH HTMT_DECKS_PATH HTMT_TRAFFIC_PATH

# ---- Planted files: slower processors, other counts, other waves, no opacity ---------------------
mkdir clean planted
faster() {
    sed 's/256 GHz/1 GHz/' "$root/machines/htmt-oct98.yaml"
}
plant() {
    mkdir -p "planted/$1"
    cat >"planted/$1/$2"
}
for folder in . machines share/htmt/machines; do
    faster | plant $folder htmt-oct98.yaml
done
for folder in . costs share/htmt/costs; do
    sed 's/value: 2 flop/value: 20 flop/' "$root/costs/cannon-amaral.yaml" |
        plant $folder cannon-amaral.yaml
done
for folder in . decks apps/pic/decks share/htmt/decks; do
    sed 's/^cells: .*/cells: [16, 4, 4]/' "$root/apps/pic/decks/langmuir.yaml" |
        plant $folder langmuir.yaml
done
for folder in . transfers apps/volume/transfers; do
    printf 'opacity: [[0, 1], [255, 1]]\n' | plant $folder soft.yaml
done
for folder in . golden emul/validate/golden; do
    head -3 "$root/emul/validate/golden/amaral-table2-hardware.csv" | plant $folder amaral-table2-hardware.csv
done

# same ARGUMENTS...: from either folder the same output. Wall times are left out.
same() {
    local folder
    for folder in clean planted; do
        (cd $folder && "$HTMT" "$@") >$folder.all
        grep -v -e '^  wall' -e ' s wall' -e '_s": ' $folder.all >$folder.out
    done
    cmp -s clean.out planted.out || fail "differs: $*: $(diff clean.out planted.out | head -5)"
}
same predict cannon --size 1024
same predict cannon --costs cannon-amaral --slices 4
same predict pic
same predict volume --phantom 16 --size 16
same validate amaral-table2-hardware
same machine list
same machine show htmt-oct98
grep -q ' file \|machines/' clean.out && fail "a path of a shipped file: $(cat clean.out)"

# A derived machine has its base from there, too.
printf 'htmt-machine: 1\nbase: htmt-oct98\n' | tee clean/mine.yaml >planted/mine.yaml
same machine show mine.yaml

# ---- Paths are said ------------------------------------------------------------------------------
cd planted
# says TEXT COMMAND...
says() {
    local text=$1
    shift
    "$@" >../said
    tr -s ' \n' '  ' <../said | grep -qF -- "$text" || fail "'$text' is not in: $(cat ../said)"
}
says ', file machines/htmt-oct98.yaml' "$HTMT" predict cannon --machine machines/htmt-oct98.yaml
says ', file ./htmt-oct98.yaml' "$HTMT" predict cannon --machine ./htmt-oct98.yaml
says ', file htmt-oct98.yaml' "$HTMT" predict cannon --machine htmt-oct98.yaml
says ', file machines/htmt-oct98.yaml' env HTMT_MACHINE_PATH=machines "$HTMT" predict cannon
says '"machine_file": "mine.yaml"' "$HTMT" predict cannon --machine mine.yaml --json -
says ', file costs/cannon-amaral.yaml' env HTMT_COSTS_PATH=costs "$HTMT" predict cannon \
    --costs cannon-amaral --slices 4
says '"costs_file": "costs/cannon-amaral.yaml"' "$HTMT" predict cannon --slices 4 --json - \
    --costs costs/cannon-amaral.yaml
says '; deck decks/langmuir.yaml' env HTMT_DECKS_PATH=decks "$HTMT" predict pic
says '; transfer function transfers/soft.yaml' env HTMT_TRANSFER_PATH=transfers "$HTMT" \
    predict volume --phantom 16 --size 16
says 'tables from golden' env HTMT_GOLDEN_PATH=golden "$HTMT" validate amaral-table2-hardware
cd ..

# ---- Names that are no UTF-8 ---------------------------------------------------------------------
# JSON cannot say them: refused before the run, which then leaves no result.
bad=$'\377'
mkdir bytes folder$bad
cp "$root/apps/pic/decks/langmuir.yaml" "bytes/deck$bad.yaml"
cp "$root/machines/htmt-oct98.yaml" folder$bad
run=(run cannon --size 16 --slices 4 --quiet)
refuse '--out: found ' "${run[@]}" --json bytes/all.json --out "bytes/c$bad.npy"
grep -q 'expected UTF-8 with --json$' err || fail "$(cat err)"
refuse '--json: found ' "${run[@]}" --json "bytes/$bad.json"
[ "$(ls bytes)" = "$(basename bytes/*)" ] || fail "left behind: $(ls bytes)"
# Without it they are names as others are; what is shown has '?' for such a byte.
expect 0 "$HTMT" "${run[@]}" --out "bytes/c$bad.npy"
[ -s "bytes/c$bad.npy" ] || fail 'no result'
expect 0 "$HTMT" run pic --deck "bytes/deck$bad.yaml" --steps 2 --slices 4 --quiet \
    --plot-energies bytes/a.svg
expect 0 env HTMT_MACHINE_PATH=folder$bad "$HTMT" predict cannon --json -
grep -qF '"machine_file": "folder?/htmt-oct98.yaml"' out || fail "$(grep machine out)"

# ---- Each folder that was searched is named once -------------------------------------------------
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
mkdir -p p/bin p/share/htmt/machines
cat >search.c <<'C'
#include "layers/machine/machine.h"
#include <stdio.h>
int main(void)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    htmt_machine_load("none", NULL, 0, &m, &fault);
    puts(fault.text);
}
C
gcc -std=gnu17 -I"$root" -DHTMT_DATADIR="\"$PWD/p/share/htmt\"" search.c \
    "$root/layers/file/search.c" "$(dirname "$HTMT")/libhtmt.a" -o p/bin/search \
    $(pkg-config --libs yaml-0.1 jemalloc liburcu-cds) -lm -lpthread
[ "$(p/bin/search)" = "no machine 'none' (no none.yaml in $PWD/p/share/htmt/machines)" ] ||
    fail "$(p/bin/search)"
