#!/bin/bash
# Kernels that their own operations time: one time whatever the host does, what the report says of
# it, tapes of services, and what is refused.
. "$(dirname "$0")/common"

machine=(--machine pim-node --slices 4)

# What needs no htmt-rec.
refuse 'only run has kernels to record' model pic "${machine[@]}" --timing operations
refuse "--timing: found 'clocks', expected counts" run pic "${machine[@]}" --timing clocks
refuse 'no tape of operations' ops show "$root/README.md"

if [ ! -x "$(dirname "$HTMT")/htmt-rec" ]; then
    refuse 'which this installation lacks' run pic "${machine[@]}" --timing operations
    echo 'skipped: htmt-rec was not built (.ci/packages-tape.txt)'
    exit 0
fi
cc=$(dirname "$HTMT")/htmt-cc

refuse 'no processor of machine small-htmt has an inside' run pic --machine small-htmt --timing operations

printf '%s\n' 'htmt-machine: 1' 'base: pim-node' 'layers: {cram: {inside: {caches: hot}}}' >hot.yaml
refuse 'found '\''hot'\'', expected '\''cold'\'' or '\''warm'\' \
    run pic --machine ./hot.yaml --slices 4 --timing operations

# ---- services that depend on each other ---------------------------------------------------------

# Two processors that share a bus and keep their caches.
printf '%s\n' 'htmt-machine: 1' 'base: pim-node' 'layers:' '  cram:' \
    '    processor: {count: {value: 2, source: test}}' \
    '    inside: {caches: warm, sharing: bus}' >shared.yaml
shared=(run pic --machine ./shared.yaml --slices 4 --steps 2 --timing operations --quiet)
expect 0 "$HTMT" "${shared[@]}" --json shared.json
grep -q '"correct": true' shared.json || fail 'pic on a shared bus is wrong'
for way in '--threads 1' '--threads 2' '--threads 3' '--threads 8' '--checked' '--explain' \
    '--clock windows' '--clock-threads 2' '--clock-threads 3 --threads 8'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" "${shared[@]}" $way --json way.json
    [ "$(key history_hash way.json)" = "$(key history_hash shared.json)" ] ||
        fail "a shared bus, $way: another history"
done
for key in caches=cold sharing=alone; do
    expect 0 "$HTMT" "${shared[@]}" --set "layers.cram.inside.$key" --json way.json
    [ "$(key history_hash way.json)" != "$(key history_hash shared.json)" ] ||
        fail "$key: the same history"
done

# An operation without latency, and processors that route, which tests/parcels/nodes_test.c times.
printf '%s\n' 'htmt-machine: 1' 'base: ./shared.yaml' \
    'layers: {cram: {inside: {mul-f64: not-modelled}}}' >nomul.yaml
expect 2 "$HTMT" "${shared[@]/shared.yaml/nomul.yaml}"
grep -q 'operation mul-f64 came up, and the processor.s inside has no latency for it' err ||
    fail "an operation without latency: $(cat err)"
expect 0 "$HTMT" ops record pic --machine ./nomul.yaml --slices 4 --steps 2 --type Push --out nomul.ops
printf '%s\n' 'htmt-machine: 1' 'base: gcel' 'layers:' '  node:' \
    '    processor: {count: {value: 2, source: test}}' '    inside: {sharing: bus}' >routes.yaml
expect 0 "$HTMT" run kernels --machine ./routes.yaml --timing operations --kernel ddot --n 64

# Shipped machines of processors at one bus.
for shipped in powerstone1 hpsc-apu; do
    expect 0 "$HTMT" run kernels --machine $shipped --timing operations --kernel ddot --n 64..1024
done

# ---- one time -----------------------------------------------------------------------------------

expect 0 "$HTMT" run pic "${machine[@]}" --steps 2 --timing operations --json pic.json
grep -q '^OPERATIONS' out || fail 'the report has no stack of operations'
grep -q 'misses of Push: region 0' out || fail 'the report has no misses'
grep -q 'by counts: X, execute: apps/pic/lines.c:[0-9]*: calls htmt__fft_run' out ||
    fail 'the report does not name kernels that keep counts'
grep -q '"correct": true' pic.json || fail 'pic is wrong'
expect 0 "$HTMT" report pic.json
grep -q '^OPERATIONS' out || fail 'a saved report has no stack of operations'
for way in '--threads 1' '--threads 2' '--threads 3' '--threads 8' '--checked'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" run pic "${machine[@]}" --steps 2 --timing operations $way --json way.json --quiet
    [ "$(key history_hash way.json)" = "$(key history_hash pic.json)" ] || fail "$way: another history"
