#!/bin/bash
# Class: fast foreign.
# htmt bound: figures of the ExaSAT paper, what-ifs, files, refusals.
. "$(dirname "$0")/common"

paper=(--machine exasat-listing1)

# value FILE EXPRESSION: of a JSON report d, by python.
value() {
    python3 -c "import json,sys; d=json.load(open(sys.argv[1])); print($2)" "$1"
}

# is WANTED FILE EXPRESSION
is() {
    local found
    found=$(value "$2" "$3")
    [ "$found" = "$1" ] || fail "$3: $found, not $1"
}

# ---- loops of the paper --------------------------------------------------------------------------
expect 0 "$HTMT" bound exasat-table1 "${paper[@]}" --block 16,16,0 --json t.json
grep -q '^  hypterm_z    418  2097152  128  174    0         0    246       134      14$' out ||
    fail "hypterm: $(grep hypterm out)"
is 43.9375 t.json '[l["words_a_cell"] for l in d["loops"] if l["line"] == 418][0]'
is 364544 t.json '[l["working_set_bytes"] for l in d["loops"] if l["line"] == 418][0]'
# Full reuse begins a word below the working set of the rule (45,568 and 16,896 words).
is '364536 135160' t.json '" ".join(str(l["full_reuse_bytes"]) for l in d["loops"] if l["line"] in (418, 720))'
is 12.375 t.json '[l["words_a_cell"] for l in d["loops"] if l["line"] == 720][0]'
is '82.0 384' t.json '" ".join(str(l[k]) for l in d["loops"] if l["line"] == 85 for k in ("words_a_cell", "working_set_bytes"))'

# Less memory: 44 words read where one plane of each offset fits, 134 where none does. Updated words
# are read, too; the ghosts of two offsets are 1/16 of 15 words and of 15 more.
expect 0 "$HTMT" bound exasat-table1 "${paper[@]}" --block 16,16,0 --cache 256KiB --json - 
is 134.0 out '[l["traffic"][0]["read_bytes"] / 8 / l["cells"] for l in d["loops"] if l["line"] == 418][0]'

# Inside of the box, without its ends: what 16 planes more read. 44 words while a plane of each offset
# beside a gap stays, 29 once all planes of the gap do.
inner() {
    for n in 112 128; do
        expect 0 "$HTMT" bound exasat-table1 "${paper[@]}" --block 16,16,0 --param n=$n --cache $((8 * $1)) --json n$n.json
    done
    python3 - <<'END'
import json
rows = [[l["traffic"][0]["read_bytes"] / 8 / n**2 for l in json.load(open(f'n{n}.json'))["loops"] if l["line"] == 418][0]
        for n in (112, 128)]
print((rows[1] - rows[0]) / 16)
END
}
for pair in 34304=44.0 45566=44.0 45567=29.0; do
    [ "$(inner "${pair%=*}")" = "${pair#*=}" ] || fail "hypterm at ${pair%=*} words: $(inner "${pair%=*}")"
done

expect 0 "$HTMT" bound exasat-occupancy "${paper[@]}" --json o.json
is '[159, 160, 213, 214, 373, 427, 427, 427, 427, 427, 265, 212]' o.json 'd["resident"]'
is '583 106 159' o.json '" ".join(str(r[k]) for k, n in (("live", "Unew.iryn"), ("writes", "Fhyp.iryn"), ("reads", "dpy.n")) for r in d["arrays"] if r["name"] == n)'

expect 0 "$HTMT" bound exasat-footprint "${paper[@]}" --json f.json
is '182452224 1824522240000 12.3376' f.json '"%d %d %.4f" % (d["message_bytes"], d["message_fs"], (d["array_bytes"] + d["buffer_bytes"]) / 2**30)'
expect 0 "$HTMT" bound exasat-footprint "${paper[@]}" --param n=8 --pattern p.yaml
only_memory || expect 0 "$HTMT" model traffic --table ./p.yaml --machine gcel --json m.json --quiet

# Messages go at the rate of a link where ports have none: 712,704 B at 1.6 MB/s, on four planes at
# once at 6.4 MB/s, at 160 MB/s. What a machine file does not tell is never 0 s.
for pair in gcel=445.4400 powerstone1=111.3600 hpsc-eight=4.4544; do
    expect 0 "$HTMT" bound exasat-footprint --machine "${pair%=*}" --param n=8 --json link.json
    is "${pair#*=}" link.json '"%.4f" % (d["message_fs"] / 1e12)'
