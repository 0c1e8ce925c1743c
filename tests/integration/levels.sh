#!/bin/bash
# Class: fast.
# htmt bound on several levels of memory, each with its rate, and with vectors: against the figures of
# the machine files, by hand.
. "$(dirname "$0")/common"

# a[i] = b[i] + s * c[i] over 10^6 numbers, which no cache holds, a hundred times.
cat >triad.yaml <<'END_OF_FILE'
htmt-nests: 1
parameters: {n: 10000000}
arrays: {a: {box: [n]}, b: {box: [n]}, c: {box: [n]}}
nests:
  triad:
    loops: {i: 0..n-1}
    ops: {add: 1, mul: 1, div: 1}
    accesses: ["read b[i]", "read c[i]", "write a[i]"]
program: [{repeat: 100, do: [{nest: triad}]}]
END_OF_FILE

# Three words come in and one goes out at each level: 32 B a cell.
cat >check.py <<'END_OF_FILE'
import csv, json, sys
n = 10**7
def near(name, found, wanted):
    if abs(found - wanted) > 1e-6 * wanted:
        sys.exit(f"{name}: {found}, not {wanted}")
machine, kind = sys.argv[1:3]
d = json.load(open("t.json"))
loop = d["loops"][0]
if machine == "xeon":
    clock, cores = 2.4e9, 20
    rates = [64 * clock * cores, 16 * clock * cores, 6 * 21.328e9]
    names = [("l2", "l1"), ("l3", "l2"), ("dram", "l3")]
    compute = n * (2 + 64) / (32 * clock * cores)
    registers = n * max(2 / 16, 1 / 8) / (clock * cores)
else:  # two processors, each with caches; the bus is theirs together, and lines go both ways at once
    clock = 1e9
    rates = [2 * 64 * clock / 2, 2 * 64 * clock / 5, 16 * clock / 2]
    names = [("l2", "l1"), ("l3", "l2"), ("host", "l3")]
    # a number: an addition and a multiplication each half a cycle in four, or fma one cycle in four
    flop = 1 / (2 * 4 / 0.5)
    compute = n * (2 + round(8 / 4 / flop)) * flop / clock / 2
    registers = n * max(2 * 0.5, 1 * 1) / 4 / clock / 2
near("compute", loop["compute_fs"] * 1e-15, compute)
near("registers", loop["registers_fs"] * 1e-15, registers)
levels = []
for t, rate, (outer, inner) in zip(loop["traffic"], rates, names):
    if (t["from"], t["to"], t["read_bytes"], t["written_bytes"]) != (outer, inner, 24 * n, 8 * n):
        sys.exit(f"{outer} to {inner}: {t}")
    duplex = machine == "node" and outer == "host"
    levels.append((24 if duplex else 32) * n / rate)
    near(outer, t["time_fs"] * 1e-15, levels[-1])
if len(levels) != len(loop["traffic"]):
    sys.exit(f"levels: {loop['traffic']}")
moving = registers + sum(levels)
bound = {"all": max(compute, registers, *levels), "operations": max(compute, moving), "none": compute + moving}[kind]
near(kind, loop["bound_fs"] * 1e-15, bound)
near("program", d["bound_fs"] * 1e-15, 100 * bound)
row = next(csv.DictReader(open("t.csv")))
near("csv", float(row["registers_fs"]) * 1e-15, registers)
for (outer, inner), time in list(zip(names, levels))[1:]:
    near("csv", float(row[f"{outer}_to_{inner}_bytes"]), 24 * n)
    near("csv", float(row[f"{inner}_to_{outer}_bytes"]), 8 * n)
    near("csv", float(row[f"{outer}_{inner}_fs"]) * 1e-15, time)
END_OF_FILE

cat >node.yaml <<'END_OF_FILE'
htmt-machine: 1
slices: {value: 1, source: "by hand"}
layers:
  host:
    processor:
      name: CPU
      count: {value: 2, source: "by hand"}
      clock: {value: 1 GHz, source: "by hand"}
      flop: {value: 1 cycle, source: "by hand"}
      iop: {value: 1 cycle, source: "by hand"}
      load: {value: 1 cycle, source: "by hand"}
      store: {value: 1 cycle, source: "by hand"}
      lambda: {value: 1, source: "by hand"}
    memory:
      name: memory
      capacity: {value: 1 GiB, source: "by hand"}
      reserve: {value: not-modelled, source: "by hand"}
      access-words: {value: not-modelled, source: "by hand"}
      access: {value: not-modelled, source: "by hand"}
      ports: {value: not-modelled, source: "by hand"}
    inside:
      add-f64: {latency: 4 cycles, every: 0.5 cycle, source: "by hand"}
      add-f64x4: {latency: 4 cycles, every: 0.5 cycle, source: "by hand"}
      mul-f64x4: {latency: 4 cycles, every: 0.5 cycle, source: "by hand"}
      fma-f64x4: {latency: 4 cycles, every: 1 cycle, source: "by hand"}
      div-f64x4: {latency: 14 cycles, every: 8 cycles, source: "by hand"}
      l1: {size: 32 KiB, line: 64 B, ways: 8, hit: 4 cycles, every: 0.5 cycle, store-every: 1 cycle, source: "by hand"}
      l2: {size: 256 KiB, line: 64 B, ways: 8, hit: 10 cycles, every: 2 cycles, source: "by hand"}
      l3: {size: 2 MiB, line: 64 B, ways: 16, hit: 20 cycles, every: 5 cycles, source: "by hand"}
      bus: {at: l3-dram, width: 16 B, clock: 0.5 GHz, duplex: yes, source: "by hand"}
      dram: {banks: 16, page: 4 KiB, hit: 1 cycle, miss: 1 cycle, source: "by hand"}
      sharing: bus