done
for size in 1 1000 10001; do
    expect 0 env FILLER="$(head -c $size /dev/zero | tr '\0' x)" \
        "$HTMT" run pic "${machine[@]}" --steps 2 --timing operations --json way.json --quiet
    [ "$(key history_hash way.json)" = "$(key history_hash pic.json)" ] ||
        fail "an environment of $size bytes: another history"
done
expect 0 "$HTMT" run pic "${machine[@]}" --steps 2 --json counts.json --quiet
[ "$(key history_hash counts.json)" != "$(key history_hash pic.json)" ] ||
    fail 'operations give the history of counts'
expect 0 "$HTMT" run cannon "${machine[@]}" --size 64 --timing operations --check-determinism --json c.json
grep -q '"correct": true' c.json || fail 'cannon is wrong'
grep -q '"equal": true' c.json || fail 'cannon is not the same again'

# A multiply-add of two 32 x 32 matrices: its loads and stores are known.
expect 0 "$HTMT" ops record cannon "${machine[@]}" --size 64 --type 'Block Multiply' --out c.ops
expect 0 "$HTMT" ops show c.ops
grep -q "mul-f64 *32,768" out || fail "not 32^3 multiplications: $(grep mul-f64 out)"
grep -q "add-f64 *32,768" out || fail "not 32^3 additions: $(grep add-f64 out)"
expect 2 "$HTMT" ops record cannon "${machine[@]}" --size 64 --type Nothing --out n.ops
grep -q 'found no service of type Nothing' err || fail "a type that is not there: $(cat err)"
[ ! -e n.ops ] || fail 'a tape of nothing'

# Other services of the type, and all of them.
expect 0 "$HTMT" ops record pic "${machine[@]}" --steps 1 --type push --out first.ops
expect 0 "$HTMT" ops record pic "${machine[@]}" --steps 1 --type Push --service 5 --out fifth.ops
expect 0 "$HTMT" ops record pic "${machine[@]}" --steps 1 --type Push --out one.ops
cmp -s first.ops one.ops || fail 'the letters of a type make another tape'
expect 0 "$HTMT" ops record pic "${machine[@]}" --steps 1 --type Push --service all --out all.ops
expect 0 "$HTMT" ops show all.ops
services=$(sed -n 's/.* entries, \([0-9]*\) services.*/\1/p' out)
[ "$services" -gt 2 ] || fail "all services: $(head -1 out)"
loads=0
for i in $(seq "$services"); do
    expect 0 "$HTMT" ops record pic "${machine[@]}" --steps 1 --type Push --service "$i" --out one.ops
    expect 0 "$HTMT" ops show one.ops
    loads=$((loads + $(awk '$1 == "loads" { gsub(",", "", $2); print $2 }' out)))
done
expect 0 "$HTMT" ops show all.ops
[ "$(awk '$1 == "loads" { gsub(",", "", $2); print $2 }' out)" = "$loads" ] ||
    fail "all services have not the $loads loads of each"
cmp -s first.ops fifth.ops && fail 'the fifth service is the first'
expect 2 "$HTMT" ops record pic "${machine[@]}" --steps 1 --type Push --out n.ops --service $((services + 1))
grep -q "found no service $((services + 1)) of type Push" err || fail "a service too many: $(cat err)"
refuse "--service: found '0', expected 1, 2, .. or all" \
    ops record pic "${machine[@]}" --type Push --out n.ops --service 0

# Vectors: two lanes of doubles are one operation of a type of its own, which a machine must time.
expect 0 "$HTMT" ops record cannon "${machine[@]}" --size 64 --type 'Block Multiply' --tape O3 --out v.ops
expect 0 "$HTMT" ops show v.ops
grep -q 'tape O3$' out || fail "a tape without its name: $(head -1 out)"
grep -q "mul-f64x2 *16,384" out || fail "not 32^3 / 2 multiplications: $(grep mul- out)"
grep -q "add-f64x2 *16,384" out || fail "not 32^3 / 2 additions: $(grep add- out)"
grep -q 'mul-f64 ' out && fail 'multiplications without vectors'
expect 0 "$HTMT" ops record kernels --machine pim-node --kernel daxpy --n 64 --rounds 1 --type 'daxpy 64' \
    --tape O3 --out daxpy.ops
