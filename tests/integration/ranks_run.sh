#!/bin/bash
# Runs of the applications by RANKS processes of 1 and 2 clock threads tell what one process tells,
# all of the JSON but host times, and write the same files.
. "$(dirname "$0")/../integration/common"
. "$root/tests/ranks/launch"

# What a document tells of the run, without the host and how the clock went.
told() {
    python3 - "$1" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
for key in ("host", "clock", "wall", "record", "threads"):
    d.pop(key)
print(json.dumps(d, sort_keys=True))
END
}

# same NAME: the files of the folders alone and ranks, the documents apart.
same() {
    local file
    told ranks/j >ranks.told
    cmp -s ranks.told alone.told || fail "$1 tells: $(diff <(tr ',' '\n' <alone.told) <(tr ',' '\n' <ranks.told) | head -4)"
    [ "$(ls alone)" = "$(ls ranks)" ] || fail "$1 writes $(ls ranks | paste -sd ' ')"
    for file in $(ls alone); do
        [ "$file" = j ] || cmp "alone/$file" "ranks/$file" || fail "$1: $file differs"
    done
}

# ranks_run FOLDER RANKS THREADS COMMAND: in that folder, empty before.
ranks_run() {
    local folder=$1 ranks=$2 threads=$3
    shift 3
    rm -rf "$folder" && mkdir "$folder" && cd "$folder"
    if [ "$ranks" = 1 ]; then
        expect 0 "$HTMT" run "$@" --json j --quiet
    else
        expect 0 "${launch[@]}" -n "$ranks" "$HTMT" run "$@" --clock-threads "$threads" --json j --quiet
    fi
    rm -f out err && cd ..
}

# Matrices in files: 150 x 70 times 70 x 90, one of them columns first, one as text.
python3 - <<'END'
def matrix(rows, cols, seed):
    return [[(seed * (i * 31 + j * 17) % 101 - 50) / 8 for j in range(cols)] for i in range(rows)]
import struct
a, b = matrix(150, 70, 3), matrix(70, 90, 7)
head = b"{'descr': '<f8', 'fortran_order': True, 'shape': (150, 70), }"
with open("a.npy", "wb") as f:
    f.write(b"\x93NUMPY\x01\x00\x76\x00" + head.ljust(117) + b"\n")
    for j in range(70):
        f.write(struct.pack("<150d", *(row[j] for row in a)))
with open("b.mtx", "w") as f:
    f.write("%%MatrixMarket matrix coordinate real general\n70 90 6300\n")
    for i in range(70):
        for j in range(90):
            f.write(f"{i + 1} {j + 1} {b[i][j]!r}\n")
END

while read -r command; do
    ranks_run alone 1 1 $command
    told alone/j >alone.told || fail "no document: $command"
    for ranks in ${RANKS:-2}; do
        for threads in 1 2; do
            ranks_run ranks "$ranks" "$threads" $command
            same "$ranks ranks, $threads threads: $command"
        done
    done
done <<END
cannon --size 256 --slices 16 --out c.npy
cannon --size 203 --slices 9 --t 2 --block 9 --check full --out c.npy
cannon --a ../a.npy --b ../b.mtx --slices 16 --out c.npy
sar --lines 2000 --samples 600 --patch-lines 600 --slices 4 --looks 5x2 --out i.npy --png i.png
sar --lines 900 --samples 600 --slices 3 --precision single --out i.npy --png i.png
END
