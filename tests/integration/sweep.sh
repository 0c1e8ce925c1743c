#!/bin/bash
# Class: fast foreign.
# Studies: a point is the command line that it stands for; the same rows whatever the number of processes,
# whoever was killed on the way, and however many work on one store; bad input.
set -eu
. "$(dirname "$0")/common"

cannon=(cannon --machine htmt-2007 --size 208000 --schedule paper)
pic=(pic --case thermal --slices 4 --steps 2)

# Each point is what predict, or model, says.
expect 0 "$HTMT" sweep predict "${cannon[@]}" --vary 'layers.cram.processor.flop=1 ps..10 ps:log3' \
    --vary machine:htmt-2007,htmt-oct98 --csv s.csv --json s.json --plot s.svg --jobs 2
test "$(wc -l <s.csv)" = 7 || fail "found $(wc -l <s.csv) lines"
while IFS=, read -r point _ flop machine t _; do
    [ "$point" = point ] && continue
    expect 0 "$HTMT" predict cannon --machine "$machine" --size 208000 --schedule paper \
        --set "layers.cram.processor.flop=$flop" --json p.json
    python3 - "$t" <<'P' || fail "point $point: $t"
import json, sys
sys.exit(json.load(open("p.json"))["predicted_s"] != float(sys.argv[1]))
P
done <s.csv
grep -q '<svg' s.svg || fail 'no picture'
expect 0 "$HTMT" sweep model "${pic[@]}" --vary 'networks.*.latency=0.5x,1x,2x' --csv m.csv
expect 0 "$HTMT" model "${pic[@]}" --json p.json
python3 - <<'P' || fail 'the middle point is not the model run'
import csv, json, sys
row = list(csv.DictReader(open("m.csv")))[1]
sys.exit(round(float(row["T_s"]) * 1e15) != json.load(open("p.json"))["predicted_fs"])
P

# Columns, front.
expect 0 "$HTMT" sweep predict "${cannon[@]}" --vary 'layers.cram.memory.capacity=1x,2x,4x' \
    --column 'cost=2*layers.cram.memory.capacity[MiB]+40' --front cost,T --csv f.csv
python3 - <<'P' || fail 'columns'
import csv, sys
rows = list(csv.DictReader(open("f.csv")))
sys.exit([float(r["cost"]) for r in rows] != [42, 44, 48] or [r["front"] for r in rows] != ["1", "1", "0"])
P

# Samples: one in each part of each axis; the seed decides.
sample=(sweep predict "${cannon[@]}" --vary 'networks.vortex.*=0.5x..2x' \
    --vary 'layers.cram.processor.flop=0.8x..1.25x' --sample 50)
expect 0 "$HTMT" "${sample[@]}" --seed 7 --csv a.csv --json a.json
expect 0 "$HTMT" "${sample[@]}" --seed 7 --csv b.csv --jobs 1
expect 0 "$HTMT" "${sample[@]}" --seed 8 --csv c.csv
cmp -s a.csv b.csv || fail 'samples differ'
! cmp -s a.csv c.csv || fail 'the seed changes nothing'
python3 - <<'P' || fail 'samples'
import csv, json, math, sys
rows = list(csv.DictReader(open("a.csv")))
for key, low, high in (("networks.vortex.*", .5, 2), ("layers.cram.processor.flop", .8, 1.25)):
    parts = sorted(50 * math.log(float(r[key][:-1]) / low) / math.log(high / low) for r in rows)
    if any(not i - 1e-3 < part < i + 1 + 1e-3 for i, part in enumerate(parts)):
        sys.exit(f"{key}: {parts}")
s = json.load(open("a.json"))["samples"][0]
sys.exit(not s["T_5_s"] < s["T_50_s"] < s["T_95_s"] or s["rank_correlation"]["layers.cram.processor.flop"] < .9)
P

# A store: nothing is computed twice; any number of processes; who is killed goes on.
kills=${KILLS:-3}
grid=(sweep model "${pic[@]}" --vary "networks.*.latency=0.5x..2x:$((kills > 3 ? 120 : 6))" --vary 'layers.sram.processor.*=0.5x,1x,2x')
for jobs in 1 2 8; do
    expect 0 "$HTMT" "${grid[@]}" --jobs $jobs --csv jobs$jobs.csv
    cmp -s jobs1.csv jobs$jobs.csv || fail "$jobs processes give other rows"