done
for machine in upmem-e19 small-two-layer; do
    expect 0 "$HTMT" bound exasat-footprint --machine $machine --param n=8 --json none.json --sheet none.xlsx
    grep -q '^  messages  .*: time not modelled' out || fail "$machine: $(grep messages out)"
    is '712704 None' none.json '"%d %s" % (d["message_bytes"], d["message_fs"])'
done
grep -q 'time not modelled; the machine has no network between slices' out || fail "$(grep messages out)"
expect 0 "$HTMT" bound exasat-footprint --machine gcel --param n=8 --csv none.csv
awk -F, 'NR == 2 && ($20 != "" || $19 != 0) { exit 1 }' none.csv || fail "a time of no memory: $(cat none.csv)"
# The engine of a memory of UPMEM: 2 B a cycle, and 34.6 cycles for each 2048 B.
expect 0 "$HTMT" bound exasat-footprint --machine upmem-e19 --param n=8 --json dma.json
grep -q 'words from host at a rate that is not modelled' out || fail "$(grep 'words from' out)"
is 'None 1.000000' dma.json '"%s %.6f" % (d["loops"][0]["traffic"][1]["time_fs"], d["loops"][0]["traffic"][0]["time_fs"] / (d["loops"][0]["traffic"][0]["bytes"] / 2048 * 1058.6 / 266.67e6 * 1e15))'

# Three loops and one: 8.1 and 3.3 ms of the paper.
die=layers.chip.processor.count=1,layers.chip.processor.flop=19.841269841269842ps/flop
die=$die,networks.memory-bus.ports.dram.out-rate=13GB/s,networks.memory-bus.ports.chip.out-rate=13GB/s
die=$die,layers.chip.memory.capacity=6144KiB
if ! only_memory; then
    expect 0 "$HTMT" bound hypterm-three "${paper[@]}" --set "$die" --json three.json
    is 8.106 three.json '"%.3f" % (d["bound_fs"] / 1e12)'
    expect 0 "$HTMT" bound hypterm-three "${paper[@]}" --set "$die" --fuse hyp_x+hyp_y+hyp_z --json one.json
    is 3.267 one.json '"%.3f" % (d["bound_fs"] / 1e12)'
fi

# ---- nests of one's own --------------------------------------------------------------------------
cat >own.yaml <<'END'
htmt-nests: 1
parameters: {n: 32}
arrays:
  u: {box: [-4..n+3, -4..n+3, -4..n+3], live: entry}
  g: {box: [-4..n+3, n, n]}
  m: {box: [n, n, n], live: exit}
nests:
  grad_z:
    loops: {k: -4..n+3, j: 0..n-1, i: 0..n-1}
    ops: {add: 1, div: 1}
    accesses: ["read u[k, j, i]", "write g[k, j, i]"]
    state: {a: {kind: fp, loads: 5, stores: 1}, b: {kind: fp, loads: 2, stores: 0}, l: {kind: int, loads: 1, stores: 0}}
  mixed_z:
    loops: {k: 0..n-1, j: 0..n-1, i: 0..n-1}
    ops: {add: 9, mul: 5, functions: {exp: 1}}
    accesses: ["read g[k-4..k+4, j, i]", "write m[k, j, i]"]
END
refuse 'mixed_z after grad_z: shift 4 along k' bound own.yaml "${paper[@]}" --fuse grad_z+mixed_z
expect 0 "$HTMT" bound own.yaml "${paper[@]}" --registers 1 --json r.json
is '6 3' r.json '"%d %d" % (d["loops"][0]["state"]["in_registers"], d["loops"][0]["state"]["spilled"])'


# All loops on a block: g stays, 32 x 32 x 40 words of u come in, m goes out.
expect 0 "$HTMT" bound own.yaml "${paper[@]}" --order blocks --block 8,8,0 --bypass --json k.json
is '589824 True' k.json '"%d %s" % (d["traffic_bytes"], d["order"] == "blocks")'
for more in '--lines 64' '--sheet k.xlsx'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" bound own.yaml "${paper[@]}" --order blocks --block 8,8,8 $more
done

