#!/bin/bash
# Class: fast.
# The stencil: its costs out of its source, its words against bounds, one time and one result
# however it is played (by ranks: ranks_run.sh), and what it refuses.
. "$(dirname "$0")/common"

operations_read_counted_charged_are_those_of_the_sheet() {
    here=$PWD
    (
        cd "$root" # the source is named as it stands in the nest file
        "$HTMT" analyze apps/stencil/loops.c -I. --nests "$here/stencil.yaml"
    ) >out 2>&1 || fail "analyze: $(cat out)"
    ${CXX:-g++} -std=c++17 -O1 -fpermissive -w -I"$root" -o counting "$root/tests/stencil/counting.cc" ||
        fail 'counting.cc'
    cat >sheet <<'END'
primitive 4 10 2 0
courant 3 1 4 1
no_density 0 0 0 0
gradient_x 21 15 0 0
gradient_y 21 15 0 0
gradient_z 21 15 0 0
momentum_x 42 34 0 0
momentum_y 42 34 0 0
momentum_z 42 34 0 0
energy 43 36 0 0
flux_x 51 65 0 0
flux_y 56 65 0 0
flux_z 56 65 0 0
update 15 15 0 0
END
    ./counting >counted
    cmp sheet counted || fail "counted: $(cat counted)"
    expect 0 "$HTMT" bound stencil.yaml --param b=8 --csv read.csv --costs-out costs.yaml
    awk -F, 'NR > 1 && /^htmt__/ { sub(/htmt__stencil_/, ""); print $1, $5, $6, $7, $9 }' read.csv >read
    cmp sheet read || fail "read: $(cat read)"
    cmp costs.yaml "$root/costs/stencil.yaml" || fail 'costs/stencil.yaml is not what the source says'

    # Charged, of a block of 8^3: additions, products, quotients and roots, one each.
    wanted=$(awk '{ cells = $1 == "primitive" ? 4096 : $1 ~ /gradient/ ? 2048 : 512
        sum += cells * ($2 + $3 + $4 + $5) } END { print 64 * 3 * sum - 64 * 2 * 512 * 9 }' sheet)
    expect 0 "$HTMT" model stencil --cells 32,32,32 --slices 8 --json m.json
    [ "$(key flops m.json)" = "$wanted.0" ] || fail "charged $(key flops m.json), not $wanted"
    expect 0 "$HTMT" model stencil --cells 32,32,32 --slices 8 --costs stencil --json c.json
    same_keys m.json c.json predicted_fs flops
}

# Only u comes, in stages 2 and 3 the old field, too, and only the next field goes.
parcels_move_45_and_50_words_a_cell_as_bound_says_of_their_stages() {
    sed -E '/^  (q|d|gx|gy|gz|f)_at:/s/live: exit/live: no/' stencil.yaml >stage.yaml
    sed -E '/^  next_at:/s/live: both/live: exit/; /read next_at/d; s/update next_at/write next_at/' stage.yaml >first.yaml
    python3 - m.json <<'END' >moved
import json, sys
rows = [r for r in json.load(open(sys.argv[1]))["phases"] if r["stage"] in ("inject", "eject")]
for kind in "Block", "First Block":
    mine = [r for r in rows if r["name"] == kind]
    print(round(sum(r["quantity"] for r in mine) / mine[0]["parcels"]))
END
    for stage in stage first; do
        expect 0 "$HTMT" bound $stage.yaml --param b=8 --order blocks --local-store --bypass --csv b.csv
        awk -F, '/^htmt__/ { sum += $16 } END { print sum / 8 }' b.csv
    done >bounds
    cmp moved bounds || fail "parcels move $(xargs <moved), bounds are $(xargs <bounds)"
    [ "$(xargs <moved)" = "$((50 * 512)) $((45 * 512))" ] || fail "moved $(xargs <moved)"
}

