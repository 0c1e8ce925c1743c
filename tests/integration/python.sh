#!/bin/bash
# Class: fast.
# The Python package: its structures are the headers', its tests pass, the page's code runs.
. "$(dirname "$0")/common"
python=/usr/bin/python3
export PYTHONPATH=$root/emul/python PYTHONDONTWRITEBYTECODE=1
export HTMT_LIBRARY=${HTMT_LIBRARY:-$(dirname "$HTMT")/libhtmt.so.1}

# Python itself is not built with a sanitizer.
[ -z "${SANITIZE-}" ] || skip "a library with a sanitizer does not load into python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    { lacks 'python3 of version 3.11' 'the package'; exit 77; }
"$python" -c 'import numpy' 2>/dev/null || { lacks python3-numpy 'the package'; exit 77; }
[ -e "$HTMT_LIBRARY" ] || fail "no $HTMT_LIBRARY"

"$python" "$root/emul/python/structs" structs.py
diff "$root/emul/python/htmt/_structs.py" structs.py >difference ||
    fail "a public header has changed; run emul/python/structs: $(head -40 difference)"
"$python" -m unittest discover -s "$root/tests/python" -t "$root/tests/python" -p '*_test.py' \
    >out 2>&1 || fail "$(cat out)"
"$python" -c 'import openturns' 2>/dev/null ||
    echo 'skipped: python3-openturns, which no list has: the example of Sobol indices'
left=$(find "$root/emul/python" "$root/tests/python" -name __pycache__)
[ -z "$left" ] || fail "left: $left"
if "$python" -c 'import mypy' 2>/dev/null; then
    "$python" -m mypy --strict --ignore-missing-imports --cache-dir=/dev/null "$root/emul/python/htmt" >out 2>&1 ||
        fail "mypy: $(cat out)"
else
    lacks mypy 'the type hints'
fi