# Two fifths of the time are divisions: vectors shorten only these.
cat >vector.yaml <<'END'
htmt-nests: 1
arrays: {}
nests:
  divide: {loops: {i: 0..999999}, ops: {add: 117, mul: 117, div: 4}}
END
for vector in 1 2 4 8 16; do
    expect 0 "$HTMT" bound vector.yaml "${paper[@]}" --vector $vector --json v.json
    value v.json 'd["bound_fs"]'
done >times
[ "$(awk 'NR == 1 { first = $1; next } { printf "%s%.2f", (NR > 2 ? " " : ""), 100 * (first / $1 - 1) }' times)" = '25.00 42.86 53.85 60.00' ] ||
    fail "vectors: $(cat times)"

# The example of docs/loops.md has every key.
awk '/^```yaml/ { yes = 1; next } /^```/ { yes = 0 } yes' "$root/docs/loops.md" >page.yaml
expect 1 "$HTMT" bound page.yaml "${paper[@]}" --param NS=9 --json page.json
is '["flux_z", "smooth"]' page.json 'json.dumps([l["name"] for l in d["loops"]])'
is 3 page.json 'd["loops"][1]["times"]'

# ---- files ---------------------------------------------------------------------------------------
expect 0 "$HTMT" bound own.yaml "${paper[@]}" --csv own.csv --graph own.dot --costs-out c.yaml \
    --sheet own.xlsx --write-rate --alone
grep -q 'at most 0.11 % of references write to' out || fail 'no write rate'
[ "$(wc -l <own.csv)" = 3 ] || fail "$(cat own.csv)"
[ "$(grep -c ' -> ' own.dot)" = 4 ] || fail "$(cat own.dot)"
grep -q 'label="mixed_z"' own.dot || fail 'no loop in the graph'
grep -q 'flop: {value: 139, source: "mixed_z' c.yaml || fail "$(cat c.yaml)"
grep -q '^app: own$' c.yaml || fail "$(cat c.yaml)"
refuse "c.yaml:2: app: found 'own', expected 'cannon'" model cannon --costs ./c.yaml
if type dot >/dev/null 2>&1; then
    expect 0 "$HTMT" bound own.yaml "${paper[@]}" --graph own.svg
    grep -q '</svg>' own.svg || fail 'no drawing'
else
    lacks graphviz 'a drawing of the graph'
fi

# The workbook computes again what the report says of each loop alone, and something else when a
# parameter changes.
recalculated=
for python in python3 /usr/bin/python3; do
    "$python" -c 'import openpyxl' 2>/dev/null && type ssconvert >/dev/null 2>&1 && recalculated=$python
done
if only_memory; then
    : # of other programs' figures
elif [ "$recalculated" ]; then
    expect 0 "$HTMT" bound own.yaml "${paper[@]}" --json own.json --alone
    "$recalculated" - own.xlsx changed.xlsx <<'END'
import sys, openpyxl
book = openpyxl.load_workbook(sys.argv[1])
cell = book['parameters']['B3']
assert cell.value == 39, cell.value
cell.value = 20
book.save(sys.argv[2])
cell.value = 39
for row in book['parameters'].iter_rows(min_row=2):
    if row[0].value == 'bytes of the memory of chip':
        row[1].value = 16384
book.save('small.xlsx')
END
    expect 0 "$HTMT" bound own.yaml "${paper[@]}" --cache 16KiB --json small.json --alone
    # Two links, with rates of their own in both directions.
    expect 0 "$HTMT" bound hypterm-three --machine htmt-oct98 --param n=24 --block 8,8,0 --sheet chain.xlsx \
        --json chain.json
    for book in own changed small chain; do
        ssconvert --recalc --export-type=Gnumeric_stf:stf_csv -S $book.xlsx $book.csv >/dev/null 2>&1 ||
            fail "ssconvert: $book"
    done
    # sheets are numbered: parameters, loops, ...
    for book in own small chain; do
        python3 - $book.json $book.csv.1 <<'END'