fourteen_loops_have_the_traffic_of_the_sheet() {
    expect 0 "$HTMT" bound stencil.yaml --machine exasat-sheet --rule exasat --param b=128 --block 16,16,128 --csv e.csv
    awk -F, '/^htmt__/ { printf "%s %.6f\n", $1, $19 / 2^30; gb += $19 / 2^30; flop += $21; fs += $25 }
        END { printf "%.6f GB %.6f Gflop %.6f ms\n", gb, flop / 1e9, fs / 1e12 }' e.csv >sheets
    cat >wanted <<'END'
htmt__stencil_primitive 0.318607
htmt__stencil_courant 0.078125
htmt__stencil_no_density 0.031250
htmt__stencil_gradient_x 0.185211
htmt__stencil_gradient_y 0.185211
htmt__stencil_gradient_z 0.162060
htmt__stencil_momentum_x 0.110352
htmt__stencil_momentum_y 0.110352
htmt__stencil_momentum_z 0.096680
htmt__stencil_energy 0.297852
htmt__stencil_flux_x 0.296875
htmt__stencil_flux_y 0.296875
htmt__stencil_flux_z 0.255859
htmt__stencil_update 0.390625
2.815933 GB 2.542320 Gflop 2.749935 ms
END
    cmp sheets wanted || fail "by the sheets' rule: $(cat sheets)"
}

# peak BLOCK WORDS [OPTIONS]: what a run reports, and the closed form.
peak() {
    local words=(stencil --cells $((4 * $1)),$((2 * $1)),$((2 * $1)) --block "$1" --slices 1 "${@:3}")
    expect 0 "$HTMT" model "${words[@]}" --json run.json
    expect 0 "$HTMT" predict "${words[@]}" --json form.json
    python3 - "$2" <<'END' || fail "a block of $1 does not take $2 words of CRAM"
import json, sys
run, form = json.load(open("run.json")), json.load(open("form.json"))
assert [m["peak_words"] for m in run["memories"] if m["name"] == "CRAM"] == [int(sys.argv[1])]
assert [t["value"] for t in form["terms"] if t["name"] == "CRAM"] == [int(sys.argv[1])]
END
}

cram_holds_blocks_of_8_and_9_but_not_of_10_and_the_closed_form_is_the_peak() {
    peak 8 91648
    peak 9 112952
    peak 6 42928 --machine htmt-2007 # a channel sets the pace: one parcel at a time
    expect 3 "$HTMT" model stencil --cells 40,40,40 --block 10
    [ "$(cat err)" = 'htmt model stencil: --block: found 10, which takes 6 * 18^3 + 9 * 10 * 18^2 + 5 * 10^3 + 2 * 5 * (18^3 + 10^3) = 137472 words, expected at most the 131072 of CRAM' ] ||
        fail "a block of 10: $(cat err)"
}

one_time_and_one_result_however_it_is_played() {
    small=(stencil --cells 16,32,16 --slices 4 --case vortex --steps 2)
    expect 0 "$HTMT" run "${small[@]}" --json one.json
    grep -q '"correct": true' one.json || fail 'not correct'
    for way in '--threads 1' '--threads 2' '--threads 3' '--checked' '--clock-threads 2 --clock windows' '--check-determinism' '--lint'; do
        # shellcheck disable=SC2086
        expect 0 "$HTMT" run "${small[@]}" $way --json way.json
        same_keys one.json way.json predicted_fs history_hash
    done
    expect 0 "$HTMT" model "${small[@]}" --json model.json
    same_keys one.json model.json predicted_fs history_hash
    expect 0 "$HTMT" model "${small[@]}" --fold --json fold.json
    same_keys one.json fold.json predicted_fs
    [ "$(python3 -c 'import json; j = json.load(open("model.json")); print(j["predicted_fs"] == round(j["closed_form"]["predicted_s"] * 1e15))')" = True ] ||
        fail 'the closed form is not exact'
}

