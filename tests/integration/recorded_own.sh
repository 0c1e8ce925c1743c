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

# The same kernels without hooks, on a machine that is called this host: plug-in, program, folder.
"$build/htmt-cc" --plain -O2 $include -fPIC -fvisibility=hidden -c mine.c -o mine-plain.o
nm mine-plain.o | grep -q htmt__rec_ && fail 'hooks in spite of --plain'
refused=$(! "$build/htmt-cc" -Onix -c mine.c -o odd.o 2>&1) || fail 'a level that clang does not have'
[ "$refused" = "htmt-cc: found '-Onix', expected -O0 to -O3, -Ofast, -Og, -Os or -Oz" ] || fail "$refused"
printf '%s\n' 'htmt-machine: 1' 'base: pim-node' 'about: this host, or so' >here.yaml
run=(run --machine ./here.yaml --slices 1 --timing operations --size 512)
clock=--against-clock
refuse '--against-clock: there is no ./mine-plain.so, expected' run ./mine.so "${run[@]:1}" $clock
gcc -shared mine-plain.o -o mine-plain.so -lm
gcc $include main.c mine-plain.o -o mine-plain -L"$build" -lhtmt -Wl,-rpath,"$build" -lm
expect 0 "$HTMT" run ./mine.so "${run[@]:1}" $clock --json clock.json
grep -Eq '^  wall +[0-9.]+ [um]s, the least of [0-9]+ runs; ' out || fail "$(cat out)"
python3 - <<'PYTHON' || fail "$(grep -A8 against_clock clock.json)"
import json
j = json.load(open("clock.json"))
c = j["against_clock"]
assert abs((j["predicted_s"] + c["own_work_s"]) / c["wall_s"] / c["ratio"] - 1) < 1e-6, c
assert abs(c["kernels_s"] + c["own_work_s"] - c["wall_s"]) < 1e-9 and c["kernels_s"] > 0, c
assert abs(sum(p["kernels_s"] for p in j["phases"]) / c["kernels_s"] - 1) < 1e-6, j["phases"]
assert c["wall_s"] > 0 and c["own_work_s"] > 0 and 0 <= c["free_runs"] <= 40 and c["spread_percent"] >= 0, c
PYTHON
expect 0 "$HTMT" report clock.json
grep -q '^AGAINST THE CLOCK' out || fail "$(cat out)"
grep -Eq '^  square +execute +[0-9]+ +operations +[0-9.]+ [mun]s +[0-9.]+ [mun]s +[0-9.]+$' out || fail "$(cat out)"
expect 0 ./mine "${run[@]}" $clock --quiet
grep -Eq '^mine: own work .*, wall .*, ratio [0-9.]+' out || fail "$(cat out)"
HTMT_APP_PATH=$PWD expect 0 "$HTMT" run mine "${run[@]:1}" $clock --quiet
refuse '--against-clock: found --timing counts' run ./mine.so --machine ./here.yaml $clock
refuse '--against-clock: only run has kernels' model ./mine.so --machine ./here.yaml $clock
refuse '--against-clock: pim-node is not of this host' run ./mine.so --machine pim-node --timing operations $clock