import csv, json, sys
report = json.load(open(sys.argv[1]))
book = list(csv.DictReader(open(sys.argv[2])))
for loop, row in zip(report['loops'], book):
    for found, wanted in ((row['bytes'], loop['traffic'][0]['bytes']), (row['flop'], loop['weighted_flop']),
                          (row['words a cell'], loop['words_a_cell']), (row['time, s'], loop['bound_fs'] * 1e-15),
                          (row['working set, kB'], loop['working_set_bytes'] / 1024)):
        assert abs(float(found) - wanted) <= 1e-5 * wanted, (sys.argv, found, wanted, row)
END
    done
    python3 - own.json own.csv.1 changed.csv.1 <<'END'
import csv, json, sys
report = json.load(open(sys.argv[1]))
book, changed = (list(csv.DictReader(open(f))) for f in sys.argv[2:])
for loop, row, other in zip(report['loops'], book, changed):
    flop = float(row['flop'])
    assert abs(flop / loop['weighted_flop'] - 1) < 1e-6, (row, loop)
    assert abs(float(row['time, s']) / (loop['bound_fs'] * 1e-15) - 1) < 1e-6, (row, loop)
    less = 19 * loop['operations']['div'] * loop['cells']
    assert abs((flop - less) / float(other['flop']) - 1) < 1e-6, (row, other)
END
else
    lacks 'gnumeric or python3-openpyxl' 'the workbook, computed again'
fi

# ---- curves --------------------------------------------------------------------------------------
expect 0 "$HTMT" bound own.yaml "${paper[@]}" --cache 16KiB..64KiB --block auto --json curve.json
is '[16384, 65536] True' curve.json '"%s %s" % ([d["points"][0]["capacity_bytes"], d["points"][-1]["capacity_bytes"]], all(a["traffic_bytes"] >= b["traffic_bytes"] for a, b in zip(d["points"], d["points"][1:])))'

expect 0 "$HTMT" bound vector.yaml "${paper[@]}" --cache 16KiB..16KiB
grep -q '^ *16 kB  all  ' out || fail "a curve of one loop: $(cat out)"

# A matrix product uses B again along i, which it does not name, and a row of A and C; of --local-store
# the spans are shown.
cat >product.yaml <<'END'
htmt-nests: 1
arrays: {a: {box: [100, 100]}, b: {box: [100, 100]}, c: {box: [100, 100]}, u: {box: [103, 100]}}
nests:
  product:
    loops: {i: 0..99, j: 0..99, k: 0..99}
    accesses: ["read a[i, k]", "read b[k, j]", "update c[i, j]"]
  line:
    loops: {i: 0..98, j: 0..99}
    accesses: ["read u[i, j]", "read u[i+3, j]"]
    state: {a: {kind: fp, loads: 5, stores: 0}, b: {kind: fp, loads: 5, stores: 0}, c: {kind: fp, loads: 4, stores: 0}}
program: [{nest: product}, {repeat: 2, do: [{nest: line}]}]
END
expect 0 "$HTMT" bound product.yaml "${paper[@]}" --registers 1 --json product.json --sheet product.xlsx
is '[81600, 4800]' product.json '[l["working_set_bytes"] for l in d["loops"]]'
expect 0 "$HTMT" bound product.yaml "${paper[@]}" --local-store --json store.json
is '3200 3200' store.json '"%d %d" % tuple(d["loops"][1][k] for k in ("working_set_bytes", "local_store_bytes"))'
# What the workbook says before it is computed again: of two variables of five uses one has the register.
python3 - product.xlsx <<'END'
import re, sys, zipfile
sheet = zipfile.ZipFile(sys.argv[1]).read('xl/worksheets/sheet6.xml').decode()
found = re.findall(r'<c r="E\d+"[^>]*><f>.*?</f><v>(\d+)</v>', sheet)
assert found == ['0', '5', '4'], found
END
refuse '--fuse: product and line have not the same loops' bound product.yaml "${paper[@]}" --fuse product+line
sed 's/nest: product}/nest: line}/' product.yaml >again.yaml
refuse '--fuse: line and line are not in the same repeat' bound again.yaml "${paper[@]}" --fuse line+line

