#!/bin/bash
# Class: fast foreign.
# Whole programs of loops (tests/loops): a simulated memory, which plays what the compiled programs
# touch, obeys the laws of such memories. Two of them and half of the others, another half for each
# commit; HTMT_LONG=1: all.
. "$(dirname "$0")/common"
. "$root/tests/random/first"
export TMPDIR=$PWD

all=("$root"/tests/loops/*.c) files=("$root"/tests/loops/{jacobi2,mvt}.c) lines='8 64'
[ ${#all[@]} = 30 ] || fail 'expected 30 programs'
if only_memory; then
    files+=("$root"/tests/loops/{gemm,trmm}.c) lines=64
else
    for n in "${!all[@]}"; do
        case ${all[n]} in */jacobi2.c | */mvt.c) continue ;; esac
        ! turn "$n" 2 || files+=("${all[n]}")
    done
fi

# One program of all, each in a namespace, with numbers that tell a memory what they touch.
{
    echo "#include \"$root/tests/loops/lru.h\""
    for file in "${files[@]}"; do
        name=$(basename "$file" .c)
        printf '#define main run\nnamespace p_%s {\n' "$name"
        sed 's/^static double /alignas(64) &/' "$file" # arrays begin with a line, as bounds take it
        printf '}\n#undef main\n'
        sed -n 's/^#define \([A-Z]*\) .*/#undef \1/p' "$file"
    done
    echo '#undef double'
    echo 'int main(int argc, char **argv) { std::string n = argc > 1 ? argv[1] : "";'
    for file in "${files[@]}"; do
        name=$(basename "$file" .c)
        echo "if (n == \"$name\") return p_$name::run();"
    done
    echo 'return 1; }'
} >programs.cc
${CXX:-g++} -std=c++17 -O1 -o programs programs.cc || fail 'programs.cc: not compiled'

for file in "${files[@]}"; do
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

# The bytes of a program lie between the two ends, and high is at most 1.5 low. Words that a program
# touches outside of loops are not in the stream: corr[M-1][M-1] once, y[0] and twice r[0].
declare -A outside=([correlation]=1 [durbin]=3)
judge() { # judge NAME LINE CAPACITY SIMULATED
    "$HTMT" bound "$1.yaml" --machine exasat-listing1 --cache "$3" --lines "$2B" --csv bound.csv >out 2>err ||
        fail "$1: $(cat err)"
    awk -F, -v wanted="$4" -v less="$((2 * ${outside[$1]-0} * $2))" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 { low += $at["all_bytes_low"]; high += $at["all_bytes_high"] }
        END { print low " to " high; exit wanted < low || wanted > high + less || high > 1.5 * low }' bound.csv >ends ||
        fail "$1, lines of $2 B, $3 B: $(cat ends), simulated $4"
}

for file in "${files[@]}"; do
    name=$(basename "$file" .c)
    expect 0 "$HTMT" analyze "$file" --nests "$name.yaml"
    for line in $lines; do
        # Memories of a few words or lines, too, where the order in a body decides.
        LINE=$line CAPACITIES=64p,16p,8p,4p,2p,1p,$((7 * line)),$((2 * line)) ./programs "$name" >"$name.$line"
        while read -r capacity read written; do
            judge "$name" "$line" $((capacity / line * line)) $((read + written))
        done <"$name.$line"
    done
done

# A line that is printed now and then changes nothing of what stays from step to step.
"$HTMT" analyze "$root/tests/loops/jacobi2.c" -DTALK --nests talk.yaml 2>err || fail "jacobi2 -DTALK: $(cat err)"
for capacity in 12528 50112; do
    for name in talk jacobi2; do
        "$HTMT" bound $name.yaml --machine exasat-listing1 --cache $capacity --csv $name.csv >out
        cut -d, -f3- $name.csv >$name.cut
    done
    cmp -s talk.cut jacobi2.cut || fail "jacobi2 with a line printed: $(cat talk.csv jacobi2.csv)"
done
