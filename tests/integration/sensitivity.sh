#!/bin/bash
# Class: fast foreign.
# Sensitivity: the derivatives are those of formulas on paper and of predictions made one by one; T is
# homogeneous in times; the same tables whatever the number of processes; bad input.
. "$(dirname "$0")/common"

paper=(cannon --machine htmt-2007 --size 208000 --schedule paper)
small=(cannon --size 1024 --slices 16)
pic=(pic --case thermal --slices 4 --steps 2)
vortex=(--group 'vortex=networks.vortex.ports.*-rate')

# rows FILE 'NAME SIDE VALUE'...: of the JSON, within 1e-6; SIDE is larger, smaller, or a factor.
rows() {
    python3 - "$@" <<'P' || fail "$1: not the figures of the formula"
import json, sys
o = json.load(open(sys.argv[1]))
cells = {f["name"]: f["cases"][0] for f in o["figures"]}
bad = 0
for row in sys.argv[2:]:
    name, side, wanted = row.split()
    found = o["cases"][0][side] if name == "case" else cells[name][side]
    if isinstance(found, dict):
        found = found["factor"] if found["ends"] else None
    within = 1e-6 if side in ("larger", "smaller", "sum", "ties") else 1e-4 * float(wanted)
    if found is None or abs(found - float(wanted)) > within * 1.000001:
        print(name, side, wanted, "found", found, file=sys.stderr)
        bad = 1
sys.exit(bad)
P
}

# By hand from Amaral's equations: the schedule of the paper adds a compute time, transforms and moves.
expect 0 "$HTMT" sensitivity predict "${paper[@]}" --json p.json --csv p.csv --plot p.svg --jobs 2
rows p.json 'layers.cram.processor.flop larger 0.817123' 'layers.dram.processor.load larger 0.083199' \
    'layers.dram.processor.store smaller 0.083199' 'layers.sram.memory.access larger 0.014575' \
    'layers.dram.memory.access larger 0.001905' 'networks.cnet.ports.cram.out-rate larger 0' \
    'layers.cram.processor.flop faster_to 12.525' 'layers.cram.processor.flop T_at_once_s 4.002667' \
    'layers.cram.processor.flop one_percent_at 1.01224' \
    'networks.cnet.ports.cram.out-rate slower_to 12.525' 'case sum 1' 'case ties 0' 'case T_s 16.132212'
grep -q '<svg' p.svg || fail 'no picture'

# On the clock: values by an independent prototype, from runs with changed machine files.
expect 0 "$HTMT" sensitivity model "${small[@]}" --json c.json
rows c.json 'layers.cram.processor.clock larger -0.922514' 'layers.dram.processor.clock larger -0.039639' \
    'networks.vortex.latency larger 0.000449' 'networks.rti.latency smaller 0.000106' \
    'networks.rti.ports.sram.out-rate larger -0.000900' 'networks.rti.ports.cram.out-rate larger -0.001799' \
    'networks.vortex.ports.dram.out-rate larger -0.011531' \
    'networks.vortex.ports.dram.out-rate smaller -0.023063' \
    'networks.vortex.ports.sram.in-rate larger 0' 'networks.vortex.ports.sram.in-rate smaller -0.011532'
grep -q '"method": "path"' c.json || fail 'not by the path'
expect 0 "$HTMT" sensitivity model "${small[@]}" --study one.db
grep -q ': 1 predictions computed now' out || fail "more than one run: $(tail -1 out)"
expect 0 "$HTMT" sensitivity model "${small[@]}" "${vortex[@]}" --json g.json
rows g.json 'vortex larger -0.034594' 'vortex smaller -0.034594' 'case sum 1' 'case ties 0'
expect 0 "$HTMT" sensitivity model "${pic[@]}" --json i.json
rows i.json 'layers.cram.processor.clock larger -0.280452' 'layers.dram.processor.clock larger -0.501301' \
    'networks.vortex.ports.dram.out-rate larger -0.002517' \
    'networks.vortex.ports.dram.out-rate smaller -0.097817'
expect 0 "$HTMT" sensitivity model "${pic[@]}" "${vortex[@]}" --json j.json
rows j.json 'vortex larger -0.160705' 'vortex smaller -0.160705' 'case sum 1'

