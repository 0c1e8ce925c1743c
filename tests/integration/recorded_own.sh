#!/bin/bash
# Class: fast foreign.
# A program and a plug-in of one's own whose kernels htmt-cc compiled: both are recorded, as
# docs/recording-kernels.md says, with the same operations; one that the compiler compiled keeps its
# counts, and says so.
. "$(dirname "$0")/common"

build=$(dirname "$HTMT")
[ -x "$build/htmt-cc" ] || { lacks 'clang-14 or LLVM 14' 'programs of htmt-cc'; exit 77; }
[ -z "${SANITIZE-}" ] || skip "objects of htmt-cc have no sanitizer"
include="-I$build/include -I$build/include/htmt"
run=(run --machine pim-node --slices 4 --timing operations)

expect 0 "$HTMT" new mine
cd mine
expect 0 "$build/htmt-cc" -O2 $include -fPIC -fvisibility=hidden -c mine.c -o mine.o
gcc $include main.c mine.o -o mine -L"$build" -lhtmt -Wl,-rpath,"$build" -lm
gcc -shared mine.o -o mine.so -lm
gcc $include -shared -fPIC -fvisibility=hidden mine.c -o plain.so -lm

# 4096 numbers, each loaded and squared where it lies, in 64 services.
expect 0 ./mine "${run[@]}" --json program.json
grep -q '^  square  *64 ' out || fail "$(cat out)"
expect 0 "$HTMT" "${run[0]}" ./mine.so "${run[@]:1}" --json plugin.json
expect 0 "$HTMT" ops record ./mine.so --machine pim-node --slices 4 --type square --out square.ops
expect 0 "$HTMT" ops show square.ops
grep -Eq 'mul-f64 +64\b' out || fail "$(cat out)"
HTMT_APP_PATH=$PWD expect 0 "$HTMT" run mine "${run[@]:1}" --quiet
[ "$(wc -l <out)" = 1 ] || fail "$(cat out)"
predicted=$(sed 's/.*predicted \(.*\) (virtual.*/\1/' out)
expect 0 "$HTMT" run ./plain.so "${run[@]:1}" --quiet
grep -qx 'mine: by counts: square, execute: htmt-cc has not compiled its kernel' out || fail "$(cat out)"
! grep -q "predicted $predicted" out || fail "counts and operations agree: $predicted"
python3 - <<'PYTHON' || fail 'the plug-in and the program differ'
import json
a, b = (json.load(open(f"{n}.json")) for n in ("program", "plugin"))
assert a["operations"][0]["services"] == 64 and a["operations"] == b["operations"]
assert a["predicted_fs"] == b["predicted_fs"] > 0
PYTHON
