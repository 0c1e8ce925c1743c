#!/bin/bash
# Class: fast.
# Molecular dynamics: its costs out of its kernels' text, one time and one trajectory however it is
# played, the closed form, what parcels hold, and what it refuses.
. "$(dirname "$0")/common"

# found FILE NAME...: figures of a report.
found() {
    python3 - "$@" <<'END'
import json, sys
figures = {f["name"]: f["value"] for f in json.load(open(sys.argv[1]))["found"]}
print(*(repr(figures[name]) for name in sys.argv[2:]))
END
}

# holds TEXT FILE...: a condition of Python over f, figures of the first file, and j, all of them.
holds() {
    python3 - "$@" <<'END' || fail "not so: $1"
import json, sys
j = [json.load(open(name)) for name in sys.argv[2:]]
f, *others = [{x["name"]: x["value"] for x in each.get("found") or []} for each in j]
flop = {p["name"]: p["quantity"] for p in j[0].get("phases") or [] if p["stage"] == "execute" and p["unit"] == "flop"}
t = {x["name"]: x["value"] for x in j[0].get("terms") or []}
sys.exit(not eval(sys.argv[1]))
END
}

# ---- operations: numbers that count = the cost file = what a run charges ---------------------------
${CXX:-g++} -std=c++17 -O1 -fpermissive -w -I"$root" -o counting "$root/tests/md/counting.cc" ||
    fail 'counting.cc'
./counting >counted
printf 'candidate 8 8\npair 20 20\natom 5\nmove 39\n' | cmp - counted || fail "counted: $(cat counted)"
awk '/^  [a-z]+:$/ { sub(/:/, ""); name = $1 } name != "image" && name != "pack" && /flop:/ { print name, $3 }' \
    "$root/costs/md.yaml" >file
cut -d' ' -f1,2 counted | cmp - file || fail "costs/md.yaml: $(cat file)"
expect 0 "$HTMT" run md --edge 8 --steps 0 --slices 8 --json own.json
expect 0 "$HTMT" run md --edge 8 --steps 0 --slices 8 --costs md --json file.json
same_keys own.json file.json predicted_fs flops
holds 'flop["Force"] == f["atoms"] * (8 * f["candidates"] + 20 * f["neighbours"] + 5)' own.json
holds 'flop["Move"] == 39 * f["atoms"]' own.json
# Packing reads a number of each cell and three words of each atom; where 27 cells begin are 14 words.
expect 0 "$HTMT" model md --edge 12 --slices 8 --steps 0 --block 1 --json pack.json
holds '{p["quantity"] - 13 * p["parcels"] for p in j[0]["phases"] if (p["name"], p["unit"]) == ("Pack", "loads")} == {p["quantity"] for p in j[0]["phases"] if (p["name"], p["stage"]) == ("Force", "inject")}' pack.json

# ---- one time, one trajectory ---------------------------------------------------------------------
small=(md --edge 7 --steps 12 --slices 8 --skin 0.05 --temperature 3)
expect 0 "$HTMT" run "${small[@]}" --json one.json --out one.npy --capture one.rec
grep -q '"correct": true' one.json || fail 'not correct'
grep -q '"name": "difference from the serial program",' one.json || fail 'not to its end'
holds 'f["rebuilds"] > 3 and f["changed_cells"] > 20' one.json
for way in '--threads 1' '--threads 3' '--checked' '--threads 8 --clock-threads 2 --clock windows'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" run "${small[@]}" $way --check none --json way.json --out way.npy
    same_keys one.json way.json predicted_fs history_hash
    cmp one.npy way.npy || fail "$way: another trajectory"
done
expect 0 "$HTMT" model "${small[@]}" --captured one.rec --json way.json
same_keys one.json way.json predicted_fs history_hash
# The same cells, whoever has them.
for slices in 1 2 4; do
    expect 0 "$HTMT" run md "${small[@]:1:4}" --slices $slices "${small[@]:7}" --json way.json --out way.npy --check none
    cmp one.npy way.npy || fail "$slices slices: another trajectory"
done
expect 0 "$HTMT" run md "${small[@]:1:4}" --slices 1 "${small[@]:7}" --block 3 --set layers.dram.processor.count=2 --out way.npy
cmp one.npy way.npy || fail 'other blocks: another trajectory'
expect 0 "$HTMT" run md --edge 5 --steps 12 --skin 0 --density 0.7 --slices 3 --json way.json
holds 'f["rebuilds"] == 12' way.json