# The method stands in the head: the path, or differences and why.
expect 0 "$HTMT" sensitivity model "${small[@]}" --figures '*.latency'
grep -q 'by model; path; ' out || fail "not by the path: $(head -2 out)"
expect 0 "$HTMT" sensitivity model cannon --size 256 --slices 4 --machine htmt-torus --figures '*.clock'
grep -q 'by model; differences, h = ' out || fail "not by differences: $(head -2 out)"
grep -q '^  no derivative by the path: a model inside times (.*), put$' out || fail "no reason: $(head -2 out)"

# The machine of docs/machines.md: 10 flop and 3 loads; 64 words, whose accesses take half as long as
# the link, and as long.
if [ -z "${SANITIZE-}" ]; then
    build=$(dirname "$HTMT")
    awk '/^htmt-machine: 1  /{on = 1} on && /^```/{exit} on' "$root/docs/machines.md" >formula.yaml
    ${CC:-cc} -O2 -fPIC -I"$build/include" -I"$build/include/htmt" -shared \
        "$root/tests/plugins/formula.c" -o formula.so
    formula=(./formula.so --machine ./formula.yaml)
    refuse 'formula has no closed form' sensitivity predict "${formula[@]}"
    refuse 'T is 0' sensitivity model "${formula[@]}"
    expect 0 "$HTMT" sensitivity model "${formula[@]}" --flop 10 --load 3 --json f.json
    python3 - >f.rows <<'P'
print(f"layers.device.processor.flop larger {-10 / 13:.9f}")
print(f"layers.device.processor.load larger {3 / 13:.9f}")
print("layers.device.processor.clock smaller -1\ncase sum 1")
P
    mapfile -t formula_rows <f.rows
    rows f.json "${formula_rows[@]}"
    expect 0 "$HTMT" sensitivity model "${formula[@]}" --words 64 --far --json w.json
    expect 0 "$HTMT" sensitivity model "${formula[@]}" --words 64 --json t.json \
        --set 'layers.host.memory.access=8 ns/access'
    python3 - w.json t.json <<'P' || fail 'not 100 + max(64, 8 accesses) + 50 ns'
import json, sys
bad = []
for path, access in ((sys.argv[1], (0, 0)), (sys.argv[2], (64 / 214, 0))):
    o = json.load(open(path))
    c = {f["name"]: f["cases"][0] for f in o["figures"]}
    wanted = {"networks.link.startup": (100 / 214, 100 / 214), "networks.link.latency": (50 / 214, 50 / 214),
              "layers.host.memory.access": access,
              "networks.link.ports.host.out-rate": (-64 / 214, -64 / 214) if access == (0, 0) else (0, -64 / 214)}
    bad += [(path, k, c[k]["larger"], c[k]["smaller"]) for k, v in wanted.items()
            if abs(c[k]["larger"] - v[0]) > 1e-5 or abs(c[k]["smaller"] - v[1]) > 1e-5]
    if access == (0, 0):
        reach = c["layers.host.memory.access"]["slower_to"]
        bad += [reach] * (not reach["ends"] or abs(reach["factor"] - 2) > 0.02)
print(*bad, file=sys.stderr)
sys.exit(bool(bad))
P
fi

# A network with an inside, which gives no slopes: times that are whole keep their small step.
expect 0 "$HTMT" sensitivity model traffic --table hpsc-simple --machine hpsc-simple --json h.json
python3 - <<'P' || fail 'a wire of 1 us'
import json, os, subprocess, sys
o = json.load(open("h.json"))
e = {f["name"]: f["cases"][0] for f in o["figures"]}["networks.myrinet.inside.wire"]
def predicted(wire):
    subprocess.run([os.environ["HTMT"], "model", "traffic", "--table", "hpsc-simple", "--machine", "hpsc-simple",
                    "--set", f"networks.myrinet.inside.wire={wire}", "--json", "one.json"], check=True, stdout=subprocess.DEVNULL)
    return json.load(open("one.json"))["predicted_fs"]
t = predicted("1 us")
sys.exit(abs(e["larger"] - (predicted("1.001 us") - t) / t / .001) > 1e-6 or e["larger"] < .01)
P

# Packets of gcel change their order with its figures, and T jumps: such differences are told from others.
expect 0 "$HTMT" sensitivity model cannon --machine gcel --execution mpp --size 64 --slices 16 \
    --figures 'networks.grid.*' --figures layers.node.processor.flop --json u.json
