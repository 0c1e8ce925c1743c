#!/bin/bash
# Class: fast foreign.
# Every deck and option that makes no plasma is refused in one line; nothing is left behind.
. "$(dirname "$0")/common"

# deck FILE [SED COMMAND]: a good deck, changed.
deck() {
    sed "${2-}" >"$1" <<'Y'
htmt-deck: 1
units: cells, 1/omega_p
cells: [8, 4, 4]
dt: 0.1
steps: 3
mode: [1, 0, 0]
species:
  - name: electrons
    charge: -1
    mass: 1
    density: 1
    per-cell: [2, 1, 1]
    start: quiet
    thermal: [1, 1, 1]
Y
}

plasma() {
    local text=$1
    shift
    refuse "$text" run pic --slices 4 "$@"
}

# changed SED TEXT: the deck with that change.
changed() {
    deck bad.yaml "$1"
    plasma "$2" --deck ./bad.yaml
}

deck good.yaml
expect 0 "$HTMT" run pic --slices 4 --deck ./good.yaml --quiet
expect 0 "$HTMT" run pic --slices 4 --deck good.yaml --quiet

# A cell of 50 Debye lengths is told, and refused with --strict; a warm or wholly cold plasma is not.
deck cold.yaml 's/thermal: .*/thermal: [0.02, 1, 1]/'
"$HTMT" run pic --slices 4 --deck ./cold.yaml >cold.txt || fail "cold.yaml: $?"
grep -q 'species electrons: a cell is 50 Debye lengths long along x' cold.txt || fail "no warning: $(cat cold.txt)"
plasma '--strict: species electrons: a cell is 50 Debye lengths' --deck ./cold.yaml --strict
deck cold.yaml 's/thermal: .*/thermal: [0, 0, 0]/'
for file in ./cold.yaml ./good.yaml; do
    expect 0 "$HTMT" run pic --slices 4 --deck $file
    ! grep -q 'Debye' out || fail "$file: $(cat out)"
done
rm cold.yaml cold.txt

changed 's/^cells: .*/cells: [8, 0, 4]/' './bad.yaml:3: cells: found '
changed 's/^cells: .*/cells: [8, 4]/' './bad.yaml:3: cells: found '
changed 's/^cells: .*/cells: [8, 4.5, 4]/' './bad.yaml:3: cells: found 4.5, expected three whole numbers'
changed 's/^cells:/cels:/' "bad.yaml:3: "
changed 's/^dt: .*/dt: 2.5/' './bad.yaml:4: dt: found 2.5, expected at most 2: the plasma frequency'
changed 's/^dt: .*/dt: -1/' './bad.yaml:4: dt: found '
changed 's/^dt: .*/dt: soon/' './bad.yaml:4: dt: found '
changed 's/^steps: .*/steps: 0/' './bad.yaml:5: steps: found '
changed 's/^mode: .*/mode: [5, 0, 0]/' './bad.yaml:6: mode: found 5 on an axis of 8 cells'
changed 's/^mode: .*/mode: [5, 0, 0]/' 'expected -4 to 4'
# The named step works: six digits, rounded down.
deck dense.yaml 's/density: 1/density: 9/; s/^dt: .*/dt: 0.7/'
plasma './dense.yaml:4: dt: found 0.7, expected at most 0.666666:' --deck ./dense.yaml
deck dense.yaml 's/density: 1/density: 9/; s/^dt: .*/dt: 0.666666/'
expect 0 "$HTMT" run pic --slices 4 --deck ./dense.yaml --quiet
changed '/^units/d' 'units'
changed 's/charge:/colour:/' 'bad.yaml:9: '
changed 's/mass: 1/mass: 0/' './bad.yaml:10: mass: found '
changed 's/density: 1/density: -1/' './bad.yaml:11: density: found '
changed 's/start: quiet/start: loud/' './bad.yaml:13: start: found '
changed '/^species/,$d' 'species'
changed 's/per-cell: .*/per-cell: [4096, 4096, 4096]/' './bad.yaml:12: per-cell: found 6.87195e+10 particles in a cell'
changed 's/thermal: .*/thermal: [1, 1, nan]/' './bad.yaml:14: thermal: '
printf '\t:\n' >noise.yaml
plasma 'noise.yaml:1' --deck noise.yaml
plasma 'missing.yaml' --deck missing.yaml
plasma "no deck 'mystery'" --case mystery
plasma '--deck with --case' --deck good.yaml --case thermal
plasma "--check: found 'maybe', expected one of" --check maybe
plasma "--steps: found '-3'" --steps -3
plasma "--cells: found '8,8', expected 3 numbers" --cells 8,8
plasma "there is no folder 'nowhere'" --deck good.yaml --out-records nowhere/r.csv
plasma "there is no folder 'nowhere'" --deck good.yaml --out-particles nowhere/r.npy
plasma 'ends in .csv or .npy' --deck good.yaml --out-records records.txt
plasma 'ends in .npy' --deck good.yaml --out-fields fields.csv
plasma 'ends in .npy' --deck good.yaml --out-particles particles
plasma 'found same.npy, expected another file than that of --out-records' --deck good.yaml \
    --out-records same.npy --out-fields same.npy
plasma 'found 1 cells for mode 1 of deck good, expected at least 2' --deck good.yaml --cells 1,4,4
plasma 'expected whole numbers from 1 to 65536' --deck good.yaml --cells 65537,4,4
plasma 'particles, expected at most' --case thermal --cells 65536,65536,65536
plasma '--steps: found 1000000001, expected 1 to 1000000000' --deck good.yaml --steps 1000000001
plasma '--every: found no file for snapshots, expected --out-fields' --deck good.yaml --every 2
plasma '--every: found 4, expected 1 to 3' --deck good.yaml --every 4 --out-fields f.npy
plasma '--every: found 0, expected 1 to 3' --deck good.yaml --every 0 --out-fields f.npy
plasma '--out-fields: found f-2.npy, expected another file than that of --out-particles' \
    --deck good.yaml --every 1 --out-fields f.npy --out-particles f-2.npy
plasma 'energies.jpg' --deck good.yaml --plot-energies energies.jpg

# More particles than DRAM holds.
refuse 'DRAM' run pic --slices 4 --deck good.yaml --set 'layers.dram.memory.capacity=16 KiB'

[ "$(ls -- *.tmp *.npy *.csv *.jpg 2>/dev/null)" = "" ] || fail "left behind: $(ls)"
