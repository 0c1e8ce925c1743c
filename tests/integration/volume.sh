#!/bin/bash
# Class: fast foreign.
# Volume rendering through the command: the image is the same to the last bit however it is cut and
# by however many threads; it meets a closed form; frames, floats and pictures are written.
. "$(dirname "$0")/common"

# The image of the phantom, written to $1.
view() {
    local image=$1
    shift
    expect 0 "$HTMT" run volume --phantom 40 --size 72x48 --eye 90,70,60 --angle 35 --npy "$image" \
        --json one.json --quiet "$@"
    [ "$(key correct one.json)" = true ] || fail "not correct: $*"
}

# The value of a figure under "found".
found() {
    grep -A 1 "\"name\": \"$1\"" one.json | sed -n 's/ *"value": \(.*\),/\1/p'
}

view first.npy --slices 1 --threads 1
clock=$(key predicted_fs one.json)
for threads in 2 3; do
    view image.npy --slices 1 --threads $threads
    cmp -s first.npy image.npy || fail "another image by $threads threads"
    [ "$(key predicted_fs one.json)" = "$clock" ] || fail "another time by $threads threads"
done
for options in '--slices 1 --subcube 7' '--slices 1 --subcube 13 --bundle 11' \
    '--slices 3 --subcube 10' '--slices 5 --subcube 16 --rays dram' '--slices 2 --double-buffer' \
    '--slices 2 --subcube 9 --lanes 1'; do
    # shellcheck disable=SC2086
    view image.npy $options
    cmp -s first.npy image.npy || fail "another image with $options"
done
expect 0 "$HTMT" run volume --slices 2 --phantom 24 --size 40 --subcube 9 --check-determinism --quiet

# Rays that end early save subcubes, and time.
view image.npy --slices 2 --subcube 8 --transfer dense
ended=$(key predicted_fs one.json) dispatched=$(found subcubes_dispatched)
view image.npy --slices 2 --subcube 8 --transfer dense --terminate off
[ "$ended" -lt "$(key predicted_fs one.json)" ] || fail "termination saves no time"
awk -v a="$dispatched" -v b="$(found subcubes_dispatched)" 'BEGIN { exit !(a < b) }' ||
    fail "termination saves no subcubes: $dispatched of $(found subcubes_dispatched)"

# A constant volume: g (1 - (1 - a)^L) in every pixel that sees it, L = 15.
head -c 4096 /dev/zero | tr '\0' 'd' >flat.raw
printf 'opacity: [[0, 0.03]]\ngrey: [[0, 0], [200, 1]]\n' >even.yaml
expect 0 "$HTMT" run volume --slices 2 --volume flat.raw --dims 16,16,16 --transfer even.yaml \
    --half-height 4 --size 8 --npy flat.npy --quiet
od -An -v -tf4 -w4 -j 128 flat.npy | awk '
    { d = $1 - 0.5 * (1 - 0.97 ^ 15); if (d > 1e-7 || d < -1e-7) exit bad = 1; n++ }
    END { exit bad || n != 64 }' || fail "the closed form is missed: $(od -An -tf4 -j 128 flat.npy)"

# A file says what it is, in the report and in the object. An even volume is explained.
head=/usr/share/mricron/templates/natbrainlab.nii.gz
expect 0 "$HTMT" run volume --slices 2 --volume "$head" --size 32 --subcube 40 --json one.json
grep -q 'natbrainlab.nii.gz: uint8, values 0 to' out || fail "no range: $(cat out)"
grep -q 'grid points are 1 x 1 x 1 apart (file); orientation LAS, turned to RAS' out ||
    fail "no orientation: $(cat out)"
for figure in file:'"'$head'"' type:'"uint8"' orientation:'"LAS"' spacing_z:1.0 step:0.5 \
    value_least:0.0 window_from:0.0 window_to:255.0; do
    [ "$(found "${figure%%:*}")" = "${figure#*:}" ] || fail "$figure: $(found "${figure%%:*}")"
done
awk -v lit="$(found pixels_lit)" 'BEGIN { exit !(lit > 0.1 && lit < 0.5) }' ||
    fail "pixels lit: $(found pixels_lit)"
