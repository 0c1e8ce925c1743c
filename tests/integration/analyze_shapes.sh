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