# Of repeats in each other: what each inner round reads lives in all of it, though an outer round writes it first.
# Repeats of as many rounds are two all the same: b, b, c, c is not b, c, b, c.
cat >repeats.yaml <<'END'
htmt-nests: 1
arrays: {u: {box: [100]}, v: {box: [100]}, w: {box: [100]}}
nests:
  a: {loops: {i: 0..99}, accesses: ["write u[i]"]}
  b: {loops: {i: 0..99}, accesses: ["read u[i]", "write v[i]"]}
  c: {loops: {i: 0..99}, accesses: ["read v[i]", "write w[i]"]}
program: [{repeat: 2, do: [{nest: a}, {repeat: 3, do: [{nest: b}, {nest: c}]}]}]
END
expect 0 "$HTMT" bound repeats.yaml "${paper[@]}" --json repeats.json
grep -qE '^  u +1 +W +R +L ' out || fail "what an inner repeat reads: $(cat out)"
is '[1, 2, 3]' repeats.json 'd["resident"]'
sed 's/^program:.*/program: [{repeat: 2, do: [{nest: b}]}, {repeat: 2, do: [{nest: c}]}]/' repeats.yaml >two.yaml
refuse '--fuse: b and c are not in the same repeat' bound two.yaml "${paper[@]}" --fuse b+c

# Loops that are tiled by hand, and ghosts deeper than their box.
cat >tiles.yaml <<'END'
htmt-nests: 1
parameters: {n: 32}
arrays: {u: {box: [n, n], live: entry}}
nests:
  x:
    loops: {jj: 0..n-1 step 8, i: 0..n-1, j: "jj..min(n-1, jj+7)"}
    accesses: ["read u[i, j]"]
program: [{exchange: {arrays: [u], depth: 2}}, {nest: x}]
END
refuse 'tiles.yaml:6: nests.x: loop j moves by whole tiles with loop jj: expected loops over the whole box, which --block cuts' \
    bound tiles.yaml "${paper[@]}"
sed 's/jj+7/jj+8/; s/0..n-1 step 8/0..n-1/' tiles.yaml >band.yaml
expect 0 "$HTMT" bound band.yaml "${paper[@]}"
sed 's/depth: 2/depth: 16/' band.yaml >deep.yaml
refuse "deep.yaml:8: exchange.depth: found 16, but axis 1 of the box of 'u' has 32 points" bound deep.yaml "${paper[@]}"

# ---- refusals ------------------------------------------------------------------------------------
refuse 'expected the nest file first' bound
refuse "no nest file 'own'" bound own
refuse 'the longest loop there has 32 iterations' bound own.yaml "${paper[@]}" --block 64,0,0
refuse "unknown parameter 'm'" bound own.yaml "${paper[@]}" --param m=3
refuse '--block: found more lengths than any nest has loops' bound own.yaml "${paper[@]}" --block 0,0,0,4
refuse "--param: found 'n', expected each parameter once" bound own.yaml "${paper[@]}" --param n=8,n=9
refuse "bound: --registers: found 'x', expected a whole number" bound own.yaml --registers x
refuse 'bound: --cache: found 0,' bound own.yaml --cache 0
refuse "--block: found '4,x'" bound own.yaml --block 4,x
refuse "there is no nest 'x'" bound own.yaml --fuse grad_z+x
refuse '--sheet: belongs to one capacity' bound own.yaml --cache 1KiB..2KiB --sheet x.xlsx
refuse '--pattern: the program exchanges nothing' bound own.yaml --json - --pattern x.yaml
[ ! -e x.xlsx ] && [ ! -e x.yaml ] || fail 'a file in spite of a refusal'

