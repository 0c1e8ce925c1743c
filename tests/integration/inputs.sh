#!/bin/bash
# Class: fast foreign.
# Every option that names an input refuses what is no regular file, and what is too large, in one
# line: nothing waits for a pipe, nothing reads a device.
. "$(dirname "$0")/common"

mkfifo pipe.yaml
mkdir folder.yaml
ln -s /dev/zero endless.yaml
truncate -s 1048577 large.yaml
printf '%s\n' 'raw: a.raw' 'lines: 100' 'samples: 100' 'format: u8' 'gain_file: GAINS' \
    'carrier: 5.3 GHz' 'sampling: 20 MHz' 'chirp_rate: 1 MHz/us' 'pulse: 1 us' 'prf: 1500 Hz' \
    'velocity: 7000 m/s' 'range: 800 km' 'centroid: 0 Hz' 'bandwidth: 1 kHz' >scene
printf 'NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\ndata file: pipe.yaml\n' \
    >detached.nhdr

# never TEXT ARGUMENTS...: refused, and at once.
never() {
    local text=$1
    shift
    expect 2 timeout 20 "$HTMT" "$@"
    [ "$(wc -l <err)" = 1 ] || fail "not one line: $*: $(cat err)"
    grep -qF -- "$text" err || fail "'$text' is not in: $(cat err)"
}

for given in 'run cannon --machine' 'run cannon --costs' 'run pic --case' 'run sar --params' \
    'run volume --transfer' 'run volume --volume' 'run cannon --b pipe.yaml --a' 'machine show' \
    'machine check'; do
    # shellcheck disable=SC2086
    never 'pipe.yaml: found a pipe, expected a file' $given ./pipe.yaml
    # shellcheck disable=SC2086
    never 'folder.yaml: found a folder, expected a file' $given ./folder.yaml
    # shellcheck disable=SC2086
    never 'endless.yaml: found a device, expected a file' $given ./endless.yaml
done
for given in 'machine show' 'run cannon --machine' 'run cannon --costs' 'run pic --case' \
    'run sar --params' 'run volume --transfer'; do
    # shellcheck disable=SC2086
    never 'large.yaml: found 1048577 bytes, expected at most 1 MiB in a description' $given \
        ./large.yaml
done

# Files that files name.
never 'pipe.yaml: found a pipe' run volume --volume detached.nhdr
truncate -s 67108865 large.gain
for bad in pipe.yaml:pipe /dev/zero:device folder.yaml:folder; do
    sed "s,GAINS,${bad%:*}," scene >gains.yaml
    never "${bad%:*}: found a ${bad#*:}, expected a file" run sar --params gains.yaml
done
sed 's,GAINS,large.gain,' scene >gains.yaml
never 'large.gain: found 67108865 bytes, expected at most 64 MiB in a list of numbers' run sar \
    --params gains.yaml
sed '/GAINS/d;s,a.raw,pipe.yaml,' scene >raw.yaml
never 'pipe.yaml: found a pipe, expected a file' run sar --params raw.yaml
printf 'htmt-machine: 1\nbase: ./pipe.yaml\n' >derived.yaml
never 'pipe.yaml: found a pipe, expected a file' machine show derived.yaml
mkdir golden
mkfifo golden/a.csv
HTMT_GOLDEN_PATH=golden never 'golden/a.csv: found a pipe, expected a file' validate

# A folder that cannot be listed is no empty folder.
ln -s loop loop
HTMT_GOLDEN_PATH=loop never 'loop: cannot list it: Too many levels of symbolic links' validate
HTMT_MACHINE_PATH=loop never 'loop: cannot list it: Too many levels' machine list
HTMT_MACHINE_PATH=loop never 'loop/small-htmt.yaml: cannot open: Too many levels' machine show \
    small-htmt

# Sixty bytes that ask for gigabytes: all matrices are weighed together against what is left, before
# any is touched. Sanitizers need more address space than they use.
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
printf '%%%%MatrixMarket matrix coordinate real general\n20000 20000 0\n' >empty.mtx
multiply() (
    ulimit -v 8000000
    "$HTMT" run cannon --slices 4 --a empty.mtx --b empty.mtx
)
expect 3 multiply
grep -qF 'GiB, the host has 7.' err && grep -qF 'GiB left (ulimit -v)' err || fail "$(cat err)"
expect 0 "$HTMT" predict cannon --slices 4 --a empty.mtx --b empty.mtx --quiet
