#!/bin/bash
# Class: fast foreign.
# htmt analyze: conditions that loop variables and parameters decide are domains, counted exactly;
# htmt bound reads what is written. The numbers of iterations are closed forms of each case.
. "$(dirname "$0")/common"

. "$root/tests/integration/nests"
over='for (int i = 0; i < n; i++)'
square="$over for (int j = 0; j < n; j++)"

# ---- domains ----------------------------------------------------------------------------------------
counts 98 n=100,p=0 "$over if (i > 0 && i < n - 1) x[i] = y[i - 1] + y[i + 1];"
grep -q 'i: "1..n-2"' n.yaml || fail "an inner range: $(cat n.yaml)"
counts 4950 n=100,p=0 "$square if (j < i) a[i][j] += 1;"
grep -q 'j: "0..i-1"' n.yaml || fail "a triangle: $(cat n.yaml)"
counts 9900 n=100,p=0 "$square if (i != j) a[i][j] += 1;"
counts 200 n=100,p=0 "$square if (i == j) a[i][j] = a[i][j] + 1 + b[i][j];"
counts 396 n=100,p=0 "$square if (i == 0 || j == 0 || i == n - 1 || j == n - 1) a[i][j] += 1;"
# Both sides: 2 on 4950, 1 on 5050 places.
counts 14950 n=100,p=0 "$square if (j < i) a[i][j] = a[i][j] + 1 + b[i][j]; else a[i][j] += 2;"
# Red and black: half of the 98 by 98 places within; of 99 by 99 one more of one colour.
black='for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)'
counts 4802 n=100,p=0 "$black if ((i + j) % 2 == 0) a[i][j] += 1;"
counts 4901 n=101,p=0 "$black if ((i + j) % 2 == 0) a[i][j] += 1;"
counts 4900 n=101,p=0 "$black if ((i + j) % 2) a[i][j] += 1;"
counts 33 n=100,p=0 "$over if (i % 3 == 1) x[i] += 1;"
counts 25 n=100,p=1 'for (int i = p; i < n; i++) if (i % 4 == 3) x[i] += 1;'
# Neighbours around a ring, in each form.
for next in '(i + 1) % n' 'i + 1 < n ? i + 1 : 0' 'i == n - 1 ? 0 : i + 1'; do
    counts 200 n=100,p=0 "$over x[i] = y[$next] + y[(i - 1 + n) % n] + 1;"
    grep -q 'read y\[i+1\]' n.yaml || fail "a ring: $(cat n.yaml)"
    counts 100 n=100,p=0 "$over { int next = $next; x[i] = y[next] + y[i]; }"
done
# Words that a row of conditions touches are within their arrays.
write "$square if (i > 0) if (j > 0) a[i][j] = b[i - 1][j - 1];"
grep -q 'b: {box: \["0..n-2", "n"\]' n.yaml || fail "a box: $(cat n.yaml)"

# ---- parameters and turns -----------------------------------------------------------------------------
for p in 0 1 2; do
    counts $((p == 1 ? 100 : 200)) n=100,p=$p \
        "if (p == 1) { $over x[i] += 1; } else { $over x[i] = x[i] + y[i] + 1; }"
done
counts 10000 n=100,p=3 "$square if (p > 2) a[i][j] += 1;"
counts 0 n=100,p=2 "$square if (p > 2) a[i][j] += 1;"
# turns STEPS CONDITION: turns of 0..p-1 in which it holds, with those before and behind it.
turns() {
    local t wanted=0
    for ((t = 0; t < $1; t++)); do
        wanted=$((wanted + ($2 ? 100 : 0)))
    done
    counts $((100 * $1 + wanted)) "n=100,p=$1" \
        "for (int t = 0; t < p; t++) { $over x[i] += 1; if ($2) $over y[i] += 1; }"
    counts $((100 * $1 + wanted)) n=100,p=0 \
        "for (int t = 0; t < $1; t++) { $over x[i] += 1; if ($2) $over y[i] += 1; }"
}
for steps in 1 25; do
    turns $steps 't % 10 == 0'
    turns $steps 't % 10 == 9'
    turns $steps 't > 3'
    turns $steps 't == 0 || t == 7'
done
# Turns stay in their order.
write "for (int t = 0; t < 200; t++) { $over x[i] += 1; if (t % 20 == 0) $over y[i] += 1; }"
[ "$(sed -n '/^program:/,$p' n.yaml | grep -c 'repeat: "9"\|repeat: "19"')" = 3 ] || fail "turns: $(cat n.yaml)"

# ---- data ---------------------------------------------------------------------------------------------
# What one side touches alone was touched before: three reads of two words, as written.
write "$over x[i] = x[i] > y[i] ? x[i] : y[i];"
[ "$(runs n=100,p=0 "l['operations']['loads']")" = 300 ] || fail "a maximum: $(cat n.yaml)"
# --taken thins reads and writes alike; the other loop is whole.
printf 'void f(int n, double *restrict x, double *restrict y)\n{\nfor (int i = 0; i < n; i++)\nif (x[i] > 0) y[i] += x[i];\n}\n' >x.c
# Without it a write on one side counts in each iteration, and a line says so.
analyze 0 x.c
grep -q '^htmt analyze: x.c:4:1: a branch that data decide, .* a write of y: .* unless --taken 4=PART' err && grep -q 'update y\[i\]"' n.yaml &&
    grep -q '^# x.c:4: a branch that data decide' n.yaml || fail "a write on one side: $(cat err n.yaml)"
