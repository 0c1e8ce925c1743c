#!/bin/bash
# Class: fast foreign.
# htmt analyze: loops of C source agree with kernels that count, with the figures of the published
# table, and with what the source says; what cannot be read is named in one line.
. "$(dirname "$0")/common"

if [ ! -x "$(dirname "$HTMT")/htmt-analyze" ]; then
    refuse_status=0
    echo 'int x;' >x.c
    "$HTMT" analyze x.c --nests x.yaml 2>err || refuse_status=$?
    [ $refuse_status = 4 ] && grep -q 'lacks htmt-analyze' err || fail "without htmt-analyze: $(cat err)"
    lacks 'libclang or isl' 'htmt-analyze'
    exit 77
fi
# A mistake in memory must not take the host's.
[ -n "${SANITIZE-}" ] || ulimit -v 8000000 2>/dev/null || :

# analyze STATUS FILE: its nests in the file n.yaml.
analyze() {
    local wanted=$1
    shift
    expect "$wanted" "$HTMT" analyze "$@" --nests n.yaml
    [ ! -s out ] || fail "output: $(cat out)"
}

# nest NAME: the lines of that nest.
nest() {
    awk -v head="  $1:" '$0 == head { on = 1; next } on && /^(  )?[a-z]/ { exit } on' n.yaml
}

# ---- counts: those of numbers that count --------------------------------------------------------
nx=5 ny=4 nz=3 n=7 species=7

# cells NAME: iterations of the nest, its loops done.
cells() {
    local -a variable=() low=() high=() by=()
    local name range step
    while IFS='|' read -r name range step; do
        variable+=("$name") low+=("${range%%..*}") high+=("${range##*..}") by+=("${step:-1}")
    done < <(nest "$1" | sed -n 's/^      \([a-z_0-9]*\): "\([^ "]*\)\( step -\{0,1\}\([0-9]*\)\)\{0,1\}"$/\1|\2|\4/p')
    count=0
    iterate 0
}

iterate() {
    local d=$1
    [ "$d" -lt ${#variable[@]} ] || { count=$((count + 1)); return 0; }
    local -n v=${variable[d]}
    local from=$((low[d])) to=$((high[d])) i
    for ((i = from; i <= to; i += by[d])); do
        v=$i
        iterate $((d + 1))
    done
}

# total NAMES FIELD: what all iterations of the nests do of one class.
total() {
    local each sum=0 name
    for name in $1; do
        cells "$name"
        case $2 in
        add | mul | div) each=$(nest "$name" | sed -n "s/^    ops: .*\\b$2: \"\\([^\"]*\\)\".*/\\1/p") ;;
        function) each=$(nest "$name" | sed -n 's/.*functions: {\(.*\)}}/\1/p' | sed 's/[a-z0-9]*: "\([^"]*\)"/(\1)/g; s/, /+/g') ;;
        reads) each=$(references "$name" 'read|update' loads) ;;
        writes) each=$(references "$name" 'write|update' stores) ;;
        esac
        sum=$((sum + count * (${each:-0})))
    done
    echo "$sum"
}