# change PATTERN TEXT: own.yaml, changed, is refused with that text.
change() {
    sed "$1" own.yaml >bad.yaml
    ! cmp -s own.yaml bad.yaml || fail "nothing changed: $1"
    refuse "$2" bound bad.yaml "${paper[@]}"
}
change 's/n: 32/n: needed/' "bad.yaml:4: u: parameter 'n' has no value (--param n=N)"
change 's/u\[k, j, i\]/u[k*j, j, i]/' 'bad.yaml:11: nests.grad_z: not affine in the loop variables'
change 's/u\[k, j, i\]/v[k, j, i]/' "bad.yaml:11: nests.grad_z: unknown array 'v'"
change 's/u\[k, j, i\]/u[k, j]/' "array 'u' has 3 axes, found 2 subscripts"
change 's/u\[k, j, i\]/u:1[k, j, i]/' "array 'u' has 1 components"
change 's/add: 1,/adds: 1,/' "unknown key 'adds'"
change 's/kind: int/kind: long/' "expected fp or int"
change 's/k: 0..n-1/k: 0..n-/' "bad.yaml:14: nests.mixed_z: found 'the end', expected a number, a name or '('"
change 's/k: 0..n-1/n: 0..n-1/' "'n' may not name a loop variable"
change 's/add: 9/add: 9^40*9^40/' 'a number passes 128 bits'
change 's/k: 0..n-1/k: 0..n^20/' 'a loop of more than 2^40 iterations'
change 's/htmt-nests: 1/htmt-nests: 2/' "found version '2', expected '1'"

# Loops that a reader of source could not read are listed; others go on.
cat own.yaml - >skipped.yaml <<'END'
skipped:
  - {file: own.c, line: 7, column: 3, why: a while loop}
END
expect 1 "$HTMT" bound skipped.yaml "${paper[@]}"
grep -q 'own.c:7:3: a while loop' out || fail 'the skipped loop is not listed'

# ---- what a bound does not know -----------------------------------------------------------------------
# notes TEXT ARGUMENTS...: the notes of a bound on the paper's machine, each up to its first ";".
notes() {
    local wanted=$1
    shift
    expect 0 "$HTMT" bound "$@" --machine exasat-listing1
    [ "$(sed -n 's/^  note *\([^;]*\).*/\1/p' out)" = "$wanted" ] || fail "$*: $(grep note out)"
}
# Two loops of 16 MB each, again and again: 24 MiB keep nothing from turn to turn, 32 MiB all.
cat >turns.yaml <<'END'
htmt-nests: 1
arrays: {a: {box: [1000, 1000]}, b: {box: [1000, 1000]}, c: {box: [1000, 1000]}, d: {box: [1000, 1000]}}
nests:
  one: {loops: {i: 0..999, j: 0..999}, accesses: ['read b[i, j]', 'update a[i, j]']}
  two: {loops: {i: 0..999, j: 0..999}, accesses: ['read d[i, j]', 'update c[i, j]']}
program: [{repeat: 200, do: [{nest: one}, {nest: two}]}]
END
notes '' turns.yaml --cache 24MiB --alone
notes 'each loop begins with an empty memory' turns.yaml --cache 32MiB --alone
expect 0 "$HTMT" bound turns.yaml --machine exasat-listing1 --cache 32MiB --json b.json --alone
python3 -c 'import json; n = json.load(open("b.json"))["notes"]; assert len(n) == 1 and "less may move" in n[0], n' ||
    fail 'notes are not in the JSON'
sed 's/program: .*/program: [{nest: one}, {nest: two}]/' turns.yaml >once.yaml
notes '' once.yaml --cache 32MiB --alone
sed 's/read d/read a/' once.yaml >shared.yaml
notes 'each loop begins with an empty memory' shared.yaml --cache 24MiB --alone
notes '' shared.yaml --cache 8MiB --alone
# moves FILE BYTES ARGUMENTS...: what the program moves, in bytes.
moves() {
    expect 0 "$HTMT" bound "$1" --machine exasat-listing1 --json b.json "${@:3}"
    is "$2" b.json 'd["traffic_bytes"]'
}
# As a program: 24 MiB move 6 words a cell in each turn; 32 MiB read 4 and write 2 of each cell once.
notes '' turns.yaml --cache 32MiB
moves turns.yaml 9600000000 --cache 24MiB
moves turns.yaml 48000000 --cache 32MiB
# a of the second loop was touched last in the first: 24 MiB keep it and what lies between.
moves shared.yaml 40000000 --cache 24MiB
moves shared.yaml 48000000 --cache 8MiB

# ---- loops that nests share -----------------------------------------------------------------------
# Rows of c are scaled, then added to, one row at a time: with 3 rows of 64 words in the memory, c
# comes once; as two nests one after the other it comes twice. a and b take turns with c.
cat >rows.yaml <<'END'
htmt-nests: 1
arrays: {a: {box: [64, 64]}, c: {box: [64, 64]}}
nests:
  scale: {loops: {i: 0..63, j: 0..63}, accesses: ['update c[i, j]']}
  add: {loops: {i: 0..63, j: 0..63 step -1}, accesses: ['read a[i, j]', 'update c[i, j]']}
