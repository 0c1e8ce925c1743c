#!/bin/bash
# Class: fast.
# The papers' tables by the command: what it prints, writes and refuses. All emulations are in
# tests/long/validate.sh.
. "$(dirname "$0")/common"
# Its emulations have one thread: nothing can race, and they take minutes.
case ${SANITIZE-} in *thread*) skip "not under this sanitizer" ;; esac

# Short tables, whose emulations take a moment.
expect 0 "$HTMT" validate amaral-table3 hereld-table6
grep -q '^Amaral et al., Table 3' out || fail 'no section for the table'
grep -q '^  model       37 of 37 met' out || fail "not all met: $(grep model out)"
awk 'length > 99 { print; wide = 1 } END { exit wide }' out >wide || fail "too wide: $(cat wide)"
expect 0 "$HTMT" validate --list
[ "$(wc -l <out)" = 24 ] || fail "not 24 tables: $(cat out)"

# A misprint stands beside the rule that it follows and is not judged.
expect 0 "$HTMT" validate hereld-table4 --quiet
grep -q '0 missed' out || fail 'Table 4 is missed'
expect 0 "$HTMT" validate hereld-table5
grep -A3 'H.T5.read.util.HtoD ' out | grep -q 'the print follows the rule' || fail 'no rule'

# Contentions of networks with an inside, instants that packets come at, and sums of latencies: by the
# emulation alone where no closed form has them.
expect 0 "$HTMT" validate hpsc mermaid-network
grep -q '^  model       15 of 15 met' out || fail "not all met: $(grep model out)"

# Bounds of loops, and the constants beside them.
expect 0 "$HTMT" validate exasat
grep -q '^  predict     930 of 930 met' out || fail "not all met: $(grep predict out)"
grep -q '^  input       38 of 38 held' out || fail "not all held: $(grep input out)"

# JSON and CSV say the same.
expect 0 "$HTMT" validate amaral-table3 --json t.json --csv t.csv
grep -q '"missed": 0' t.json || fail 'JSON has no totals'
[ "$(grep -c '"verdict": "met"' t.json)" = 6 ] || fail 'JSON has other verdicts'
[ "$(grep -c ',met$' t.csv)" = 6 ] || fail 'CSV has other verdicts'
expect 0 "$HTMT" validate hereld-table5 --json -
head -1 out | grep -q '^{$' || fail 'JSON is not alone on standard output'

# Figure 7, drawn twice alike.
expect 0 "$HTMT" validate amaral-figure7 --quiet --plot a.svg
expect 0 "$HTMT" validate amaral-figure7 --quiet --plot b.svg
cmp a.svg b.svg || fail 'the plot changes'
grep -q '<svg' a.svg || fail 'no SVG'

# A missed figure ends with status 1 and its name.
mkdir golden machines
cp "$root"/emul/validate/golden/amaral-table3-components.csv golden
sed -i 's/^\(A.T3.M_S,.*\),11.71875,/\1,11.72,/' golden/*.csv
HTMT_GOLDEN_PATH=golden expect 1 "$HTMT" validate
grep -q '^  A.T3.M_S (model): the closed form is too far off' out || fail "no miss: $(tail -9 out)"
grep -q 'htmt validate: 1 of 6 figures are missed' err || fail "$(cat err)"
rm golden/*
cp "$root"/emul/validate/golden/hpsc.csv golden
sed -i '/^P.ex1.cont1,/s/,3,3,/,4,4,/' golden/hpsc.csv
HTMT_GOLDEN_PATH=golden expect 1 "$HTMT" validate
grep -q '^  P.ex1.cont1 (model): the emulation is too far off' out || fail "no miss: $(tail -9 out)"
rm golden/*
cp "$root"/machines/*.yaml machines
sed -i 's/0.97 ns/1 ns/' machines/htmt-2007.yaml
HTMT_MACHINE_PATH=machines expect 1 "$HTMT" validate amaral-table2 --quiet
grep -q 'A.T2.DRAM_at (input): the files hold another value' out || fail "$(cat out)"

# What is refused.
refuse "there is no table 'table12'" validate table12
refuse "unknown option '--fast'" validate --fast
refuse '--json: the value is missing' validate --json
refuse '--csv: given twice' validate --csv a --csv b
refuse '--quiet: given twice' validate --quiet --quiet
refuse '--list: found more' validate --list amaral-table1
refuse "--csv: found '-', expected a file" validate amaral-table3 --csv -
refuse 'amaral-figure7 is not among the tables' validate amaral-table1 --json x.json --plot a.svg
refuse 'ends in .svg, .png or .pdf' validate amaral-figure7 --plot a.gif
refuse 'no/such' validate --csv no/such/file
sed -n 1,2p "$root"/emul/validate/golden/amaral-table3-components.csv >golden/amaral-table3-components.csv
HTMT_GOLDEN_PATH=golden refuse "components.csv:2: found 'no row behind it', expected at least one" validate
echo 'id,value' >golden/amaral-table3-components.csv
HTMT_GOLDEN_PATH=golden refuse "amaral-table3-components.csv:1: found 'id,value'" validate
HTMT_GOLDEN_PATH=machines refuse 'no golden tables' validate
