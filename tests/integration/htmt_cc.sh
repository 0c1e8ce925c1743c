#!/bin/bash
# Class: fast foreign.
# htmt-cc: hooks before accesses, lines of what it refuses, and the ways through a loop that it keeps.
. "$(dirname "$0")/common"

cc=$(dirname "$HTMT")/htmt-cc
[ -x "$cc" ] || { lacks 'clang-14 or LLVM 14' 'htmt-cc'; exit 77; }

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

# Functions of the mathematical library are operations: no call of them is left to be recorded.
cat >functions.c <<'C'
#include <math.h>
double all(double x, float y)
{
    return erf(x) + erfc(x) + tanh(x) + log2(x) + exp2(x) + cbrt(x) + lgamma(x) + atanh(x) + fdim(x, 1) + erff(y) +
           scalbn(x, 3) + nextafter(x, 2);
}
int other(const char *s);
int length(const char *s)
{
    return other(s);
}
C
expect 0 "$cc" -c functions.c -o functions.o
[ "$(grep -c '^extern const char c' functions.o.blocks.c)" = 1 ] && grep -q 'char c0.*"other"' functions.o.blocks.c ||
    fail "not operations: $(grep 'extern const char' functions.o.blocks.c)"

# Those by length, too: their bytes are put on the tape behind a hook. One that is not known stays a call.
cat >strings.c <<'C'
#include <stdlib.h>
#include <string.h>
size_t all(const char *s, const char *t, char *to, size_t n)
{
    memcpy(to, s, n);
    memmove(to, s, n);
    memset(to, 0, n);
    return strlen(s) + (size_t)strcmp(s, t) + (size_t)strncmp(s, t, n) + (size_t)memcmp(s, t, n) + strnlen(s, n) +
           (memchr(s, 1, n) != NULL) + (strchr(s, 2) != NULL);
}
void sort(int *x, size_t n, int (*less)(const void *, const void *))
{
    qsort(x, n, sizeof *x, less);
}
C
expect 0 "$cc" -c strings.c -o strings.o
[ "$(grep -c '^extern const char c' strings.o.blocks.c)" = 1 ] && grep -q 'char c0.*"qsort"' strings.o.blocks.c ||
    fail "not by length: $(grep 'extern const char' strings.o.blocks.c)"
