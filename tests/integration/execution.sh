#!/bin/bash
# Class: fast.
# Models of execution: serial and message-passing closed forms against formulas by hand, limits,
# what runs count themselves, and the clock; what is not offered is refused.
. "$(dirname "$0")/common"

cat >hand.yaml <<'Y'
htmt-machine: 1
about: 10 flop of 1 ns, words of 2 ns, half of the shorter one hides
slices: {value: 1, source: test}
layers:
  outer:
    processor: none
    memory:
      name: outer
      capacity: {value: 1 Mword, source: test}
      reserve: {value: not-modelled, source: test}
      access-words: {value: not-modelled, source: test}
      access: {value: not-modelled, source: test}
      ports: {value: not-modelled, source: test}
  inner:
    processor:
      name: CPU
      count: {value: 1, source: test}
      clock: {value: 1 GHz, source: test}
      flop: {value: 1 ns/flop, source: test}
      iop: {value: not-modelled, source: test}
      load: {value: not-modelled, source: test}
      store: {value: not-modelled, source: test}
      lambda: {value: 0.5, source: test}
    memory:
      name: inner
      capacity: {value: 12 words, source: test}
      reserve: {value: not-modelled, source: test}
      access-words: {value: not-modelled, source: test}
      access: {value: not-modelled, source: test}
      ports: {value: not-modelled, source: test}
networks:
  bus:
    scope: slice
    startup: {value: not-modelled, source: test}
    latency: {value: not-modelled, source: test}
    ports:
      outer:
        out: {value: 1, source: test}
        out-rate: {value: 0.5 Gword/s, source: test}
        in: {value: not-modelled, source: test}
        in-rate: {value: not-modelled, source: test}
      inner:
        out: {value: 1, source: test}
        out-rate: {value: 0.25 Gword/s, source: test}
        in: {value: not-modelled, source: test}
        in-rate: {value: not-modelled, source: test}
Y

python3 - "$HTMT" <<'P' || fail 'see above'
import json, math, subprocess, sys

htmt = sys.argv[1]
faults = []


def ask(*words):
    done = subprocess.run([htmt, *words, "--json", "-"], capture_output=True, text=True)
    if done.returncode not in (0,):
        sys.exit(f"{words}: {done.stderr}")
    return json.loads(done.stdout)


class Form(dict):
    """Terms by name of a prediction, its time as T."""

    def __init__(self, app, model, machine, *more):
        self.all = ask("predict", app, "--execution", model, "--machine", machine, *more)
        super().__init__((t["name"], t["value"]) for t in self.all["terms"])


def same(claim, found, wanted, within=1e-12):
    if not abs(found - wanted) <= within * abs(wanted):
        faults.append(f"{claim}: found {found!r}, expected {wanted!r}")


# By hand: 4 x 4 matrices, room for blocks of 2 x 2. 32 + 32 words come in at 2 ns, 16 go out at 4
# ns, 128 flop of 1 ns: max(128, 192) + 64 = 256 ns.
f = Form("cannon", "serial", "./hand.yaml", "--size", "4")
same("cannon by hand", f["T"], 256e-9)
same("words in", f["words in"], 64)
same("words out", f["words out"], 16)
# A rectangle would need files; odd sizes have a narrow last block: ceil(5 / 2) = 3 columns of blocks.
f = Form("cannon", "serial", "./hand.yaml", "--size", "5")
same("narrow blocks", f["words in"], 2 * 25 * 3)

