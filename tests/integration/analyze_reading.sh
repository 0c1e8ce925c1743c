#!/bin/bash
# Class: fast foreign.
# htmt analyze: options as compilers take them, functions by name, a database of compile commands,
# C++ without classes; what is lost is told with its share, and never takes the loops around along.
. "$(dirname "$0")/common"

if [ ! -x "$(dirname "$HTMT")/htmt-analyze" ]; then
    lacks 'libclang or isl' 'htmt-analyze'
    exit 77
fi

# analyze STATUS FILE: its nests in the file n.yaml.
analyze() {
    local wanted=$1
    shift
    rm -f n.yaml
    expect "$wanted" "$HTMT" analyze "$@" --nests n.yaml
}
# bounded PARAMETERS NAME CELLS: bound reads the file, and the nest has so many cells.
bounded() {
    expect 0 "$HTMT" bound ./n.yaml --machine exasat-listing1 ${1:+--param "$1"}
    grep -qE "^  $2 +[0-9]+ +$3 " out || fail "$2: not $3 cells: $(cat out)"
}

# ---- options of compilers -------------------------------------------------------------------------
mkdir include system
echo '#define SIZE 100' >include/size.h
echo 'typedef double real;' >system/real.h
echo '#define FACTOR 3' >own.h
cat >a.c <<'END'
#include <omp.h>
#include <real.h>
#include <stddef.h>
#include <stdint.h>
#include "size.h"
static void inner(int m, real *u)
{
#pragma omp simd
    for (int i = 0; i < m; i++) u[i] += FACTOR;
}
void step(int m, real *u)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < SIZE; i++) u[i] = 2 * u[i];
    inner(m, u);
}
void other(int m, real *u)
{
    for (int i = 0; i < m; i++) u[i] = 3 * u[i] + WORD;
}
END
flags=(-I include -isystem system -std=c11 -include own.h -D WORD=1 -fopenmp -O2 -Wall -march=native -g -MD -MF x.d -o x.o -c)
analyze 0 "${flags[@]}" a.c
analyze 0 -Iinclude -isystemsystem -includeown.h -DWORD=1 a.c
refuse "found '-q'" analyze -q a.c --nests n.yaml
refuse '-I: the value is missing' analyze a.c --nests n.yaml -I
refuse 'own.h is read and would be written over' analyze "${flags[@]}" a.c --nests own.h