nm strings.o | grep -q 'U htmt__rec_length' || fail 'no hook before strlen'

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
void through(struct htmt_kernel *k);
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
static double q[8], s[512], a[512];
__attribute__((noinline)) void add(double *q, double *s, const double *a, long n)
{
    for (long i = 0; i < n; i++) {
        q[0] += a[i];
        s[i] = a[i];
    }
}
void through(struct htmt_kernel *k)
{
    const struct input *in = htmt_kernel_args(k);
    add(q, s, a, in->n);
    *(double *)htmt_kernel_result(k) = q[0];
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
    d.execute.kernel = argv[2][0] == 't' ? through : argv[2][0] == 'w' ? walk : sums;
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

# A window. Of sums() the way over four additions, 3 each, is all that binds: a hundred turns. Through
# memory each turn waits for the store before it: 6 and an addition. In program order nothing waits.
cat >window.yaml <<'END'
htmt-machine: 1
base: ./ways.yaml
layers:
  cram:
    inside:
      order: window
      issue: {value: 8 op/cycle, source: test}
      reorder: {value: 224, source: test}
      forward: {value: 6 cycles, source: test}
      l1: {size: 32 KiB, line: 64 B, ways: 8, hit: 5 cycles, every: 0.5 cycle, source: test}
END
[ $(($(cycles ./window.yaml sums) - 100 * 4 * 3)) -le 20 ] || fail "a window: sums: $(cat out)"
[ "$(cat out)" -ge $((100 * 4 * 3)) ] || fail "a window is faster than its chain: $(cat out)"
half=$(cycles ./window.yaml through 256)
whole=$(cycles ./window.yaml through 512)
[ $((whole - half)) = $((256 * (6 + 3))) ] || fail "256 turns through memory: $((whole - half))"
sed '/order:/d; /reorder:/d; /forward:/d' window.yaml >program.yaml
half=$(cycles ./program.yaml through 256)
whole=$(cycles ./program.yaml through 512)
[ $((whole - half)) -lt $((256 * 4)) ] || fail "in program order: $((whole - half))"

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

# Steps and whose results each needs: operation, lanes, sources. 24 is a load, 26 a choice (pairs of a
# block and a step; -1: none), 27 the jump; 1 is an addition, 3 a multiplication, 7 a comparison, 20 a minimum or
# maximum, 22 a gather. The
# first block has the larger one of n and 1; the last one returns the sum.
cat >dot.c <<'C'
double dot(const double *x, const double *y, long n)
{
    double s = 0;
    long i = 0;
    do {
        s += x[i] * y[i];
    } while (++i < n);
    return s;
}
C
expect 0 "$cc" -c dot.c -o dot.o
# steps FILE.o
steps() {
    {
        sed -n 's/.*head\[\] = {\([^}]*\)}.*/\1/p' "$1.blocks.c"
        sed -n '/tables\[\]/,/};/p' "$1.blocks.c" | tr -dc '0-9,\n' | tr -d '\n'
    } | awk -F, -v bits="${2:-256}" 'NR == 1 { at = 1 + 14 * $2 + $3 + 2 * $4 + 2 * $5; n = $6 }
    NR == 2 { for (i = 0; i < n; i++) {
        printf "%d: %d x %d:", i, $(at + 3 * i) % bits, $(at + 3 * i) / 65536
        for (k = 0; k < $(at + 3 * i + 2); k++) {
            s = $(at + 3 * n + $(at + 3 * i + 1) + k)
            printf " %d", s == 4294967295 ? -1 : s }
        print "" } }'
}
steps dot.o >steps
cat >expected <<'END'
0: 20 x 1:
1: 61 x 1: 0 -1 1 6
2: 61 x 1: 0 -1 1 7
3: 59 x 1: 2
4: 59 x 1: 2
5: 3 x 1: 3 4
6: 1 x 1: 5 1
7: 1 x 1: 2
8: 7 x 1: 7 0
9: 62 x 1: 8
10: 62 x 1: 6
END
diff expected steps || fail 'not the steps of a product of vectors'

# A real that is needed behind a call waits in memory: a step of no operation (0 x 0). The sum of a loop has two, as clang
# keeps it twice a turn; a factor that is there before the call and used behind it has one, and none before.
cat >kept.c <<'C'
double floor(double);
double sum(const double *x, long n)
{
    double s = 0;
    long i = 0;
    do {
        s += floor(x[i]);
    } while (++i < n);
    return s;
}
void scaled(const double *x, double *y, long n)
{
    long i = 0;
    do {
        double f = x[i] * x[i];
        y[i] = f * floor(f);
    } while (++i < n);
}
C
expect 0 "$cc" -c kept.c -o kept.o
kept=$(steps kept.o | awk '$2 == 0 && $4 == "0:" { was[$1 + 0]++; n++ } $2 != 61 && $4 != "0:" { for (k = 5; k <= NF; k++) if (was[$k]) used = used " " $2 }
    END { print n + 0 ":" used }')
case $(uname -m) in x86_64) expected='3: 1 3' ;; *) expected='0:' ;; esac
[ "$kept" = "$expected" ] || fail "not kept over calls: $kept: $(steps kept.o)"

# A walk down a column has a product for each element in the IR and none in the code, which adds the length of a
# row to an address. A product with 31 is a shift (4) and a subtraction; with a number that is not known it stays.
cat >products.c <<'C'
double column(const double *a, long rows, long n)
{
    double s = 0;
    for (long i = 0; i < rows; i++)
        s += a[i * n];
    return s;
}
unsigned spread(unsigned x, const unsigned *by)
{
    return x * 31 ^ *by * *by;
}
C
expect 0 "$cc" -c products.c -o products.o
[ "$(steps products.o | awk '$2 == 3 { n++ } $2 == 3 && was == 59 { n += 10 } { was = $2 } END { print n }')" = 11 ] ||
    fail "not one product of integers, of what is loaded: $(steps products.o)"

