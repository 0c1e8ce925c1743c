#!/bin/bash
# Class: fast.
# A trace of a run on each shipped machine holds together: what frees a channel ends before that begins.
. "$(dirname "$0")/common"

# checked COMMAND...: its trace is good.
checked() {
    expect "${status:-0}" timeout 60 "$HTMT" "$@" --trace x.trace --quiet
    expect 0 "$HTMT" trace check x.trace
    grep -q 'their sums are the run' out || fail "$*: $(cat out)"
}
for file in "$root"/machines/*.yaml; do
    machine=$(basename "$file" .yaml)
    case $machine in
    exasat-listing1 | pim-node | hpsc-apu) checked run kernels --kernel ddot --n 64 --machine "$machine" ;;
    small-two-layer) ;; # no application runs there: its chain has two layers
    upmem-*) checked model prim va --dpus 3 --size 3000 --fetch parallel --machine "$machine" ;;
    hpsc-simple) checked model traffic --table hpsc-simple --machine "$machine" ;;
    hpsc-wrap) status=3 checked model traffic --table hpsc-grid --machine "$machine" ;;
    hpsc-*) checked model traffic --table hpsc-grid --machine "$machine" ;;
    gcel | powerstone1) checked model traffic --pattern uniform --slots 3 --machine "$machine" ;;
    *)
        for slices in 4 9; do
            checked model cannon --size 16 --slices $slices --machine "$machine" \
                $([ "$machine" = small-htmt ] && echo --set slices=9)
        done
        ;;
    esac
done
# Several channels behind an inside network that is never free.
checked model traffic --machine htmt-torus --slices 9 --pattern all-to-all --bytes 4000 --slots 2 --layer cram
checked model traffic --machine htmt-torus --slices 9 --pattern all-to-all --bytes 4000 --slots 2 --layer cram --clock-threads 2
