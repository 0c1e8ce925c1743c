#!/bin/bash
# Real heads and brains from several sides, as mist and as surfaces, grey and in colour: by parcels
# the very image of the serial ray caster, on few and on all slices.
. "$(dirname "$0")/../integration/common"

templates=/usr/share/mricron/templates

# same VOLUME OPTION...
same() {
    expect 0 "$HTMT" run volume --volume "$templates/$1.nii.gz" --json one.json --quiet "${@:2}"
    [ "$(key correct one.json)" = true ] || fail "not correct: $*"
    sed -n '/"check"/,/}/p' one.json | grep -q '"value": 0.0,' || fail "not the same bits: $*"
}

for view in front back left right above below oblique; do
    same ch2 --slices 16 --view $view
    same ch2 --slices 16 --view $view --transfer tissue --shade --angle 40
done
for volume in ch2bet ch2better inia19-t1-brain aal; do
    same $volume --slices 7 --view oblique --transfer dense --shade
    same $volume --slices 3 --view oblique --angle 20 --spacing file --rays dram
done
same ch2
same ch2 --transfer dense --shade --double-buffer
same ch2 --slices 64 --eye 90,108,90 --focal 90,200,80 --angle 90 --transfer tissue
same ch2better --slices 16 --step 0.2 --terminate off --size 300
