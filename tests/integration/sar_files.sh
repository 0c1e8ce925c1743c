#!/bin/bash
# Class: fast foreign.
# Scenes and images as files: the same command gives the same bytes, each file is whole.
. "$(dirname "$0")/common"

make_scene() {
    expect 0 "$HTMT" scene sar --lines 300 --samples 400 --snr 0 --bits 5 --agc 2 "$@"
    [ ! -s err ] || fail "on standard error: $(cat err)"
}

make_scene --out a
grep -q '^a.raw: 300 lines x 400 samples, 5 points$' out || fail "no summary: $(cat out)"
mkdir b
make_scene --out b/a
cmp a.raw b/a.raw && cmp a.yaml b/a.yaml && cmp a.gain b/a.gain || fail 'one seed, two scenes'
make_scene --out c --seed 2
! cmp -s a.raw c.raw || fail 'two seeds, one scene'
[ "$(stat -c %s a.raw)" = 240000 ] || fail "a.raw has $(stat -c %s a.raw) bytes"
[ "$(wc -l <a.gain)" = 300 ] || fail "a.gain has $(wc -l <a.gain) lines"

# The raw file is found beside its parameters, wherever the command is started.
expect 0 "$HTMT" run sar --params b/a.yaml --out 1.npy --png 1.png --quiet
expect 0 "$HTMT" run sar --params a.yaml --raw b/a.raw --out 2.npy --png 2.png --threads 2 --quiet
cmp 1.npy 2.npy && cmp 1.png 2.png || fail 'one input, two images'
[ "$(head -c 6 1.npy | tail -c 5)" = NUMPY ] || fail 'no NumPy file'
[ "$(head -c 4 1.png | tail -c 3)" = PNG ] || fail 'no PNG file'

# A name without a suffix, and one in capitals; a turned picture on the ground.
expect 0 "$HTMT" run sar --params a.yaml --out plain --png PLAIN.PNG --quiet
cmp 1.npy plain && cmp 1.png PLAIN.PNG || fail 'other files under other names'
expect 0 "$HTMT" run sar --params a.yaml --png 3.png --flip both --incidence 23 --looks 3 --quiet
! cmp -s 1.png 3.png || fail 'a turned picture is the same'

# A parameter file without means and centroid: both are measured.
{ grep -v '^mean\|^centroid' a.yaml && printf 'centroid: estimate\nambiguity: 2\n'; } >d.yaml
expect 0 "$HTMT" run sar --params d.yaml
tr -s '\n ' ' ' <out | grep -q 'Doppler centroid 3[56][0-9][0-9].*estimated, ambiguity 2 given' ||
    fail "no estimate: $(cat out)"

# Warnings: in the report, in the object, beside one line; with --strict an end without an image.
grep -v '^centroid' a.yaml >e.yaml
echo 'centroid: 4000 Hz' >>e.yaml
expect 0 "$HTMT" run sar --params e.yaml --json e.json
tr -s '\n ' ' ' <out | grep -q 'warning the given Doppler centroid of 4000.0 Hz is 0.2[0-9] prf away' ||
    fail "no warning: $(cat out)"
grep -q '"name": "centroid",$' e.json && grep -q '"message": "the given Doppler' e.json ||
    fail 'no warning in the object'
grep -q '"name": "first_range",$' e.json && grep -q '"name": "measured_fraction",$' e.json ||
    fail 'no figures of the image in the object'
expect 0 "$HTMT" run sar --params e.yaml --quiet
grep -q '^htmt run sar: warning: the given Doppler' err || fail "no warning beside: $(cat err)"
[ "$(wc -l <out)" = 1 ] || fail "more than a line: $(cat out)"
refuse '--strict: the given Doppler centroid' run sar --params e.yaml --strict --out e.npy
[ ! -e e.npy ] || fail 'an image in spite of --strict'
expect 0 "$HTMT" run sar --params a.yaml --strict --quiet
[ ! -s err ] || fail "a warning without a reason: $(cat err)"
expect 0 "$HTMT" predict sar --params e.yaml --strict
expect 0 "$HTMT" predict sar --costs sar-hereld --strict
refuse '--strict: range migration of' run sar --rcmc off --strict
refuse '--strict: range migration of' predict sar --params a.yaml --rcmc off --strict
[ "$(echo *.tmp b/*.tmp)" = '*.tmp b/*.tmp' ] || fail "left behind: $(ls)"