expect 0 "$HTMT" run volume --slices 2 --volume flat.raw --dims 16,16,16 --size 8 --window 200,300
grep -q 'warning *every voxel has the value 100' out || fail "not called even: $(cat out)"
grep -q 'the transfer function makes all values' out || fail "black without a reason: $(cat out)"
expect 2 "$HTMT" run volume --slices 2 --volume flat.raw --dims 16,16,16 --size 8 --strict

# Of a series of two volumes, 0 and 100 everywhere, each is what its number says. Empty voxels are counted.
# The header of NIfTI-1: dim 4 4 4 4 2, uint8, 8 bits, voxels from 352 on.
{
    printf '\x5c\x01\0\0'; head -c 36 /dev/zero
    printf '\x04\0\x04\0\x04\0\x04\0\x02\0\x01\0\x01\0\x01\0'; head -c 14 /dev/zero
    printf '\x02\0\x08\0'; head -c 34 /dev/zero
    printf '\0\0\xb0\x43'; head -c 232 /dev/zero
    printf 'n+1\0\0\0\0\0'; head -c 64 /dev/zero; head -c 64 /dev/zero | tr '\0' 'd'
} >series.nii
for frame in 0 1; do
    expect 0 "$HTMT" run volume --slices 1 --volume series.nii --frame $frame --size 8 --json one.json
    [ "$(found value_most)" = $((100 * frame)).0 ] || fail "volume $frame: $(found value_most)"
done
refuse 'series.nii: found a series of 2 volumes, expected one; --frame takes one of them, 0 to 1' \
    run volume --slices 1 --volume series.nii --size 8
for n in {1..64}; do
    [ $n = 5 ] && printf '\0\0\xc0\x7f' || printf '\0\0\xc8\x42' # NaN, 100
done >holes.raw
expect 0 "$HTMT" run volume --slices 1 --volume holes.raw --dims 4,4,4 --type float32 --size 8 --json one.json
grep -q '1 of 64 voxels are NaN in the file: they count as empty' out || fail "no count: $(cat out)"
[ "$(found voxels_empty)" = 1.0 ] || fail "voxels_empty: $(found voxels_empty)"

# Frames and pictures.
expect 0 "$HTMT" run volume --slices 2 --phantom 16 --size 20x10 --transfer tissue --frames 11 \
    --bits 16 --out turn.png --npy turn.npy --quiet
[ "$(echo turn-*.png)" = "$(printf 'turn-%02d.png ' {0..10} | sed 's/ $//')" ] ||
    fail "frames: $(echo turn-*)"
cmp -s turn-01.npy turn-02.npy && fail "frames are alike"
# width 20, height 10, depth 16, colour type 2 (RGB)
[ "$(od -An -tx1 -j 16 -N 10 turn-10.png | tr -d ' ')" = 000000140000000a1002 ] ||
    fail "header of the picture: $(od -An -tx1 -j 16 -N 10 turn-10.png)"

# CRAM of 32 KiB: the table takes half; DRAM of 1 MiB: as many lanes as it has room for.
few=()
! only_memory || few=(--phantom 32 --size 40)
expect 0 "$HTMT" run volume --machine small-htmt --transfer tissue --quiet "${few[@]}"

# The same command line without data: the machine's parcels, no image.
expect 0 "$HTMT" model volume --slices 2 --phantom 16 --size 20 --quiet
only_memory || expect 0 "$HTMT" model volume --slices 64 --dims 400,400,400 --alpha 0.4 --quiet

# The paper's largest frame, as the page on volume rendering has it: 2e12 voxels fit DRAM, with all lanes.
if ! only_memory; then
    expect 0 "$HTMT" model volume --costs volume-hereld --machine hereld-tables --rays dram --fold \
        --dims 12545,12545,12545 --size 12800 --half-height 6272 --quiet
    grep -q 'predicted 41.57 ms' out || fail "the largest frame: $(cat out)"
fi

# One slice stands for all where they are alike, and for nothing else.
cube='--dims 197,197,197 --subcube 50 --bundle 25 --size 100 --half-height 98 --slices 16 --frames 2'
# shellcheck disable=SC2086
expect 0 "$HTMT" model volume $cube --json all.json
# shellcheck disable=SC2086
expect 0 "$HTMT" model volume $cube --fold --json folded.json
[ -n "$(key predicted_fs all.json)" ] || fail "no predicted time"
[ "$(key predicted_fs all.json)" = "$(key predicted_fs folded.json)" ] || fail "folded: another time"