# Within so much of the clock's time; where words meet inside a network, a lower bound that says so.
# Slices that copy their margins, one DPIM at a time (htmt-2007); parcels that SRAM alone keeps apart
# (pim-node); channels that set the pace; few parcels; more than the closed form follows.
closed_form_is_near_the_clock_on_every_machine_or_a_bound() {
    while read -r machine within words; do
        # shellcheck disable=SC2086
        expect 0 "$HTMT" model stencil --machine $machine --cells $words --json by.json
        python3 - "$machine" "$within" <<'END' || fail "the closed form of $machine, $words: $(grep -A2 '"predicted_s"' by.json)"
import json, sys
document = json.load(open("by.json"))
form, clock = document["closed_form"], document["predicted_s"]
least = sys.argv[1] in ("htmt-torus", "htmt-vortex")
assert ("at least" in form["name"]) == least, form["name"]
share = form["predicted_s"] / clock - 1
assert abs(share) <= float(sys.argv[2]) and not (least and share > 1e-12), share
END
    done <<'END'
htmt-oct98 1e-5 32,32,32 --slices 1
htmt-oct98 1e-5 16,32,8 --slices 4 --steps 2
htmt-oct98 1e-5 32,32,32 --block 4 --slices 8
htmt-oct98 2e-5 24,24,24 --block 4 --slices 27 --order loops
htmt-oct98 1e-4 12,12,24 --block 4 --slices 9 --set networks.vortex.ports.dram.out-rate=40Gword/s --set networks.vortex.latency=10us
htmt-oct98 1e-4 24,24,24 --slices 3 --order loops --set networks.vortex.ports.sram.out-rate=2Gword/s --set networks.rti.latency=1us
htmt-oct98 1e-4 32,32,32 --slices 2 --steps 2 --set layers.sram.memory.capacity=400KiB --set layers.dram.processor.count=3
htmt-oct98 1e-4 64,64,64 --block 4 --slices 4 --set networks.rti.ports.cram.out-rate=1Gword/s
hereld-tables 1e-5 64,64,64
hereld-tables 1e-5 16,16,16 --slices 1 --order loops
htmt-2007 2e-5 32,32,32 --slices 1
htmt-2007 2e-5 32,32,32 --slices 2
htmt-2007 2e-5 16,32,8 --slices 4
htmt-2007 2e-5 64,64,64 --slices 64
htmt-2007 2e-5 32,32,32 --slices 8 --order loops
pim-node 1e-5 8,8,8 --slices 1
pim-node 1e-5 16,32,8 --slices 4
pim-node 1e-5 16,16,8 --block 4 --slices 2
htmt-torus 1e-3 32,32,32 --slices 1
htmt-torus 1e-3 32,32,32 --slices 8
htmt-torus 1e-3 24,24,24 --block 4 --slices 27 --order loops
htmt-vortex 0.04 32,32,32 --slices 1
htmt-vortex 0.01 32,32,32 --slices 8
htmt-vortex 0.03 16,16,8 --slices 2 --steps 3
END
    refuse 'machine small-two-layer has 2 layers; a stencil percolates through three' model stencil --machine small-two-layer --slices 1
    expect 0 "$HTMT" model stencil --cells 64,64,8 --slices 4 --explain
    grep -q 'work is that of SPELL' out || fail 'thin tiles: not the SPELL'
    grep -q '^  Margin copy  *execute  *DPIM ' out || fail 'copies have no row of their own'
}

order_loops_moves_the_words_of_the_sheets_rule_and_has_the_same_fields() {
    loops=(stencil --cells 16,16,8 --slices 2 --case manufactured --order loops)
    expect 0 "$HTMT" run "${loops[@]}" --json one.json
    grep -q '"correct": true' one.json || fail 'order loops: not correct'
    for way in '--threads 3' '--checked'; do
        # shellcheck disable=SC2086
        expect 0 "$HTMT" run "${loops[@]}" $way --json way.json
        same_keys one.json way.json predicted_fs history_hash
    done
    expect 0 "$HTMT" model "${loops[@]}" --json model.json
    same_keys one.json model.json predicted_fs history_hash
    expect 0 "$HTMT" model stencil --cells 32,32,32 --slices 8 --order loops --json model.json
    # Words of each loop: by the sheets' rule, where a word that is written moves once. Stage 1 does not
    # read the old field, and it alone runs courant.
    expect 0 "$HTMT" bound stencil.yaml --machine exasat-sheet --rule exasat --param b=16 --block 8,8,8 --write-cost 8 --lines 8 --csv e.csv
    python3 - <<'END' || fail 'order loops: other words than by the rule of the sheets'
import csv, json
document = json.load(open("model.json"))
moved = {}
for r in document["phases"]:
    if r["stage"] in ("inject", "eject"):
        moved[r["name"]] = moved.get(r["name"], 0) + r["quantity"] / 8
rows = [r for r in csv.DictReader(open("e.csv")) if r["loop"].startswith("htmt__")]
for r in rows:
    name = r["loop"].replace("htmt__stencil_", "").replace("_", "-")
    words = float(r["traffic_bytes"]) / 8
    wanted = words if name == "courant" else 3 * words - (5 * 16**3 if name == "update" else 0)
    assert moved[name] == wanted, (name, moved[name], wanted)
assert len(rows) == 14
by_form = document["closed_form"]["predicted_s"]
assert abs(by_form / document["predicted_s"] - 1) < 1e-5, by_form
END
    refuse '--block: found 9 with --order loops, whose blocks also tile the margins, 8 cells more along an axis; expected 1, 2, 4 or 8' \
        model stencil --cells 36,36,36 --block 9 --slices 8 --order loops
    # Both orders, whose fields are the same bits, add energies alike; so does the last point.
    for order in blocks loops; do
        expect 0 "$HTMT" run "${loops[@]:0:5}" --case manufactured --order $order --steps 2 --check none --plot $order.svg --out $order.npy
    done
    cmp blocks.npy loops.npy && cmp blocks.svg loops.svg || fail 'the orders differ'
}

