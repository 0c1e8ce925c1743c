#!/bin/bash
# Class: fast.
# Who uses a figure that was disturbed when it was measured says so in its first line: of insides of
# processors bounds of loops, of the rest runs and predictions, too.
. "$(dirname "$0")/common"

cat >machine.yaml <<'END'
htmt-machine: 1
base: pim-node
layers:
  cram:
    processor:
      flop: {value: 5 ns, source: "disturbed, +12.0 %: a test"}
    inside:
      mul-f64: {latency: 4 cycles, every: 1 cycle, source: "disturbed, +30.0 %: a test"}
END
cat >triad.yaml <<'END'
htmt-nests: 1
arrays: {a: {box: [100]}, b: {box: [100]}}
nests: {scale: {loops: {i: 0..99}, ops: {mul: 1}, accesses: ["read b[i]", "write a[i]"]}}
END

first() # LINE ARGUMENT...
{
    local line=$1
    shift
    expect 0 "$HTMT" "$@"
    [ "$(head -n 1 out)" = "$line" ] || fail "$*: $(head -n 1 out)"
}

both='machine has 2 disturbed figures (layers.cram.processor.flop, mul-f64); measure it again'
one='machine has 1 disturbed figure (layers.cram.processor.flop); measure it again'
first "$both" bound triad.yaml --machine ./machine.yaml
first "$both" bound triad.yaml --machine ./machine.yaml --rule exasat
first "$one" run cannon --machine ./machine.yaml --size 64 --slices 4
first "$one" model cannon --machine ./machine.yaml --size 64 --slices 4
first "$one" predict cannon --machine ./machine.yaml --size 64 --slices 4
first 'bounds of triad.yaml on pim-node' bound triad.yaml --machine pim-node

# Many are counted, and as many named as fit.
sed 's/ns, source: "[a-z]*,/ns, source: "measured,/' machine.yaml >many.yaml
for o in add sub mul div sqrt; do
    for t in i32 i64 f32 f64; do
        [ $o-$t = mul-f64 ] || echo "      $o-$t: {latency: 4 cycles, every: 1 cycle, source: \"disturbed, +30.0 %: a test\"}"
    done
done >>many.yaml
expect 0 "$HTMT" bound triad.yaml --machine ./many.yaml
head -n 1 out | grep -Eq '^many has 20 disturbed figures \([a-z0-9, -]*, \.\.\.\); measure it again$' || fail "$(head -n 1 out)"

[ -n "${HTMT_REC-}" ] || [ -x "$(dirname "$HTMT")/htmt-rec" ] || exit 0
first "$both" run cannon --machine ./machine.yaml --size 64 --slices 4 --timing operations