# ---- model, folded, closed form --------------------------------------------------------------------
for slices in 8 64; do
    expect 0 "$HTMT" model md --edge 24 --slices $slices --steps 20 --json model.json
    expect 0 "$HTMT" model md --edge 24 --slices $slices --steps 20 --fold --json fold.json
    same_keys model.json fold.json predicted_fs
    holds 'abs(j[0]["closed_form"]["predicted_s"] / j[0]["predicted_s"] - 1) < 0.02' model.json
    for block in 2 3 4; do
        expect 0 "$HTMT" model md --edge 24 --slices $slices --steps 20 --block $block --json block.json
        holds 'j[0]["predicted_s"] >= j[1]["predicted_s"] and abs(j[0]["closed_form"]["predicted_s"] / j[0]["predicted_s"] - 1) < 0.04' block.json model.json
    done
done
expect 0 "$HTMT" run md --edge 12 --slices 8 --steps 20 --check none --json run.json
holds 'abs(j[0]["closed_form"]["predicted_s"] / j[0]["predicted_s"] - 1) < 0.03 and f["rebuilds"] < 5' run.json
# One DPIM copies all halos of a slice that is its own neighbour.
expect 0 "$HTMT" model md --edge 9 --slices 1 --machine htmt-2007 --json one-dpim.json
holds 'abs(j[0]["closed_form"]["predicted_s"] / j[0]["predicted_s"] - 1) < 0.03' one-dpim.json
expect 0 "$HTMT" model md --edge 2048 --slices 4096 --fold --steps 1
expect 0 "$HTMT" predict md --largest

# A block of 8^3 cells 2.5007 wide: atoms by the density, words of positions, forces and what says
# where cells begin; two parcels fit.
expect 0 "$HTMT" predict md --edge 67 --slices 1 --skin 0 --block 8 --json b.json
holds 'abs(t["own"] - 0.8442 * 20.0058**3) < 1 and abs(t["with halo"] - 0.8442 * 25.00726**3) < 1' b.json
holds 'abs(t["candidates"] - 27 * 0.8442 * 2.500726**3) < 0.1 and abs(t["neighbours"] - 55.25) < 0.01' b.json
holds 't["words in"] == 3 * t["with halo"] + 501 and t["words out"] == 3 * t["own"] + 4' b.json
holds '95 < t["CRAM use"] < 100' b.json
expect 0 "$HTMT" model md --edge 67 --slices 1 --skin 0 --block 8 --steps 0 --json m.json
python3 -c 'import json
t = {x["name"]: x["value"] for x in json.load(open("b.json"))["terms"]}
m = json.load(open("m.json"))
f = {x["name"]: x["value"] for x in m["found"]}
assert f["largest_parcel"] > t["words in"] + t["words out"]
peak = [x for x in m["memories"] if x["name"] == "CRAM"][0]["peak_words"]
assert f["largest_parcel"] < peak <= 2 * f["largest_parcel"] < 131072' || fail 'CRAM'

# A small SRAM has fewer buffers, or smaller blocks; the atoms go the same way.
expect 0 "$HTMT" run md --edge 8 --slices 1 --steps 6 --json large.json --out large.npy
for words in 15000words 25000words; do
    expect 0 "$HTMT" run md --edge 8 --slices 1 --steps 6 --set layers.sram.memory.capacity=$words --json small.json --out small.npy
    cmp large.npy small.npy || fail "SRAM of $words: another trajectory"
    holds 'j[0]["predicted_s"] > j[1]["predicted_s"]' small.json large.json
done
expect 3 "$HTMT" run md --edge 8 --slices 1 --set layers.sram.memory.capacity=9000words
grep -q 'words while and when they are packed, expected at most the 9000 of SRAM' err || fail "SRAM: $(cat err)"
# Times by the kernels' own operations, where these are recorded.
if [ -x "$(dirname "$HTMT")/htmt-rec" ]; then
    expect 0 "$HTMT" run md --edge 5 --slices 1 --steps 2 --machine pim-node --timing operations --json o.json
    grep -q '"correct": true' o.json || fail 'by operations: not correct'
    ! grep -q 'by counts' out || fail "not recorded: $(grep 'by counts' out)"