refuse 'operation mul-f64x2 came up, but layers.cram.inside.mul-f64x2 of pim-node is not given' \
    ops time daxpy.ops --machine pim-node
cat >vectors.yaml <<'END'
htmt-machine: 1
base: pim-node
layers: {cram: {inside: {mul-f64x2: {value: 4 cycles, source: "made up"}, add-f64x2: {value: 3 cycles, source: "made up"}}}}
END
expect 0 "$HTMT" ops time daxpy.ops --machine ./vectors.yaml
refuse "--tape: found 'O4', expected O2 or O3" ops record pic "${machine[@]}" --type Push --out n.ops --tape O4

# A tape is whole and of a known version.
head -c 3000 c.ops >half.ops
refuse 'it is cut off' ops show half.ops
printf 'htmttape\7' >wrong.ops
tail -c +10 c.ops >>wrong.ops
refuse 'a tape of version 7, expected version 3' ops show wrong.ops

# ---- htmt-cc ------------------------------------------------------------------------------------

cat >daxpy.c <<'C'
void daxpy(double *y, const double *x, double a, long n)
{
    for (long i = 0; i < n; i++)
        y[i] += a * x[i];
}
C
expect 0 "$cc" -c daxpy.c -o daxpy.o
[ -s daxpy.o.blocks.c ] || fail 'no table of blocks beside the object'
nm daxpy.o | grep -q 'U htmt__rec_other' || fail 'no hook before a load'
expect 0 "$cc" --tape O3 -c daxpy.c -o vectors.o
nm vectors.o | grep -q 'U htmt__rec_other' || fail 'no hook before a load of vectors'
cat >atomic.c <<'C'
int add(int *x)
{
    return __atomic_fetch_add(x, 1, __ATOMIC_SEQ_CST);
}
C
status=0
"$cc" -c atomic.c -o atomic.o 2>err || status=$?
[ "$status" = 2 ] || fail "an atomic access: status $status"
grep -q 'atomic.c:3: found an atomic access' err || fail "not the line of the access: $(cat err)"
[ ! -e atomic.o ] || fail 'an object in spite of a refusal'

# The file of what is refused is that of the code, and an intrinsic function has a name.
cat >sum.h <<'C'
static inline double sum(int n, ...)
{
    __builtin_va_list v;
    __builtin_va_start(v, n);
    return __builtin_va_arg(v, double);
}
C
printf '#include "sum.h"\n\n\n\n\ndouble pair(double x)\n{\n    return sum(2, x, x);\n}\n' >pair.c
status=0
"$cc" -c pair.c -o pair.o 2>err || status=$?
[ "$status" = 2 ] || fail "a list of arguments: status $status"
grep -q 'sum\.h:[1-6]: found an intrinsic function .* llvm\.va_start' err ||
    fail "neither file nor name of what is refused: $(cat err)"

# ---- ways through a loop ------------------------------------------------------------------------

# Ways from s and from at to their next values: a multiplication and an addition, or four additions;
# a load of x or one of y.
cat >ways.h <<'C'
#include "parcels/htmt.h"
struct input {
    double s, a, b;
    long n;
};
extern _Alignas(64) long x[8], y[512];
void sums(struct htmt_kernel *k);
void walk(struct htmt_kernel *k);
C
cat >ways.c <<'C'
#include "ways.h"
void sums(struct htmt_kernel *k)
{
    const struct input *in = htmt_kernel_args(k);
    double s = in->s, a = in->a, b = in->b;
    for (long i = 0; i < 100; i++)
        s = s * a + (((s + a) + b) + a);
    *(double *)htmt_kernel_result(k) = s;
}
void walk(struct htmt_kernel *k)
{
    const struct input *in = htmt_kernel_args(k);
    long at = 0, n = in->n;
    while (at < n)
        at = (x[at & 7] + at) + y[at];
    *(double *)htmt_kernel_result(k) = (double)at;
}
C
cat >service.c <<'C'
#include "ways.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
long x[8], y[512];
/* MACHINE KERNEL N: the cycles of a service. */
int main(int argc, char **argv)
{
    struct htmt_machine *m = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_type *type = NULL;
    struct htmt_fault fault = {0};
    struct htmt_operations operations = {0};
    struct htmt_operations_report r;
    struct htmt_options o = htmt_options_init();
    struct htmt_type_desc d = htmt_type_desc_init();
    struct input in = {1, 1, 1, argc == 4 ? atol(argv[3]) : 0};
    htmt_wide all = 0;
    for (int i = 0; i < 512; i++)
        y[i] = 8;
    htmt_machine_load(argv[1], NULL, 0, &m, &fault);
    o.machine = m;
    o.slices = 1;
    o.operations = &operations;
    htmt_emulator_create(&e, &o, &fault);
    d.name = argv[2];
    d.home = "sram";
    d.exec = "cram";
    d.execute.kernel = strcmp(argv[2], "sums") ? walk : sums;
    d.args_bytes = sizeof in;
    d.result_bytes = sizeof(double);
    htmt_type_create(e, &d, &type);
    htmt_assemble(htmt_root(e), &(struct htmt_parcel_desc){.type = type, .args = &in}, NULL);
    if (htmt_emulator_run(e) || htmt_operations_at(e, 0, &r))
        return fprintf(stderr, "%s\n", e ? htmt_emulator_fault(e)->text : fault.text), 1;
    for (int i = 0; i < HTMT_OPERATIONS_PARTS; i++)
        all += r.part[i];
    printf("%lld\n", (long long)(all / 1000000));
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
}
C
expect 0 "$cc" -I"$root" -c ways.c -o ways.o
# shellcheck disable=SC2046
expect 0 gcc -std=gnu17 ${SANITIZE:+-fsanitize="$SANITIZE"} -I"$root" service.c ways.o \
    "$(dirname "$HTMT")/libhtmt.a" -o service \
    $(pkg-config --libs yaml-0.1 liburcu-cds jansson libdeflate) -lm -lpthread