analyze 0 x.c --taken 4=0.25
[ ! -s err ] || fail "a quarter is told: $(cat err)"
grep -q 'read x\[i\] x5/4' n.yaml && grep -q 'update y\[i\] x1/4' n.yaml || fail "a quarter: $(cat n.yaml)"
# That a quarter may touch all words is said; with none, y does not move.
expect 0 "$HTMT" bound ./n.yaml --machine exasat-listing1 --param n=1000
grep -q 'note  *a part of the iterations touches y (f); traffic is that of all of them' out || fail "a quarter: $(cat out)"
analyze 0 x.c --taken 4=0
expect 0 "$HTMT" bound ./n.yaml --machine exasat-listing1 --param n=1000 --csv b.csv
! grep -q note out && grep -q ',8000,8000' b.csv || fail "never: $(cat out b.csv)"

# ---- ranges that the source leaves open ------------------------------------------------------------------
cat >x.c <<'END'
#define AT(j, k, width, j0, k0) ((width) * ((k) - (k0)) + (j) - (j0))
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
void flux(int *xmin, int *xmax, int *ymin, int *ymax, int *which, double *dt, double *area, double *v0, double *v1, double *out)
{
    int x0 = *xmin, x1 = *xmax, y0 = *ymin, y1 = *ymax, j, k;
#pragma omp parallel
    {
        if (*which == 0) {
#pragma omp for private(j)
            for (k = y0; k <= y1; k++)
#pragma ivdep
                for (j = x0; j <= x1 + 1; j++)
                    out[AT(j, k, x1 + 5, x0 - 2, y0 - 2)] = 0.25 * *dt * area[AT(j, k, x1 + 5, x0 - 2, y0 - 2)] *
                        MAX(v0[AT(j, k, x1 + 5, x0 - 2, y0 - 2)], v1[AT(j, k + 1, x1 + 5, x0 - 2, y0 - 2)]);
        } else {
#pragma omp for private(j)
            for (k = y0; k <= y1; k++)
                for (j = x0; j <= x1; j++) {
                    double sum = 0.0;
                    for (int kv = k; kv <= k + 1; kv++)
                        for (int jv = j; jv <= j + 1; jv++)
                            sum = sum + v0[AT(jv, kv, x1 + 5, x0 - 2, y0 - 2)];
                    out[AT(j, k, x1 + 5, x0 - 2, y0 - 2)] = sum * 0.25;
                }
        }
    }
}
END
analyze 0 x.c
grep -q '^  - "xmin_0 >= -1"$' n.yaml || fail "what is assumed: $(cat n.yaml)"
[ "$(runs xmin_0=1,xmax_0=8,ymin_0=1,ymax_0=5,which_0=0 "l['operations']['mul']")" = 135 ] || fail "mul: $(cat n.yaml)"
[ "$(runs xmin_0=1,xmax_0=8,ymin_0=1,ymax_0=5,which_0=3 "l['operations']['add']")" = 160 ] || fail "add: $(cat n.yaml)"
refuse "'xmin_0 >= -1' does not hold" bound ./n.yaml --machine exasat-listing1 \
    --param xmin_0=-2,xmax_0=8,ymin_0=1,ymax_0=5,which_0=0

# A relation of two parameters; `bound` checks it.
printf 'void f(int n, int m, int s, double *u)\n{\nfor (int i = 0; i < s; i++) for (int j = 0; j < m; j++) u[i * n + j] += 1;\n}\n' >x.c
analyze 0 x.c
grep -q '^  - "n >= m"$' n.yaml || fail "a row that holds its loop: $(cat n.yaml)"
[ "$(runs n=10,m=7,s=3 "l['operations']['add']")" = 21 ] || fail "part of rows: $(cat n.yaml)"
refuse "'n >= m' does not hold" bound ./n.yaml --machine exasat-listing1 --param n=6,m=7,s=3
# What no sizes satisfy, and what another access contradicts, is not assumed, and leaves no assumption behind.
printf 'void f(int n, int m, double *u, double *v)\n{\nfor (int j = 0; j < m; j++) for (int i = 0; i < 2 * n; i++) u[j * n + i] = 1;\n' >x.c
printf 'for (int i = 0; i < n; i++) v[i] = 1;\n}\n' >>x.c
analyze 1 x.c
! grep -q '^assume' n.yaml || fail "two rows at once: $(cat n.yaml)"

