#!/bin/bash
# Kernels of one processor: each is correct, compiled and annotated; ddot and daxpy count the same
# loads, stores and flops both ways; sizes that a kernel cannot have are refused in one line.
. "$(dirname "$0")/common"

# figure KEY: of the first row of operations in the file k.json.
figure() {
    sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}\$/\1/p" k.json | head -1
}

for kernel in ddot ddot4 daxpy dipole triad dgemm fft; do
    expect 0 "$HTMT" run kernels --kernel $kernel --n 16..64 --machine gcel --json k.json
    grep -q '"correct": true' k.json || fail "$kernel is wrong"
    expect 0 "$HTMT" run kernels --kernel $kernel --n 16..64 --variant vector --json k.json
    grep -q '"correct": true' k.json || fail "$kernel with vectors is wrong"
done

# 8192 elements in all sizes.
expect 0 "$HTMT" predict kernels --kernel ddot --n 64..8192 --machine gcel
grep -q 'rounds 64 .*128' out || fail "not 128 rounds: $(grep 'rounds 64' out)"

build=$(dirname "$HTMT")
if [ -e "$build/htmt-rec" ]; then
    for kernel in ddot daxpy; do
        for n in 64 1000; do
            counts=
            for variant in plain annotated; do
                expect 0 "$HTMT" run kernels --kernel $kernel --n $n --rounds 3 --machine gcel \
                    --timing operations --variant $variant --json k.json
                counts+="$(figure loads) $(figure stores) "
            done
            read -r loads stores annotated_loads annotated_stores <<<"$counts"
            [ "$loads $stores" = "$annotated_loads $annotated_stores" ] ||
                fail "$kernel of $n: compiled $loads loads, $stores stores; annotated" \
                    "$annotated_loads, $annotated_stores"
            [ $((loads - 6 * n)) -lt 32 ] || fail "$kernel of $n has $loads loads"
        done
    done
fi

# refused LINE OPTION...
refused() {
    local line=$1
    shift
    expect 2 "$HTMT" run kernels "$@"
    grep -qF -- "$line" err || fail "no '$line': $(cat err)"
    [ "$(wc -l <err)" = 1 ] || fail "not one line: $(cat err)"
}
refused "--n: found '64..', expected N or N..M" --n 64..
refused '--n: found 6, expected a multiple of 4 for ddot4' --kernel ddot4 --n 6
refused '--n: found 48, expected a power of two for fft' --kernel fft --n 48
refused "--layer: found 'attic', expected a layer of htmt-oct98 with a processor" --layer attic