# The same on the shipped machine, from the figures of its file.
n = 3000
f = Form("cannon", "serial", "serial-2000", "--size", str(n))
b = math.isqrt((8 - 4) * 2**20 // 8 // 3)
words = (2 * n * n * math.ceil(n / b), n * n)
compute, memory = 2 * n**3 / (2 * 729e6), sum(words) * 8 / 1.33e9
same("cannon on serial-2000", f["T"], max(compute, memory) + 0.5 * min(compute, memory))

# With words that cost no time T is the sum of n_k t_k, of all four applications; one layer has no
# words at all.
free = sum((["--set", f"networks.bus.ports.{end}.out-rate=not-modelled"]
            for end in ("memory", "cache")), [])
t_of = {"flop": 0.5, "iop": 0.25, "load": 0.5, "store": 1}  # cycles of serial-2000
small = {"cannon": ["--size", "300"], "sar": [], "pic": ["--steps", "2"],
         "volume": ["--size", "64x48"]}
for app, options in small.items():
    f = Form(app, "serial", "serial-2000", *free, *options)
    same(f"{app}, free words", f["T"], sum(f.get(k, 0) * t for k, t in t_of.items()) / 729e6, 1e-9)
    g = Form(app, "serial", "serial-2000", *options)
    same(f"{app}, f", g["T"], max(g["compute"], g["memory"]) + 0.5 * min(g["compute"], g["memory"]))
    if g["flop"] != f["flop"]:
        faults.append(f"{app}: rates change operations")

# A node alone is one processor of one layer.
for app in ("sar", "volume"):
    alone = Form(app, "mpp", "mpp-2000", "--slices", "1", *small[app])
    serial = Form(app, "serial", "mpp-2000", *small[app])
    same(f"{app}, one node", alone["T"], serial["T"])
    same(f"{app}, one node sends nothing", alone["network"], 0)

# Operations are those that runs on HTMT count themselves.
same("sar, counted", Form("sar", "serial", "serial-2000")["flop"], ask("model", "sar")["flops"])
many = ["--patches", "3"]
one, three = (Form("sar", "serial", "serial-2000", *p)["flop"] for p in ([], many))
run = ask("model", "sar")["flops"], ask("model", "sar", *many)["flops"]
# HTMT makes the references for each patch, one processor once: what they are of a patch follows.
same("sar, patches", run[1], 3 * run[0])
if not 0 < 3 * one - three < 0.2 * one or (3 * one - three) % 2:
    faults.append(f"sar: two references are {3 * one - three} flop")
same("cannon, counted", Form("cannon", "serial", "serial-2000", "--size", "256")["flop"],
     ask("model", "cannon", "--size", "256", "--slices", "4")["flops"])
thermal = ["--case", "thermal", "--steps", "2"]
spell = next(r for r in ask("model", "pic", *thermal, "--slices", "1", "--summary")["summary"]["rows"]
             if r["name"] == "SPELL")["values"][-1]
plasma = Form("pic", "serial", "serial-2000", *thermal)
cells = 22 * 2 * 4096  # of the record, which DPIMs compute
same("pic: what SPELLs compute", plasma["flop"] - cells, spell * 256e9, 1e-9)
view = ["--size", "64x48", "--terminate", "off", "--view", "oblique"]
for model, machine in (("serial", "serial-2000"), ("mpp", "mpp-2000")):
    f = Form("volume", model, machine, *view)
    drawn = next(x["value"] for x in ask("run", "volume", "--slices", "1", *view)["found"]
                 if x["name"] == "samples")
    same(f"volume, {model}: samples of the ray caster", f["samples"], drawn)

# Nodes: work divides, words are conserved, messages are the clock's.
quiet = ["--set", "networks.torus.startup=not-modelled", "--set",
         "networks.torus.latency=0 s"]
radar = ["--rcmc", "off", "--lines", "512"]
for g in (2, 4, 8):
    f = Form("sar", "mpp", "mpp-2000", "--slices", str(g), *radar, *quiet)
    same("nodes share lines", f["node lines"], 512 // g)
    words = math.ceil(512 / g) * math.ceil(f["node columns"]) * 2
    same("words of a corner turn", f["network"], (g - 1) * words * 8 / 325e6, 1e-9)
    f = Form("sar", "mpp", "mpp-2000", "--slices", str(g), *radar)
    clock = ask("model", "traffic", "--machine", "mpp-2000", "--slices", str(g), "--slots", "1",
                "--pattern", "all-to-all", "--bytes", str(8 * words))
    if round(f["corner turn"] * 1e15) != clock["predicted_fs"]:
        faults.append(f"{g} nodes: corner turn {f['corner turn']}, clock {clock['predicted_fs']} fs")
# Inside a network links pace, too: two nodes are the clock's; of more, their messages meet.
for g in (2, 4, 16):
    f = Form("sar", "mpp", "gcel", "--slices", str(g), *radar, "--samples", "300")
    clock = ask("model", "traffic", "--machine", "gcel", "--slices", str(g), "--slots", "1",
                "--pattern", "all-to-all", "--bytes", str(8 * round(f["message"])))
    least = 1 if g == 2 else 0.3
    if not least <= round(f["corner turn"] * 1e15) / clock["predicted_fs"] <= 1:
        faults.append(f"gcel, {g} nodes: corner turn {f['corner turn']}, clock "
                      f"{clock['predicted_fs']} fs")
# Where patches are as many as nodes, none is shared.
f = Form("sar", "mpp", "mpp-2000", "--slices", "4", "--patches", "8")
same("two patches a node", f["rounds"], 2)
same("no corner turn", f["network"], 0)
one = Form("sar", "mpp", "mpp-2000", "--slices", "1")
references = 3 * one["compute"] - Form("sar", "mpp", "mpp-2000", "--slices", "1", "--patches",
                                       "3")["compute"]
same("patches of a node follow each other", f["T"], 2 * one["T"] - references / 2, 1e-9)

pixels = 128 * 128
for d in range(1, 6):
    f = Form("volume", "mpp", "mpp-2000", "--slices", str(2**d), "--size", "128x128", *quiet)
    same("a node sends all pixels but its tile", f["swapped"], pixels * (1 - 2.0**-d))
    same("words of a swap", f["swap"], f["swapped"] * 8 / 325e6, 1e-9)  # grey: a word a pixel
    if not f["samples"] / 2**d <= (f["cast"] * 675e6) or f["T"] <= f["network"]:
        faults.append(f"{2**d} nodes: the fullest casts less than the mean")
with open("swap.table", "w") as out:  # two stages of four nodes
    out.write("htmt-traffic: 1\nabout: binary swap\nnodes:\n")
    for i in range(4):
        out.write("  - program:\n")
        for bit, part in ((2, 2), (1, 4)):
            out.write(f"      - {{asend: {i ^ bit}, bytes: {8 * pixels // part}}}\n"
                      f"      - {{rcv: {i ^ bit}}}\n")
f = Form("volume", "mpp", "mpp-2000", "--slices", "4", "--size", "128x128")
clock = ask("model", "traffic", "--table", "./swap.table", "--machine", "mpp-2000",
            "--iterations", "1")
if abs(round(f["swap"] * 1e15) - clock["predicted_fs"]) > 1:
    faults.append(f"swap {f['swap']}, clock {clock['predicted_fs']} fs")

# A processor that hides all but the longest class: nothing else is seen of sar, which is bound by flop; half
# of it is the mean of both.
share = "layers.node.processor.lambda"
alone = [w for c in ("iop", "load", "store") for w in ("--set", f"layers.node.processor.{c}=not-modelled")]
for app in "sar", "volume":
    def fs(*words):
        return ask("predict", app, "--machine", "mpp-2000", "--execution", "mpp", *words)["predicted_fs"]
    none, half, all = (fs("--set", f"{share}={x}") for x in (0, 0.5, 1))
    if abs(none + all - 2 * half) > 2 or not fs(*alone) <= all < none:
        faults.append(f"{app}: {none}, {half}, {all} fs with {share} = 0, 0.5, 1")
    if app == "sar" and all != fs(*alone):
        faults.append(f"sar: {all} fs with all hidden, of flop alone {fs(*alone)}")

print("\n".join(faults))
sys.exit(bool(faults))
P

# What cannot be done is one line.
refuse "did you mean 'serial'?" predict cannon --execution seral
refuse '--execution serial: found model, expected predict' model sar --execution serial
refuse '--execution mpp: found run, expected predict' run volume --machine mpp-2000 --execution mpp
refuse 'found machine htmt-oct98 with 4 layers, expected one' predict sar --execution mpp
refuse 'found 6 nodes, expected a power of two' \
    predict volume --machine mpp-2000 --slices 6 --execution mpp
refuse 'nodes for 4 x 4 x 4 voxels' predict volume --machine mpp-2000 --dims 4,4,4 --execution mpp
refuse 'expected --phases all' predict pic --phases push --execution serial
expect 0 "$HTMT" predict cannon --largest --machine serial-2000 --execution serial
grep -q 'all, --size *13,377 ' out || fail "not floor(sqrt(2^29 / 3)): $(grep 'all, --size' out)"
expect 3 "$HTMT" predict cannon --machine ./hand.yaml --size 4 \
    --set 'layers.inner.memory.capacity=2 words' --execution serial
grep -q 'expected room for 3 elements' err || fail "no block fits: $(cat err)"
big=(predict cannon --machine serial-2000 --size 100000 --execution serial)
expect 0 "$HTMT" "${big[@]}"
grep -q 'the time is as if' out || fail 'no word of a memory that is too small'
refuse 'memory main-memory: found 30000000000 words' "${big[@]}" --strict