# Edges of a width that is a parameter, in rows of m + 4 that begin at -1: the last column plus the width is no row further.
cat >x.c <<'END'
#define CELL(i, k) ((m + 4) * ((k) + 1) + (i) + 1)
void edges(int m, int n, int width, double *u)
{
    for (int k = 1 - width; k <= n + width; k++)
        for (int i = 1; i <= width; i++) {
            u[CELL(1 - i, k)] = 2.0 * u[CELL(i, k)];
            u[CELL(m + i, k)] = 2.0 * u[CELL(m + 1 - i, k)];
        }
    for (int i = 1 - width; i <= m + width; i++)
        for (int k = 1; k <= width; k++)
            u[CELL(i, 1 - k)] = u[CELL(i, k)];
}
END
analyze 0 x.c
grep -q 'write u\[k+1, i+m+1\]' n.yaml && grep -q 'read u\[k+1, -i+m+2\]' n.yaml && grep -q 'write u\[k+1, -i+2\]' n.yaml ||
    fail "columns at the edges: $(cat n.yaml)"
grep -q '^  - "width <= 2"$' n.yaml || fail "the width of an edge: $(cat n.yaml)"
[ "$(runs m=9,n=5,width=2 "l['operations']['mul']")" = 36 ] || fail "an edge of two: $(cat n.yaml)"
refuse "'width <= 2' does not hold" bound ./n.yaml --machine exasat-listing1 --param m=9,n=5,width=3

# What all subscripts add is where the array begins.
printf 'void pack(int n, int d, int at, double *restrict to, const double *restrict u)\n{\nfor (int k = 0; k < n; k++) for (int j = 0; j < d; j++)\n' >x.c
printf '{ int to_index = at + j + k * d; to[to_index] = 2.0 * u[k * d + j]; }\n}\n' >>x.c
analyze 0 x.c
! grep -q '^assume\|at: needed' n.yaml && grep -q 'write to\[k, j\]' n.yaml || fail "a buffer from somewhere on: $(cat n.yaml)"
[ "$(runs n=50,d=2 "l['operations']['mul']")" = 100 ] || fail "words of a buffer: $(cat n.yaml)"

# A loop that prints elements by the counter of the loop around reads them; it does not repeat one line.
printf '#include <stdio.h>\nvoid f(int n, double *u)\n{\nfor (int k = 0; k < n; k++) {\nfor (int i = 0; i < n; i++) { printf("%%f", u[k * n + i]); printf(" "); }\n' >x.c
printf 'printf("%%d\\n", k);\n}\n}\n' >>x.c
analyze 0 x.c
[ "$(runs n=30 "l['operations']['loads']")" = 900 ] || fail "printed elements: $(cat n.yaml)"

# ---- more of data, and numbers beside the counter ------------------------------------------------------
# A word that one side alone reads counts in each case; one that it writes does not.
write "$over { double d = 0.5; if (x[i] > 0) d = x[i] * y[i]; x[i] = d; }"
[ "$(runs n=100,p=0 "l['operations']['loads']")" = 300 ] || fail "a read on one side: $(cat n.yaml)"
# lw goes by ones where the counter goes by fives: y[4], y[9], ... times x[lw].
write 'int lw = 2; double s = 0; for (int j = 4; j < n; j += 5) { s += x[lw] * y[j]; lw++; }'
grep -q 'read x\[j+2\]' n.yaml || fail "a number beside the counter: $(cat n.yaml)"
[ "$(runs n=100,p=0 "l['operations']['mul']")" = 20 ] || fail "steps: $(cat n.yaml)"
# What a condition passes over does not run: 100^2 + 9900 + (9900 - 99) additions.
counts 29701 n=100,p=0 "$square { x[i] = x[i] + 1; if (i == j) continue; a[i][j] += 1; if (j < i) { if (j == 0) continue; a[i][j] = 3; } b[i][j] += 2; }"

# ---- remainders by a number that are a bound, a place, or what a condition compares ----------------------
# Two colours over rows of a square within its edges: each of 98 x 98 words once; n is even, then odd.
for n in 100 101; do
    for colours in 'for (int j = 1 + (i + c) % 2; j < n - 1; j += 2)' 'for (int j = 1; j < n - 1; j++) if ((i + j) % 2 == c)' \
        'for (int j = 1; j < n - 1; j++) if ((i + j + c) % 2 == 0)'; do
        counts $(((n - 2) * (n - 2))) n=$n,p=0 "for (int c = 0; c < 2; c++) for (int i = 1; i < n - 1; i++) $colours a[i][j] += b[i][j];"
    done
done
# Two planes that change roles from step to step: 7 steps of 99 additions.
write 'for (int t = 0; t < 7; t++) for (int i = 1; i < n; i++) a[(t + 1) % 2][i] = a[t % 2][i] + a[t % 2][i - 1];'
[ "$(runs n=100,p=0 "l['operations']['add']")" = 693 ] || fail "two planes: $(cat n.yaml)"
grep -q 'a:1\[i\]\|a\[1, i\]' n.yaml || fail "two planes: $(cat n.yaml)"
# Of numbers alone nothing is split.
write "$over x[i] = i % 5;"
[ "$(grep -c '^    loops:' n.yaml)" = 1 ] || fail "a remainder that is a value: $(cat n.yaml)"