# Speeds of a shear wave fall with exp(-nu k^2 t), so its energy with the square: of two equal steps the
# curve falls by 1 and 1 + exp(-2 nu k^2 dt) parts. The last point is of the fields that were gathered. A
# coordinate is a multiple of 1/256, of 90.
plotted_energy_falls_as_the_wave_decays() {
    expect 0 "$HTMT" run stencil --cells 16,16,8 --slices 2 --steps 2 --dt 0.01 --viscosity 0.01 --check none --plot wave.svg
    python3 - <<'END' || fail 'the curve of kinetic energy is not that of the wave'
import math, re
curve = re.findall(r'd="M \S+ (\S+) L \S+ (\S+) L \S+ (\S+) "', open("wave.svg").read())
begin, middle, end = map(float, curve[0])
share = (end - begin) / (middle - begin)
assert len(curve) == 2 and abs(share - 1 - math.exp(-0.02 * 4 * math.pi**2 * 0.01)) < 2e-4, (curve, share)
END
}

bad_input_gets_one_line() {
    expect 3 "$HTMT" model stencil --cells 16,16,8 --slices 2 --set layers.sram.memory.capacity=100KiB
    grep -q 'found 8, whose parcels take 23040 words, expected at most the 12800 of SRAM' err || fail "SRAM: $(cat err)"
    expect 0 "$HTMT" predict stencil --largest
    grep -q '^    DRAM (binds)  *5,120 ' out || fail "--largest: $(cat out)"
    refuse "--cells: found 60,64,64, expected multiples of the block's edge, 8" model stencil --cells 60,64,64
    refuse "--cells: found '64,64', expected 3 numbers" model stencil --cells 64,64
    refuse '--slices: found 7, expected as many as divide 8 x 8 x 8 blocks' model stencil --slices 7
    refuse 'expected tiles at least as wide as a margin, 4 cells' model stencil --cells 8,8,8 --block 2 --slices 64
    refuse 'expected at least the margin of 4 cells' model stencil --cells 3,3,3 --block 3
    refuse "--case: found 'vortices', expected one of 'shear', 'vortex', 'manufactured'" model stencil --case vortices
    refuse '--cells: found 64,32,8, expected as many along y as along x' model stencil --cells 64,32,8 --case vortex
    refuse 'at most 7.85439e-06: viscosity' model stencil --conductivity 10 --dt 0.01
    refuse '--dt: found 1, expected at most 0.00521218: advection' model stencil --dt 1
    refuse 'viscosity, 3 * 6.5016 nu dt' model stencil --viscosity 1 --dt 0.001
    refuse '--viscosity: found -1' model stencil --viscosity -1
}

operations_read_counted_charged_are_those_of_the_sheet
parcels_move_45_and_50_words_a_cell_as_bound_says_of_their_stages
fourteen_loops_have_the_traffic_of_the_sheet
cram_holds_blocks_of_8_and_9_but_not_of_10_and_the_closed_form_is_the_peak
one_time_and_one_result_however_it_is_played
closed_form_is_near_the_clock_on_every_machine_or_a_bound
order_loops_moves_the_words_of_the_sheets_rule_and_has_the_same_fields
plotted_energy_falls_as_the_wave_decays
bad_input_gets_one_line
