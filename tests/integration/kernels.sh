#!/bin/bash
# Class: fast.
# Kernels of one processor: each is correct, compiled and annotated; ddot and daxpy count the same
# loads, stores and flops both ways; sizes that a kernel cannot have are refused in one line.
. "$(dirname "$0")/common"

for kernel in ddot ddot4 daxpy dipole triad dgemm fft; do
    expect 0 "$HTMT" run kernels --kernel $kernel --n 16..64 --machine gcel --json k.json
    grep -q '"correct": true' k.json || fail "$kernel is wrong"
    expect 0 "$HTMT" run kernels --kernel $kernel --n 16..64 --variant vector --json k.json
    grep -q '"correct": true' k.json || fail "$kernel with vectors is wrong"
done

for kernel in gemm bicg solve factor stencil1 stencil2 stencil3 correlate filter total; do
    for variant in plain vector; do
        expect 0 "$HTMT" run kernels --kernel $kernel --n 5..20 --rounds 3 --variant $variant --json k.json
        grep -q '"correct": true' k.json || fail "$kernel, $variant, is wrong"
    done
done
expect 2 "$HTMT" run kernels --kernel bicg --variant annotated
grep -q -- '--variant: found annotated, expected plain or vector for bicg' err || fail "$(cat err)"

# 8192 elements in all sizes.
expect 0 "$HTMT" predict kernels --kernel ddot --n 64..8192 --machine gcel
grep -q 'rounds 64 .*128' out || fail "not 128 rounds: $(grep 'rounds 64' out)"

# count KERNEL N VARIANT: loads, stores and operations on reals of the kernel's first service.
count() {
    expect 0 "$HTMT" ops record kernels --kernel "$1" --n "$2" --rounds 3 --machine gcel \
        --variant "$3" --type "$1 $2" --out "$3.ops"
    expect 0 "$HTMT" ops show "$3.ops"
    awk '$1 ~ /^(loads|stores|.*-f64)$/ { gsub(",", "", $2); print $1, $2 }' out | sort
}

# hits KERNEL N: DRAM accesses of a round on the T805, of ten thousand, that find their page open.
hits() {
    expect 0 "$HTMT" ops record kernels --kernel "$1" --n "$2" --rounds 1 --machine gcel \
        --variant annotated --type "$1 $2" --out dip.ops
    expect 0 "$HTMT" ops time dip.ops --machine gcel --json dip.json
    python3 -c 'import json; c = json.load(open("dip.json"))["counts"]
print(c["page_hits"] * 10000 // (c["page_hits"] + c["page_misses"]))'
}

build=$(dirname "$HTMT")
if [ -e "$build/htmt-rec" ]; then
    # Van Brummen et al., section 5.1: "an increased number of page-hits" at 4096, at no other size.
    for kernel in ddot daxpy; do
        dip=$(hits $kernel 4096)
        for n in 512 1024 2048 8192; do
            other=$(hits $kernel $n)
            [ $((dip - other)) -gt 1000 ] || fail "$kernel: page hits $dip of 10000 at 4096, $other at $n"
        done
    done
    for kernel in ddot daxpy; do
        for n in 64 1000; do
            count $kernel $n plain >plain
            count $kernel $n annotated >annotated
            cmp -s plain annotated ||
                fail "$kernel of $n: compiled" $(<plain), annotated $(<annotated)
            # Three rounds of a multiplication and an addition an element.
            flops=$(awk '/f64/ { sum += $2 } END { print sum }' plain)
            [ "$flops" = $((6 * n)) ] || fail "$kernel of $n has $flops flops"
            loads=$(awk '/^loads/ { print $2 }' plain)
            [ $((loads - 6 * n)) -lt 32 ] || fail "$kernel of $n has $loads loads"
        done
    done
    # Of ddot's loop the multiplication waits for a load, the addition for a load and the
    # multiplication, and the comparison for the count.
    expect 0 "$HTMT" ops record kernels --kernel ddot --n 64 --machine gcel --type 'ddot 64' --out d.ops
    expect 0 "$HTMT" ops profile d.ops --out d.yaml
    grep -A1 '"mul-f64, add-f64, add-i64, cmp-i64"' d.yaml |
        grep -q 'waits: "add-i64, mul-f64, load x 2"' || fail "waits: $(grep waits d.yaml)"

    # The node model against this host's clock: rows of each kernel and size, whatever the errors.
    printf '%s\n' 'htmt-machine: 1' 'base: pim-node' 'about: this host, or so' >here.yaml
    refuse "--machine: pim-node is not of this host, expected a file of 'htmt host measure'" host compare --machine pim-node
    expect 0 "$HTMT" host compare --machine ./here.yaml --n 64..128 --sizes 2 --csv all.csv --plot all.svg
    # A row of few samples on a free core is marked.
    python3 - all.csv out <<'PYTHON' || fail "rows without a mark: $(cat all.csv out)"
import csv, sys
few = sum(int(r["free_samples"]) < 3 for r in csv.DictReader(open(sys.argv[1])))
assert sum(line.rstrip().endswith("% *") for line in open(sys.argv[2])) == few, few
PYTHON
    grep -qE '^ *dgemm +2 ' out || fail "no dgemm: $(cat out)"
    [ "$(wc -l <all.csv)" = 15 ] || fail "not seven kernels of two sizes: $(cat all.csv)"
    grep -q '<svg' all.svg || fail 'no picture'
    expect 0 "$HTMT" validate mermaid --host gcel --n 64..256 --sizes 3 --csv four.csv
    [ "$(cut -d, -f1 four.csv | sort | uniq -c | tr -s ' \n' ' ')" = \
        ' 3 daxpy 3 ddot 3 ddot4 3 dipole 1 kernel ' ] || fail "$(cat four.csv)"
    awk -F, 'NR > 1 { r = (1 + $6 / 100) * $4 / $3
        if (!(r > 0.99 && r < 1.01)) print }' four.csv >odd
    [ ! -s odd ] || fail "an error that is not model / clock - 1: $(cat odd)"
    # Shapes: an interval around each, all of it as JSON, and a limit.
    expect 0 "$HTMT" host compare --machine ./here.yaml --kernels shapes --n 12..24 --sizes 2 --json all.json
    python3 - <<'PYTHON' || fail "$(cat all.json)"
