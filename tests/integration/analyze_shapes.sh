#!/bin/bash
# Class: fast foreign.
# htmt analyze: shapes that solvers and hand-tuned codes have; the numbers are those of each loop by
# hand.
. "$(dirname "$0")/common"
. "$root/tests/integration/nests"
over='for (int i = 0; i < n; i++)'

# ---- places that data choose ---------------------------------------------------------------------------
# An upwind difference: where the flow comes from, one of two places, the operations of one.
for choice in 'if (x[i] > 0) { from = i - 1; to = i; } else { from = i; to = i - 1; }' \
    'from = x[i] > 0 ? i - 1 : i; to = x[i] > 0 ? i : i - 1;'; do
    write "for (int i = 1; i < n; i++) { int from, to; $choice y[i] = x[i] * (b[0][from] - b[0][to]); }"
    [ "$(runs n=100,p=0 "l['operations']['add'] + 1000 * l['operations']['mul']")" = 99099 ] || fail "upwind: $(cat n.yaml)"
    grep -q 'read b\(:0\)\?\[\(0, \)\?i-1\]' n.yaml && grep -q 'read b\(:0\)\?\[\(0, \)\?i\]' n.yaml || fail "both places: $(cat n.yaml)"
done
# The upper place is cut at the edge; the choice is one of the next branch, too.
write 'for (int i = 2; i < n; i++) { int up, far; if (x[i] > 0) { up = i - 1; far = i - 2; } else { up = i; far = i + 1 < n - 1 ? i + 1 : n - 1; }
    double d = y[up] - y[far], l = 0; if (d * x[i] > 0) l = 0.5 * d; b[0][i] = y[up] + l; }'
[ "$(runs n=100,p=0 "l['operations']['add'] + 1000 * l['operations']['mul']")" = 196196 ] || fail "a limiter: $(cat n.yaml)"
# --taken weighs the two.
printf 'void f(int n, double *restrict x, double *restrict y, double *restrict z)\n{\nfor (int i = 1; i < n; i++) {\nint k;\nif (x[i] > 0)\nk = i - 1; else k = i;\nz[i] = y[k];\n}\n}\n' >x.c
analyze 0 x.c --taken 5=0.25
grep -q 'read y\[i-1\] x1/4' n.yaml && grep -q 'read y\[i\] x3/4' n.yaml || fail "a quarter: $(cat n.yaml)"