networks: {}
END_OF_FILE

for kind in all operations none; do
    for machine in xeon=xeon-6148 node=./node.yaml; do
        expect 0 "$HTMT" bound triad.yaml --machine "${machine#*=}" --overlap $kind --json t.json --csv t.csv --sheet $kind.xlsx
        python3 check.py "${machine%=*}" $kind || fail "${machine%=*}, $kind"
        grep -q '^  l1, registers  ' out || fail "no table of levels: $(cat out)"
    done
done
# Without the option lambda decides, which is 1 in both files; the words of caches are in the table.
expect 0 "$HTMT" bound triad.yaml --machine ./node.yaml --json lambda.json
expect 0 "$HTMT" bound triad.yaml --machine ./node.yaml --overlap all --json all.json
python3 -c 'import json; a, b = (json.load(open(f)) for f in ("lambda.json", "all.json")); assert a["bound_fs"] == b["bound_fs"] and b.pop("overlap") == "all" and a == b' ||
    fail 'all is not a lambda of 1'
grep -q '^  l3, l2  *22.3517 GB  *7.45058 GB  ' out || fail "words between caches: $(cat out)"
# Numbers of 4 B: twice as many in a vector, in a line and in memory.
sed 's/{box: \[n\]}/{box: [n], word: 4 B}/g' triad.yaml >narrow.yaml
expect 0 "$HTMT" bound narrow.yaml --machine xeon-6148 --json narrow.json
expect 0 "$HTMT" bound triad.yaml --machine xeon-6148 --json wide.json
python3 -c 'import json
a, b = (json.load(open(f))["loops"][0] for f in ("narrow.json", "wide.json"))
for key in ("compute_fs", "registers_fs", "bound_fs"):
    assert abs(2 * a[key] / b[key] - 1) < 1e-6, (key, a[key], b[key])' || fail 'numbers of 4 B'
# What a file does not tell is no time of 0.
sed '/ l2: /s/ every: 2 cycles,//' node.yaml >silent.yaml
expect 0 "$HTMT" bound triad.yaml --machine ./silent.yaml
grep -q '^  l2, l1 .* not modelled  *-$' out || fail "a rate that nobody gave: $(cat out)"
# Without vectors a number takes eight times as long.
expect 0 "$HTMT" bound triad.yaml --machine xeon-6148 --set layers.l1.processor.vector=1 --json scalar.json
python3 -c 'import json; a = json.load(open("scalar.json"))["loops"][0]; assert abs(a["compute_fs"] * 1e-15 / (1e7 * 66 / (4 * 2.4e9 * 20)) - 1) < 1e-6, a' ||
    fail 'no vectors'

# The workbook computes the times of all levels again, whatever hides what.
if type ssconvert >/dev/null 2>&1; then
    for kind in all operations none; do
        expect 0 "$HTMT" bound triad.yaml --machine ./node.yaml --overlap $kind --sheet book.xlsx --json t.json
        ssconvert --recalc --export-type=Gnumeric_stf:stf_csv -S book.xlsx book.csv >/dev/null 2>&1 || fail 'ssconvert'
        python3 - <<'PYTHON' || fail "$kind: the workbook has other times"
import csv, json
loop = json.load(open("t.json"))["loops"][0]
row = next(csv.DictReader(open("book.csv.1")))
for key, wanted in [("Tc, s", loop["compute_fs"]), ("Tr, s", loop["registers_fs"]), ("time, s", 100 * loop["bound_fs"])] + \
                   [(f"Td of {t['from']}, s", t["time_fs"]) for t in loop["traffic"]]:
    assert abs(float(row[key]) / (wanted * 1e-15) - 1) < 1e-5, (key, row[key], wanted)
PYTHON
    done
else
    lacks gnumeric 'the workbook, computed again'
fi
refuse "--overlap: found 'max', expected all, operations or none" bound triad.yaml --overlap max
