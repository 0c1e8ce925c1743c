#!/bin/bash
# Class: fast.
# `htmt host measure` writes a machine file of this host that the command reads, with value, spread
# and source of each figure; what cannot be written is refused before it measures.
. "$(dirname "$0")/common"
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"

# Who may not choose a processor is told so, and measures.
cat >pin.c <<'END'
#include <errno.h>
#include <stddef.h>
int sched_setaffinity(int pid, size_t size, const void *set);
int sched_setaffinity(int pid, size_t size, const void *set)
{
    (void)pid, (void)size, (void)set;
    errno = EPERM;
    return -1;
}
END
cc -shared -fPIC -o pin.so pin.c
echo old >host.yaml
expect 0 env LD_PRELOAD="$PWD/pin.so" "$HTMT" host measure --out host.yaml --replace --cpu 0 --cores all
grep -qx 'htmt host: no permission to run on processor 0 alone' err || fail "$(<err)"
grep -qE '^htmt host: (one processor|no permission to run on [0-9]+ processors), so memory by several cores is not measured$' err ||
    fail "$(<err)"
! grep -q cores-1 host.yaml || fail 'cores that nobody could be pinned to'
expect 0 "$HTMT" machine check host.yaml
grep -qx ' *order: window' host.yaml || fail 'no window'
for key in reorder waiting forward forward-part add-f64 mul-f64 sqrt-f64 sin-f64 add-i64 l1 bus outstanding prefetch dram branch issue; do
    case $key in
    reorder | waiting) grep -q " $key: " host.yaml || continue ;; # a queue that was never full has none
    esac
    grep -Eq "^ +$key: .*source: \"(measured|disturbed), \+[0-9.]+ %: " host.yaml ||
        fail "$key has no value, spread and source: $(grep " $key:" host.yaml)"
done
size=$(getconf LEVEL1_DCACHE_SIZE)
[ "${size:-0}" = 0 ] || grep -q " l1: {size: $((size / 1024)) KiB" host.yaml || fail "l1 is not $size"
expect 0 "$HTMT" run kernels --kernel ddot --n 64 --machine ./host.yaml

# Where there is htmt-cc, a call has an interval around its prediction.
if [ -x "$(dirname "$HTMT")/htmt-cc" ]; then
    grep -Eq '^ +calibration: \{.*chains-low: [0-9.]+ %, chains-high: [0-9.]+ %, .*measured: ' host.yaml || fail 'no calibration'
    echo 'double sum(long n, const double *x) { double s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }' >sum.c
    expect 0 "$HTMT" host predict sum.c --call 'sum(n=500, x[n])' --machine ./host.yaml
    grep -Eqx '  between    [0-9.]+ [nu]s and [0-9.]+ [nu]s a call' out || fail "$(<out)"
    expect 2 "$HTMT" host predict sum.c --call 'sum(n=500, x[n])' --machine ./host.yaml --cores 2
    grep -q -- "--cores: the machine has no cores-1, expected a file of 'htmt host measure --cores all'" err || fail "$(<err)"
    sed 's/^      order: window$/&\n      cores-1: {memory: 5 cycles, memory-write: 5 cycles, source: a}\n      cores-2: {memory: 10 cycles, memory-write: 10 cycles, source: a}/' host.yaml >two.yaml
    expect 0 "$HTMT" host predict sum.c --call 'sum(n=500, x[n])' --machine ./two.yaml --cores 2
    grep -qx 'sum(n=500, x\[n\]), on ./two.yaml, on 2 cores at once' out || fail "$(<out)"
    sed '/cores-1:/d' two.yaml >one.yaml
    expect 2 "$HTMT" machine check one.yaml
    grep -q 'there is no cores-1 beside it' err || fail "$(<err)"
    expect 0 "$HTMT" host predict sum.c --call 'sum(n=500, x[n])' --machine ./host.yaml --json sum.json
    python3 -c 'import json; j = json.load(open("sum.json")); assert 0 < j["low_ns"] <= j["predicted_ns"] <= j["high_ns"], j' ||
        fail "$(<sum.json)"
fi