# references NAME KINDS SIDE: a sum over references, ranges multiplied, and over arrays that are state.
references() {
    nest "$1" | awk -v kinds="^($2)$" -v side="$3" '
        /^      - "/ {
            gsub(/"/, ""); kind = $2
            if (kind !~ kinds) next
            times = match($0, / x[^ ]*$/) ? substr($0, RSTART + 2) : 1
            if (match($0, /:[^[]*\.\.[^[]*\[/)) {
                split(substr($0, RSTART + 1, RLENGTH - 2), end, "\\.\\.")
                times = times ")*((" end[2] ")-(" end[1] ")+1"
            }
            sum = sum "+(" times ")"
        }
        / words: / {
            match($0, side ": \"[^\"]*\""); text = substr($0, RSTART, RLENGTH)
            gsub(/.*: |"/, "", text); sum = sum "+(" text ")"
        }
        END { print sum ? substr(sum, 2) : 0 }'
}

${CXX:-g++} -std=c++17 -O1 -o counting "$root/tests/source/counting.cc" || fail 'counting.cc'
./counting >counted
for file in cns forms; do
    analyze 0 "$root/tests/source/$file.c"
    cp n.yaml $file.yaml
    names=$(sed -n '/^nests:/,/^[dp][a-z]*:/s/^  \([a-z_0-9.]*\):$/\1/p' n.yaml)
    while read -r function wanted; do
        own=$(grep -E "^$function(\\.[0-9]+)*\$" <<<"$names" || :)
        [ -n "$own" ] || continue
        found=
        for class in add mul div function reads writes; do
            found+=" $(total "$own" $class)"
        done
        [ "${found# }" = "$wanted" ] || fail "$function: read $found, counted $wanted"
        echo "$function" >>done
    done <counted
done
[ "$(wc -l <done)" = "$(wc -l <counted)" ] || fail "only these were found: $(cat done)"

# ---- the published table -------------------------------------------------------------------------
cp cns.yaml n.yaml

# has NAME OPS READ WRITTEN: operations, distinct references that are read, that are written.
has() {
    local found
    found=$(nest "$1" | awk '/^    ops: / { sub(/^ *ops: /, ""); gsub(/[{}"]/, ""); ops = $0 }
        /^      - "(read|update)/ { r++ } /^      - "(write|update)/ { w++ }
        END { print ops "; " r + 0 "; " w + 0 }')
    [ "$found" = "$2; $3; $4" ] || fail "$1: found $found, not $2; $3; $4"
}
has hyp_z 'add: 128, mul: 174' 134 14
[ "$(($(references hyp_z 'read|update' loads)))" = 246 ] || fail 'hyp_z: not 246 references as written'
has shear 'add: 2, mul: 2' 2 2
has mixed_z 'add: 32, mul: 39' 51 3
has species 'add: 18, mul: 27, div: 9' 37 19
has ctoprim 'add: 3, mul: 17, div: 1' 14 34
has laplace 'add: 24, mul: 5' 25 1

# bounded NAME WORDS TIME: words a cell and the bound of the nest in n.yaml, as the table has them.
bounded() {
    grep -qE "^  $1 .* $2  .* $3 *\$" out || fail "$1: not $2 words and $3: $(grep "^  $1 " out)"
}
expect 0 "$HTMT" bound n.yaml --machine exasat-listing1 --param nx=128,ny=128,nz=128 --block 16,16,0
bounded hyp_z 43.9375 '670.4 us'
bounded mixed_z 12.375 '188.8 us'
bounded shear 6 '109.8 us'
bounded species 75 '1.373 ms'
bounded ctoprim 82 '1.501 ms'
grep -qE '^           x all     356 kB' out || fail "hyp_z: not 356 kB: $(cat out)"
expect 0 "$HTMT" bound n.yaml --machine exasat-listing1 --param nx=128,ny=128,nz=128
bounded laplace 3.1875 '48.64 us'

# ---- what offsets cannot tell --------------------------------------------------------------------
cat >x.c <<'END'
void conv(int n, int m, const double *restrict a, const double *restrict b, double *restrict c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            c[i + j] += a[i] * b[j];
}
void turn(int n, double (*restrict a)[n], double (*restrict b)[n])
{
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            a[i][j] = 2.0 * b[i][j];
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            b[j][i] += a[i][j - 1];
}
END
analyze 0 x.c
nest conv | grep -q 'c: {read: "n+m-1", write: "n+m-1"}' || fail "coupled subscripts: $(nest conv)"
grep -q 'array: b.*, kind: anti, distance: \[any, any\]' n.yaml || fail "a turned array: $(cat n.yaml)"

# The bounds of a triangle within a band tell its iterations.
cat >x.c <<'END'
void band(int n, int m, double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        for (int j = (i - 3 > 0 ? i - 3 : 0); j < (i + 4 < m ? i + 4 : m); j += 2)
            for (int k = 0; k <= j; k++)
                a[i] += b[k];
}
END
analyze 0 x.c
count=0
for ((i = 0; i < 100; i++)); do
    for ((j = i > 3 ? i - 3 : 0; j < (i + 4 < 50 ? i + 4 : 50); j += 2)); do
        count=$((count + j + 1))
    done
done
expect 0 "$HTMT" bound n.yaml --machine exasat-listing1 --param n=100,m=50
grep -qE "^  band +[0-9]+ +$count " out || fail "a band: not $count iterations: $(cat out)"

# ---- several sources: procedures, calls, repeats ----------------------------------------------------
cat >a.c <<'END'
void smooth(int n, int m, const double *restrict a, double *restrict b)
{
    for (int j = 1; j < m - 1; j++)
        for (int i = 1; i < n - 1; i++)
            b[j * n + i] = 0.25 * (a[j * n + i - 1] + a[j * n + i + 1] + a[(j - 1) * n + i] +
                                   a[(j + 1) * n + i]);
}
END
cat >b.c <<'END'
#include <stdlib.h>
void smooth(int n, int m, const double *restrict a, double *restrict b);
void chemistry(double *u);
int main(int argc, char **argv)
{
    int size = atoi(argv[1]), steps = atoi(argv[2]);
    double *u = malloc(sizeof *u * size * size), *v = malloc(sizeof *v * size * size);
    for (int t = 0; t < steps; t++) {
        smooth(size, size, u, v);
        smooth(size, size, v, u);
        chemistry(u);
    }
    return argc;
}
END
analyze 0 a.c b.c
sed -n '/^procedures:/,$p' n.yaml >found
cat >wanted <<'END'
procedures:
  chemistry: {parameters: [], arrays: [a1], unknown: true}
  smooth:
    parameters: [n, m]
    arrays: [a, b]
    program:
      - nest: smooth

program:
  - repeat: "steps"
    do:
      - call: smooth
        with: {n: "size", m: "size", a: "u", b: "v"}
      - call: smooth
        with: {n: "size", m: "size", a: "v", b: "u"}
      - call: chemistry
        with: {a1: "u"}
END
cmp -s wanted found || fail "the program: $(diff wanted found)"
expect 0 "$HTMT" bound n.yaml --machine exasat-listing1 --param size=100,steps=10
grep -qE '^  smooth +10 ' out || fail "not ten times: $(cat out)"

# ---- the project's own kernels, whose counts stand in its sources ---------------------------------
# A point of a radar line: 2 differences and 2 products; apps/sar/counts.h adds 2 conversions.
if ! only_memory; then
    analyze 1 "$root/apps/sar/kernels.c" -I"$root"
    nest convert_i16_double | grep -q 'ops: {add: "2", mul: "2"}' || fail 'sar: convert'
fi
analyze 1 "$root/examples/dot/kernels.c" -I"$root"
grep -q 'ops: {add: "1", mul: "1"}' n.yaml || fail "dot: $(cat n.yaml)"
# A particle push on vectors is left out, not counted as nothing.
analyze 1 "$root/apps/pic/reference.c" -I"$root"
grep -q 'neither whole nor real' err || fail "a push on vectors: $(cat err)"

# ---- the worked example of docs/loops.md -----------------------------------------------------------------
# block MARK: the fenced block behind the line MARK.
block() {
    awk -v mark="$1" '$0 == mark { found = 1; next }
        found && /^```/ { if (open) exit; open = 1; next }
        open' "$root/docs/loops.md"
}
htmt() {
    "$HTMT" "$@"
}
block '<!-- source smooth.c -->' >smooth.c
shown=0
for mark in analyze bound $(only_memory || echo block); do
    block "<!-- shown $mark -->" >wanted
    while IFS= read -r line; do
        case $line in
        '$ '*) eval "${line#??}" >out || fail "docs/loops.md: $line" ;;
        ... | '') ;;
        *) grep -qxF -- "$line" out || fail "docs/loops.md: no longer prints: $line" ;;
        esac
        shown=$((shown + 1))
    done <wanted
done
only_memory || [ $shown -gt 40 ] || fail "docs/loops.md: only $shown lines of the example"

# ---- a generated body of 5,000 statements ---------------------------------------------------------
awk 'BEGIN {
    print "#include <math.h>"
    print "void body(int nx, int ny, double (*restrict c)[ny][nx], double (*restrict w)[ny][nx])\n{"
    print "for (int j = 0; j < ny; j++) for (int i = 0; i < nx; i++) {"
    for (s = 0; s < 2500; s++) {
        printf "const double q%d = c[%d][j][i] * c[%d][j][i] - exp(c[%d][j][i]) / 3.0;\n", s, s % 53, (s * 7) % 53, (s * 3) % 53
        printf "w[%d][j][i] += q%d;\n", s % 53, s
    }
    print "}}"
}' >x.c
([ -n "${SANITIZE-}" ] || ulimit -v 2000000 2>/dev/null; analyze 0 x.c)
has body 'add: 5000, mul: 2500, div: 2500, functions: exp: 2500' 106 53

# ---- sizes that data decide -------------------------------------------------------------------------
# ends: the upper ends of the loops over i, in one line.
ends() {
    sed -n 's/^      i: "0\.\.\(.*\)-1"$/\1/p' n.yaml | paste -sd' '
}

cat >x.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void ask(int *to)
{
    *to = atoi("3");
}
int main(int argc, char **argv)
{
    int a = argc > 1 ? atoi(argv[1]) : 100, b = 100, c = 3, d, e, f = 1, g = 8, h, o;
    if (argc > 2)
        b = atoi(argv[2]);
    while ((o = getopt(argc, argv, "c:")) != -1)
        switch (o) {
        case 'c':
            c = atoi(optarg);
            break;
        default:
            return 2;
        }
    if (scanf("%d", &d) != 1)
        return 1;
    ask(&e);
    while (f < b)
        f *= 2;
    do
        g *= 2;
    while (g < b);
    double *u = malloc(8);
    for (int i = 0; i < a; i++) u[i] += 1;
    for (int i = 0; i < b; i++) u[i] += 1;
    for (int i = 0; i < c; i++) u[i] += 1;
    for (int i = 0; i < d; i++) u[i] += 1;
    for (int i = 0; i < e; i++) u[i] += 1;
    for (int i = 0; i < f; i++) u[i] += 1;
    for (int i = 0; i < g; i++) u[i] += 1;
    if (argc > 3)
        a = 2 * a;
    for (int i = 0; i < a; i++) u[i] += 1;
    h = 4;
    if (argc > 4)
        goto out;
    h = 8;
out:
    printf("%d\n", h);
    for (int i = 0; i < h; i++) u[i] += 1;
    return 0;
}
END
analyze 1 x.c
[ "$(ends)" = 'a b c d e f g a_2 h' ] || fail "sizes that data decide: $(ends)"
[ "$(grep -c '^htmt analyze: x.c' err)" = 1 ] || fail "not the label alone: $(cat err)"

# ---- what may be a loop is listed, in the order of the source -----------------------------------------
cat >x.c <<'END'
void empty(int n, double *u)
{
    int i = 0;
    while (u[i] < n) { u[i] = 0; i++; }
}
void solve(int n, double *x, double *y, double tol, int kind)
{
    double r = 1;
    while (r > tol) {
        for (int i = 0; i < n; i++) y[i] = x[i] * 0.5;
    }
    do {
        for (int i = 0; i < n; i++) x[i] += 1;
    } while (r < 1);
    switch (kind) {
    case 0:
        for (int i = 0; i < n; i++) x[i] /= 3;
    case 1:;
    }
    for (int t = 0; t < 10; t++) {
        for (int i = 0; i < n; i++) x[i] -= 1;
        if (r < tol) break;
        if (r < 0) return;
        for (int i = 0; i < n; i++) if (x[i] > 3) break;
    }
    if (r > 3) goto out;
    for (int i = 0; i < n; i++) x[i] += 2;
out:
    for (int i = 0; i < n; i++) x[i] += 3;
}
END
analyze 1 x.c
sed -n 's/^htmt analyze: x.c:\([0-9]*:[0-9]*\): found /\1: /p' err >found
cat >wanted <<'END'
4:5: while
9:5: while, whose loops count once
12:5: do, whose loops count once
15:5: switch
22:22: break, but all passes of the loop around it count
23:20: a return, but all passes of the loop around it count
24:51: break
28:1: a label, behind which loops count once
END
cmp -s wanted found || fail "what may be a loop: $(diff wanted found)"
sed -n '/^program:/,/^$/p' n.yaml >found
cat >wanted <<'END'
program:
  - nest: solve.10
  - nest: solve.13
  - repeat: "10"
    do:
      - nest: solve.21
  - nest: solve.27
  - nest: solve.29

END
cmp -s wanted found || fail "loops in what may be one: $(diff wanted found)"

# ---- which loops are multiplied out -------------------------------------------------------------------
# The words that the inner loop alone moves are an array, unless components move with it.
cat >x.c <<'END'
typedef struct { double x, y; } part;
void pairs(int n, int m, const double *x, const double *y, const part *p, double *restrict f)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            f[i] += (x[i] - y[j]) * (x[i] - y[j]) * p[j].x;
}
void image(int n, int m, double *restrict f)
{
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            for (int c = 1; c < 5; c++)
                f[(j * n + i) * 5 + c] /= f[(j * n + i) * 5];
}
static double small[64][64], filter[3][3], smooth[64][64];
void window(void)
{
    for (int j = 1; j < 63; j++)
        for (int i = 1; i < 63; i++)
            for (int dj = -1; dj <= 1; dj++)
                for (int di = -1; di <= 1; di++)
                    smooth[j][i] += filter[dj + 1][di + 1] * small[j + dj][i + di];
}
END
analyze 0 x.c
nest pairs | grep -q 'read y\[j\] x2' || fail "pairs: $(nest pairs)"
nest pairs | grep -q 'read p.x\[j\]' || fail "pairs of structs: $(nest pairs)"
nest image | grep -q 'update f.*:4\[j, i\]' || fail "an image with components inside: $(nest image)"
has window 'add: 9, mul: 9' 10 1
expect 0 "$HTMT" bound n.yaml --machine exasat-listing1 --param n=1000000,m=1000000 --cache 64KiB
grep -qE '^  pairs .* 14901\.2 GB ' out || fail "all pairs from memory: $(grep pairs out)"

# What is printed is read; a comparison is free.
cat >x.c <<'END'
#include <stdio.h>
void f(int n, double *u)
{
    for (int i = 0; i < n; i++) printf("%d %g\n", i, u[i] * 2);
}
void g(int n, double *u)
{
    for (int i = 0; i < n; i++) u[i] = u[i] + (u[i] < 3 || i > 3);
}
void h(int n, double *u)
{
    for (int i = 0; i < n; i++) {
        double two[2] = {u[i], 3.0};
        u[i] = two[0] * two[1];
    }
}
END
analyze 0 x.c
has f 'mul: 1' 1 0
has g 'add: 1' 1 1
nest h | grep -q 'two: {kind: fp, loads: "2", stores: "2", words: "2"}' || fail "a list: $(nest h)"

# A procedure touches more than the nests do; the caller's names are those of the user.
cat >x.c <<'END'
#include <stdlib.h>
void lap(int n, double (*restrict u)[n], double (*restrict l)[n])
{
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
            l[j][i] = u[j - 1][i] + u[j + 1][i];
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    double(*u)[n] = malloc(sizeof(double[n][n])), (*l)[n] = malloc(sizeof(double[n][n]));
    lap(n, u, l);
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++)
            u[j][i] += l[j][i];
    return argc;
}
END
analyze 0 x.c
grep -q '^  u: {box: \["0..n-1", "n"\]}' n.yaml || fail "the box of what a procedure reads: $(cat n.yaml)"
expect 0 "$HTMT" bound n.yaml --machine exasat-listing1 --param n=100

# A procedure whose loops cannot be read names no array.
cat >x.c <<'END'
static void turn(int n, double *a, double *b)
{
    for (int i = 0; i < n; i++) a[i] = b[i * i];
}
void f(int n, double *u, double *v)
{
    turn(n, u, v);
    for (int i = 0; i < n; i++) v[i] += 1;
}
END
analyze 1 x.c
expect 1 "$HTMT" bound n.yaml --machine exasat-listing1 --param n=100

# ---- refusals -----------------------------------------------------------------------------------
refuse 'found no file' analyze --nests n.yaml
refuse '--nests FILE is missing' analyze x.c
refuse "unknown option 'nest', did you mean 'nests'?" analyze x.c --nest n.yaml
refuse "missing.c: cannot open" analyze missing.c --nests n.yaml
echo 'int f( { return 0; }' >x.c
refuse 'x.c:1:' analyze x.c --nests n.yaml
echo 'int f(void) { return 0; }' >x.c
refuse 'found no loop that computes' analyze x.c --nests n.yaml
refuse '--nests' analyze x.c --nests x.c
refuse "--taken: found '3', expected LINE=PART" analyze x.c --nests n.yaml --taken 3
refuse '--taken 1=0.5: found no branch' analyze "$root/tests/source/cns.c" --nests n.yaml --taken 1=0.5

# A table that a loop alone moves is state if it has a few words; else the loop is one over space,
# which reads the table again. Words by hand: of c = A b by columns a, b, c in and c out for each of n
# by n cells where 2 n words do not fit, b and c once where they do.
columns() { # LENGTH STATEMENT
    printf 'void f(int n, double (*restrict a)[%s], const double *restrict b, double *restrict c)\n{\n' "$1" >x.c
    printf 'for (int j = 0; j < n; j++)\nfor (int i = 0; i < %s; i++)\n%s\n}\n' "$1" "$2" >>x.c
    analyze 0 x.c
}
moved() { # CACHE WORDS
    expect 0 "$HTMT" bound ./n.yaml --machine exasat-listing1 --param n=4096 --cache "$1" --json b.json
    grep -q "\"traffic_bytes\": $(($2 * 8))\b" b.json || fail "$1: not $2 words: $(grep traffic_bytes b.json)"
}
for length in n 4096; do
    columns "$length" 'c[i] += a[i][j] * b[i];'
    has f 'add: 1, mul: 1' 3 1
    moved 32KiB $((4 * 4096 * 4096))
    moved 256KiB $((4096 * 4096 + 3 * 4096))
done
columns 5 'a[j][i] += c[i] * b[i];'
nest f | grep -q 'b: {kind: fp' || fail "five coefficients are not state: $(nest f)"

# A formal parameter that nothing uses is in the file all the same; no loop may have its name.
cat >x.c <<'C'
double a[100];
static void init(int n) { for (int k = 1; k < n; k++) a[k] = 1; }
static void work(double *z, int n, int k) { for (int i = 0; i < n; i++) z[i] = 0; }
int main(int argc, char **argv) { init(argc); init(argc); work(a, argc, argc); work(a, argc, argc); return 0; }
C
analyze 0 x.c
expect 0 "$HTMT" bound ./n.yaml --machine exasat-listing1 \
    --param "$(sed -n 's/^  \([a-z_0-9]*\): needed$/\1=100/p' n.yaml | paste -sd,)"

# What a procedure touches by itself reaches as far as its calls say; its formal names stay inside.
cat >x.c <<'C'
static double *g;
static void inner(int m) { for (int k = 1; k < m; k++) g[k] = 1; }
static void outer(int m) { inner(2 * m); inner(m + 3); }
int main(int argc, char **argv) { outer(argc); outer(argc + 7); return 0; }
C
analyze 0 x.c
sed -n '/^parameters:/,/^nests:/p' n.yaml >found
cat >wanted <<'END'
parameters:
  argc: needed

arrays:
  g: {box: ["1..max(2*argc+13, argc+9)"], live: exit}

nests:
END
cmp -s wanted found || fail "what procedures touch: $(diff wanted found)"

# A time loop round nests stays one although a condition asks for its turn, and although a part of
# its body cannot be read.
cat >x.c <<'C'
#include <stdio.h>
double a[100][100]; int at[100];
static void big(void) { for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) a[i][j] += 1.0; }
static void odd(void) { for (int i = 0; i < 100; i++) a[at[i]][0] = 0.0; }
int main(void)
{
    for (int t = 0; t < 200; t++) {
        if (t % 20 == 0) printf("%d\n", t);
        big();
        odd();
        if (t % 10 == 0) for (int i = 0; i < 100; i++) a[i][i] = 0;
    }
    return 0;
}
C
analyze 1 x.c
[ "$(sed 's/^htmt analyze: //; s/:[0-9]*: / /' err)" = "x.c:4 found a subscript of 'a' that is not affine; left out in the loop of line 4 (0.989 % of all iterations)
n.yaml: 2 loops read, 1 left out" ] || fail "a time loop: $(cat err)"
[ "$(sed -n '/^program:/,/^$/p' n.yaml)" = 'program:
  - repeat: "19"
    do:
      - call: big
      - call: odd
      - nest: main
      - repeat: "9"
        do:
          - call: big
          - call: odd
  - repeat: "1"
    do:
      - call: big
      - call: odd
      - nest: main
  - repeat: "9"
    do:
      - call: big
      - call: odd' ] || fail "a time loop: $(cat n.yaml)"
# A statement that is lost is named with its loop; the loops around it stay.
cat >x.c <<'C'
void f(int n, int *at, double *u, double *v)
{
    for (int i = 0; i < n; i++) v[i] = 1;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            u[j + at[i]] = 0;
    }
}
C
analyze 1 x.c
grep -q 'x.c:6:.*not affine; left out in the loop of line 5 (n\*n iterations)$' err || fail "a statement that is lost: $(cat err)"

# left TEXT STATEMENT: of two loops the second is left out, with its place and the text.
left() {
    printf 'double g(double); int top; static void lower(void) { top--; } static void bump(int *p) { *p += 1; }\nvoid f(int n, int m, int s, double *restrict u, double *restrict v, int *at)\n{\n' >x.c
    printf 'for (int i = 0; i < n; i++) v[i] = 2.0 * v[i];\n%s\n}\n' "$2" >>x.c
    rm -f n.yaml
    analyze 1 x.c
    grep -q "^htmt analyze: x.c:5:[0-9]*: .*$1" err || fail "'$1' is not in: $(cat err)"
    grep -q '  - {file: "x.c", line: 5, column: ' n.yaml || fail 'not listed'
    has f 'mul: 1' 1 1
}
left 'found while' 'for (int i = 0; i < n; i++) while (u[i] > 1) u[i] *= 0.5;'
left 'found goto' 'for (int i = 0; i < n; i++) { goto l; l: u[i] = 1; }'
left "subscript of 'u' that is not affine" 'for (int i = 0; i < n; i++) u[at[i]] = 1;'
left 'depends on data' 'for (int i = 0; i < at[n]; i += 1) for (int j = 0; j < at[i]; j++) u[j] = 1;'
left "call of 'g'" 'for (int i = 0; i < n; i++) u[i] = g(u[i]);'
left 'a pointer that moves' 'for (int i = 0; i < n; i++) { *u = 1; u += m; u += n; }'
left '0..n-1 is not proved' 'for (int i = 0; i < s; i++) for (int j = 0; j < m * n; j++) u[i * n + j] = 1;'
left 'neither whole nor real' 'for (int i = 0; i < n; i++) ((double _Complex *)u)[i] *= 2.0;'
left 'neither whole nor real' 'typedef double two __attribute__((vector_size(16))); for (int i = 0; i < n; i++) ((two *)u)[i] = ((two *)v)[i] + 1;'
left 'a pointer that moves: .u.' 'for (int j = 0; j < m; j++) { for (int i = 0; i < n; i++) u[i] = 1; if (m > n) u += n; }'
left 'its variable or bound i' 'for (int i = 0; i < n; i++) { u[i] = 1; i += 2; }'
left 'its variable or bound i' 'for (int i = 0; i < n; i++) { u[i] = 1; bump(&i); }'
left 'its variable or bound m' 'for (int i = 0; i < m; i++) { u[i] += 1; m = (int)u[i]; }'
left 'its variable or bound m' 'for (int j = 0; j < m; j++) { for (int i = 0; i < n; i++) u[i] = 1; m--; }'
left 'its variable or bound top' 'for (int i = 0; i < top; i++) { u[i] = 1; lower(); }'
left 'of .v. that is neither whole nor real' 'typedef struct { double x[2]; } two; for (int i = 0; i < n; i++) ((two *)u)[i] = ((two *)v)[i];'
left 'a member of a union' 'union { double d; long l; } *w = (void *)u; for (int i = 0; i < n; i++) w[i].d = 1;'
left "subscript of 'u' that is not affine" 'for (int i = 0; i < n; i++) u[i * i] = 1;'
left "call of 'fwrite'" 'typedef struct F F; unsigned long fwrite(const void *, unsigned long, unsigned long, F *); for (int i = 0; i < n; i++) fwrite(u + i * n, 8, (unsigned)n, 0);'
left "a tile of 'j', .* --block" 'for (int j = 0; j < n; j += 8) for (int i = j; i < (j + 8 < n ? j + 8 : n); i++) u[i] = at[j];'
left 'do not touch the same' 'for (int i = 0; i < n; i++) if (u[i] > 0) { for (int j = 0; j < m; j++) u[i] += v[j]; } else { u[i] = 1; }'
left 'another form' 'for (int i = 1; i < n; i *= 2) u[i] = 1;'

# Included files are inputs as sources are; a line of the preprocessor may have blanks, and lie deep.
printf '#include "own.h"\n#include <math.h>\nvoid f(double *u, int n)\n{\nfor (int i = 0; i < n; i++) u[i] = K;\n}\n' >x.c
echo '#define K 1' >own.h
analyze 0 x.c
refuse 'x.c:1: #include: own.h is read and would be written over by --nests' analyze x.c --nests own.h
[ "$(cat own.h)" = '#define K 1' ] || fail "own.h: $(cat own.h)"
printf '#if 1\n # include "/dev/zero" /* without end */\n#endif\n' >own.h
refuse 'own.h:2: #include: /dev/zero: found a device, expected a file' analyze x.c --nests n.yaml
mkdir -p far && mkfifo far/pipe
echo '#include <pipe>' >own.h
refuse 'own.h:1: #include: far/pipe: found a pipe' analyze x.c -Ifar --nests n.yaml
printf '#include "own.h"\n#define K 1\n' >own.h # itself
refuse 'nested too deeply' analyze x.c --nests n.yaml

# What libclang does not stand is one line, and no file. A sanitizer takes the signal itself.
if [ -z "${SANITIZE-}" ]; then
    awk 'BEGIN { print "void f(double *u, int n) {"
    for (i = 0; i < 5000; i++) printf "for (int i%d = 0; i%d < n; i%d++)\n", i, i, i
    print "u[i0] = 1;\n}" }' >x.c
    rm -f n.yaml
    expect 4 "$HTMT" analyze x.c --nests n.yaml
    [ "$(wc -l <err)" = 1 ] && grep -q 'reading the source by libclang was ended by SIG' err ||
        fail "5,000 nested loops: $(cat err)"
    [ ! -e n.yaml ] || fail "5,000 nested loops leave a file"
fi

# What libclang does not take for C, and what is assumed of nothing.
echo text >x.txt
refuse 'expected C source' analyze x.txt --nests n.yaml
printf 'void f(int n, int m, double *u)\n{\nfor (int i = 0; i < n; i++) u[i] += m;\n}\n' >x.c
analyze 0 x.c --assume 'n>=1 and n*m>=2'
refuse "--assume: found 'zz', expected parameters" analyze x.c --nests n.yaml --assume 'zz<=n'
refuse "--assume: found 'm<<n', expected comparisons" analyze x.c --nests n.yaml --assume 'm<<n'
refuse "--assume: found 'm=1,n=2', expected comparisons" analyze x.c --nests n.yaml --assume 'm=1,n=2'
refuse "--assume: found 'n<n', expected what holds for some parameters" analyze x.c --nests n.yaml --assume 'n<n'
refuse "--assume: found 'n>=5', expected what holds for some parameters, with what was assumed before" \
    analyze x.c --nests n.yaml --assume 'n<=4' --assume 'n>=5'

# What was refused can be told.
printf 'void f(int n, int m, int s, double *u, const double *v)\n{\n' >x.c
printf 'for (int i = 0; i < s; i++) for (int j = 0; j < m; j++)\nif (v[i * n + j] > 0) u[i * n + j] += 2.0 * v[i * n + j];\n}\n' >>x.c
analyze 0 x.c --assume 'm<=n' --taken 4=0.25
nest f | grep -q 'ops: {add: "1/4", mul: "1/4"}' || fail "a branch taken in a quarter: $(nest f)"
nest f | grep -q 'update u\[i, j\] x1/4' || fail "a branch taken in a quarter: $(nest f)"
