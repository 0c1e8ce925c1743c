#!/bin/bash
# Class: fast.
# Processes of mpirun become one run of a Python application only if its file says `ranks = True`.
# Objects, frames and wrapped arrays of all slices then hold the results in every process, the JSON
# object is that of one process, and what is printed or refused stands there once.
. "$(dirname "$0")/common"
[ -z "${SANITIZE-}" ] || skip "a library with a sanitizer does not load into python3"
. "$root/tests/ranks/launch"
export HTMT_PYTHON=/usr/bin/python3 PYTHONDONTWRITEBYTECODE=1
"$HTMT_PYTHON" -c 'import sys, numpy; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    { lacks 'python3 of version 3.11 with NumPy' 'applications in Python'; exit 77; }

# app NAME FIRST: a file with that line, then standard input.
app() {
    { printf '"""%s"""\n%s\nimport numpy as np\nfrom htmt import Stage, updates\n' "$1" "$2" && cat; } >"$1.py"
}
body='
print("loaded")
def create(task, e):
    def double(k):
        k[0][:] *= 2
        k.count(flop=1)
    kind = e.type("dram", "cram", Stage(double, cost=lambda args: {"flop": 1}), name="double")
    f = task.f = e.frame("dram", 3)
    task.is_model or f.store([[s, s + 1, s + 2] for s in range(e.slices)])
    task.o = [e.object("dram", 2, slice=s) for s in range(e.slices)]
    task.w = [np.array([10.0 + s]) for s in range(e.slices)]
    for s in range(e.slices):
        task.is_model or task.o[s].store([s, 7])
        for part in f[s], task.o[s], e.wrap("dram", task.w[s], slice=s):
            e.assemble(kind, [updates(part)], slice=s)
def check(task):
    n = task.slices
    good = (task.f.fetch() == [[2 * s, 2 * s + 2, 2 * s + 4] for s in range(n)]).all()
    good &= all((task.o[s].fetch() == [2 * s, 14]).all() for s in range(n))
    return bool(good and all(task.w[s][0] == 20 + 2 * s for s in range(n)))
'
app joint 'ranks = True' <<<"$body"
app apart 'name = "apart"' <<<"$body"
words=(--machine small-htmt --slices 4 --quiet)

expect 0 "$HTMT" run ./joint.py "${words[@]}" --json one.json
for n in 2 3; do
    expect 0 "${launch[@]}" -n "$n" "$HTMT" run ./joint.py "${words[@]}" --json many.json
    [ "$(grep -o loaded out | wc -l)" = 1 ] && grep -q 'joint: correct' out || fail "$n processes: $(cat out err)"
    "$HTMT_PYTHON" - one.json many.json <<'END' 2>err || fail "$n processes: $(cat err)"
import json, sys
a, b = (json.load(open(path)) for path in sys.argv[1:])
for found in a, b:
    for key in ("wall", "host", "record", "options", "commit", "clock"):
        found.pop(key, None)
differ = sorted(k for k in a.keys() | b.keys() if a.get(k) != b.get(k))
sys.exit(f"differ: {[(k, a.get(k), b.get(k)) for k in differ]}" if differ else 0)
END
done
expect 0 "${launch[@]}" -n 2 "$HTMT" model ./joint.py "${words[@]}"

# line STATUS TEXT FILE: two processes end with that status and one line of htmt with the text.
line() {
    expect "$1" "${launch[@]}" -n 2 "$HTMT" run "./$3.py" "${words[@]}"
    [ "$(grep -c '^htmt' err)" = 1 ] && grep '^htmt' err | grep -qF -- "$2" || fail "$3: $(cat err)"
    ! grep -q Traceback err || fail "$3: $(cat err)"
}
line 2 'apart says nothing of ranks' apart
expect 0 "${launch[@]}" -n 2 "$HTMT" run ./apart.py "${words[@]}" --mpi off
[ "$(grep -o 'apart: correct' out | wc -l)" = 2 ] || fail "each alone: $(cat out err)"
app word 'ranks = 2' <<<"$body"
line 2 'ranks: found 2, expected True or False' word
app boom 'ranks = True' <<<"${body/k.count(flop=1)/1 \/ (3 - k.slice)}"
line 2 'slice 3, execute: ZeroDivisionError: division by zero (boom.py:' boom
app wrong 'ranks = True' <<<"${body/n = task.slices/return False}"
line 1 'the result is wrong' wrong
app syntax 'ranks = True' <<<'def create(:'
line 2 'SyntaxError' syntax