# ---- functions by name ------------------------------------------------------------------------------
analyze 0 "${flags[@]}" a.c --function step
[ "$(sed -n '/^program:/,$p' n.yaml)" = 'program:
  - nest: step.14
  - nest: step.9' ] || fail "a function, and what it calls in line: $(cat n.yaml)"
analyze 0 "${flags[@]}" a.c --function inner --function other
[ "$(sed -n '/^program:/,$p' n.yaml)" = 'program:
  - nest: inner
  - nest: other' ] || fail "two functions: $(cat n.yaml)"
refuse "unknown function 'stp', did you mean 'step'?" analyze "${flags[@]}" a.c --function stp --nests n.yaml
printf 'static void inner(int m, double *u)\n{\nfor (int i = 0; i < m; i++) u[i] = 0;\n}\nvoid g(int m, double *u)\n{\ninner(m, u);\n}\n' >b.c
refuse '--function inner: found two, in a.c:6 and b.c:1' analyze "${flags[@]}" a.c b.c --function inner --nests n.yaml
# Without a choice each keeps a name of its own.
analyze 0 "${flags[@]}" a.c b.c
expect 0 "$HTMT" bound ./n.yaml --machine exasat-listing1 --param m=10

# ---- compile_commands.json --------------------------------------------------------------------------
mkdir build
cat >build/compile_commands.json <<END
[{"directory": "$PWD", "file": "a.c",
  "command": "/usr/bin/cc -Iinclude -isystem system -D'WORD=(1 + 1)' -include \"own.h\" -fopenmp -O3 -MD -o a.o -c a.c"},
 {"directory": "$PWD/build", "file": "../b.c", "arguments": ["cc", "-c", "../b.c"]}]
END
for database in build build/compile_commands.json; do
    analyze 0 -p $database a.c --function step
done
analyze 0 -p build b.c
cp b.c c.c
refuse 'build/compile_commands.json: found no entry of c.c' analyze -p build c.c --nests n.yaml
sed -i 's|\.\./b.c", "arg|../a.c", "arg|' build/compile_commands.json
refuse 'compile_commands.json: found two entries of a.c, 1 and 2' analyze -p build a.c --nests n.yaml
echo '{}' >build/compile_commands.json
refuse 'build/compile_commands.json: found no list' analyze -p build a.c --nests n.yaml
echo '[{"file": 3}]' >build/compile_commands.json
refuse 'entry 1: found no directory' analyze -p build a.c --nests n.yaml
echo '[' >build/compile_commands.json
refuse 'build/compile_commands.json:2' analyze -p build a.c --nests n.yaml
refuse 'nowhere.json' analyze -p nowhere.json a.c --nests n.yaml

# ---- C++ ------------------------------------------------------------------------------------------------
cat >x.cpp <<'END'
#include <cmath>
#include <vector>
namespace heat {
template <class T> T square(T x) { return x * x; }
void smooth(int n, double *u, const double &c)
{
    for (int i{0}; i < n; ++i) u[i] = std::sqrt(u[i]) * c + static_cast<double>(3);
}
void smooth(int n, float *u)
{
    for (int i = 0; i < n; ++i) u[i] = true ? 2 * u[i] : 0;
}
}
extern "C" void plain(int n, double (*a)[10])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 10; j++) a[i][j] = double(i);
}
class solver {
    double *u;
    int n;
    void run() { for (int i = 0; i < n; i++) u[i] = 0; }
    void more();
};
void solver::more() { for (int i = 0; i < n; i++) u[i] = 1; }
void ranges(std::vector<double> &v) { for (auto &x : v) x = 1; }
END
analyze 1 x.cpp
grep -q "found the class 'solver', whose loops are not read" err || fail "a class: $(cat err)"
[ "$(grep -c solver err)" = 1 ] || fail "a class is named once: $(cat err)"
grep -q 'x.cpp:26:.*another form' err || fail "a loop over a range: $(cat err)"
[ "$(sed -n '/^program:/,/^$/p' n.yaml | grep -c nest)" = 3 ] || fail "loops of C++: $(cat n.yaml)"
expect 1 "$HTMT" bound ./n.yaml --machine exasat-listing1 --param n=100
analyze 0 x.cpp --function plain

