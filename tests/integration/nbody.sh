#!/bin/bash
# Class: fast.
# Gravity: one time and one result however it is played, its closed form, and what it refuses.
. "$(dirname "$0")/common"

# ---- direct sum: one time, one result -------------------------------------------------------------
small=(nbody --method direct --bodies 602 --slices 4 --steps 2)
expect 0 "$HTMT" run "${small[@]}" --json one.json --out one.npy
grep -q '"correct": true' one.json || fail 'not correct'
for way in '--threads 1' '--threads 3' '--threads 8' '--checked' '--clock-threads 2 --clock windows' '--lint'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" run "${small[@]}" $way --json way.json --out way.npy
    same_keys one.json way.json predicted_fs history_hash
    cmp one.npy way.npy || fail "other bodies with $way"
done
expect 0 "$HTMT" model "${small[@]}" --json model.json
same_keys one.json model.json predicted_fs history_hash
expect 0 "$HTMT" model nbody --method direct --bodies 600 --slices 4 --json whole.json
expect 0 "$HTMT" model nbody --method direct --bodies 600 --slices 4 --fold --json fold.json
same_keys whole.json fold.json predicted_fs

# ---- the closed form of the direct sum ------------------------------------------------------------
# exactly OPTIONS: the clock says what the closed form says.
exactly() {
    expect 0 "$HTMT" model nbody --method direct "$@" --json m.json
    [ "$(grep -c '^ *"predicted_s"' m.json)" = 2 ] || fail "no closed form: $*"
    [ "$(awk '$1 == "\"predicted_s\":" { printf "%.0f\n", 1e15 * $2 }' m.json | uniq | wc -l)" = 1 ] ||
        fail "the closed form is not exact: $*"
}
exactly --bodies 600 --slices 4 --steps 2
exactly --bodies 4000 --slices 4 --steps 0                 # several parcels a block
exactly --bodies 80000 --slices 2 --steps 1 --fold         # several passes, the last one shorter
exactly --bodies 9000 --slices 1 --steps 0
exactly --bodies 65536 --slices 64 --fold
exactly --bodies 65536 --slices 64 --machine htmt-2007 --fold
# 2^20 bodies on 4096 slices: 2^40 pairs of 20 flop on 4096 SPELLs of 256 Gflop/s are 20.97 ms.
exactly --bodies 1048576 --slices 4096 --steps 0 --fold
# Four times that for twice the bodies.
expect 0 "$HTMT" predict nbody --method direct --bodies 2097152 --slices 4096 --steps 0 --json p.json
# 5.12 targets: the SPELL and the ring take as long.
python3 - <<'END' || fail 'sums of 2^20 and 2^21 bodies take another time'
import json
m, p = (json.load(open(f)) for f in ("m.json", "p.json"))
sum = 2**40 * 20 / (4096 * 256e9)
assert sum < m["predicted_s"] < 1.001 * sum, (m["predicted_s"], sum)
assert abs(p["predicted_s"] / (4 * sum) - 1) < 0.001, p["predicted_s"]
even = [t["value"] for t in p["terms"] if t["name"] == "even"][0]
assert abs(even - 4 * 2.56e11 / (20 * 1e10)) < 1e-9, even
END
expect 0 "$HTMT" predict nbody --method direct --largest
expect 0 "$HTMT" predict nbody --largest

# ---- the tree: one time, one result ---------------------------------------------------------------
# found NAME FILE: a figure that the run found out.
found() {
    sed -n "/^ *\"name\": \"$1\",\$/{n;s/^ *\"value\": \([^,]*\),\$/\1/p;}" "$2"
}
# within A B SHARE: A is B but for a share of it.
within() {
    awk -v a="$1" -v b="$2" -v share="$3" 'BEGIN { exit !(a / b - 1 < share && 1 - a / b < share) }'
}
tree=(nbody --method tree --bodies 1000 --theta 0.7 --slices 5 --steps 2)
expect 0 "$HTMT" run "${tree[@]}" --json one.json --out one.npy --capture one.rec
grep -q '"correct": true' one.json || fail 'tree: not correct'
for way in '--threads 1' '--threads 3' '--threads 8' '--checked' '--clock-threads 2 --clock windows' '--lint'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" run "${tree[@]}" $way --json way.json --out way.npy
    same_keys one.json way.json predicted_fs history_hash
    cmp one.npy way.npy || fail "tree: other bodies with $way"
done
expect 0 "$HTMT" model "${tree[@]}" --captured one.rec --json model.json
same_keys one.json model.json predicted_fs history_hash
# On another machine the captured run is the run there, though lists go to whichever buffer is free.
there=(--set layers.sram.processor.count=20 --set layers.cram.processor.clock=26GHz --set networks.vortex.latency=3us)
expect 0 "$HTMT" run "${tree[@]}" "${there[@]}" --check none --json one.json
expect 0 "$HTMT" model "${tree[@]}" "${there[@]}" --captured one.rec --json model.json
same_keys one.json model.json predicted_fs history_hash
# Slices change what cells there are, not what a body feels.
for moments in mono quad; do
    expect 0 "$HTMT" run nbody --method tree --bodies 3000 --slices 3 --moments $moments --json way.json
    grep -q '"correct": true' way.json || fail "tree by $moments: not correct"
done
# All pairs by lists in parts: those of the direct sum, but for the last digits.
expect 0 "$HTMT" run nbody --method direct --bodies 2000 --slices 3 --json direct.json
for memory in 1MiB 96KiB 40KiB; do
    expect 0 "$HTMT" run nbody --theta 0 --bodies 2000 --slices 3 --json zero.json --out $memory.npy \
        --set layers.cram.memory.capacity=$memory
    [ "$(found interactions zero.json)" = 2000.0 ] || fail "theta 0: $(found interactions zero.json) entries"
    cmp <(found potential_energy direct.json | cut -c1-13) <(found potential_energy zero.json | cut -c1-13) ||
        fail 'theta 0 gives another energy'
    cmp 1MiB.npy $memory.npy || fail "lists in parts of half of $memory give other bits"
done
# Balance: from step 2 on no slice has more than 1.15 of the mean work (tests/long/gravity.sh: of 40,000 bodies).
expect 0 "$HTMT" run nbody --method tree --bodies 8000 --theta 0.7 --slices 8 --steps 3 --check none --json b.json
within "$(found balance b.json)" 1.075 0.0698 || fail "balance $(found balance b.json)"
refuse '--fold: found --method tree, expected direct' model nbody --method tree --fold
# A model run without the lists of a run: by estimate, as the closed form.
expect 0 "$HTMT" model nbody --bodies 40000 --theta 0.7 --slices 1 --steps 0 --json t.json
python3 -c 'import json
t = json.load(open("t.json")); fs = (t["predicted_s"], t["closed_form"]["predicted_s"])
assert abs(fs[0] / fs[1] - 1) < 0.05, fs' || fail 'the model of the tree is off'
# CRAM for one cell or two bodies beside each group: lists in the smallest parts there are.
expect 0 "$HTMT" run nbody --bodies 200 --slices 3 --steps 0 --set layers.cram.memory.capacity=1044words --json t.json
grep -q '"correct": true' t.json || fail 'parts of ten words: not correct'
expect 3 "$HTMT" run nbody --method tree --set layers.cram.memory.capacity=1000words
grep -q 'expected at least 1044, for two groups of 64 and an entry of each list' err || fail "a small CRAM: $(cat err)"

# Lengths of lists in a file, for model runs: on one slice nothing else depends on data.
expect 0 "$HTMT" run nbody --bodies 10000 --theta 0.7 --slices 1 --steps 0 --check none --out-lists l.npy --json t.json
expect 0 "$HTMT" model nbody --bodies 10000 --theta 0.7 --slices 1 --steps 0 --lists l.npy --json m.json
python3 - <<'END' || fail 'a model of given lists is off'
import json
run, model = (json.load(open(f)) for f in ("t.json", "m.json"))
flops = [sum(r.get("classes", {}).get("flop", 0) for r in j["phases"] if r["name"] == "Force") for j in (run, model)]
assert flops[0] == flops[1] > 0, flops
assert abs(run["predicted_s"] / model["predicted_s"] - 1) < 0.05, (run["predicted_s"], model["predicted_s"])
END
refuse 'l.npy: found groups of 10000 bodies, expected 10001' model nbody --bodies 10001 --slices 1 --lists l.npy
refuse ' bodies of slice 0, expected at most 9998' model nbody --bodies 9998 --slices 1 --lists l.npy
refuse 'column 1: found a group of ' model nbody --bodies 10000 --slices 1 --group 8 --lists l.npy
refuse '--out-lists: found --method direct, expected tree' run nbody --method direct --out-lists m.npy
refuse '--lists: found a run, expected a model run of --method tree' run nbody --lists l.npy
refuse 'one.npy: found ' model nbody --lists one.npy

# ---- operations: counting numbers = the cost file = what is charged -------------------------------
${CXX:-g++} -std=c++17 -O1 -fpermissive -w -I"$root" -o counting "$root/tests/nbody/counting.cc" ||
    fail 'counting.cc'
./counting >counted
printf 'body 10 8 1 1\ncell 23 30 1 1\n' | cmp counted - || fail "counted: $(cat counted)"
for method in direct tree; do
    expect 0 "$HTMT" predict nbody --method $method --bodies 40000 --slices 4 --json own.json
    expect 0 "$HTMT" predict nbody --method $method --bodies 40000 --slices 4 --costs nbody --json file.json
    same_keys own.json file.json predicted_s flops
done
expect 0 "$HTMT" model nbody --method direct --bodies 600 --slices 4 --steps 2 --json m.json
[ "$(key flops m.json)" = "$((3 * 600 * 600 * 20)).0" ] || fail "charged $(key flops m.json)"
# Of the tree, on one slice, where no bodies move.
expect 0 "$HTMT" run nbody --method tree --bodies 40000 --theta 0.7 --slices 1 --steps 0 --check none --json t.json
python3 -c 'import json
t = json.load(open("t.json")); fs = (t["predicted_s"], t["closed_form"]["predicted_s"])
assert abs(fs[0] / fs[1] - 1) < 0.15, fs' || fail 'the closed form of the tree is off'
# A Plummer sphere has kinetic energy 1/4, within 4 / sqrt(N), and potential energy -1/2.
within "$(found kinetic_energy t.json)" 0.25 0.02 || fail "kinetic energy $(found kinetic_energy t.json)"
within "$(found potential_energy t.json)" -0.5 0.02 || fail "potential energy $(found potential_energy t.json)"
within "$(found interactions t.json)" 1671 0.05 || fail "interactions $(found interactions t.json)"

# ---- other models of execution --------------------------------------------------------------------
# One processor: flop of all pairs, 45 of a body besides; targets stay, and sources come by once a pass.
expect 0 "$HTMT" predict nbody --method direct --bodies 1000000 --execution serial --machine serial-2000 --json s.json
expect 0 "$HTMT" predict nbody --method direct --bodies 1000000 --execution mpp --machine mpp-2000 --slices 8 --json m.json
expect 0 "$HTMT" predict nbody --method direct --bodies 1000000 --execution mpp --machine mpp-2000 --slices 16 --json n.json
python3 - <<'END' || fail 'other models of execution'
import json
def terms(name):
    return {t["name"]: t["value"] for t in json.load(open(name))["terms"]}
s, m, n = terms("s.json"), terms("m.json"), terms("n.json")
N = 10**6
assert s["flop"] == m["flop"] == 2 * N * (45 + 20 * N), s["flop"]
assert s["data"] == 14 * N
passes = (s["words in"] / (2 * N) - 14) / 4 # whole, and less than one for each body
assert passes == int(passes) and 1 <= passes < N, passes
assert s["words out"] == 2 * 14 * N
assert abs(m["compute"] / n["compute"] - 2) < 1e-9 # half of it on twice the nodes
assert m["network"] < n["network"] * 2 and n["data"] < m["data"]
END
for method in direct tree; do
    expect 0 "$HTMT" compare nbody --method $method --bodies 100000 --machines htmt-oct98,mpp-2000,serial-2000
done
refuse '--execution serial: found model, expected predict' model nbody --execution serial --machine serial-2000

# ---- bodies of a file -----------------------------------------------------------------------------
python3 - <<'END'
import struct
def npy(name, rows):
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows), len(rows[0]))
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    with open(name, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        for r in rows:
            f.write(struct.pack("<%dd" % len(r), *r))
cube = [(1.0, *(float(i >> c & 1) for c in range(3)), 0.0, 0.0, 0.0) for i in range(8)]
npy("cube.npy", cube)
npy("columns.npy", [r[:6] for r in cube])
npy("nan.npy", cube[:3] + [(1.0, float("nan"), 0.0, 0.0, 0.0, 0.0, 0.0)])
npy("mass.npy", cube[:2] + [(-1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0)])
npy("place.npy", cube + cube[5:6])
npy("near.npy", [(1.0, 1e-200 * i, 0.0, 0.0, 0.0, 0.0, 0.0) for i in range(3)])
npy("eight.npy", cube * 40)
npy("one.npy", cube[:1] * 700) # more than a slice has room for
npy("uneven.npy", [(1e-4, i % 12 / 100, i // 12 % 12 / 100, i // 144 / 100, 0, 0, 0) for i in range(1728)] +
    [(1e-4, 8.0 + i, -8.0 - i, 0, 0, 0, 0) for i in range(1272)])
npy("corner.npy", [(1.0, *(1000 + 1e-6 * (i * p % 97) for p in (1, 7, 31)), 0.0, 0.0, 0.0) for i in range(97)])
END
expect 0 "$HTMT" run nbody --method direct --in cube.npy --eps 0 --steps 0 --slices 2 --json cube.json --out same.npy
cmp cube.npy same.npy || fail 'bodies that do not move came out otherwise'
# -(12 + 12 / sqrt 2 + 4 / sqrt 3)
within "$(found potential_energy cube.json)" -22.794682450997072 1e-14 || fail 'the cube has another energy'
refuse 'columns.npy: found 8 rows of 6 columns, expected rows of 7: mass, position, velocity' \
    run nbody --in columns.npy
refuse 'nan.npy: row 3, column 1: found nan, expected a number' run nbody --in nan.npy
refuse 'mass.npy: row 2, column 0: found a mass of -1, expected 0 or more' run nbody --in mass.npy
refuse 'place.npy: rows 5 and 8: found two bodies in one place, expected --eps above 0' \
    run nbody --in place.npy --eps 0
refuse 'near.npy: rows 0 and 1: found two bodies in one place' run nbody --in near.npy --eps 0
expect 0 "$HTMT" run nbody --in place.npy --eps 0.1 --slices 1
# Many bodies of one key: slices share them, and those that have none go along.
for many in 'eight.npy --slices 18' 'eight.npy --slices 2' 'one.npy --slices 8'; do
    read -ra many <<<"--theta 0 --in $many"
    expect 0 "$HTMT" run nbody "${many[@]}" --json one.json --capture one.rec --out-lists l.npy
    grep -q '"correct": true' one.json || fail "not correct: ${many[*]}"
    expect 0 "$HTMT" model nbody "${many[@]}" --captured one.rec --json model.json
    same_keys one.json model.json predicted_fs history_hash
    expect 0 "$HTMT" model nbody "${many[@]}" --lists l.npy
done
# A dense cube, and bodies on a line that have short lists: slices of as much work have not as many bodies.
expect 0 "$HTMT" run nbody --in uneven.npy --theta 1 --slices 8 --steps 3 --dt 1e-6 --check none --json b.json
within "$(found balance b.json)" 1.075 0.0698 || fail "balance $(found balance b.json) of uneven work"
expect 0 "$HTMT" run nbody --in corner.npy --slices 6 --steps 2 --json one.json
grep -q '"correct": true' one.json || fail 'bodies in a corner: not correct'
refuse "--theta: found 1.6, expected" run nbody --theta 1.6
refuse "--method: found 'ring', expected one of 'direct', 'tree'" run nbody --method ring
refuse '--fold: found 100 bodies on 3 slices, expected the same number on each' \
    model nbody --method direct --bodies 100 --slices 3 --fold
refuse '--slices: found 9, expected at most one a body, 8' model nbody --in cube.npy --slices 9
expect 3 "$HTMT" model nbody --method direct --bodies 64 --slices 1 --set layers.cram.memory.capacity=15words
grep -q 'expected at least 16, for a target and two sources' err || fail "a small CRAM: $(cat err)"