import json
found = json.load(open("all.json"))
assert len(found["sizes"]) == 20 and len({s["kernel"] for s in found["sizes"]}) == 10, found
for s in found["sizes"]:
    assert 0 < s["low_ns"] <= s["model_ns"] <= s["high_ns"], s
    assert abs(s["model_ns"] / s["plain_ns"] - 1 - s["error_percent"] / 100) < 0.01, s
    s["held"] = s["low_ns"] <= s["plain_ns"] <= s["high_ns"]
assert found["disturbed"] == 0
assert abs(sum(s["held"] for s in found["sizes"]) * 5 - found["held_percent"]) < 1e-6, found
errors = sorted(abs(s["error_percent"]) for s in found["sizes"])
assert abs(sum(errors) / 20 - found["error_mean_percent"]) < 1e-3 * errors[-1], found
PYTHON
    expect 1 "$HTMT" host compare --machine ./here.yaml --kernels shapes --n 12..12 --max-error 1e-9
    grep -q 'the mean error is .* %, above 1e-9 %' err || fail "$(cat err)"
    refuse "--kernels: found 'forms', expected mermaid, others, shapes or apps" host compare --machine ./here.yaml --kernels mermaid,forms
    # The applications on a machine with room for them: a row each, by processes of their own.
    printf '%s\n' 'htmt-machine: 1' 'base: pim-node' 'about: this host, or so' 'layers:' '  dram: {memory: {capacity: {value: 1 GiB, source: "a test"}}}' \
        '  cram: {memory: {capacity: {value: 64 MiB, source: "a test"}}}' >large.yaml
    expect 0 "$HTMT" host compare --machine ./large.yaml --kernels apps --sizes 1 --csv apps.csv
    python3 - apps.csv "$HTMT" <<'PYTHON' || fail "not the applications: $(cat apps.csv)"
import csv, json, subprocess, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [(r["kernel"], r["n"]) for r in rows] == [("pic", "4"), ("cannon", "64"), ("sar", "256"), ("volume", "32")], rows
for r in rows:
    low, model, high, clock = (float(r[k + "_ns"]) for k in ("low", "model", "high", "plain"))
    assert 0 < low < model < high and clock > 0, r
    assert abs(model / clock - 1 - float(r["error_percent"]) / 100) < 0.01, r
run = json.loads(subprocess.run([sys.argv[2], *"run cannon --size 64 --machine ./large.yaml --slices 1 --threads 1 "
                                 "--timing operations --json -".split()], check=True, capture_output=True).stdout)
assert float(rows[1]["model_ns"]) > 1e9 * run["predicted_s"], (rows, run["predicted_s"]) # and the emulator's own work
PYTHON
    refuse 'htmt run pic: ' host compare --machine ./here.yaml --kernels apps --sizes 1
    refuse "--sizes: found 'few'" host compare --machine ./large.yaml --kernels apps --sizes few
    refuse '--n: applications have sizes of their own' host compare --machine ./large.yaml --kernels apps --n 4..8
    refuse "--max-error: found 'much', expected a percentage" host compare --machine pim-node --max-error much
    printf '%s\n' 'htmt-machine: 1' 'base: pim-node' 'about: this host, or so' 'layers: {cram: {inside: {mul-f64: {latency: 4 cycles, every: 1 cycle, source: "disturbed, +30.0 %: a test"}}}}' >node.yaml
    expect 0 "$HTMT" host compare --machine ./node.yaml --kernels mermaid --n 64..64
    head -n 1 out | grep -q 'has 1 disturbed figure (mul-f64); measure it again' || fail "$(head -n 1 out)"
    refuse "--n: found '64..'" host compare --machine ./here.yaml --n 64..
    refuse 'no processor of machine small-htmt has an inside' validate mermaid --host small-htmt --n 64..128 --sizes 2
    refuse 'nowhere' validate mermaid --host nowhere.yaml
fi
refuse 'expected --machine FILE' host compare
refuse "there is no folder 'no'" host compare --machine pim-node --csv no/such.csv
refuse "'--hots'" validate mermaid --host gcel --hots

# refused LINE OPTION...
refused() {
    local line=$1
    shift
    expect 2 "$HTMT" run kernels "$@"
    grep -qF -- "$line" err || fail "no '$line': $(cat err)"
    one_line
}
refused "--n: found '64..', expected N or N..M" --n 64..
refused '--n: found 6, expected a multiple of 4 for ddot4' --kernel ddot4 --n 6
refused '--n: found 48, expected a power of two for fft' --kernel fft --n 48
refused "--layer: found 'attic', expected a layer of htmt-oct98 with a processor" --layer attic