# ---- what is lost ---------------------------------------------------------------------------------------
# A solver in 200 steps whose sweep has a statement that cannot be read keeps its steps, and its
# sweep all else.
cat >x.c <<'END'
#include <stdio.h>
static double u[64][64], rhs[64][64], work[64];
static int at[64];
static void compute(void)
{
    for (int j = 1; j < 63; j++)
        for (int i = 1; i < 63; i++) rhs[j][i] = u[j][i + 1] - u[j][i - 1];
}
static void sweep(void)
{
    for (int j = 1; j < 63; j++) {
        for (int i = 1; i < 63; i++) {
            u[j][i] += rhs[j][i];
            work[at[i]] = rhs[j][i] * 2.0;
        }
        work[at[j]] = 0;
        while (work[j] > 1) work[j] *= 0.5;
        for (int i = 1; i < 63; i++)
            if (work[i] > 0) break;
    }
}
int main(void)
{
    for (int step = 1; step <= 200; step++) {
        if (step % 20 == 0 || step == 1) printf("%d\n", step);
        compute();
        sweep();
    }
    return 0;
}
END
analyze 1 x.c
sed 's/^htmt analyze: //' err >found
cat >wanted <<'END'
x.c:14:18: found a subscript of 'work' that is not affine; left out in the loop of line 12 (49.6 % of all iterations)
x.c:16:14: found a subscript of 'work' that is not affine; left out in the loop of line 11 (0.8 % of all iterations)
x.c:17:9: found while; left out in the loop of line 11 (0.8 % of all iterations)
x.c:19:30: found break; left out in the loop of line 11 (0.8 % of all iterations)
n.yaml: 2 loops read, 4 left out
END
cmp -s wanted found || fail "what is lost: $(diff wanted found)"
[ "$(sed -n '/^program:/,/^$/p' n.yaml)" = 'program:
  - repeat: "200"
    do:
      - call: compute
      - call: sweep' ] || fail "the steps are lost: $(cat n.yaml)"
expect 1 "$HTMT" bound ./n.yaml --machine exasat-listing1
grep -q '^  sweep .* 3844 ' out || fail "the sweep: $(cat out)"
cp n.yaml before.yaml
refuse 'of all iterations); --strict refuses this, and more' analyze x.c --strict --nests n.yaml
cmp -s n.yaml before.yaml || fail 'a strict refusal writes'

# A loop in a function that a statement calls is one of the nest.
cat >x.c <<'END'
static double norm(int n, const double *z) { double s = 0; for (int i = 0; i < n; i++) s += z[i]; return s; }
void work(int n, double *z) { for (int i = 0; i < n; i++) z[i] = norm(n, z); }
END
analyze 0 x.c
bounded n=100 work.1 10000
bounded n=100 work.2 100

# ---- one array under several names -------------------------------------------------------------------
# What only procedures touch, and hand on to others, has the box of the calls.
cat >x.c <<'END'
static void inner(int n, double *z) { for (int i = 0; i < n; i++) z[i] = 0; }
static void outer(int m, double *y) { inner(2 * m, y); inner(m + 3, y); }
void first(int k, double *u) { outer(k, u); }
void second(int l, double *u) { inner(l, u); }
END
analyze 0 x.c
[ "$(sed -n '/^arrays:/,/^$/p' n.yaml)" = 'arrays:
  u: {box: ["0..max(2*k-1, k+2, l-1)"], live: exit}' ] || fail "what is handed on: $(cat n.yaml)"
expect 0 "$HTMT" bound ./n.yaml --machine exasat-listing1 --param k=10,l=7

# A multigrid in functions that get sizes and void pointers: conditions on sizes beside each other are
# not nested, and a largest value behind a pointer is a variable.
cat >x.c <<'END'
static double u[40000], r[40000];
static void prolong(void *from, int m1, int m2, void *to, int n1, int n2, int n3, const double c[2])
{
    double(*z)[m1] = (double(*)[m1])from, (*w)[n1] = (double(*)[n1])to;
    int d;
    if (n1 == 3) d = 2; else d = 1;
    if (n1 != 3 && n2 != 3 && n3 != 3) {
        for (int j = 0; j < m2 - 1; j++)
            for (int i = 0; i < m1 - 1; i++) {
                w[2 * j][2 * i] += c[1] * z[j][i];
                w[2 * j][2 * i + 1] += 0.5 * (z[j][i + 1] + z[j][i]);
            }
    } else {
        for (int j = 1; j < m2 - 1; j++)
            for (int i = 1; i < m1 - 1; i++) w[2 * j - 1][2 * i - d] += z[j - 1][i - 1];
    }
}
static void norm(void *of, int n1, int n2, double *largest)
{
    double(*z)[n1] = (double(*)[n1])of, a;
    for (int j = 0; j < n2; j++)
        for (int i = 0; i < n1; i++) {
            a = z[j][i] * z[j][i];
            if (a > *largest) *largest = a;
        }
}
int main(int argc, char **argv)
{
    double largest = 0, c[2] = {1, 2};
    for (int it = 1; it <= 4; it++) {
        prolong(r, argc, argc, u, 2 * argc, 2 * argc, 2 * argc, c);
        norm(u, 2 * argc, 2 * argc, &largest);
    }
    return 0;
}
END
analyze 0 x.c
expect 0 "$HTMT" bound ./n.yaml --machine exasat-listing1 --param argc=17 --json b.json
python3 -c "
import json
l = {}
for x in json.load(open('b.json'))['loops']: l[x['name'][:6]] = l.get(x['name'][:6], 0) + x['times'] * x['cells']
assert sum(v for k, v in l.items() if k[:4] in ('prol', 'norm', 'main')) == 4 * (16 * 16 + 34 * 34), l" ||
    fail "a multigrid: $(cat n.yaml)"