done
RANDOM=${SEED:=$$}
for ((kill = 0; kill < kills; kill++)); do
    rm -f k.db
    "$HTMT" "${grid[@]}" --study k.db --jobs 2 --csv k.csv >/dev/null 2>&1 & it=$!
    sleep "0.$((100 + RANDOM % (kills > 3 ? 900 : 200)))"
    kill -9 $it 2>/dev/null || true
    wait $it 2>/dev/null || true
    "$HTMT" "${grid[@]}" --study k.db --jobs 1 --csv k1.csv >k1.out & one=$!
    expect 0 "$HTMT" "${grid[@]}" --study k.db --jobs 2 --csv k2.csv
    wait $one || fail 'the second process on the store failed'
    cmp -s jobs1.csv k1.csv && cmp -s jobs1.csv k2.csv ||
        fail "a store that was left in the middle gives other rows (SEED=$SEED)"
done
expect 0 "$HTMT" "${grid[@]}" --study k.db
grep -q ': 0 of them computed now' out || fail "computed again: $(tail -1 out)"

# A plug-in of the user's own belongs to its points, byte by byte.
cp "$(dirname "$HTMT")/apps/cannon.so" own.so
for computed in 1 0; do
    expect 0 "$HTMT" sweep predict ./own.so --size 64 --vary slices=4 --study own.db
    grep -q ": $computed of them computed now" out || fail "found $(tail -1 out), expected $computed"
done
echo >>own.so
expect 0 "$HTMT" sweep predict ./own.so --size 64 --vary slices=4 --study own.db
grep -q ': 1 of them computed now' out || fail 'a changed plug-in has the results of the old one'

# Values of an axis are drawn where they belong, whatever unit each is written in.
latency='networks.vortex.latency=500 ns'
expect 0 "$HTMT" sweep predict cannon --size 64 --vary "$latency,2 us,3 us" --plot mixed.svg
expect 0 "$HTMT" sweep predict cannon --size 64 --vary "$latency,2000 ns,3000 ns" --plot plain.svg
cmp -s mixed.svg plain.svg || fail 'two units, another plot'
# A load curve: the column that was asked for first, over the load.
load=(sweep model traffic --machine small-htmt --pattern uniform --bytes 80 --measure 2us..4us --vary opt:load=0.2,0.5,0.8)
expect 0 "$HTMT" "${load[@]}" --column message_latency_mean --csv load.csv --plot load.svg
expect 0 "$HTMT" "${load[@]}" --column message_latency_mean --column accepted_load --plot first.svg
expect 0 "$HTMT" "${load[@]}" --plot time.svg
cmp -s load.svg first.svg && ! cmp -s load.svg time.svg || fail 'a plot of another column'
[ "$(tail -n +2 load.csv | cut -d, -f5 | sort -g | tr '\n' ' ')" = "$(tail -n +2 load.csv | cut -d, -f5 | tr '\n' ' ')" ] ||
    fail "more load, less latency: $(cat load.csv)"

# A refused point is a row.
expect 0 "$HTMT" sweep predict cannon --vary opt:size=64,50000000 --csv r.csv
grep -q '^1,cannon,64,[0-9.e-]*,$' r.csv && grep -q '^2,cannon,50000000,,.*[a-z]' r.csv || fail "$(cat r.csv)"

# Where all points are refused, the line says so behind the table.
all_refused() {
    local text=$1
    shift
    expect 2 "$HTMT" sweep "$@"
    one_line 'all points are refused: '
    grep -qF -- "$text" err || fail "$(cat err)"
}
prim=(run prim va --slices 3 --size 1000 --vary opt:tasklets=1,2)
expect 0 "$HTMT" sweep "${prim[@]}"
all_refused 'take no time' "${prim[@]}" --strict
all_refused 'take no time' "${prim[@]}" --strict --plot none.svg
[ ! -e none.svg ] || fail 'a plot of no point'

# A file.
cat >study.yaml <<'Y'
htmt-study: 1
about: two applications over one latency
cases:
  cannon: predict cannon --size 2000 --set 'layers.cram.processor.flop=3 ps'
  thermal: model pic --case thermal --slices 4 --steps 2
vary:
  - networks.vortex.latency=0.5x,1x,2x
columns:
  - double=2*T
csv: y.csv
Y
expect 0 "$HTMT" sweep study.yaml
test "$(grep -c ,thermal, y.csv)" = 3 || fail "rows of thermal: $(cat y.csv)"
test "$(grep -c ,cannon, y.csv)" = 3 || fail "rows of cannon: $(cat y.csv)"

# A range in a machine file.
cat >known.yaml <<'Y'
htmt-machine: 1
base: htmt-oct98
networks:
  vortex:
    latency: {value: 85 ns, source: a guess, range: 0.5x..3x}