program: [{loop: i, do: [{nest: scale}, {nest: add}]}]
END
moves rows.yaml $((8 * 64 * 64 * 3)) --cache 1536
sed 's/program.*/program: [{nest: scale}, {nest: add}]/' rows.yaml >apart.yaml
moves apart.yaml $((8 * 64 * 64 * 5)) --cache 1536
# Down along j, the second nest finds the words of a row that the first one touched last, whatever
# fits: t words further down, t words of c and t + 1 of a came between; 32 words keep 16 of c.
moves rows.yaml $((8 * 64 * (64 + 2 * 64 + 2 * (64 - 16)))) --cache 256
shared_refused() {
    sed "s/program.*/program: [$1]/" rows.yaml >bad.yaml
    refuse "$2" bound bad.yaml --machine exasat-listing1
}
shared_refused '{loop: j, do: [{nest: add}]}' "bad.yaml:6: loop: found 'j', but loop 1 of nest add is i"
shared_refused '{loop: i}' "loop: found 'i', expected 'do' beside it"
sed 's/program.*/program: [{loop: i, do: [{nest: scale}]}, {nest: add}]/' rows.yaml >bad.yaml
refuse '--fuse: scale and add are not in the same loop' bound bad.yaml --machine exasat-listing1 --fuse scale+add

# Blocks by themselves.
notes '' turns.yaml --cache 24MiB --block 100,0
notes 'each block begins with an empty memory' turns.yaml --cache 24MiB --block 100,0 --alone

# What the file does not say of lines.
cat >lines.yaml <<'END'
htmt-nests: 1
arrays: {a: {box: [4096, 4096]}, b: {box: [4096, 4096]}, v.x: {box: [4096]}, q: {box: [4096], components: 8}}
nests:
  transpose: {loops: {i: 0..4095, j: 0..4095}, accesses: ['read a[i, j]', 'write b[j, i]']}
END
notes '' lines.yaml --cache 64KiB --lines 64 --alone
sed 's/read a.i, j./read v.x[i+j]/' lines.yaml >coupled.yaml
notes 'lines count as full' coupled.yaml --cache 64KiB --lines 64 --alone
only_memory || notes "the file does not say how far apart words of v.x lie" coupled.yaml --cache 64KiB --lines 64
for what in v.x $(only_memory || echo q:0); do
    sed "s/j: 0..4095}, accesses.*/j: 0..4095}, accesses: ['read $what[j]', 'update a[i, j]']}/" lines.yaml >apart.yaml
    notes "the file does not say how far apart words of ${what%:0} lie" apart.yaml --cache 1MiB --lines 64
    sed 's/v.x: {box: .4096.}/v.x: {box: [4096], record: {of: v, size: 64 B, at: 0 B}}/; s/components: 8/components: 8, component-axis: 1/' apart.yaml >told.yaml
    notes '' told.yaml --cache 1MiB --lines 64
done
# One array under two maps: apart where it does not fit.
cat >maps.yaml <<'END'
htmt-nests: 1
arrays: {d: {box: [64, 64]}, s: {box: [64, 64]}}
nests:
  square:
    loops: {i: 0..63, j: 0..63, k: 0..63}
    accesses: ['read s[i, k]', 'read s[k, j]', 'update d[i, j]']
END
notes '' maps.yaml --cache 64KiB
grep -q '^  bound .*: 96 kB,' out || fail "all of a square fits: $(grep bound out)"
notes '' maps.yaml --cache 63KiB
notes 'several subscripts name the same words of s (square)' maps.yaml --cache 63KiB --alone
# Whole: all of d is written and all of s read once from 33 kB on, which hold s and a word of d.
moves maps.yaml 98304 --cache 33KiB

# ---- the order of a body ---------------------------------------------------------------------------
# v is touched again behind u. Its three components come one by one: with 2 words the second touch of
# each finds it; array by array none does.
cat >order.yaml <<'END'
htmt-nests: 1
arrays: {u: {box: [64], components: 3}, v: {box: [64], components: 3}}
nests:
  x: {loops: {i: 0..63}, accesses: ['read v[i] x2', 'read u[i]'], order: [{times: 3, do: [1..2, 1]}]}
