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
  s.p.z: {box: ["0..n-1", "0..n-1"], record: {of: s, size: 80 B, at: 24 B}, live: entry}
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
