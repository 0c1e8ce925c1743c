#!/bin/bash
# Class: long.
# Interactions of larger Plummer spheres, and the closed form that two of them give.
. "$(dirname "$0")/../integration/common"

# entries N: of a body's list at theta 0.7, on one slice.
entries() {
    expect 0 "$HTMT" run nbody --bodies "$1" --theta 0.7 --slices 1 --steps 0 --check none --eps 0 \
        --set layers.sram.memory.capacity=1GiB --json t.json
    python3 -c 'import json
print([f["value"] for f in json.load(open("t.json"))["found"] if f["name"] == "interactions"][0])'
}
entries 40000 >small
entries 320000 >middle
entries 2560000 >large
python3 - <<'END' || fail "entries: $(cat small middle large | xargs)"
i = [float(open(name).read()) for name in ("small", "middle", "large")]
for found, wanted in zip(i, (1671, 1928, 1949)):
    assert abs(found / wanted - 1) < 0.05, (found, wanted)
line = i[1] + (i[1] - i[0]) # one factor of 8 more
assert abs(line / i[2] - 1) < 0.15, line
END
# Balance: from step 2 on no slice has more than 1.15 of the mean work.
expect 0 "$HTMT" run nbody --bodies 40000 --theta 0.7 --slices 16 --steps 3 --check none --json t.json
python3 - <<'END' || fail 'balance'
import json
found = {f["name"]: f["value"] for f in json.load(open("t.json"))["found"]}
assert 1 <= found["balance"] <= 1.15, found
assert abs(found["interactions"] / 1671 - 1) < 0.05, found
END
# The sphere: E = -1/4, half of it, and M(r) within 4 / sqrt(N), of which the radii inside have a share.
expect 0 "$HTMT" run nbody --bodies 100000 --theta 0.5 --slices 4 --steps 0 --eps 0 --json t.json --out b.npy
python3 - <<'END' || fail 'not a Plummer sphere'
import array, json, math
found = {f["name"]: f["value"] for f in json.load(open("t.json"))["found"]}
off = 4 / math.sqrt(100000)
assert abs(found["kinetic_energy"] + found["potential_energy"] + 0.25) < off, found
raw = open("b.npy", "rb").read()
rows = array.array("d", raw[len(raw) - 100000 * 56:])
r = sorted(math.sqrt(sum(x * x for x in rows[7 * i + 1:7 * i + 4])) for i in range(100000))
a = 3 * math.pi / 16
for k in range(1, 99):
    law = r[1000 * k] ** 3 / (r[1000 * k] ** 2 + a * a) ** 1.5
    assert abs(k / 100 - law / 0.999) < off, (k, law)
END