# ---- tables ----------------------------------------------------------------------------------------------
# A cycle over 4 levels that lie in one array, sized by tables that the program computes; settings
# come from a file or have defaults. Squares of 34, 18, 10, 6 with edges.
cat >levels.c <<'END'
#include <stdio.h>
static int top, nx[5], size[5], at[5], ng[5][2];
static double u[2000], r[2000];
static void setup(int *n)
{
    int k, a;
    ng[top][0] = ng[top][1] = nx[top];
    for (k = top - 1; k >= 1; k--)
        for (a = 0; a < 2; a++)
            ng[k][a] = ng[k + 1][a] / 2;
    for (k = top; k >= 1; k--)
        size[k] = 2 + ng[k][0];
    *n = size[top];
    at[top] = 0;
    for (k = top - 1; k >= 1; k--)
        at[k] = at[k + 1] + size[k + 1] * size[k + 1];
}
static void smooth(void *ou, void *or, int n)
{
    double (*u)[n] = (double (*)[n])ou, (*r)[n] = (double (*)[n])or;
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
            u[j][i] += 0.25 * (r[j][i - 1] + r[j][i + 1]);
}
static void down(void *or, int n, void *os, int m)
{
    double (*r)[n] = (double (*)[n])or, (*s)[m] = (double (*)[m])os;
    for (int j = 1; j < m - 1; j++)
        for (int i = 1; i < m - 1; i++)
            s[j][i] = 0.5 * r[2 * j][2 * i];
}
static void cycle(double *u, double *r, int n)
{
    int j, k;
    for (k = top; k >= 2; k--) {
        j = k - 1;
        down(&r[at[k]], size[k], &r[at[j]], size[j]);
    }
    for (k = 1; k <= top - 1; k++)
        smooth(&u[at[k]], &r[at[k]], size[k]);
    smooth(u, r, n);
}
static double norm(int n, void *of)
{
    double (*u)[n] = of, sum = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            sum += u[j][i];
    return sum;
}
int main(void)
{
    int steps, n;
    FILE *f;
    if ((f = fopen("levels.input", "r")) != NULL) {
        fscanf(f, "%d", &top);
        fscanf(f, "%d %d", &nx[top], &steps);
        fclose(f);
    } else {
        top = 4;
        nx[top] = 32;
        steps = 3;
    }
    setup(&n);
    for (int t = 0; t < steps; t++)
        cycle(u, r, n);
    printf("%g\n", norm(n, u));
    return 0;
}
END
analyze 0 levels.c --strict
# 3 cycles: 2 additions and a multiplication on 32^2 + 16^2 + 8^2 + 4^2 places, a multiplication on the coarse three; 34^2 at the end.
[ "$(runs '' "l['operations']['add']")" = $((3 * 2 * 1360 + 1156)) ] || fail "levels: $(cat n.yaml)"
[ "$(runs '' "l['operations']['mul']")" = $((3 * (1360 + 336))) ] || fail "levels: $(cat n.yaml)"
grep -q '^  r.1156: {box: \["1..16", "0..17"\]' n.yaml && ! grep -q needed n.yaml || fail "a level: $(cat n.yaml)"
# Directions in a constant table: the sum over 5 of them at each place.
printf 'static const int dx[5] = {0, 1, -1, 0, 0}, dy[5] = {0, 0, 0, 1, -1};\nvoid f(int n, double (*restrict a)[n], double (*restrict b)[n])\n{\n' >x.c
printf 'for (int d = 0; d < 5; d++) for (int j = 1; j < n - 1; j++) for (int i = 1; i < n - 1; i++) b[j][i] += a[j + dy[d]][i + dx[d]];\n}\n' >>x.c
analyze 0 x.c --strict
[ "$(runs n=100 "l['operations']['add']")" = $((5 * 98 * 98)) ] && grep -q 'read a\[j-1, i\]' n.yaml || fail "directions: $(cat n.yaml)"

# The directions inside, in a table that a header declares, on a small grid: each is a place of its own,
# and no loop around is walked turn by turn.
cat >lattice.c <<'END'
extern const int cx[5], cy[5];
extern double f[20][24][5], g[20][24][5];
const int cx[5] = {0, 1, -1, 0, 0}, cy[5] = {0, 0, 0, 1, -1};
double f[20][24][5], g[20][24][5];
void stream(void)
{
    for (int y = 1; y < 19; y++)
        for (int x = 1; x < 23; x++)
            for (int q = 0; q < 5; q++)
                f[y][x][q] = 0.5 * g[y - cy[q]][x - cx[q]][q];
}
END
analyze 0 lattice.c --strict
[ "$(runs '' "l['operations']['mul']")" = $((5 * 18 * 22)) ] && [ "$(grep -c loops: n.yaml)" = 1 ] || fail "a lattice: $(cat n.yaml)"
grep -q 'read g:4\[y+1, x\]' n.yaml || fail "a direction: $(cat n.yaml)"

# ---- pointers that functions exchange ----------------------------------------------------------------------
# The exchange is not followed into a function or a struct; it is said, once for each loop.
cat >turns.c <<'END'
struct field { double *now, *next; };
static double a[50][50], b[50][50], *p, *q;
static void smooth(double *to, const double *from)
{
    for (int j = 1; j < 49; j++)
        for (int i = 1; i < 49; i++)
            to[j * 50 + i] = 0.5 * (from[j * 50 + i - 1] + from[j * 50 + i + 1]);
}
static void turn(struct field *f) { double *t = f->now; f->now = f->next; f->next = t; }
static void rotate(void) { double *t = p; p = q; q = t; }
static void swap(double **x, double **y) { double *t = *x; *x = *y; *y = t; }
int main(void)
{
    struct field f = {a[0], b[0]};
    double *x = a[0], *y = b[0];
    for (int t = 0; t < 9; t++) { smooth(f.next, f.now); turn(&f); }
    p = a[0], q = b[0];
    for (int t = 0; t < 9; t++) { smooth(q, p); rotate(); }
    for (int t = 0; t < 9; t++) { smooth(y, x); swap(&x, &y); }
    return 0;
}
END
analyze 1 turns.c
for pointer in now p '*x'; do
    grep -qF "in each turn: '$pointer'; the first turn counts for all" err || fail "an exchange of $pointer: $(cat err)"