Y
expect 0 "$HTMT" sweep predict cannon --machine ./known.yaml --size 2000 --slices 4 --sample 20
grep -q 'networks.vortex.latency' out || fail "no axis of the range: $(cat out)"
long=$PWD/$(printf 'd%.0s' {1..240}) # a word of any length arrives whole
mkdir "$long" && cp known.yaml "$long"
expect 0 "$HTMT" sweep predict cannon --machine "$long/known.yaml" --size 64 --vary networks.vortex.latency=1ns,2ns
sed 's/0.5x..3x/3x..1x/' known.yaml >bad.yaml
refuse "range: found '3x..1x', expected two factors" predict cannon --machine ./bad.yaml --size 64

# Bad input: one line, status 2.
bad() {
    local line=$1
    shift
    refuse "$line" sweep "$@"
}
bad 'expected predict, model or run' nothing cannon --vary opt:size=1
bad 'study.yaml is read and would be written over by --csv' study.yaml --csv study.yaml
bad 'expected another file than that of --csv' predict cannon --vary slices=1,4 --study one.db --csv one.db
bad "found 'cannon' alone, expected predict, model or run" cannon
bad "found '--jbos' behind the study file" study.yaml --jbos 2
bad 'expected an axis' predict cannon --size 64
bad 'axis size: an option of cannon, expected opt:size=VALUES' predict cannon --vary size=64,128
bad 'expected machine:NAME,..' predict cannon --vary machine=htmt-2007,htmt-oct98
bad 'found 13 curves, expected at most 12' predict cannon --size 64 --vary networks.vortex.latency=1ns,2ns \
    --vary slices=1..13:13 --csv curves.csv --plot curves.svg
[ ! -e curves.csv ] || fail 'a plot was refused behind the study'
bad 'found --sample' predict cannon --size 64 --vary networks.vortex.latency=0.5x..2x --sample 4 --plot x.svg
bad "found '2 cycles' beside '1 ps', expected one unit" predict cannon --size 64 \
    --vary 'layers.cram.processor.flop=1 ps,2 cycles' --plot units.svg
bad "unknown key, did you mean 'layers.cram.processor.flop'" predict cannon --size 64 --vary layers.cram.procesor.flop=1ps
bad "did you mean '--size'" predict cannon --vary opt:sze=64,128
bad "found 'k=', expected KEY=VALUES" predict cannon --size 64 --vary k=
bad 'none of them empty' predict cannon --vary opt:size=64,,128
bad "found '1', expected a time an operation such as" predict cannon --size 64 --vary layers.cram.processor.flop=1,2
bad "found '2', expected a unit" predict cannon --size 64 --vary 'layers.cram.processor.flop=1 ps,2'
bad 'given twice' predict cannon --size 64 --vary networks.vortex.latency=1ns --vary networks.vortex.latency=2ns
bad 'there is no --costs' predict cannon --size 64 --vary costs:problem.t=1,2
bad "axis costs:problem.tt: unknown key, did you mean 'problem.t'?" \
    predict cannon --costs cannon-amaral --size 208000 --vary costs:problem.tt=13,26
bad 'only figures of the machine have factors' \
    predict cannon --costs cannon-amaral --size 208000 --vary costs:problem.t=0.5x,1x
bad '0 or not modelled has no factor' predict cannon --size 64 --vary 'layers.cram.processor.lambda=0.5x,2x'
bad 'more than 1000000 points' predict cannon --vary opt:size=1..2000:2000 --vary networks.vortex.latency=1ns..2ns:1000
bad 'is neither a result nor a figure' predict cannon --size 64 --vary networks.vortex.latency=1ns,2ns --column nosuch
bad 'division by zero' predict cannon --size 64 --vary networks.vortex.latency=1ns,2ns --column 'x=1 / (T - T)'
bad "'cost' is neither T nor a --column" predict cannon --size 64 --vary networks.vortex.latency=1ns,2ns --front cost,T
bad 'expected two columns' predict cannon --size 64 --vary networks.vortex.latency=1ns,2ns --front T
bad 'no figure of the machine has a range' predict cannon --size 64 --sample 5
bad 'samples are of ranges' predict cannon --size 64 --sample 5 --vary networks.vortex.latency=1ns,2ns
bad '--timing: of one run' model pic --case thermal --timing operations --vary networks.vortex.latency=1ns,2ns
bad 'a host alone joins, which cannon does not know' predict cannon --size 64 --vary machine:upmem-e19,upmem-p21
bad '--trace: of one run' predict cannon --size 64 --trace t --vary networks.vortex.latency=1ns,2ns
printf 'not a database, but long enough to look like one' >other.db
bad 'other.db' predict cannon --size 64 --vary networks.vortex.latency=1ns,2ns --study other.db