END
moves order.yaml $((8 * 64 * 6)) --cache 16
moves order.yaml $((8 * 64 * 9)) --cache 8
sed 's/order: .*/order: [1..2, 1]}/' order.yaml >row.yaml
moves row.yaml $((8 * 64 * 9)) --cache 16
moves row.yaml $((8 * 64 * 6)) --cache 48
order_refused() {
    sed "s/order: .*/order: $1}/" order.yaml >bad.yaml
    refuse "$2" bound bad.yaml --machine exasat-listing1
}
order_refused '[1, 1]' 'bad.yaml:4: nests.x: access 2 does not stand in the order'
order_refused '[1..3]' "found '1..3' in the order, expected numbers of 1 to 2"
order_refused '[0, 1, 2]' "found '0' in the order"
order_refused '[1, {times: 3}]' "'do'"
order_refused '[1, 2, {times: 99999, do: [1]}]' 'more than 65536 turns'

# The same rows by twos, from the high end down.
sed 's/j: 0..63}, acc/j: 1..63 step 2}, acc/; s/step -1/step -2/; s/0..63 step -2/1..63 step -2/' rows.yaml >down.yaml
moves down.yaml $((8 * 64 * (32 + 2 * 32 + 2 * (32 - 16)))) --cache 256

# ---- memories that words go around, or that programs manage --------------------------------------------
# ends FILE LOW HIGH ARGUMENTS...: of what the program moves, in bytes.
ends() {
    expect 0 "$HTMT" bound "$1" --machine exasat-listing1 --csv b.csv "${@:4}"
    [ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 { low += $at["all_bytes_low"]; high += $at["all_bytes_high"] }
        END { print low, high }' b.csv)" = "$2 $3" ] || fail "$*: $(cat b.csv)"
}
# In units of 8 kB, with room for all: u once, v and w in and out once. Around the memory: v once, w
# eleven times, v read once after that; u stays from a to b. Read around it: u twice, w stays.
cat >around.yaml <<'END'
htmt-nests: 1
arrays: {u: {box: [1000]}, v: {box: [1000]}, w: {box: [1000]}}
nests:
  a: {loops: {i: 0..999}, accesses: ['read u[i]', 'write v[i]']}
  b: {loops: {i: 0..999}, accesses: ['read u[i]', 'write w[i]']}
  c: {loops: {i: 0..999}, accesses: ['read v[i]', 'write w[i]']}
program: [{nest: a}, {nest: b}, {repeat: 10, do: [{nest: c}]}]
END
ends around.yaml 40000 40000 --cache 24000
ends around.yaml 112000 112000 --cache 24000 --bypass
ends around.yaml 112000 112000 --cache 24000 --bypass --lines 64B
ends around.yaml 48000 48000 --cache 24000 --stream-reads
ends around.yaml 192000 192000 --cache 24000 --bypass --stream-reads
ends around.yaml 192000 192000 --cache 24000 --bypass --alone
# A row of a product's c is written again and again: a buffer joins what follows each other.
sed 's/  a: .*/  a: {loops: {i: 0..99, k: 0..9}, accesses: ["read u[10*i+k]", "write v[i]"]}/; s/^program.*/program: [{nest: a}]/' around.yaml >again.yaml
ends again.yaml 8800 8800 --cache 24000 --bypass
# Managed by the program: at most all of each loop; at least u in, v in to be written, and w out.
ends around.yaml 24000 288000 --cache 24000 --local-store
# With room for a third of an array, each loop but the first and the last saves that in and out.
ends around.yaml $((24000 - 2664 + 24000 - 5328 + 240000 - 26640 - 23976)) 288000 --cache 2664 --local-store
ends around.yaml 288000 288000 --cache 24000 --local-store --alone
# Planes of u that two blocks need come once at least, and for each block at most.
ends own.yaml 589824 786432 --cache 4MiB --order blocks --block 0,0,8 --bypass
ends own.yaml 589824 589824 --cache 4MiB --order blocks --block 8,8,0 --bypass
