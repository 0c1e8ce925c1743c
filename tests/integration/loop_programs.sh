#!/bin/bash
# Class: fast foreign.
# Whole programs of loops (tests/loops): a simulated memory, which plays what the compiled programs
# touch, obeys the laws of such memories.
. "$(dirname "$0")/common"
export TMPDIR=$PWD

ls "$root"/tests/loops/*.c | wc -l | grep -qx 30 || fail 'expected 30 programs'

# One program of all, each in a namespace, with numbers that tell a memory what they touch.
{
    echo "#include \"$root/tests/loops/lru.h\""
    for file in "$root"/tests/loops/*.c; do
        name=$(basename "$file" .c)
        printf '#define main run\nnamespace p_%s {\n' "$name"
        sed 's/^static double /alignas(64) &/' "$file" # arrays begin with a line, as bounds take it
        printf '}\n#undef main\n'
        sed -n 's/^#define \([A-Z]*\) .*/#undef \1/p' "$file"
    done
    echo '#undef double'
    echo 'int main(int argc, char **argv) { std::string n = argc > 1 ? argv[1] : "";'
    for file in "$root"/tests/loops/*.c; do
        name=$(basename "$file" .c)
        echo "if (n == \"$name\") return p_$name::run();"
    done
    echo 'return 1; }'
} >programs.cc
${CXX:-g++} -std=c++17 -O1 -o programs programs.cc || fail 'programs.cc: not compiled'

for file in "$root"/tests/loops/*.c; do
    name=$(basename "$file" .c)
    CAPACITIES=64p,16p,8p,4p,2p,1p ./programs "$name" >"$name.words"
    # More memory moves no more; with all of the program in it, each word comes once.
    awk -v name="$name" 'NR > 1 && ($2 > read || $3 > written) { print name ": more moves"; exit 1 }
        { capacity = $1; read = $2; written = $3 }
        END { if (NR != 6 || read != capacity || written > read) { print name ": not once"; exit 1 } }' \
        "$name.words" || fail "$(cat "$name.words")"
done

# A matrix of 130 x 130 times a vector, and its transpose times another: with 4 words, each matrix
# word comes twice, a word of the first vectors u once for each row, one of x and y once for each
# row; v comes again with each row as well.
CAPACITIES=32 ./programs mvt >out
grep -qx "32 $((8 * (2 * 130 * 130 + 2 * 130 * 130 + 2 * 130))) $((8 * 2 * 130))" out ||
    fail "mvt in 4 words: $(cat out)"

# ---- bounds of the same programs ----------------------------------------------------------------
if [ ! -x "$(dirname "$HTMT")/htmt-analyze" ]; then
    lacks 'libclang or isl' 'bounds of whole programs'
    exit 0
fi

# Within 2 % at each of six capacities; what lies between the programs' statements and the nest file
# (a statement behind an inner loop counts before it) moves single words.
for file in "$root"/tests/loops/*.c; do
    name=$(basename "$file" .c)
    "$HTMT" analyze "$file" --nests "$name.yaml" 2>err || { echo "$name" >>unread; continue; }
    while read -r capacity read written; do
        "$HTMT" bound "$name.yaml" --machine exasat-listing1 --cache $((capacity / 8 * 8)) --csv bound.csv \
            >out 2>err || fail "$name: $(cat err)"
        awk -F, -v name="$name" -v capacity="$capacity" -v wanted=$((read + written)) '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR > 1 { low += $at["all_bytes_low"]; high += $at["all_bytes_high"] }
            END { printf "%s %d %d %d %d %.4f\n", name, capacity, wanted, low, high, low / wanted }' bound.csv >>ratios
    done <"$name.words"
done
awk '{ far[$1] += $6 < 0.98 || $6 > 1.02 }
    END { for (name in far) good += !far[name]; exit good < 29 }' ratios || fail "$(cat ratios)"
[ ! -s unread ] || fail "not read: $(cat unread)"

# A line that is printed now and then changes nothing of what stays from step to step.
"$HTMT" analyze "$root/tests/loops/jacobi2.c" -DTALK --nests talk.yaml 2>err || fail "jacobi2 -DTALK: $(cat err)"
for capacity in 12528 50112; do
    for name in talk jacobi2; do
        "$HTMT" bound $name.yaml --machine exasat-listing1 --cache $capacity --csv $name.csv >out
        cut -d, -f3- $name.csv >$name.cut
    done
    cmp -s talk.cut jacobi2.cut || fail "jacobi2 with a line printed: $(cat talk.csv jacobi2.csv)"
done

# ---- the same in lines ---------------------------------------------------------------------------
# Lines of 64 B: within 5 %.
for file in "$root"/tests/loops/*.c; do
    name=$(basename "$file" .c)
    LINE=64 CAPACITIES=64p,16p,8p,4p,2p,1p ./programs "$name" >"$name.lines"
    while read -r capacity read written; do
        "$HTMT" bound "$name.yaml" --machine exasat-listing1 --cache $((capacity / 64 * 64)) --lines 64B --csv bound.csv \
            >out 2>err || fail "$name: $(cat err)"
        awk -F, -v name="$name" -v capacity="$capacity" -v wanted=$((read + written)) '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR > 1 { low += $at["all_bytes_low"]; high += $at["all_bytes_high"] }
            END { printf "%s %d %d %d %d %.4f\n", name, capacity, wanted, low, high, low / wanted }' bound.csv >>lines
    done <"$name.lines"
done
awk '{ far[$1] += $6 < 0.95 || $6 > 1.05 }
    END { for (name in far) good += !far[name]; exit good < 28 }' lines || fail "$(cat lines)"