python3 - <<'P' || fail 'jumps that nobody tells'
import json, re, sys
o = json.load(open("u.json"))
of = {f["name"]: f["cases"][0] for f in o["figures"]}
uneven = sum(c["uneven"] for c in of.values())
print(uneven, [k for k in of if of[k]["uneven"]], of["layers.node.processor.flop"], file=sys.stderr)
sys.exit(not (0 < uneven == o["cases"][0]["uneven"] < len(of) and f"; {uneven} uneven: " in open("out").read()
              and not of["layers.node.processor.flop"]["uneven"]))
P

# T of a figure that is infinitely fast, where the line ends between the two fastest of the powers of two.
expect 0 "$HTMT" sensitivity predict sar --lines 2048 --samples 4096 --slices 4 \
    --figures 'networks.hram-channel.ports.dram.out-rate' --json o.json
expect 0 "$HTMT" predict sar --lines 2048 --samples 4096 --slices 4 \
    --set 'networks.hram-channel.ports.dram.out-rate=12500 Tword/s' --json one.json
python3 - <<'P' || fail 'another time at once'
import json, sys
c = json.load(open("o.json"))["figures"][0]["cases"][0]
t = json.load(open("one.json"))["predicted_s"]
print(c, t, file=sys.stderr)
sys.exit(not 512 < c["faster_to"]["factor"] < 1024 or abs(c["T_at_once_s"] / t - 1) > 1e-6)
P

# Random machines: e is what two predictions give, made one by one with --set, and e of times less e of
# rates is 1. The figures are drawn so that no two times are equal.
only_memory || python3 - <<'P' || fail 'random machines'
import json, os, random, subprocess, sys
htmt, seed = os.environ["HTMT"], random.Random(11)
keys = {"networks.vortex.ports.dram.out-rate": (10, " Gword/s"), "networks.vortex.ports.dram.in-rate": (10, " Gword/s"),
        "networks.vortex.ports.sram.out-rate": (10, " Gword/s"), "networks.vortex.ports.sram.in-rate": (10, " Gword/s"),
        "networks.rti.ports.sram.out-rate": (64, " Gword/s"), "networks.vortex.latency": (85, " ns"),
        "layers.cram.processor.clock": (256, " GHz"), "layers.dram.processor.clock": (500, " MHz")}
words = {"predict": ["cannon --size 1024 --slices 16"],
         "model": ["cannon --size 256 --slices 4", "pic --case thermal --slices 4 --steps 1"]}
cases, sets = {}, {}
for verb, lines in words.items():
    for line in lines:
        for _ in range(3):
            name = f"c{len(cases)}"
            sets[name] = {k: (round(x * seed.uniform(.2, 5), 6 if unit != " ns" else 3), unit) for k, (x, unit) in keys.items()}
            cases[name] = (verb, line.split())
def given(name, change={}):
    return [w for k, (x, unit) in {**sets[name], **change}.items() for w in ("--set", f"{k}={x!r}{unit}")]
with open("r.yaml", "w") as f:
    f.write("htmt-study: 1\ncases:\n")
    for name, (verb, line) in cases.items():
        quoted = " ".join(f'"{w}"' if " " in w else w for w in given(name))
        f.write(f"  {name}: '{verb} {' '.join(line)} {quoted}'\n")
def tell(*argv):
    subprocess.run([htmt, *argv], check=True, stdout=subprocess.DEVNULL)
tell("sensitivity", "r.yaml", "--json", "r.json")
o = json.load(open("r.json"))
found = {(f["name"], c["case"]): c for f in o["figures"] for c in f["cases"]}
bad, plain = [], 0
for case in o["cases"]:
    if not case["ties"]:
        plain += 1
        if abs(case["sum"] - 1) > (1e-5 if case["verb"] == "predict" else 1e-4):
            bad.append(case)
def seconds(name, change):
    verb, line = cases[name]
    tell(verb, *line, *given(name, change), "--json", "one.json")
    return json.load(open("one.json"))["predicted_s"]
for name in list(cases)[::3]:
    key = seed.choice(list(keys))
    x, unit = sets[name][key]
    up, down = ((seconds(name, {key: (round(x * factor, 9 if unit != " ns" else 3), unit)})) for factor in (1.002, .998))
    t = next(c["T_s"] for c in o["cases"] if c["case"] == name)
    e = (up - down) / t / .004
    c = found[key, name]
    if abs(e - (c["larger"] + c["smaller"]) / 2) > 1e-4 + .01 * abs(e):
        bad.append((name, key, e, c))
if plain < 6:
    bad.append(f"only {plain} cases without a tie")