fi

# ---- results ----------------------------------------------------------------------------------------
expect 0 "$HTMT" run md --edge 5 --steps 40 --slices 1 --out a.npy --plot-gr g.svg --plot-energies e.png --json a.json
[ -s g.svg ] && [ -s e.png ] || fail 'no plots'
python3 - a.json <<'END' || fail 'a.npy is not what the report says'
import json, struct, sys
data = open("a.npy", "rb").read()
rows = [struct.unpack_from("<6d", data, 128 + 48 * i) for i in range(500)]
f = {x["name"]: x["value"] for x in json.load(open(sys.argv[1]))["found"]}
edge = (500 / 0.8442) ** (1 / 3)
assert len(data) == 128 + 48 * 500
assert all(0 <= x < edge for row in rows for x in row[:3])
assert abs(sum(v * v for row in rows for v in row[3:]) / 2 / 500 - f["kinetic"]) < 1e-12
energy = pairs = 0
for i, p in enumerate(rows):
    for q in rows[:i]:
        r2 = sum((d - edge * round(d / edge)) ** 2 for d in (a - b for a, b in zip(p[:3], q[:3])))
        if r2 < 6.25:
            energy += 4 * (r2 ** -6 - r2 ** -3)
            pairs += 1
assert abs(energy / 500 - f["potential"]) < 1e-9 and abs(2 * pairs / 500 - f["neighbours"]) < 1e-9
# g(r): 200 shells to half the edge, each pair twice, over atoms and what a shell of the density has
wide = edge / 2 / 200
shell = [0] * 200
for i, p in enumerate(rows):
    for q in rows[:i]:
        k = int(sum((d - edge * round(d / edge)) ** 2 for d in (a - b for a, b in zip(p[:3], q[:3]))) ** 0.5 / wide)
        if k < 200:
            shell[k] += 2
g = [n / 500 / (0.8442 * 4 / 3 * 3.141592653589793 * wide**3 * ((k + 1)**3 - k**3)) for k, n in enumerate(shell)]
assert abs(max(g) - f["gr_peak"]) < 1e-9 and abs((g.index(max(g)) + 0.5) * wide - f["gr_peak_at"]) < 1e-12, (max(g), f)
assert 1.05 < f["gr_peak_at"] < 1.15 and 0.8 < sum(g[160:]) / 40 < 1.2
END

# Averages over the last two steps are those of the end of a run and of one that is a step shorter.
expect 0 "$HTMT" run md --edge 5 --steps 40 --slices 1 --average 2 --check none --json a.json
expect 0 "$HTMT" run md --edge 5 --steps 39 --slices 1 --check none --json shorter.json
holds 'all(abs(2 * f["mean_" + k] - f[k] - others[0][k]) < 1e-12 for k in ("potential", "temperature", "pressure"))' a.json shorter.json

