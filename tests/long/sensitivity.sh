#!/bin/bash
# docs/experiments.md shows what its study of four applications gives; on 60 random machines each of
# Cannon and PIC the elasticities of times less those of rates are 1, by the closed form and on the clock.
. "$(dirname "$0")/../integration/common"

page=$root/docs/experiments.md
awk '/^The file `four.yaml`/ { on = 1 } on && /^```/ { if (open) exit; open = 1; next } open' "$page" >four.yaml
awk '/^`htmt sensitivity four.yaml` prints/ { on = 1 } on && /^```/ { if (open) exit; open = 1; next } open' \
    "$page" >wanted
[ "$(wc -l <wanted)" -gt 20 ] || fail 'the page has no table'
expect 0 "$HTMT" sensitivity four.yaml
while IFS= read -r line; do
    [ "$line" = ... ] || [ -z "$line" ] || grep -qxF -- "$line" out || fail "no longer printed: $line"
done <wanted
expect 0 "$HTMT" sensitivity four.yaml --group 'vortex=networks.vortex.ports.*-rate'
[ "$(grep -c '0 ties; e of times less e of rates 1.000000' out)" = 4 ] || fail "sums: $(head -4 out)"

# The largest run of the papers, by the path: as the closed form has it.
expect 0 "$HTMT" sensitivity model cannon --machine htmt-2007 --size 208000 --schedule paper --fold
for row in 'cram.processor.flop *3 ps/flop *0.817123$' 'dram.processor.load *0.97 ns/word *0.083199$' \
    'dram.processor.store *0.97 ns/word *0.083199$' 'sram.memory.access *0.42 ns/word *0.014575$' \
    'dram.memory.access *0.97 ns/word *0.001905$' '^  15 more: 0' 'by model; path; 0 ties; .* 1.000000$'; do
    grep -q -- "$row" out || fail "by the path: no $row: $(cat out)"
done

python3 - <<'P' || fail 'not homogeneous'
import json, os, random, subprocess, sys
seed = random.Random(5)
shown = subprocess.run([os.environ["HTMT"], "machine", "show", "htmt-oct98"], capture_output=True, text=True).stdout
figures = {}
for line in shown.split("\n\nnot modelled")[0].splitlines():
    word = line.split()
    if len(word) > 2 and word[2] in ("MHz", "GHz", "Gword/s", "GB/s", "ns"):
        figures[word[0]] = (float(word[1]), word[2])
with open("random.yaml", "w") as f:
    f.write("htmt-study: 1\ncases:\n")
    for i in range(120):
        sets = " ".join(f'--set "{k}={x * seed.uniform(.1, 10):.{3 if unit == "ns" else 7}f} {unit}"' for k, (x, unit) in figures.items())
        verb = ("predict", "model")[i % 2]
        app = ("cannon --size 512 --slices 16", "pic --case thermal --slices 4" + (" --steps 1" if i % 2 else ""))[i // 2 % 2]
        f.write(f"  c{i}: '{verb} {app} {sets}'\n")
subprocess.run([os.environ["HTMT"], "sensitivity", "random.yaml", "--json", "r.json"], check=True, stdout=subprocess.DEVNULL)
cases = json.load(open("r.json"))["cases"]
plain = [c for c in cases if c["sum"] is not None]
worst = {v: max((abs(c["sum"] - 1) for c in plain if c["verb"] == v), default=9) for v in ("predict", "model")}
if len(plain) < 100 or max(worst.values()) > 1e-5:
    sys.exit(f"{len(plain)} of {len(cases)} without a tie; the worst sums are off by {worst}")
P