print(*bad, sep="\n", file=sys.stderr)
sys.exit(bool(bad))
P

# Figures of a cost file, whose cycles are whole: e is what a sweep gives.
expect 0 "$HTMT" sensitivity predict sar --costs sar-hereld --figures 'costs:*.cycles' --json k.json
expect 0 "$HTMT" sweep predict sar --costs sar-hereld --vary 'costs:read-patch.cycles=10 cycles,20 cycles' --csv k.csv
e=$(awk -F, 'NR == 2 { t = $4 } NR == 3 { printf "%.9f", $4 / t - 1 }' k.csv)
rows k.json "costs:read-patch.cycles larger $e" 'costs:read-patch.cycles one_percent_at 1.1'

# The same tables by any number of processes, and from a store.
for jobs in 1 2 $(only_memory || echo 8); do
    expect 0 "$HTMT" sensitivity model "${pic[@]}" --figures 'networks.vortex.*out-rate' --far --jobs $jobs \
        --csv $jobs.csv --study $jobs.db
    cmp -s 1.csv $jobs.csv || fail "$jobs processes give another table"
done
expect 0 "$HTMT" sensitivity model "${pic[@]}" --figures 'networks.vortex.*out-rate' --far --csv 9.csv --study 2.db
grep -q ': 0 predictions computed now' out || fail "computed again: $(tail -1 out)"
cmp -s 1.csv 9.csv || fail 'the store gives another table'

# A table figure x case; a case that is refused has its reason; axes of the file are left out.
cat >study.yaml <<'Y'
htmt-study: 1
cases:
  one: predict cannon --machine htmt-2007 --size 208000 --schedule paper
  two: predict cannon --size 1e --slices 16
vary: [opt:size=64]
csv: no.csv
Y
expect 0 "$HTMT" sensitivity study.yaml --json s.json
grep -q 'refused: ' out || fail "no refusal: $(cat out)"
grep -q 'axes of the file are left out' out || fail 'axes'
[ ! -e no.csv ] || fail 'a file of the sweep was written'
rows s.json 'layers.cram.processor.flop larger 0.817123'

# A group passes over what is not modelled.
expect 0 "$HTMT" sensitivity predict "${paper[@]}" --group 'dram=layers.dram.processor.[ls]*' --json s.json
rows s.json 'dram larger 0.166398'

# A page that is too narrow for all columns has two tables.
expect 0 env COLUMNS=80 "$HTMT" sensitivity predict "${paper[@]}"
grep -q '^HOW FAR$' out && grep -qE '^  layers.cram.processor.flop  +12.525 +1.0122 +>1024$' out || fail "$(cat out)"
[ "$(sed 1d out | wc -L)" -le 80 ] || fail 'lines are too long'

# Bad input.
refuse "did you mean 'layers.cram.processor.flop'?" sensitivity predict "${paper[@]}" --figures layers.cram.processor.flap
refuse 'has no elasticity' sensitivity predict "${paper[@]}" --figures networks.vortex.latency
refuse 'has no elasticity' sensitivity predict "${paper[@]}" --figures networks.vortex.startup
refuse 'unknown key' sensitivity predict "${paper[@]}" --group 'a=networks.nowhere.*'
refuse "networks.vortex.latency is '0 ns'" sensitivity predict "${paper[@]}" --group 'a=networks.vortex.latency'
refuse "networks.vortex.startup is 'not-modelled'" sensitivity predict "${paper[@]}" --group 'a=networks.vortex.s*p'
refuse 'expected figures of one kind' sensitivity predict "${paper[@]}" --group 'a=layers.dram.processor.[cl]*[kd]'
refuse 'is in group a, too' sensitivity predict "${paper[@]}" --group 'a=layers.cram.processor.flop' --group 'b=*.flop'
refuse 'the name is there already' sensitivity predict "${paper[@]}" --group 'a=*.flop' --group 'a=*.iop'
refuse 'expected NAME=PATTERN' sensitivity predict "${paper[@]}" --group '*.flop'
refuse 'expected predict, model or run' sensitivity bend cannon
refuse 'expected predict, model or run' sensitivity
refuse 'study.yaml is read and would be written over by --json' sensitivity study.yaml --json study.yaml
refuse 'it takes no value' sensitivity predict cannon --far=yes
refuse '--csv: given twice' sensitivity predict cannon --csv a --csv b
refuse 'jobs' sensitivity predict cannon --jobs 0
refuse 'a study has its own files' sensitivity predict cannon --term T