done
expect 2 "$HTMT" analyze turns.c --nests n.yaml --strict
sed 's/f->next = t; }/(void)t; }/; /rotate();\|swap(&x/d' turns.c >same.c # what is set to the same in each turn
analyze 0 same.c --strict

# ---- diagonals ---------------------------------------------------------------------------------------------
# A matrix in one piece, seen along its rows and along its diagonal, or the other one.
for side in '*n+k' '*(n+2)+k'; do
    write "for (int k = 0; k < n - 1; k++) for (int i = k + 1; i < n; i++) { x[i$side] /= x[k$side];
        for (int j = k + 1; j < n; j++) x[i${side%k}j] -= x[i$side] * x[k${side%k}j]; }"
    [ "$(runs n=9,p=0 "l['operations']['mul']")" = $((8 * 9 * 17 / 6)) ] || fail "a factorization: $(cat n.yaml)"
    grep -q 'read x\[k, k\]' n.yaml || fail "a pivot: $(cat n.yaml)"
done
write 'for (int i = 0; i < n; i++) { x[i*n+(n-1-i)] = 1; for (int j = 0; j < n; j++) y[i*n+j] = x[i*n+j]; }'
grep -q 'write x\[i, -i+n-1\]' n.yaml || fail "the other diagonal: $(cat n.yaml)"

# ---- forms of loops ----------------------------------------------------------------------------------------
# Each runs over n places, or over those named; n = 103 is no multiple of 4, 3 or 2.
for form in 'int i = 0; while (i < n) { x[i] += 1; i++; }' 'int i = n; while (i-- > 0) x[i] += 1;' \
    'int i = 0; do { x[i] += 1; i += 1; } while (i < n);' 'for (unsigned i = n; i-- > 0;) x[i] += 1;' \
    'int i = 0; for (; i < n; i++) x[i] += 1;' 'double *q = x; for (int i = 0; i < n; i++) *q++ += 1;' \
    'int i; for (i = 0; i < n % 4; i++) x[i] += 1; for (; i < n; i += 4) { x[i] += 1; x[i + 1] += 1; x[i + 2] += 1; x[i + 3] += 1; }' \
    'int i; for (i = 0; i + 3 < n; i += 4) { x[i] += 1; x[i + 1] += 1; x[i + 2] += 1; x[i + 3] += 1; } for (; i < n; i++) x[i] += 1;' \
    'int i = n; while (--i >= 0) x[i] += 1;' 'int k = 2; for (int i = n - 1; i >= 0; --i, k += 2) y[k] = x[i] + 1;'; do
    counts 103 n=103,p=0 "$form"
done
counts 34 n=103,p=0 'for (int i = n - 2; i > 0; i -= 3) x[i] += 1;'
grep -q 'update x\[-3\*i+n-2\]' n.yaml || fail "down by three: $(cat n.yaml)"
# Rows that a pointer walks over, and the two colours of a square by bits.
counts 4900 n=70,p=0 'double *row = x; for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) row[j] += y[j]; row += n; }'
grep -q 'update x\[i, j\]' n.yaml || fail "rows: $(cat n.yaml)"
counts 4802 n=100,p=0 'for (int i = 1; i < n - 1; i++) for (int j = 2 - (i & 1); j < n - 1; j += 2) a[i][j] += 1;'
# What a counter holds behind its loop: the last element once more.
write 'int i; for (i = 1; i < n; i++) x[i] = x[i - 1] + 1; for (int j = 0; j < n; j++) y[j] = x[i - 1];'
grep -q 'x: {kind: fp, loads: "1"' n.yaml || fail "the last element: $(cat n.yaml)"

