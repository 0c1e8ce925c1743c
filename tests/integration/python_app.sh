#!/bin/bash
# Class: fast.
# An application in Python is to the command what a plug-in is: `htmt run app.py` has its options,
# reports, files and exit statuses, and the same results as the plug-in in C that does the same. An
# exception is one line with file and line.
. "$(dirname "$0")/common"
[ -z "${SANITIZE-}" ] || skip "a library with a sanitizer does not load into python3"
export HTMT_PYTHON=/usr/bin/python3 PYTHONDONTWRITEBYTECODE=1
"$HTMT_PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    { lacks 'python3 of version 3.11' 'applications in Python'; exit 77; }
"$HTMT_PYTHON" -c 'import numpy' 2>/dev/null || { lacks python3-numpy 'applications in Python'; exit 77; }
built=$(dirname "$HTMT")

# The file of the page.
awk '$0 == "<!-- file squares.py -->" { found = 1; next }
    found && /^```/ { if (open) exit; open = 1; next }
    open' "$root/docs/python.md" >squares.py
cc -std=gnu17 -shared -fPIC -I"$built/include" -I"$built/include/htmt" "$root/tests/plugins/squares.c" -o squares.so

# Both give one JSON object, figures of the host aside.
cat >same.py <<'END'
import json, sys
def read(path):
    found = json.load(open(path))
    for key in ("wall", "host", "record", "options", "commit"):
        found.pop(key, None)
    return found
a, b = read(sys.argv[1]), read(sys.argv[2])
differ = sorted(k for k in a.keys() | b.keys() if a.get(k) != b.get(k))
sys.exit(f"differ: {[(k, a.get(k), b.get(k)) for k in differ]}" if differ else 0)
END
while read -r verb words; do
    # shellcheck disable=SC2086
    for app in so py; do
        expect 0 "$HTMT" $verb ./squares.$app --machine small-htmt $words --json $app.json --trace $app.trace
        [ -s out ] || fail "$verb $words: no report"
    done
    "$HTMT_PYTHON" same.py so.json py.json 2>err || fail "$verb $words: $(cat err)"
    cmp <("$HTMT" trace digest so.trace) <("$HTMT" trace digest py.trace) || fail "$verb $words: other traces"
done <<'END'
run --first 9 --slices 2 --explain
run --check-determinism
model --set slices=3 --explain --lint
END

# Statuses and lines alike.
lines() {
    local wanted=$1 app
    shift
    for app in so py; do
        # shellcheck disable=SC2068
        expect "$wanted" "$HTMT" ${@/APP/squares.$app}
        cp err err.$app
    done
    cmp err.so err.py || fail "$*: $(cat err.so err.py)"
}
lines 2 run ./APP --first 0
lines 2 run ./APP --first x
lines 2 run ./APP --frist 3
lines 2 run ./APP --machine nosuch
lines 2 model ./APP --json no/such/folder
lines 2 predict ./APP
sed 's/\*\* 2 for/** 3 for/' squares.py >wrong.py
expect 1 "$HTMT" run ./wrong.py --machine small-htmt
grep -q 'the result is wrong: wrong squares gives 4' err || fail "wrong: $(cat err)"
expect 0 "$HTMT" help squares.py
grep -q -- '--first N .*the number of slice 0 (default 3)' out || fail "help: $(cat out)"

expect 2 "$HTMT" traffic record ./squares.py --out x.yaml
grep -q 'squares.py: an application in Python is one of run, model, predict and help' err || fail "$(cat err)"

# app NAME: a file of that name, with the functions of standard input.
app() {
    { printf '"""%s"""\nimport htmt\nfrom htmt import Stage, updates\n' "$1" && cat; } >"$1.py"
}
# refused STATUS WORDS NAME: one line with these words, no traceback.
refused() {
    expect "$1" "$HTMT" run "./$3.py" --machine small-htmt
    [ "$(wc -l <err)" = 1 ] && grep -qF -- "$2" err || fail "$3: $(cat err)"
}
one='    e.assemble(e.type("dram", "cram", KIND, name="one"), [updates(e.object("dram", 1))])'
app kernel <<END
def create(task, e):
    def f(k):
        raise ValueError("boom")
${one/KIND/f}
END
refused 2 'ValueError: boom (kernel.py:6)' kernel
app control <<END
def create(task, e):
    def f(c):
        c.nosuch()
${one/KIND/Stage(control=f)}
END
refused 2 "'Control' object has no attribute 'nosuch' (control.py:6)" control
app cost <<END
def create(task, e):
    def f(args):
        return {"flop": 1.5}
${one/KIND/Stage(lambda k: None, cost=f)}
END
refused 2 'flop: found 1.5, expected a whole number' cost
app combine <<END
def create(task, e):
    def f(into, other):
        return 1 / 0
    total = e.allreduce(e.frame("cram", 1), f)
    kind = e.type("cram", "cram", Stage(control=lambda c: c.allreduce(total, c.slot(1))),
                  fibers=[Stage(control=lambda c: c.retire(), count=1)])
    for i in range(e.slices):
        e.assemble(kind, slice=i)
END
refused 2 'ZeroDivisionError: division by zero (combine.py:6)' combine
app create <<END
def create(task, e):
    e.object("nosuch", 4)
END
refused 2 '(create.py:5)' create
app check <<END
def create(task, e):
    pass
def check(task):
    raise KeyError("x")
END
refused 2 "KeyError: 'x' (check.py:7)" check
app returns <<END
def create(task, e):
    pass
def check(task):
    return 7
END
refused 2 'check() returned int, expected a bool or None' returns
app verdict <<END
def create(task, e):
    pass
def check(task):
    return False
END
refused 1 'the result is wrong: wrong gives 1' verdict
app deadlock <<END
def create(task, e):
    e.assemble(e.type("dram", "cram", lambda k: None, name="waits", gates=["dispatch"]))
END
refused 3 'dead' deadlock
echo 'def create(:' | app syntax
refused 2 'SyntaxError' syntax
echo 'raise SystemExit(3)' | app exits
refused 2 'SystemExit: 3 (exits.py:4)' exits
echo 'options = {"first": "N"}' | app rows
refused 2 "option 'first'" rows
echo 'x = 1' | app none
refused 2 'found no function create(task, e)' none
refused 2 'nosuch.py: No such file or directory' nosuch
HTMT_PYTHON=/no/such/python expect 4 "$HTMT" run ./squares.py
[ "$(wc -l <err)" = 1 ] && grep -q '/no/such/python cannot be started' err || fail "$(cat err)"

# Ctrl-C ends a run with its report, as it does a plug-in's.
app long <<END
import time
def slow(k):
    open("began", "w").close()
    time.sleep(0.05)
def create(task, e):
    kind = e.type("dram", "cram", slow, name="slow")
    for i in range(2000):
        e.assemble(kind, [updates(e.object("dram", 1))])
END
env --default-signal=INT "$HTMT" run ./long.py --machine small-htmt --threads 1 >out 2>err &
child=$!
while [ ! -e began ] && kill -0 $child; do
    sleep 0.1
done
kill -INT $child
status=0
wait $child || status=$?
[ $status = 4 ] || fail "interrupted: $status: $(cat err)"
! grep -q Traceback err || fail "interrupted: $(cat err)"
