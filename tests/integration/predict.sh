#!/bin/bash
# Class: fast foreign.
# `htmt host predict`: a call of a function in a C file on a machine with an inside; what does not
# fit is one line, status 2, and leaves nothing behind.
. "$(dirname "$0")/common"

build=$(dirname "$HTMT")
[ -x "$build/htmt-cc" ] || { lacks 'clang-14 or LLVM 14' 'predictions of functions'; exit 77; }
[ -z "${SANITIZE-}" ] || skip "objects of htmt-cc have no sanitizer"
mkdir files
export TMPDIR=$PWD/files

cat >f.c <<'C'
#include <math.h>
static double part(const double *x, const double *y, long n)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}
double dot(long n, const double *x, const double *y)
{
    return part(x, y, n);
}
void grid(int n, float a[restrict n][n], float b[4][4], float f)
{
    for (int i = 0; i < n; i++)
        a[i][i] = f * b[i % 4][0];
}
extern int puts(const char *);
void foreign(int n)
{
    if (n)
        puts("one");
}
struct list { int a; struct list *next; };
void pairs(struct list *p) { p->a = 1; }
struct pair { char first; struct { double x; float y; } in[2]; short last; };
double values[4096];
/* Ends the process unless all arguments have the values that docs/host.md says. */
int holds(int n, struct pair *p, double **r, _Bool yes, double _Complex *z)
{
    for (int i = 0; i < n; i++)
        if (p[i].first != i || p[i].in[1].x != 1 + i % 8 / 16. || p[i].in[0].y != p[i].in[1].x ||
            p[i].last != i || r[i / 5][i % 5] != p[i].in[0].x || !yes || values[i] ||
            __imag__ z[i] != p[i].in[0].x)
            __builtin_trap();
    return n;
}
void count(int n, int *p)
{
    for (int i = 0; i < n; i++)
        p[p[i]]++;
}
C
# What a user defines holds for nothing but the source. Nothing calls these functions.
cat >own.c <<'C'
#define n 100
#define i which
#define size work
#define type rounds
static double lonely(int m, double a[m])
{
    double s = 0;
    for (int j = 0; j < m; j++)
        s += a[j] * n;
    return s;
}
static inline double fast(int m, double a[m]) { return lonely(m, a); }
C
# predicted CALL [OPTIONS]: ns a call behind the first one.
predicted() {
    expect 0 "$HTMT" host predict f.c --machine pim-node --call "$@"
    python3 - <<'PYTHON'
import re
value, unit = re.search(r"predicted +([0-9.]+) (ns|us|ms) a call", open("out").read()).groups()
print(float(value) * {"ns": 1, "us": 1e3, "ms": 1e6}[unit])
PYTHON
}

# A loop in order takes twice as long for twice the turns: in a cache that holds both arrays ..
a=$(predicted 'dot(n=200, x[n], y[2*n-n])')
b=$(predicted 'dot(n=400, x[n], y[(n)])')
# .. and the kernel ddot, which the application kernels records, as long as the same loop here.
expect 0 "$HTMT" run kernels --kernel ddot --n 400 --rounds 8 --machine pim-node --timing operations --csv k.csv
python3 - "$a" "$b" "$(awk -F, '$1 == "ddot" { print $3 }' k.csv)" <<'PYTHON' || fail "dot: $a, $b, $(<k.csv)"
import sys
a, b, kernel = map(float, sys.argv[1:])
assert 1.98 < b / a < 2.02 and abs(b / kernel - 1) < 0.02, (a, b, kernel)
PYTHON
[ "$(predicted 'grid(n=8, a[n][n], b[4][4], f=0.5)')" != 0.0 ] || fail 'grid takes no time'
[ "$(predicted 'holds(n=20, p[n], r[n/5][5], yes=1, z[n])')" != 0.0 ] || fail 'holds takes no time'
# Each level of optimization is the user's own: at -O0 a turn has some twenty instructions and an
# addition that waits through memory, at -O1 some five.
level() {
    expect 0 "$HTMT" host predict own.c --machine pim-node --call "$1" --flags "$2" --json -
    python3 -c 'import json; print(round(json.load(open("out"))["predicted_ns"]))'
}
[ "$(level 'lonely(m=500, a[m])' -O0)" -gt $((2 * $(level 'fast(m=500, a[m])' -O1))) ] || fail 'O0 is O1'
[ "$(level 'fast(m=500, a[m])' -Os)" -le "$(level 'fast(m=500, a[m])' -O1)" ] || fail 'Os is slower than O1'
[ "$(predicted 'count(n=100, p[n])' --flags '-O1 -DX=1')" != 0.0 ] || fail 'count takes no time'

