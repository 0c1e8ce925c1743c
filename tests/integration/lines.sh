#!/bin/bash
# Class: fast foreign.
# htmt bound --lines: a line, not a word, is what is kept and moved, wherever words lie.
. "$(dirname "$0")/common"

# ---- where words lie -----------------------------------------------------------------------------
cat >structs.c <<'END_OF_FILE'
typedef struct { double x, y, z; } vec;
typedef struct { int id; vec p; double f[4]; float w; struct { double q; vec v[2]; } *list; } part;
void one(int n, part *v, double *o) { for (int i = 0; i < n; i++) o[i] = v[i].p.y + v[i].f[1] * v[i].w; }
void two(int n, part (*s)[n], double *t) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) t[i] += s[i][j].p.z; }
void far(int n, double (*q)[3], double (*r)[n][n], double *t) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) t[i] += q[i][2] * r[1][i][j]; }
void deep(int n, part *d, double *t) { for (int i = 0; i < n; i++) t[i] = d[i].list[0].q + d[0].list[i].v[1].y; }
void call(int n, part *mine, double *o) { one(n, mine, o); }
END_OF_FILE
expect 0 "$HTMT" analyze structs.c --nests structs.yaml
while read -r line; do
    grep -qF -- "$line" structs.yaml || fail "no '$line' in $(sed -n '/^arrays/,/^nests/p' structs.yaml)"
done <<'END_OF_FILE'
  mine.p.y: {box: ["0..n-1"], record: {of: mine, size: 80 B, at: 16 B}, live: entry}
  mine.f: {box: ["0..n-1"], components: "2", component-axis: 1, record: {of: mine, size: 80 B, at: 32 B, axes: 1}, live: entry}
  mine.w: {box: ["0..n-1"], record: {of: mine, size: 80 B, at: 64 B}, word: 4 B, live: entry}
  s.p.z: {box: ["0..n-1", "n"], record: {of: s, size: 80 B, at: 24 B}, live: entry}
  q: {box: ["0..n-1"], components: "3", component-axis: 1, live: entry}
  r: {box: ["n", "n"], components: "2", component-axis: 0, live: entry}
  d.list.q: {box: ["0..n-1"], components: "1", component-axis: 1, live: entry}
  d.list.v.y: {box: ["0..0", "0..n-1", "1..1"], live: entry}
END_OF_FILE
expect 0 "$HTMT" bound ./structs.yaml --param n=10

sed 's/component-axis: 0/component-axis: 3/' structs.yaml >bad.yaml
refuse "r: found '3', expected 0 to 2" bound ./bad.yaml --param n=10
sed 's/at: 24 B/at: 80 B/' structs.yaml >bad.yaml
refuse "s.p.z.record: found '80 B', expected 0 B to 72 B" bound ./bad.yaml --param n=10
sed 's/size: 80 B, at: 64 B/size: 2 B, at: 64 B/' structs.yaml >bad.yaml
refuse "mine.w.record: found '2 B', expected 4 B to 1048576 B" bound ./bad.yaml --param n=10
for lines in 24 4B 48B 128KiB; do
    refuse "--lines: found '$lines', expected a power of two from 8B to 64KiB" bound ./structs.yaml --param n=10 --lines $lines
done
refuse 'machine xeon-6148: lines of layer l1: found 24 B, expected a power of two' \
    bound ./structs.yaml --param n=10 --machine xeon-6148 --set 'layers.l1.memory.line=24 B'