cat >ways.yaml <<'END'
htmt-machine: 1
base: small-htmt
layers:
  cram:
    processor: {clock: {value: 1 GHz, source: test}}
    inside:
      overlap: {value: 1, source: test}
      add-f64: {latency: 3 cycles, every: 1 cycle, source: test}
      mul-f64: {latency: 4 cycles, every: 1 cycle, source: test}
      convert-f64: {value: 1 cycle, source: test}
      convert-i64: {value: 1 cycle, source: test}
      add-i64: {value: 1 cycle, source: test}
      cmp-i64: {value: 1 cycle, source: test}
      logic-i64: {value: 1 cycle, source: test}
END
cycles() {
    expect 0 ./service "$@"
    cat out
}

# The units of a turn take 4, its four additions; 99 turns take the longer way, the last one the units:
# 4 additions of 3 against 4 + 3, then against 10 + 3.
printf '%s\n' 'htmt-machine: 1' 'base: ./ways.yaml' \
    'layers: {cram: {inside: {mul-f64: {latency: 10 cycles, every: 1 cycle, source: test}}}}' >slow.yaml
[ "$(cycles ./ways.yaml sums)" = $((99 * 4 * 3 + 4)) ] || fail "not four additions: $(cat out)"
[ "$(cycles ./slow.yaml sums)" = $((99 * (10 + 3) + 4)) ] || fail "not a multiplication: $(cat out)"

# Each turn loads a new line of y, which takes 20, while x stays. A turn of the way over y takes a hit,
# the miss and an addition; that over x has two additions and a logic operation. The bank alone would
# take a miss in 20.
cat >cache.yaml <<'END'
htmt-machine: 1
base: ./ways.yaml
layers:
  cram:
    inside:
      l1: {size: 4 KiB, line: 64 B, ways: 4, hit: 1 cycle, source: test}
      outstanding: {value: 8, source: test}
      dram: {page: 1 KiB, hit: 20 cycles, miss: 20 cycles, source: test}
END
half=$(cycles ./cache.yaml walk 256)
whole=$(cycles ./cache.yaml walk 512)
[ $((whole - half)) = $((32 * (1 + 20 + 1))) ] || fail "32 turns that wait for y: $((whole - half))"

# Of nine such pairs on end ten ways are left, with 0 to 9 multiplications and three additions in
# place of each pair that is not taken; the eight with the fewest multiplications are kept.
{
    echo 'double deep(double s, double a, double b, long n) { while (n--) {'
    for _ in 1 2 3 4 5 6 7 8 9; do echo 's = s * a + ((s + a) + b);'; done
    echo '} return s; }'
} >deep.c
expect 0 "$cc" -c deep.c -o deep.o
[ "$(sed -n 's/.*head\[\] = {\([^}]*\)}.*/\1/p' deep.o.blocks.c | cut -d, -f4,5)" = ' 8, 188' ] ||
    fail "not eight chains of 27 to 20 links: $(grep head deep.o.blocks.c)"