# Functions by length take a + b n: 100 ns and 50 ns for 16 bytes of a copy, 70 ns and 20 ns of a string.
cat >length.yaml <<'END'
htmt-machine: 1
base: pim-node
layers:
  cram:
    inside:
      order: window
      memcpy: {latency: 100 cycles, every: 50 cycles, source: "made up"}
      strlen: {latency: 70 cycles, every: 20 cycles, source: "made up"}
END
cat >length.c <<'C'
#include <string.h>
void copy(long n, char *a, const char *b) { memcpy(a, b, (size_t)n); }
long count(long n, const char *a) { return (long)strlen(a + 1) + n; }
C
for call in 'copy(n=48, a[n], b[n])' 'copy(n=176, a[n], b[n])' 'count(n=0, a[200])' 'copy(n=1, a[n], b[n])'; do
    expect 0 "$HTMT" host predict length.c --machine ./length.yaml --call "$call"
    sed -n 's/^  predicted  \([0-9.]*\) ns a call,.*/\1/p' out
done >took
python3 - $(<took) <<'PYTHON' || fail "by length: $(<took)"
import sys
short, long, text, one = map(float, sys.argv[1:])
assert abs(long - short - 8 * 50) < 0.1 and abs(one - 150) < 20 and abs(text - 70 - 7 * 20) < 20, (short, long, text, one)
PYTHON

# All figures for programs; what the clock did not say is null.
expect 0 "$HTMT" host predict f.c --machine pim-node --call 'dot(n=200, x[n], y[2*n-n])' --json -
python3 - "$a" <<'PYTHON' || fail "--json: $(<out)"
import json, sys
j = json.load(open("out"))
assert f'{j["predicted_ns"]:.4g}' == f"{float(sys.argv[1]):.4g}" and j["first_ns"] > 0, j
assert abs(j["low_ns"] / j["predicted_ns"] - 0.75) < 1e-6 and abs(j["high_ns"] / j["predicted_ns"] - 1.5) < 1e-6, j
assert abs(sum(v for k, v in j["bounds"].items() if k != "busy") - 1) < 1e-6, j
assert j["clock_hz"] == 1e9 and j["clock_ns"] is None and j["disturbed_figures"] == [] and j["flags"] == "-O2", j
PYTHON

# The interval: what the file says that the model is off, and above it as long as the middle samples of the figures took. A
# chain of additions that took half as long again takes half as long again.
for spread in 0.0 50.0; do
    cat >spread.yaml <<END
htmt-machine: 1
base: pim-node
layers:
  cram:
    inside:
      add-f64: {latency: 100 cycles, every: 1 cycles, source: "measured, +$spread %: made up"}
      calibration: {issue-low: 95 %, issue-high: 110 %, units-low: 95 %, units-high: 110 %, chains-low: 95 %,
        chains-high: 110 %, l1-low: 95 %, l1-high: 110 %, branches-low: 95 %, branches-high: 110 %, source: "made up"}
END
    expect 0 "$HTMT" host predict f.c --machine ./spread.yaml --call 'dot(n=400, x[n], y[n])'
    sed -n 's/^  predicted  \([0-9.]*\) us a call,.*/\1/p; s/^  between    \([0-9.]*\) us and \([0-9.]*\) us a call$/\1 \2/p' out
done >took
python3 - $(<took) <<'PYTHON' || fail "between: $(<took)"
import sys
t, low, high, same, slow_low, slow_high = map(float, sys.argv[1:])
assert t == same and low == slow_low and abs(low / t - 0.95) < 1e-3 and abs(high / t - 1.1) < 1e-3, (t, low, high)
assert 1.4 < slow_high / high <= 1.501, (high, slow_high)
PYTHON

# refused WHAT ARGUMENTS...: one line with these words, status 2.
refused() {
    expect 2 "$HTMT" host predict "${@:2}"
    one_line
    grep -qF -- "$1" err || fail "not '$1': $(cat err)"
}
m='--machine pim-node'
refused 'expected a C file'
refused 'expected --machine FILE' f.c --call 'dot(n=1)'
refused 'expected --call CALL' f.c $m
refused "f.c: found no function nope" f.c $m --call 'nope(n=1)'
refused 'found 2 arguments of dot, expected more' f.c $m --call 'dot(n=1, x[n])'
refused 'found 4 arguments of dot, expected fewer' f.c $m --call 'dot(n=1, x[n], y[n], z=2)'
refused "found an array for argument 1 of dot, 'n', expected a whole number" f.c $m --call 'dot(n[4], x[4], y[4])'
refused "found a whole number for argument 2 of dot, 'x', expected an array of elements of type double" \
    f.c $m --call 'dot(n=4, x=4, y[n])'