# ---- single loops, by hand -------------------------------------------------------------------------
# moved C NAME=N MIB ARGUMENTS...: what the loop in a C source moves through 64 KiB, or $cache, in MiB.
moved() {
    printf '%s\n' "$1" >loop.c
    expect 0 "$HTMT" analyze loop.c --nests loop.yaml
    expect 0 "$HTMT" bound ./loop.yaml --machine exasat-listing1 --param "$2" --cache "${cache:-64KiB}" --json loop.json "${@:4}"
    python3 -c 'import json, sys; found, wanted = json.load(open("loop.json"))["traffic_bytes"] / 2**20, float(sys.argv[1]); sys.exit(abs(found / wanted - 1) > 0.001)' "$3" ||
        fail "$1 ${*:4}: not $3 MiB: $(grep '^  bound' out)"
}
column='void col(int n, double (*a)[n], double *s) { for (int j = 0; j < n; j++) { double t = 0; for (int i = 0; i < n; i++) t += a[i][j]; s[j] = t; } }'
stride='void stride(int n, double *a, double *b) { for (int i = 0; i < n; i++) b[i] = a[8*i]; }'
struct='typedef struct { double x, y, z, w, p, q, r, s; } part; void sum(int n, const part *v, double *o) { for (int i = 0; i < n; i++) o[i] = v[i].x; }'
three='typedef struct { double x, y, z; } part; void sum(int n, const part *v, double *o) { for (int i = 0; i < n; i++) o[i] = v[i].x + v[i].z; }'
turned='void transpose(int n, double (*a)[n], double (*b)[n]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[j][i] = a[i][j]; }'
# What is touched first of an array need not begin a line: of a[n][5] from a[2][0] on, bytes 80 to 40 n - 81.
# x[i][d - i] along diagonals lies in rows of 40 words, 200 lines in all, read and written.
# Of b[k][i], k < i, i from 1 on, rows k = 8 m + 7 to 8 m + 14 have 7 - m lines of 8: 280 of 64 x 64.
cat >middle.c <<'END_OF_FILE'
static double a[300][5], s[1], b[64][64], w[64], x[40][40];
void diagonals(void) { for (int d = 0; d < 79; d++) for (int i = d < 40 ? 0 : d - 39; i <= (d < 40 ? d : 39); i++) x[i][d - i] *= 0.5; }
void rows(void) { for (int j = 2; j < 298; j++) s[0] += a[j][0] + a[j][1] + a[j][2] + a[j][3] + a[j][4]; }
void corner(void) { for (int l = 0; l < 8; l++) for (int i = 1; i < 64; i++) for (int k = 0; k < i; k++) w[i] += b[k][i]; }
END_OF_FILE
while read -r function bytes wanted; do
    expect 0 "$HTMT" analyze middle.c --function "$function" --nests middle.yaml
    expect 0 "$HTMT" bound ./middle.yaml --machine exasat-listing1 --cache "$bytes" --lines 64B --json middle.json
    found=$(python3 -c 'import json; print(json.load(open("middle.json"))["traffic_bytes"] // 64)')
    [ "$found" = "$wanted" ] || fail "$function: $found lines, expected $wanted"
done <<'END_OF_FILE'
rows 65536 186
corner 18432 296
diagonals 12800 400
END_OF_FILE

# --alone: by the rule of weights; without it the program is played.
ways=('' --alone)
! only_memory || ways=(--alone)
for alone in "${ways[@]}"; do
    # shellcheck disable=SC2086
    {
        moved "$column" n=2048 32.03125 $alone
        moved "$column" n=2048 256.03125 --lines 64B $alone # words of s: 2 in 8, read and written
        moved "$stride" n=1000000 76.294 --lines 64B $alone
        moved "$struct" n=1000000 76.294 --lines 64B $alone
        moved "$three" n=1000000 38.147 --lines 64B $alone # all lines of 24 B each, o in and out
        moved "$turned" n=2048 96 $alone
        moved "$turned" n=2048 544 --lines 64B $alone
        cache=1MiB moved "$turned" n=2048 96 --lines 64B $alone
    }
done
# Beyond what is played.
moved "$turned" n=40000 207519.5 --lines 64B

# ---- random loops and blocks, against a simulated memory of lines -----------------------------------
[ -x "$(dirname "$HTMT")/htmt-analyze" ] || skip 'no libclang or isl'
cat >make.py <<'END_OF_FILE'
import random, sys
# Arrays with their axes in any order, offsets, strides, members of structs, components, in 2 or 3 loops.
def program(seed):
    r = random.Random(seed)
    loops = "ijk"[:r.choice([2, 2, 3])]
    n = r.choice([60, 72, 96, 100]) if len(loops) == 2 else r.choice([16, 20, 22])
    declared, body = [], []
    for name in "abc"[:r.randint(1, 3)]:
        kind = r.choice(["order", "order", "stride", "struct", "components"])
        axes = list(loops)
        r.shuffle(axes)
        step = r.choice([2, 3, 4, 8]) if kind == "stride" else 1
        size = "".join(f"[{n + 6}]" for a in axes[1:])
        size = f"[{n + 6}]" + size[:len(size) - len(f"[{n + 6}]")] + f"[{(n + 6) * step}]"
        parts = r.choice([2, 3, 5, 8])
        inside = "struct { double " + ", ".join(f"m{i}" for i in range(parts)) + "; }" if kind == "struct" else "double"
        more = f"[{parts}]" if kind == "components" else ""
        declared.append(f"static {inside} {name}{size}{more};")
        references = []
        for _ in range(r.randint(1, 3)):
            places = [f"{a} + {3 + (r.randint(-2, 2) if r.random() < 0.4 else 0)}" for a in axes]
            places[-1] = f"{step} * ({places[-1]})"
            part = {"struct": f".m{r.randrange(parts)}", "components": f"[{r.randrange(parts)}]"}.get(kind, "")
            references.append(name + "".join(f"[{p}]" for p in places) + part)
        target = references.pop() if r.random() < 0.5 else "s"
        body.append(f"{target} = {' + '.join(references + ['1.0'])};")
    heads = "".join(f"for (int {a} = 0; {a} < {n}; {a}++)\n" for a in loops)
    return "\n".join(declared) + "\nint main(void) {\n  double s = 0;\n" + heads + "{ " + " ".join(body) + " }\n  return s > 5;\n}\n"
