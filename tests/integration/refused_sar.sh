#!/bin/bash
# Class: fast foreign.
# Every broken raw file, parameter or option of SAR is refused in one line, and leaves nothing.
. "$(dirname "$0")/common"

# with KEY VALUE: good.yaml with another value, "-" for none; into bad.yaml.
with() {
    { grep -v "^$1:" good.yaml || true; } >bad.yaml
    [ "$2" = - ] || echo "$1: $2" >>bad.yaml
}

focus() {
    local text=$1
    shift
    refuse "$text" run sar "$@"
}

# parameter KEY VALUE TEXT: refused where it stands.
parameter() {
    with "$1" "$2"
    focus "$3" --params bad.yaml
}

expect 0 "$HTMT" scene sar --lines 300 --samples 400 --out good
expect 0 "$HTMT" run sar --params good.yaml --quiet
head -c 100000 good.raw >short.raw
{ cat good.raw && echo; } >long.raw

focus 'missing.yaml: ' --params missing.yaml
focus 'missing.raw: cannot open' --params good.yaml --raw missing.raw
focus 'short.raw: found 100000 bytes, expected 240000' --params good.yaml --raw short.raw
focus 'long.raw: found 240001 bytes, expected 240000' --params good.yaml --raw long.raw
focus '/: found a folder, expected a file' --params good.yaml --raw /
echo 'lines: [' >noise.yaml
focus noise.yaml: --params noise.yaml
focus good.raw:1 --params good.raw
focus '--looks: found 400x1, the image has' --params good.yaml --png x.png --looks 400x1
focus "--png: found 'x.jpg', expected a name that ends in .png" --png x.jpg
mkdir a.b
focus "--out: found './a.b/x.png', expected a name that ends in .npy" --out ./a.b/x.png
focus '--looks: found 2x2 with --incidence' --incidence 23 --looks 2x2
focus '--incidence: found 0, expected 1 to 90' --incidence 0
focus "--flip: found 'up'" --flip up
focus '--looks: found 900 lines, 240.5 columns on the ground, the image has 108 x 232' --params good.yaml --png x.png --looks 900 --incidence 30
focus '--dynamic-range: found 0, expected 1 to 200' --dynamic-range 0

parameter lines 301 'found 240000 bytes, expected 240800'
parameter samples 399 'found 240000 bytes, expected 239400'
parameter lines 0 bad.yaml:17
parameter prf '0 Hz' bad.yaml:17
parameter prf - prf
parameter pulse '30 us' 'found 30 us = 569 samples, longer than the line of 400'
parameter pulse '-8 us' bad.yaml:17
parameter sampling '10 MHz' "expected at least the chirp's bandwidth"
parameter velocity '0 m/s' bad.yaml:17
parameter centroid nan "bad.yaml:17: centroid: found 'nan'"
parameter centroid estimate "without 'ambiguity'"
parameter centroid '300 kHz' 'expected less than 2 velocity / wavelength'
parameter bandwidth '2 kHz' 'expected at most the prf'
parameter bandwidth '0.001 Hz' bandwidth
parameter carrier '5.3' bad.yaml:17
parameter carrier '5.3 m' bad.yaml:17
parameter format u7 "found 'u7'"
parameter format c64 'found 240000 bytes, expected 960000'
parameter window '{line: 300}' 'expected 0 to 299'
parameter gain_file gains 'expected one of'
parameter colour red colour

scene() {
    local text=$1
    shift
    refuse "$text" scene sar "$@"
}

scene '--out NAME is missing'
scene "no folder 'nowhere'" --out nowhere/x
scene '--bits: found 9, expected 0 to 8' --out x --bits 9
scene "--scatter: found '1.5', expected a whole number" --out x --scatter 1.5
scene "no radar 'seasat', expected one of" --out x --radar seasat
scene 'longer than the line of 100' --out x --samples 100
echo 'targets: []' >none.yaml
scene none.yaml:1 --out x --targets none.yaml
echo 'targets: [{line: 1, sample: 2}]' >mine.yaml
scene 'mine.yaml is read and would be written over' --out ./mine --targets mine.yaml
scene 'good.yaml is read and would be written over' --out good --params good.yaml
grep -q targets mine.yaml || fail 'a list of targets is gone'
[ "$(echo x.* *.tmp)" = 'x.* *.tmp' ] || fail "left behind: $(ls)"