refused "found a number with a fraction for argument 1 of dot, 'n'" f.c $m --call 'dot(n=1.5, x[4], y[4])'
refused "expected the name of a whole number of the call" f.c $m --call 'dot(n=4, x[m], y[n])'
refused 'expected 1 to 2^31 elements' f.c $m --call 'dot(n=4, x[n-4], y[n])'
refused 'expected no division by 0' f.c $m --call 'dot(n=4, x[n/0], y[n])'
refused "expected ',' or ')'" f.c $m --call 'dot(n=4, x[n]'
refused 'another name' f.c $m --call 'dot(n=4, n[4], y[n])'
refused 'take 15.9 GiB, expected at most 1 GiB' f.c $m --call 'dot(n=2000000000, x[n], y[(n+147483648)/16])'
refused "argument 1 of pairs is neither a number nor a pointer to numbers or to structs of at most 64 (%struct.list*" f.c $m --call 'pairs(p[1])'
refused 'an array of rows, as in [n][m], of type double' f.c $m --call 'holds(n=4, p[n], r[4], yes=1, z[n])'
refused 'f.c: the call raises SIGILL' f.c $m --call 'holds(n=4, p[n], r[1][n], yes=0, z[n])'
refused 'f.c:' f.c $m --call 'foreign(n=0)'
grep -q 'calls puts, which is not recorded' err || fail "$(cat err)"
cat >ends.c <<'END'
#include <stdio.h>
#include <stdlib.h>
void says(long n, double *a) { puts("heard"); for (long i = 0; i < n; i++) a[i] += 1; }
void wild(long n, double *a) { a[n << 32] = 1; }
void leaves(long n, double *a) { a[0] = n; exit(0); }
double past(long n, double *a)
{
    double s = 0;
    for (long i = 0; i < 2 * n; i++)
        s += a[i];
    return s;
}
int atomic(int *x) { return __sync_fetch_and_add(x, 1); }
void barrier(void) { __asm__ volatile("" ::: "memory"); }
double ends(long n, double *a, double _Complex *z)
{
    if (n < 0) {
        puts("negative");
        abort();
    }
    for (long i = 0; i < n; i++)
        z[i] = z[i] * z[i];
    barrier();
    return a[0];
}
END
refused 'ends.c:3: calls puts, which is not recorded' ends.c $m --call 'says(n=9, a[n])'
[ ! -s out ] || fail "it was heard: $(<out)"
refused 'ends.c: the call raises SIGSEGV: it touches memory beyond its arrays' ends.c $m --call 'wild(n=9, a[n])'
refused 'ends.c:10: reads memory beyond its arrays' ends.c $m --call 'past(n=500, a[n])'
refused 'ends.c:13: found an atomic access' ends.c $m --call 'atomic(x[1])'
expect 0 "$HTMT" host predict ends.c $m --call 'ends(n=9, a[n], z[2*n])'
refused 'ends.c: the call ends the process' ends.c $m --call 'leaves(n=9, a[n])'
refused "refuses it with flags '-O2 -fnonsense': unknown argument" f.c $m --call 'dot(n=1, x[n], y[n])' --flags '-O2 -fnonsense'
refused "--flags: found '-Ofoo', expected -O0 to -O3" f.c $m --call 'dot(n=1, x[n], y[n])' --flags '-Ofoo -g'
cp f.c f.cpp
refused "found an array for argument 1 of lonely, 'a', expected a whole number" own.c $m --call 'lonely(a[m], m=9)'
refused 'f.cpp: found C++, expected a C file' f.cpp $m --call 'dot(n=1, x[n], y[n])'
refused 'files: expected a C file' files $m --call 'dot(n=1)'
refused '--json no/x.json: there is no folder' f.c $m --call 'dot(n=1, x[n], y[n])' --json no/x.json
refused 'no.c: No such file' no.c $m --call 'dot(n=1)'
refused "no processor of htmt-oct98 has an inside, expected a file of 'htmt host measure'" f.c --machine htmt-oct98 \
    --call 'dot(n=1, x[n], y[n])'
refused '--against-clock: pim-node is not of this host' f.c $m --call 'dot(n=1, x[n], y[n])' --against-clock
refused '--cc: expected --against-clock beside it' f.c $m --call 'dot(n=1, x[n], y[n])' --cc gcc
expect 2 "$HTMT" host compare $m --flags -O3 --kernels mermaid
one_line
grep -q -- '--flags: found --kernels mermaid, expected shapes' err || fail "$(cat err)"
echo 'void lost(void); void f(void) { lost(); }' >lost.c
refused 'lost.c: cannot be loaded: undefined symbol: lost' lost.c $m --call 'f()'
echo 'int broken(' >broken.c
refused 'broken.c: clang-14 refuses it' broken.c $m --call 'broken()'
TMPDIR=$PWD/no/such expect 4 "$HTMT" host predict f.c $m --call 'dot(n=1, x[n], y[n])'
one_line
[ -z "$(ls -A files)" ] || fail "left behind: $(ls files)"
expect 0 "$HTMT" help host predict
