#!/bin/bash
# Class: fast.
# Runs of applications by RANKS processes of 2 clock threads tell and write what one process tells and
# writes: all of the JSON but host times, and every file byte for byte. A third of them is played, the
# others with the next commits; HTMT_LONG=1: all, also with 1 thread.
. "$(dirname "$0")/../integration/common"
. "$root/tests/ranks/launch"
. "$root/tests/random/first"

# play FOLDER DOCUMENT WORD...: the words end with the command; its files go to the folder.
play() {
    rm -rf "$1" && mkdir "$1" && cd "$1" || exit 1
    expect 0 "${@:3}" --json "../$2" --quiet
    mv out err .. && cd .. || exit 1
}

# Applications of users, one of which sweeps over a plate.
build=$(dirname "$HTMT")
${CC:-cc} -O2 -fPIC -I"$build/include" -I"$build/include/htmt" -shared \
    "$root/examples/tutorial/heat.c" -o heat.so
cp "$build/examples/dot.so" .

# A little volume of numbers with a header that turns it.
python3 - <<'END'
import array
voxels = array.array("h", ((x * 7 + y * y * 3 + z * 11) % 900 for z in range(21) for y in range(18)
                           for x in range(25)))
with open("field.nrrd", "wb") as f:
    f.write(b"NRRD0004\ntype: short\ndimension: 3\nsizes: 25 18 21\nspace: right-anterior-superior\n"
            b"space directions: (0,1,0) (1,0,0) (0,0,-1)\nspace origin: (0,0,0)\nencoding: raw\n"
            b"endian: little\n\n" + voxels.tobytes())
END

# Matrices: 150 x 70, columns first, times 70 x 90 as text.
python3 - <<'END'
import struct
def matrix(rows, cols, seed):
    return [[(seed * (i * 31 + j * 17) % 101 - 50) / 8 for j in range(cols)] for i in range(rows)]
a, b = matrix(150, 70, 3), matrix(70, 90, 7)
with open("a.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00\x76\x00")
    f.write(b"{'descr': '<f8', 'fortran_order': True, 'shape': (150, 70), }".ljust(117) + b"\n")
    for j in range(70):
        f.write(struct.pack("<150d", *(row[j] for row in a)))
with open("b.mtx", "w") as f:
    f.write("%%MatrixMarket matrix coordinate real general\n70 90 6300\n")
    f.writelines(f"{i + 1} {j + 1} {b[i][j]!r}\n" for i in range(70) for j in range(90))
END

# Kernels whose own operations time them, by htmt-rec.
recorded=
[ ! -x "$build/htmt-rec" ] || recorded='pic --machine pim-node --slices 4 --steps 2 --timing operations
cannon --machine pim-node --slices 4 --size 64 --timing operations
kernels --machine pim-node --slices 2 --kernel ddot --n 64 --timing operations'

n=0
while read -r command; do
    [ -n "$command" ] || continue
    n=$((n + 1))
    turn $n 3 || continue
    play alone $n.one "$HTMT" run $command
    for ranks in ${RANKS:-2}; do
        for threads in ${HTMT_LONG:+1} 2; do
            play several $n.$ranks.$threads "${launch[@]}" -n $ranks "$HTMT" run $command --clock shared --clock-threads $threads
            diff -r several alone >differences ||
                fail "$ranks ranks, $threads threads: files of $command: $(cat differences)"
        done
    done
done <<END
cannon --size 256 --slices 16 --out c.npy
cannon --size 203 --slices 9 --t 2 --block 9 --check full --out c.npy
cannon --a ../a.npy --b ../b.mtx --slices 16 --out c.npy
sar --lines 2000 --samples 600 --patch-lines 600 --slices 4 --looks 5x2 --out i.npy --png i.png
sar --lines 900 --samples 600 --slices 3 --precision single --out i.npy --png i.png
pic --case two-stream --steps 12 --slices 4 --out-records r.csv --out-fields f.npy --out-particles p.npy --plot-phase-space s.svg --every 5
pic --case thermal --cells 15,12,10 --steps 3 --slices 6 --out-records r.npy --plot-energies e.svg
volume --phantom 40 --slices 5 --size 90x70 --frames 2 --out o.png --npy o.npy
volume --volume ../field.nrrd --slices 3 --subcube 9 --shade --size 60 --out o.png
volume --volume ../field.nrrd --slices 4 --orientation index --size 60 --npy o.npy
../dot.so --slices 8
../heat.so --slices 4
cannon --machine htmt-torus --size 256 --slices 16 --out c.npy
traffic --machine hpsc-grid --table hpsc-grid --iterations 2 --latencies t.csv
traffic --machine gcel --pattern transpose --slots 2 --set networks.grid.inside.wire=1us --latencies t.csv
stencil --cells 24,16,16 --slices 6 --case manufactured --steps 2 --out u.npy --plot e.svg --plot-slice s.png
md --edge 8 --slices 6 --skin 0.02 --steps 5 --out a.npy --plot-gr g.svg --plot-energies e.svg
nbody --method direct --bodies 600 --slices 6 --steps 2 --out b.npy --plot-energies e.svg
nbody --bodies 1200 --slices 5 --theta 0.7 --steps 2 --out b.npy --out-lists l.npy --plot-profile d.svg
graph sssp --machine am-cca --slices 9 --rmat 6 --out g.csv --plot-cells g.svg
graph pagerank --machine htmt-torus --slices 9 --er 6 --place metis --algorithm levels --out g.csv
$recorded
END
# More ranks than slices: rank 0, which tells the results, plays slice 0 and the host's place all the same.
for command in 'prim va --size 1000 --slices 3 --machine upmem-e19' 'cannon --size 64 --slices 4 --check full'; do
    n=$((n + 1))
    play alone $n.one "$HTMT" run $command
    play several $n.5.1 "${launch[@]}" -n 5 "$HTMT" run $command
done
python3 "$root/tests/ranks/same.py" . 2>err || fail "documents, by number of the command: $(cat err)"

# A file that rank 0 cannot write, while the others hand over what belongs into it.
expect 4 "${launch[@]}" -n 2 "$HTMT" run cannon --size 256 --slices 16 --out /dev/full --quiet
[ "$(grep '^htmt' err)" = 'htmt run cannon: /dev/full: cannot write: No space left on device' ] ||
    fail "a full device: $(cat err)"
# An element that only rank 1 reads.
python3 - <<'END'
import struct
with open("nan.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00\x76\x00")
    f.write(b"{'descr': '<f8', 'fortran_order': False, 'shape': (200, 200), }".ljust(117) + b"\n")
    for i in range(200):
        f.write(struct.pack("<200d", *(float("nan") if (i, j) == (190, 3) else 1.0
                                       for j in range(200))))
END
expect 2 "${launch[@]}" -n 2 "$HTMT" run cannon --a nan.npy --b nan.npy --slices 16 --quiet
[ "$(grep '^htmt' err | wc -l)" = 1 ] && grep -q '^htmt run cannon: .*nan.npy: found nan in row 190' err ||
    fail "a bad element: $(cat err)"
# A run that cannot go on says so in the same line, whichever slices found out.
full='pic --case thermal --cells 8,6,6 --steps 2 --slices 4 --mail 1'
expect 3 "$HTMT" run $full
grep '^htmt' err >alone.line
for ranks in ${RANKS:-2}; do
    expect 3 "${launch[@]}" -n $ranks "$HTMT" run $full
    grep '^htmt' err | cmp -s - alone.line || fail "$ranks ranks: $(cat err), not $(cat alone.line)"
done
