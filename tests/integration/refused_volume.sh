#!/bin/bash
# Class: fast foreign.
# Every broken volume, function or view is refused in one line; none leaves a file.
. "$(dirname "$0")/common"

head=/usr/share/mricron/templates/ch2.nii.gz

render() {
    local text=$1
    shift
    refuse "$text" run volume --slices 2 --size 16 --out image.png "$@"
}

zeros() {
    head -c "$1" /dev/zero
}

# nrrd FIELD...: a header for 4 x 4 x 4 bytes, with these lines in it.
nrrd() {
    printf 'NRRD0004\ndimension: 3\n'
    printf '%s\n' "$@"
    printf '\n'
}

head -c 100000 "$head" >cut.nii.gz
{ head -c 5000 "$head"; printf 'noise'; tail -c +5006 "$head"; } >bent.nii.gz
{ head -c 20 "$head"; head -c 500 /dev/urandom; } >noise.nii.gz
gzip -dc "$head" >ch2.nii
{ head -c 42 ch2.nii; printf '\x00\x00'; tail -c +45 ch2.nii; } >flat.nii
{ head -c 42 ch2.nii; printf '\xff\x7f\xff\x7f\xff\x7f'; tail -c +49 ch2.nii; } >huge.nii
{ head -c 70 ch2.nii; printf '\x00\x06'; tail -c +73 ch2.nii; } >long.nii
head -c 1000000 ch2.nii >short.nii
echo 'no volume' >text.nii
zeros 64 >v.raw
{ nrrd 'type: uint8' 'sizes: 4 4 4' 'encoding: raw'; zeros 64; } >good.nrrd
{ nrrd 'type: uint8' 'sizes: 4 4 5' 'encoding: raw'; zeros 64; } >short.nrrd
{ nrrd 'type: block' 'sizes: 4 4 4' 'encoding: raw'; zeros 64; } >long.nrrd
{ nrrd 'type: uint8' 'sizes: 4 4 4' 'encoding: raw' 'kinds: domain 3-color domain'; zeros 64; } >dyed.nrrd
{ nrrd 'type: uint8' 'sizes: 4 4 4' 'encoding: gzip'; zeros 64; } >unpacked.nrrd
printf 'opacity: []\n' >empty.yaml
: >nothing.yaml
printf 'opacity:\n  - [0, 0]\n  - [9, 2]\n' >beyond.yaml
printf 'opacity: [[0, 0], [255, 0]]\n' >glass.yaml
printf 'opacity: [[0, 1]]\nopacitty: [[0, 1]]\n' >twice.yaml

expect 0 "$HTMT" run volume --slices 2 --size 16 --volume good.nrrd --quiet
expect 0 "$HTMT" run volume --slices 2 --size 16 --volume v.raw --dims 4,4,4 --quiet
expect 0 "$HTMT" run volume --slices 2 --size 16 --phantom 8 --quiet --eye 3.5,3.5,3.5 --focal 4,9,4
expect 0 "$HTMT" run volume --slices 2 --size 16 --phantom 8 --quiet --eye 3.5,30,3.5 --focal 3.5,40,3.5
rm -f image.png

render 'missing.nii: cannot open' --volume missing.nii
render 'cut.nii.gz: truncated: the gzip data end in the middle' --volume cut.nii.gz
render 'bent.nii.gz: corrupt gzip data' --volume bent.nii.gz
render 'noise.nii.gz: corrupt gzip data' --volume noise.nii.gz
render 'flat.nii: found dimensions 0 x 217 x 181' --volume flat.nii
render 'huge.nii: truncated: found at most 7109137 bytes of voxels, expected 35181150961663' --volume huge.nii
render 'long.nii: found voxels of type 1536 (FLOAT128)' --volume long.nii
render 'short.nii: truncated: found at most 999648 bytes' --volume short.nii
render 'text.nii: truncated: found 10 bytes of the header' --volume text.nii
render '.: found a folder' --volume .
render '/dev/null: found a device, expected a file' --volume /dev/null
render 'short.nrrd: truncated: found at most 64 bytes of voxels, expected 80' --volume short.nrrd
render "long.nrrd:3: found type 'block'" --volume long.nrrd
render "dyed.nrrd:6: found kinds of axis 2 '3-color', expected domain or space" --volume dyed.nrrd
render '--frame: found 1, expected at most 0, the last one of good.nrrd' --volume good.nrrd --frame 1
render '--frame with --dims' --volume v.raw --dims 4,4,4 --frame 0
render '--frame without --volume' --phantom 8 --frame 0
render 'expected gzip (1f 8b)' --volume unpacked.nrrd
render 'v.raw: truncated: found at most 64 bytes of voxels, expected 128' --volume v.raw --dims 4,4,8
render 'v.raw: too long: found 32 bytes behind' --volume v.raw --dims 4,4,2
render "--dims: found '4,4'" --volume v.raw --dims 4,4
render '--dims: found 4,4,-4' --volume v.raw --dims 4,4,-4
render '--dims: found 4,4,1e30' --volume v.raw --dims 4,4,1e30
render "--type: found 'float16'" --volume v.raw --dims 4,4,4 --type float16
render '--dims without --volume' --dims 4,4,4

render 'empty.yaml:1: found no knots of opacity' --transfer empty.yaml
render nothing.yaml --transfer nothing.yaml
render 'beyond.yaml:3: found 2 for opacity, expected 0 to 1' --transfer beyond.yaml
render 'glass.yaml:1: found an opacity of 0 everywhere' --transfer glass.yaml
render 'twice.yaml:2:' --transfer twice.yaml
render "no transfer function 'none'" --transfer none

render 'an up vector of length 0' --up 0,0,0
render 'along the line of sight' --up 0,1,0
render 'the eye at the focal point' --eye 1,2,3 --focal 1,2,3
render 'an angle of 0 degrees' --angle 0
render 'a half height of 0' --half-height 0
refuse "--size: found 'large'" run volume --size large
render '--step: found 0' --step 0
render '--terminate: found 2' --terminate 2
render '--frames: found 0' --frames 0
refuse 'image.jpg: expected a name that ends in .png or .npy' run volume --out image.jpg
render 'nowhere' --npy nowhere/image.npy
mkdir turn-1.png
refuse 'turn-1.png: is a folder, expected a file' run volume --size 8 --frames 3 --out turn.png
rmdir turn-1.png
printf 'opacity: [[-1e308, 0], [1e308, 1]]\n' >wide.yaml
render 'knots from -1e+308 to 1e+308' --transfer ./wide.yaml
refuse '--fold: found a parallel view along' \
    model volume --slices 4 --dims 65,65,65 --subcube 17 --bundle 64 --view oblique --fold
refuse '--fold: found an image of 512 x 512 pixels, expected whole' \
    model volume --slices 4 --bundle 50 --fold
expect 3 "$HTMT" model volume --machine small-htmt --set layers.dram.memory.capacity=400KiB
grep -q 'DRAM of machine small-htmt: what is staged of a bundle takes 9840 words beside' err ||
    fail "too little DRAM: $(cat err)"
[ "$(ls -- *.png *.npy *.tmp 2>/dev/null)" = "" ] || fail "left behind: $(ls)"