# ---- refusals ----------------------------------------------------------------------------------------
xyz() { # LINES...: of atoms
    { echo $#; echo words; printf '%s\n' "$@"; } >bad.xyz
}
box=(run md --in bad.xyz --box 8,8,8 --slices 1)
xyz 'A 1 1 1' 'A 2 nan 2'
refuse 'bad.xyz:4:5: found "nan 2", expected a finite number' "${box[@]}"
xyz 'A 1 1 1' 'A 2 2'
refuse 'bad.xyz:4:6: found the end of the line, expected a number' "${box[@]}"
xyz 'A 1 1 1' 'A 2 2 2 3'
refuse 'bad.xyz:4:9: found "3", expected the end of the line' "${box[@]}"
xyz 'A 1 1 1 0 0 0' 'A 2 2 2'
refuse 'bad.xyz:4:8: found the end of the line, expected a number' "${box[@]}"
xyz 'A 1 1 1' 'A 2 2 2' 'A 9 1 1'
refuse 'bad.xyz:5: found atom 3 in the place of atom 1 (line 3), expected a place of its own' "${box[@]}"
printf '3\nwords\nA 1 1 1\n' >bad.xyz
refuse 'bad.xyz: found 3 lines, expected 5' "${box[@]}"
printf '1\nwords\nA 1 1 1\nA 2 2 2\n' >bad.xyz
refuse 'bad.xyz:4: found "A 2 2 2", expected the end of the file' "${box[@]}"
printf 'one\nwords\nA 1 1 1\n' >bad.xyz
refuse 'bad.xyz:1: found "one", expected the number of atoms' "${box[@]}"
xyz 'A 1 1 1' 'A 2 2 2'
refuse '--in: found no --box' run md --in bad.xyz
refuse '--box: found 8,8,8 without --in' run md --edge 5 --box 8,8,8
refuse '--cut: found 4.1, expected at most 4, half the shortest edge' "${box[@]}" --cut 4.1
refuse '--slices: found 2, expected 1: the box has no three cells' run md --in bad.xyz --box 8,8,8 --cut 3 --slices 2
refuse '--fold: found atoms of bad.xyz, expected a lattice' model md --in bad.xyz --box 12,12,12 --fold --slices 8
refuse '--slices: found 7, expected as many as divide' run md --edge 8 --slices 7
refuse 'of 2.5 into equal boxes, as 1 do' run md --edge 5 --skin 0 --slices 2
refuse "--edge: found '3,4', expected 3 numbers" run md --edge 3,4
refuse '--edge: found 0, expected one or three whole numbers' run md --edge 0
refuse '--room: found 3, expected' run md --edge 8 --slices 1 --room 3
refuse '--scale-steps: found a lattice at rest' run md --edge 5 --temperature 0 --scale-steps 5 --scale-to 1
refuse '--scale-steps: found 11, expected' run md --edge 5 --steps 10 --scale-steps 11
expect 3 "$HTMT" run md --edge 8 --slices 1 --set layers.cram.memory.capacity=1000words
grep -q 'a parcel of which takes .* words, expected at most the 1000 of CRAM' err || fail "CRAM: $(cat err)"
# Atoms outside the box come into it; what is too full, or too fast, ends in a line.
xyz 'A -1 1 1' 'A 12 2 2' 'A 1 1 4'
expect 0 "$HTMT" run md --in bad.xyz --box 8,8,8 --slices 1 --steps 2
grep -q '2 of 3 atoms of bad.xyz lay outside the box' out || fail "not said: $(cat out)"
expect 3 "$HTMT" run md --edge 8 --slices 1 --steps 60 --temperature 5 --moving 0 --skin 1 --block 4 --check none
grep -q 'atoms of a block that change their cell, expected at most 64; --moving 1 has room' err || fail "moving: $(cat err)"
xyz 'A 1 1 1' 'A 1.3 1 1' 'A 4 4 4'
expect 0 "$HTMT" run md --in bad.xyz --box 9,9,9 --slices 1 --steps 5 --dt 1e-5
xyz 'A 1 1 1' 'A 1.0001 1 1' 'A 4 4 4'
expect 0 "$HTMT" run md --in bad.xyz --box 9,9,9 --slices 1 --steps 0
expect 2 "$HTMT" run md --in bad.xyz --box 9,9,9 --slices 1 --steps 5 --check none
grep -q 'step 0: found atom [12] a million boxes off or more, expected a time step below 0.005, or' err ||
    fail "too near: $(cat err)"
# One atom of 217 lies 0.48 from another, and flies through the others: no two programs agree for long.
# shellcheck disable=SC2046
xyz 'A 0.95 0.635 0.52' $(seq 0 215 | awk '{ printf "A_%s_%s_%s\n", 1.1 * ($1 % 6) + 0.5, 1.1 * (int($1 / 6) % 6) + 0.5, 1.1 * int($1 / 36) + 0.5 }')
sed -i 's/_/ /g' bad.xyz
expect 0 "$HTMT" run md --in bad.xyz --box 6.6,6.6,6.6 --slices 1 --steps 5 --json fast.json
grep -q 'difference from the serial program, 0 steps' fast.json || fail 'compared to the end'
expect 2 "$HTMT" run md --in bad.xyz --box 6.6,6.6,6.6 --slices 1 --steps 20
xyz 'A 1 1 1e-200' 'A 1 1 1e-300'
expect 2 "$HTMT" run md --in bad.xyz --box 9,9,9 --slices 1 --steps 0
grep -q 'found two atoms in one place, or nearly so: their energy is not finite' err || fail "in one place: $(cat err)"
