#!/bin/bash
# Class: long.
# A liquid at two densities has the energy that others found for it: 864 atoms, r_c 3 with its tail,
# 2,000 steps scaled to a temperature of 0.85, then 5,000 free ones, of which the last 3,000 are
# averaged. U/N + 0.864 (0.85 - T) = -5.5121 at density 0.776, U/N + 0.982 (0.85 - T) = -5.7947 at
# 0.82, within 0.2 %. And 100 steps of 32,000 atoms come to LAMMPS's temperature and energy.
. "$(dirname "$0")/../integration/common"

# liquid DENSITY SLOPE ENERGY
liquid() {
    expect 0 "$HTMT" run md --edge 6 --density "$1" --cut 3 --tail --steps 7000 --scale-steps 2000 --temperature 0.85 \
        --average 3000 --slices 3 --json liquid.json
    grep -q '"correct": true' liquid.json || fail "density $1: not correct"
    python3 - "$@" <<'END' || fail "density $1"
import json, sys
f = {x["name"]: x["value"] for x in json.load(open("liquid.json"))["found"]}
density, slope, wanted = map(float, sys.argv[1:])
energy = f["mean_potential"] + slope * (0.85 - f["mean_temperature"])
print(density, energy, f["mean_temperature"], f["energy_drift"])
sys.exit(abs(energy / wanted - 1) > 0.002 or abs(f["mean_temperature"] - 0.85) > 0.03)
END
}
liquid 0.776 0.864 -5.5121
liquid 0.82 0.982 -5.7947

expect 0 "$HTMT" run md --edge 20 --steps 100 --slices 8 --json melt.json
python3 - <<'END' || fail 'the melt'
import json
j = json.load(open("melt.json"))
f = {x["name"]: x["value"] for x in j["found"]}
assert j["correct"]
assert abs(f["temperature"] / 0.757 - 1) < 0.01 and abs(f["potential"] / -5.759 - 1) < 0.01
assert abs(f["energy_drift"]) < 0.003 and f["momentum"] < 1e-13 * 32000
END