# ---- tiles and sides ---------------------------------------------------------------------------------------
# Loops over tiles are loops over all places, with tiles of any length and a last one that is cut.
for n in 100 128; do
    counts $((n * n * n)) n=$n,p=0 'for (int ii = 0; ii < n; ii += 32) for (int jj = 0; jj < n; jj += 16) for (int i = ii; i < (ii + 32 < n ? ii + 32 : n); i++)
        for (int k = 0; k < n; k++) for (int j = jj; j < (n < jj + 16 ? n : jj + 16); j++) a[i][j] += b[k][j];'
    grep -q "^# x.c:3:.*'i' is read without its tiles of 32: htmt bound --block" n.yaml && grep -q 'j: "0..n-1"' n.yaml || fail "tiles: $(cat err n.yaml)"
done
counts 10000 n=100,p=0 'for (int t = 1; t < 101; t += 20) for (int i = 0; i < n; i++) for (int j = t; j < t + 20; j++) a[i][j - 1] += 1;'
counts 800 n=100,p=0 'for (int t = 0; t < n; t++) for (int i = 8 * t; i < 8 * t + 8; i++) x[i] += 1;'
# Two loops over one tile.
counts 200 n=100,p=0 'for (int t = 0; t < n; t += 8) { for (int i = t; i < (t + 8 < n ? t + 8 : n); i++) x[i] += 1; for (int i = t; i < (t + 8 < n ? t + 8 : n); i++) y[i] += x[i]; }'
# A loop of two places within one side of a branch is written out; one of any length counts as it is.
counts 400 n=101,p=0 'for (int i = 0; i < n - 1; i++) if (x[i] > 0) for (int k = i; k <= i + 1; k++) a[0][k] += y[k] + 1;'
counts 10000 n=100,p=0 'for (int i = 0; i < n; i++) if (x[i] > 0) for (int k = 0; k < n; k++) a[i][k] += 1;'

# ---- switch ------------------------------------------------------------------------------------------------
# A chain of conditions, in a loop or around loops; the default may stand anywhere.
for p in 0 1 2 3; do
    wanted=$((p == 0 ? 100 : p == 3 ? 400 : 300))
    counts $wanted n=100,p=$p "$over switch (p) { case 0: x[i] += 1; break; default: y[i] = x[i] + 1; x[i] += y[i] + 2; break; case 3: y[i] += 1; x[i] += 1; { y[i] += x[i] + 2; } }"
    counts $wanted n=100,p=$p "switch (p) { case 1: case 2: $over x[i] += y[i] + 2 + x[i]; break; case 0: { $over x[i] += 1; } break; default: $over x[i] += y[i] * y[i] + 1 + x[i] + 2; }"
done
# A case that goes on in the next one is left out by name.
printf 'void f(int n, int p, double *x)\n{\nfor (int i = 0; i < n; i++) { x[i] = 2 * x[i]; switch (p) { case 0: x[i] += 1; case 1: x[i] += 2; } }\n}\n' >x.c
analyze 1 x.c
grep -q 'found switch; left out' err || fail "a case that goes on: $(cat err)"

# ---- structs -----------------------------------------------------------------------------------------------
# A struct that is copied is its members: two loads and two stores, and a complex product of 4 and 2.
cat >x.c <<'END'
typedef struct { double re, im; } cplx;
typedef struct { cplx at; long id; } body;
void f(int n, cplx *restrict a, const cplx *restrict b, body *restrict p, const body *restrict q)
{
    for (int i = 0; i < n; i++) {
        cplx x = a[i], y, z;
        y = b[i];
        z.re = x.re * y.re - x.im * y.im;
        z.im = x.re * y.im + x.im * y.re;
        a[i] = z;
    }
    for (int i = 0; i < n; i++)
        p[i] = q[i];
}
END
analyze 0 x.c --strict
[ "$(runs n=10 "l['operations']['mul'] + 10 * l['operations']['add'] + 100 * l['operations']['loads'] + 10000 * l['operations']['stores']")" = $((10 * (4 + 20 + 400 + 20000 + 300 + 30000))) ] ||
    fail "structs: $(cat n.yaml)"
grep -q '  p.at.im: .*record: {of: p, size: 24 B, at: 8 B}' n.yaml || fail "a struct in a struct: $(cat n.yaml)"