# The same loops without and with tiles: what is bounded, what is played, the blocks.
n, b = 96, 16
stencil = ("static double a[{0}][{0}], b[{0}][{0}];\nint main(void) {{\n{1}b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];\n  return 0;\n}}\n")
product = ("static double a[{0}][{0}], b[{0}][{0}], c[{0}][{0}];\nint main(void) {{\n{1}c[i][j] += a[i][k] * b[k][j];\n  return 0;\n}}\n")
turned = ("static double a[{0}][{0}], b[{0}][{0}];\nint main(void) {{\n{1}b[j][i] = a[i][j];\n  return 0;\n}}\n")
def heads(axes, low, high, tiled):
    outer = "".join(f"for (int {a}{a} = {low}; {a}{a} < {high}; {a}{a} += {b})\n" for a in axes if a in tiled)
    inner = "".join(f"for (int {a} = {a}{a}; {a} < {a}{a} + {b} && {a} < {high}; {a}++)\n" if a in tiled else
                    f"for (int {a} = {low}; {a} < {high}; {a}++)\n" for a in axes)
    return outer + inner
tiles = {"stencil": (stencil, "ij", 1, n - 1, "j", "16,0"), "squares": (stencil, "ij", 1, n - 1, "ij", "16,16"),
         "product": (product, "ijk", 0, n, "ijk", "16,16,16"), "slabs": (product, "ijk", 0, n, "jk", "16,16,0"),
         "turned": (turned, "ij", 0, n, "ij", "16,16")}
played = {}
for seed in range(int(sys.argv[1])):
    played[f"r{seed}"] = program(seed)
    open(f"r{seed}.c", "w").write(played[f"r{seed}"])
for name in sys.argv[2:]:
    text, axes, low, high, tiled, block = tiles[name]
    open(f"{name}.c", "w").write(text.format(n, heads(axes, low, high, "")))
    open(f"{name}.block", "w").write(block + "\n")
    played[name] = text.format(n, heads(axes, low, high, tiled))
with open("programs.cc", "w") as out:
    out.write('#include "lru.h"\n#define main run\n')
    for name, text in played.items():
        text = text.replace("static ", "alignas(64) static ").replace("  double s", "#undef double\n  double s")
        out.write(f"namespace p_{name} {{\n{text}}}\n#undef double\n#define double lru::number\n")
    out.write("#undef main\n#undef double\nint main(int, char **argv) { std::string n = argv[1];\n")
    out.write("".join(f'if (n == "{name}") return p_{name}::run();\n' for name in played) + "return 1; }\n")
END_OF_FILE
count=10 tiled=(stencil squares product slabs turned)
! only_memory || count=1 tiled=(slabs)
python3 make.py $count "${tiled[@]}" || fail 'make.py'
${CXX:-g++} -std=c++17 -O1 -w -I "$root/tests/loops" -o programs programs.cc || fail 'programs.cc: not compiled'
for name in $(seq -f r%g 0 $((count - 1))) "${tiled[@]}"; do
    block=
    [ ! -f "$name.block" ] || block="--block $(cat "$name.block")"
    expect 0 "$HTMT" analyze "$name.c" --nests "$name.yaml"
    LINE=64 CAPACITIES=64p,8p,2p,64,192,512 ./programs "$name" >played
    while read -r capacity read written; do
        # shellcheck disable=SC2086
        expect 0 "$HTMT" bound "./$name.yaml" --machine exasat-listing1 --cache $((capacity / 64 * 64)) --lines 64B $block --csv b.csv
        awk -F, -v what="$name $capacity $((read + written))" 'NR > 1 { print what, $16 }' b.csv >>lines
    done <played
done
[ "$(wc -l <lines)" = $((6 * (count + ${#tiled[@]}))) ] || fail "$(wc -l <lines) bounds, not 6 of each program"
awk '$3 != $4' lines | grep . && fail 'bounds that are not what is played'
:
