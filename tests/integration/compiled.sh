#!/bin/bash
# Class: fast.
# The instructions that a tape says a compiler makes of its blocks are those that callgrind counts of
# the same functions, compiled without hooks: within 2 % of each loop: ten shapes of loops, and one with square roots, which may set errno.
. "$(dirname "$0")/common"

cc=$(dirname "$HTMT")/htmt-cc
[ -x "$cc" ] || { lacks 'clang-14 or LLVM 14' 'htmt-cc'; exit 77; }
command -v valgrind >/dev/null || { lacks valgrind 'counts by callgrind'; exit 77; }
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"

cat >shapes.c <<'C'
#include "apps/kernels/shapes_text.h"
#include <math.h>
#define A(i) (block + (i) * 2500)
extern volatile uint64_t sizes[3];
static __attribute__((noinline)) void roots(uint64_t n, double *a, const double *b)
{
    for (uint64_t i = 0; i < n; i++) {
        const double r = sqrt(b[i] * b[i] + 1), s = sqrt(r * b[i] + 2);
        a[i] = r * b[i] + s / (r + 1) - 3 * r * s;
    }
}
static void one(uint64_t shape, double *block)
{
    const uint64_t n = sizes[0], many = sizes[1], few = sizes[2];
    switch (shape) {
    case 0: gemm(n, A(0), A(1), A(2)); break;
    case 1: bicg(n, A(3), A(4), A(0), A(1), A(2)); break;
    case 2: solve(n, A(3), A(0), A(1)); break;
    case 3: factor(n, A(0), A(1)); break;
    case 4: stencil1(many, A(0), A(1)); break;
    case 5: stencil2(n, A(0)); break;
    case 6: stencil3(few, A(0), A(1)); break;
    case 7: correlate(n, A(0), A(3), A(4), A(1), A(2)); break;
    case 8: filter(many, A(0), A(1), A(2)); break;
    case 9: total(many, A(0), A(1), A(2)); break;
    default: roots(many, A(0), A(1)); break;
    }
}
#ifdef HTMT_RECORDED
void kernel(struct htmt_kernel *k)
{
    one(*(const uint64_t *)htmt_kernel_args(k), htmt_used(k, 0));
}
#else
__attribute__((noinline)) void plain(uint64_t shape, double *block)
{
    one(shape, block);
}
#endif
C
cat >count.c <<'C'
#include "layers/node/tape/tape.h"
#include "parcels/htmt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void kernel(struct htmt_kernel *k);
void plain(uint64_t shape, double *block);
volatile uint64_t sizes[3] = {40, 2000, 12};
static double block[6 * 2500];
static struct htmt_object *object;
static void control(struct htmt_context *c)
{
    htmt_use(c, htmt_in(object, 0), sizeof block, HTMT_UPDATE);
}
/* "plain" SHAPE: runs it; MACHINE SHAPE: records it, and adds up its blocks. */
int main(int argc, char **argv)
{
    struct htmt_machine *m = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_type *type = NULL;
    struct htmt__tape *tape = NULL;
    struct htmt_fault fault = {0};
    struct htmt_options o = htmt_options_init();
    struct htmt_type_desc d = htmt_type_desc_init();
    uint64_t shape = strtoull(argv[argc - 1], NULL, 10), sum = 0;
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        block[i] = 1 + (double)(i % 7);
    if (!strcmp(argv[1], "plain")) {
        plain(shape, block);
        return 0;
    }
    htmt_machine_load(argv[1], NULL, 0, &m, &fault);
    htmt__tape_new(&tape, NULL);
    struct htmt_operations operations = {"shape", tape, 0};
    o.machine = m;
    o.slices = 1;
    o.operations = &operations;
    htmt_emulator_create(&e, &o, &fault);
    htmt_object_wrap(e, 0, 3, block, sizeof block, sizeof block / 8, "arrays", &object);
    d.name = "shape";
    d.home = d.exec = "cram";
    d.footprint = HTMT_RESIDENT;
    d.execute.kernel = kernel;
    d.execute.control = control;
    d.args_bytes = sizeof shape;
    htmt_type_create(e, &d, &type);
    htmt_assemble(htmt_root(e), &(struct htmt_parcel_desc){.type = type, .args = &shape}, NULL);
    if (htmt_emulator_run(e))
        return fprintf(stderr, "%s\n", e ? htmt_emulator_fault(e)->text : fault.text), 1;
    const struct htmt__tape_program *p = htmt__tape_program(tape);
    size_t n;
    for (size_t c = 0; htmt__tape_chunk(tape, c, &n); c++)
        for (size_t i = 0; i < n; i++) {
            const uint64_t entry = htmt__tape_chunk(tape, c, &n)[i];
            if (htmt__tape_kind(entry) == HTMT__TAPE_BLOCK)
                sum += p->blocks[htmt__tape_address(entry)].compiled;
        }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
C
flags="-std=gnu17 -I$root -ffp-contract=off"
# shellcheck disable=SC2086
expect 0 "$cc" $flags -c shapes.c -o recorded.o
# shellcheck disable=SC2086
expect 0 clang-14 $flags -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -w -fPIC -c shapes.c -o plain.o
# shellcheck disable=SC2046
expect 0 gcc -std=gnu17 -I"$root" count.c recorded.o plain.o "$(dirname "$HTMT")/libhtmt.a" -o count \
    $(pkg-config --libs yaml-0.1 liburcu-cds jansson libdeflate) -lm -lpthread
for shape in 0 1 2 3 4 5 6 7 8 9 10; do
    expect 0 ./count pim-node "$shape"
    tape=$(cat out)
    expect 0 valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=plain ./count plain "$shape"
    counted=$(awk '/Collected : / { print $NF }' err)
    awk -v t="$tape" -v c="$counted" -v s="$shape" 'BEGIN { d = 100 * (t / c - 1)
        printf "shape %d: tape %d, callgrind %d: %+.2f %%\n", s, t, c, d; exit !(d <= 2 && d >= -2) }' >>said ||
        fail "$(tail -n 1 said)"
done
cat said