# Products with small constants are shift-adds (56), shifts (55) and additions, and a shifted summand is a shift-add: as
# many as the code has of `lea` with a scale and of shifts. Equality of reals takes two jumps, an order of them one.
cat >shifts.c <<'C'
unsigned long mix(unsigned long x, unsigned long y)
{
    return (x * 29 ^ y >> 7) + 8 * (x & y);
}
long same(long n, const double *a)
{
    long i = 0;
    while (i < n && a[i] != 3)
        i++;
    while (i < n && a[i] < 5)
        i++;
    return i;
}
C
expect 0 "$cc" -c shifts.c -o shifts.o
expect 0 clang-14 -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -S shifts.c -o shifts.s
code="$(grep -c 'lea.*([^)]*,[^)]*,[248])' shifts.s) $(grep -c '	s[ha][lr][lq]' shifts.s) $(grep -A2 ucomisd shifts.s | grep -c '	j')"
made=$(steps shifts.o | awk '{ operation[$1 + 0] = $2 } $2 == 56 { scaled++ } $2 == 55 { shifts++ }
    $2 == 62 && operation[$5] == 7 && $4 + 0 == 2 { two++ } END { print scaled + 0, shifts + 0, two * 2 + 1 }')
[ "$made" = "$code" ] || fail "shift-adds, shifts and jumps of reals: $made, of the code: $code"

# `a - x y` is a product and a subtraction, as in the code, whatever sign the IR has; where something else needs -x, that
# is an operation (6). A signed quotient by 2 is a shift, an addition and a shift, as the code has it.
cat >signs.c <<'C'
double less(double a, double x, double y) { return a - x * y; }
double further(double a, double x, double y, double z) { return a - (x + z) * y / z * y; }
double constant(double x, double y) { return -x * y * 0.5; }
C
cat >both.c <<'C'
double both(double a, double x, double y, double *z) { *z = -x; return a + -x * y; }
double product(double a, double x, double y, double *z) { *z = -x * y; return a - x * y * 3; }
C
cat >half.c <<'C'
int half(int x, int y) { return (x ^ y) / 2; }
C
for name in signs both half; do
    expect 0 "$cc" -c $name.c -o $name.o
    expect 0 clang-14 -O2 -S $name.c -o $name.s
done
signs=$(grep -c '	xorp' signs.s || :)
[ "$(steps signs.o | awk '$2 == 6 { n++ } END { print n + 0 }') $signs" = '0 0' ] || fail "a sign: $(steps signs.o)"
[ "$(steps both.o | awk '$2 == 6 { n++ } END { print n + 0 }')" = "$(grep -c '	xorp' both.s)" ] ||
    fail "no sign: $(steps both.o)"
[ "$(steps half.o | awk '$2 == 55 { n++ } END { print n + 0 }')" = "$(grep -c '	s[ha]rl' half.s)" ] ||
    fail "not the shifts of a quotient by 2: $(steps half.o)"

# Selections of integers are the moves of the code: by one flag (57), and by two (58) where reals are above others or
# integers without a sign are. A real that is selected by a mask is two operations (6) or, beside a zero, one; the
# least of two reals is one instruction where zeros keep their signs (not where `!(x <= y)` selects).
cat >choose.c <<'C'
int last(int n, const double *a, double x)
{
    int j = -1;
    for (int i = 0; i < n; i++)
        if (a[i] < x)
            j = i;
    return j;
}
unsigned whole(unsigned x, unsigned y, int p, int q) { return x > y ? (p < q ? x + 3 : y) : (unsigned)p; }
C
cat >mask.c <<'C'
double more(double x, double y) { return !(x <= y) ? x : y; }
C
cat >least.c <<'C'
double less(double x, double y) { return x < y ? x : y; }
C
for name in choose mask least; do
    expect 0 "$cc" -c $name.c -o $name.o
    expect 0 clang-14 -O2 -fno-unroll-loops -fno-vectorize -S $name.c -o $name.s
done
chosen=$(steps choose.o | awk '{ n[$2]++ } END { print n[57] + 0, n[58] + 0 }')
moves="$(grep '	cmov' choose.s | grep -cv 'cmova[lq]\|cmovbe' || :) $(grep -c 'cmova[lq]\|cmovbe' choose.s || :)"
[ "$chosen" = "$moves" ] && [ "$chosen" != '0 0' ] || fail "selections: $chosen, the code has $moves"
masks=$(steps mask.o | awk '{ n[$2]++ } END { print n[6] + 0, n[20] + 0 }')
least=$(steps least.o | awk '{ n[$2]++ } END { print n[6] + 0, n[20] + 0 }')
[ "$masks, $least" = '2 0, 0 1' ] || fail "reals that are selected: $masks, $least"

# Reals are summed up in their order at -O3 and as vectors at -Ofast, whose level is not -O3 alone.
for level in O3 Ofast; do
    expect 0 "$cc" --tape $level -c dot.c -o $level.o
    steps $level.o 65536 | awk '$2 % 256 == 1 && $2 >= 1024 { n++ } END { print (n > 0) }'
done >summed
[ "$(tr '\n' ' ' <summed)" = '0 1 ' ] || fail "sums as vectors: $(tr '\n' ' ' <summed)"

# A machine without a row of shifts takes that of logic: a hundred shifts that wait for each other take 10 more each
# where they take 11 and not 1.
cat >hash.c <<'C'
unsigned long hash(long n, unsigned long x)
{
    for (long i = 0; i < n; i++)
        x ^= x >> 7;
    return x;
}
C
printf '%s\n' 'htmt-machine: 1' 'base: ./window.yaml' \
    'layers: {cram: {inside: {shift-i64: {latency: 11 cycles, every: 1 cycle, source: test}}}}' >shift.yaml
first() {
    expect 0 "$HTMT" host predict hash.c --call 'hash(n=100, x=77)' --machine "$1" --flags -O2 --json -
    sed -n 's/.*"first_ns": \([0-9.]*\).*/\1/p' out
}
echo "$(first ./window.yaml) $(first ./shift.yaml)" | awk '{ exit $1 < 200 || $1 > 210 || $2 - $1 != 1000 }' ||
    fail "100 shifts of 1 and of 11 cycles: $(first ./window.yaml), $(first ./shift.yaml)"

# Vectors of the program stay what they are without those of the compiler: a product of two registers of two
# doubles. Elements that are put together take a shuffle (21) for each behind the first of a register; sum[0] and
# sum[2] are the first ones. Nobody needs sum[1].
cat >lanes.c <<'C'
typedef double quad __attribute__((vector_size(32)));
void weigh(double *to, const double *x, const double *w)
{
    quad sum = {x[0], x[1], x[2], x[3]};
    sum *= (quad){w[0], w[0], w[1], w[1]};
    to[0] = sum[2] + sum[0];
    to[1] = sum[3];
}
C
expect 0 "$cc" -c lanes.c -o lanes.o
[ "$(steps lanes.o | awk '$2 != 59 && $2 != 60 { printf "%d x %d, ", $2, $4 }')" = \
    '21 x 1, 21 x 1, 3 x 2, 1 x 1, 21 x 1, 62 x 1, ' ] || fail "not the steps of lanes: $(steps lanes.o)"

# Of vectors, each lane of a gather is a load, and the gather waits for all of them; a store with a mask is one.
cat >gather.c <<'C'
void gather(long n, const double *restrict x, const int *restrict p, double *restrict y)
{
    for (long i = 0; i < n; i++)
        if (p[i] > 0)
            y[i] = x[p[i]];
}
C
expect 0 "$cc" --tape O3 -march=skylake-avx512 -c gather.c -o gather.o
steps gather.o | awk '$2 == 22 { n = NF - 4; gathers++; for (k = 0; k < 4; k++) last[k] = $(5 + k) }
    { operation[$1 + 0] = $2 }
    END { for (k = 0; k < 4; k++) all += operation[last[k]] == 59; exit !(gathers && n >= 3 && all == 4) }' ||
    fail "no gather of four loads: $(steps gather.o)"
steps gather.o | grep -q ': 60 x 1' || fail 'no store with a mask'

# A rounded mean of bytes is one instruction, of which the IR makes words that are added, shifted and truncated:
# as many operations on vectors as the code has instructions on them.
cat >mean.c <<'C'
void mean(long n, const unsigned char *restrict a, const unsigned char *restrict b, unsigned char *restrict c)
{
    for (long i = 0; i < n; i++)
        c[i] = (unsigned char)((a[i] + b[i] + 1) >> 1);
}
C
expect 0 "$cc" --tape O3 -march=skylake-avx512 -c mean.c -o mean.o
expect 0 clang-14 -O3 -march=skylake-avx512 -S mean.c -o mean.s
code=$(grep -c 'vpavgb.*ymm\|vpavgb.*xmm' mean.s)
made=$(steps mean.o 65536 | awk '$2 >= 1024 { n += $4 } END { print n }')
[ "$code" = "$made" ] || fail "$made operations on vectors, of $code instructions"

# A selection is a branch where the compiler makes one of it: the comparison with what was loaded, then a jump.
cat >search.c <<'C'
long search(long n, const double *a, double x)
{
    long low = 0, high = n;
    while (low < high) {
        long m = (low + high) / 2;
        if (a[m] < x)
            low = m + 1;
        else
            high = m;
    }
    return low;
}
C
expect 0 "$cc" -c search.c -o search.o
expect 0 clang-14 -O2 -S search.c -o search.s
branches=$(steps search.o | awk '{ $1 += 0; operation[$1] = $2; from[$1] = $5 }
    $2 == 62 && operation[$5] == 7 && operation[from[$5]] == 59 { n++ } END { print n + 0 }')
[ "$branches" = "$(grep -A1 ucomisd search.s | grep -c '	j[^m]')" ] || fail "not the branches of the code: $(steps search.o)"

# A count of 32 bits that is extended in its own register waits for that extension in the turn before.
cat >reverse.c <<'C'
void reverse(int n, const double *a, double *b)
{
    for (int i = 0; i < n; i++)
        b[i] = a[n - 1 - i];
}
C
expect 0 "$cc" -c reverse.c -o reverse.o
expect 0 clang-14 -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -S reverse.c -o reverse.s
if grep -q 'movslq	%\(e\(..\), %r\2\|\(r[0-9]*\)d, %\3\)$' reverse.s; then
    steps reverse.o | awk '{ for (k = 5; k <= NF; k++) later += $k + 0 > $1 + 0 && $2 != 61 } END { exit later != 1 }' ||
        fail "no wait for the turn before: $(steps reverse.o)"
fi

# An element of a variable number goes through memory, where the compiler sends it there.
cat >spread.c <<'C'
typedef double four __attribute__((vector_size(32)));
void spread(long n, const double *a, const long *k, four *sum)
{
    four v = {0};
    for (long i = 0; i < n; i++) {
        v[k[i] & 3] = a[i];
        *sum += v;
    }
}
C
expect 0 "$cc" -c spread.c -o spread.o
expect 0 clang-14 -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -S spread.c -o spread.s
made=$(steps spread.o | awk '$2 == 59 || $2 == 60 { n++ } END { print n }')
[ "$made" = "$(grep -c '	mov.*(%r' spread.s)" ] || fail "$made accesses: $(cat spread.s)"