# Its caches are layers, which its one processor serves: no time passes in which it does not work.
expect 0 "$HTMT" run pic --machine ./host.yaml --slices 1 --threads 1 --sections --trace pic.trace
grep -q 'CPU: in use for 100.0 %' out || fail "$(grep -A3 BOTTLENECKS out)"
expect 0 "$HTMT" trace check pic.trace
expect 0 "$HTMT" run cannon --size 128 --machine ./host.yaml --slices 1 --threads 1
expect 0 "$HTMT" run sar --machine ./host.yaml --slices 1 --threads 1
expect 0 "$HTMT" run prim --program va --machine ./host.yaml --slices 1 --threads 1

# Bounds have all of its levels, and its vectors.
! grep -qw avx2 /proc/cpuinfo || grep -q ' fma-f64x4: ' host.yaml || fail 'no vectors of four'
! grep -qw avx512f /proc/cpuinfo || grep -q ' add-f64x8: ' host.yaml || fail 'no vectors of eight'
cat >triad.yaml <<'END'
htmt-nests: 1
arrays: {a: {box: [100000]}, b: {box: [100000]}, c: {box: [100000]}}
nests: {triad: {loops: {i: 0..99999}, ops: {add: 1, mul: 1}, accesses: ["read b[i]", "read c[i]", "write a[i]"]}}
END
expect 0 "$HTMT" bound triad.yaml --machine ./host.yaml --json triad.json
python3 - "$(grep -c '^      l[23]: ' host.yaml)" <<'PYTHON' || fail 'bounds on this host'
import json, sys
loop = json.load(open("triad.json"))["loops"][0]
times = [t["time_fs"] for t in loop["traffic"]]
assert len(times) == int(sys.argv[1]) + 1 and all(times), loop["traffic"]
assert loop["registers_fs"] > 0 and loop["bound_fs"] >= max(times + [loop["compute_fs"], loop["registers_fs"]]), loop
PYTHON

# Without vectors the level of registers takes as many times as long as they have numbers.
expect 0 "$HTMT" bound triad.yaml --machine ./host.yaml --set layers.host.processor.vector=1 --json scalar.json
python3 - "$(sed -n 's/^      vector: {value: \([0-9]*\),.*/\1/p' host.yaml)" <<'PYTHON' || fail 'bounds without vectors'
import json, sys
wide, scalar = (json.load(open(f"{n}.json"))["loops"][0] for n in ("triad", "scalar"))
assert abs(scalar["registers_fs"] / wide["registers_fs"] / int(sys.argv[1]) - 1) < 1e-6, (wide, scalar)
assert scalar["compute_fs"] >= wide["compute_fs"]
PYTHON

expect 2 "$HTMT" host measure
grep -q 'expected --out FILE' err || fail "$(cat err)"
expect 2 "$HTMT" host measure --out no/such/folder.yaml
expect 2 "$HTMT" host measure --out other.yaml --cpu 1023
grep -q -- '--cpu: found 1023, expected a processor that is online' err || fail "$(cat err)"
one_line
[ ! -e other.yaml ] || fail 'a file of a processor that is not there'
expect 2 "$HTMT" host measure --out other.yaml --cores some
grep -q -- "--cores: found 'some', expected all" err || fail "$(<err)"
expect 2 "$HTMT" host measure --out other.yaml --repeat 0
grep -q -- '--repeat: found' err || fail "$(cat err)"
one_line
expect 2 "$HTMT" host measure --out other.yaml --cpu x
grep -q "htmt host: --cpu: found 'x', expected a whole number" err || fail "$(cat err)"
expect 2 "$HTMT" host measure --out other.txt
grep -q -- "--out: found 'other.txt', expected a name with .yaml" err || fail "$(cat err)"
one_line
[ ! -e other.txt ] || fail 'it left a file'
cp host.yaml kept.yaml
expect 2 "$HTMT" host measure --out kept.yaml
grep -q -- "--out: 'kept.yaml' exists, expected a new file, or --replace" err || fail "$(cat err)"
one_line
cmp host.yaml kept.yaml || fail 'it wrote over a file'
expect 3 bash -c 'ulimit -v "$1"; exec "$2" host measure --out kept.yaml --replace' _ 150000 "$HTMT"
grep -Eq 'arrays beyond the last cache take [0-9]+ MiB, the host has [0-9.]+ GiB left \(ulimit -v\)' err || fail "$(cat err)"
one_line
cmp host.yaml kept.yaml || fail 'a file without memory'
expect 2 "$HTMT" host guess
one_line
