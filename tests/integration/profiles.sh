#!/bin/bash
# Profiles by the command: read from a tape, edited, played: they time services as the tape does, with
# the same bits for threads, windows, ranks and folding, and each mistake is one line.
. "$(dirname "$0")/common"
. "$root/tests/ranks/launch"

cat >node.yaml <<'Y'
htmt-machine: 1
base: htmt-oct98
layers:
  cram:
    inside:
      issue: {value: 2 op/cycle, source: s}
      add-f64: {latency: 4 cycles, every: 1 cycle, source: s}
      mul-f64: {latency: 4 cycles, every: 1 cycle, source: s}
      l1: {size: 4 KiB, line: 64 B, ways: 4, replace: lru, write: back, split: no, hit: 2 cycles, every: 1 cycle, source: s}
      bus: {at: l1-l2, width: 8 B, clock: 64 GHz, arbitration: 1 cycle, source: s}
      dram: {banks: 4, page: 1 KiB, policy: open, hit: 10 cycles, miss: 30 cycles, source: s}
Y

# Services of a mixture and of distances differ.
cat >push.yaml <<'Y'
htmt-profile: 1
kernel: push
regions:
  - {name: particles, at: 0, bytes: 65536}
  - {name: fields, at: 1048576, bytes: 16384, sets: 16, distances: [40, 100, 100, 50, 50, 50]}
blocks:
  - operations: "mul-f64 x 40, add-f64 x 40"
    next: "0 x 255, end"
    accesses:
      - {load: 8, region: particles, strides: "8 x 511"}
      - {load: 8, region: fields, strides: "far"}
      - {store: 8, region: particles, beside: 0}
Y

predicted() { key predicted_fs "$1"; }
history() { key history_hash "$1"; }

# ---- from a tape ---------------------------------------------------------------------------------

# Three rounds over two arrays, as lackey writes them.
for round in 1 2 3; do
    for i in $(seq 0 199); do
        printf 'I  04001000,4\n L %08x,8\nI  04001004,3\n S %08x,8\nI  04001007,2\n' \
            $((0x1ffe0000 + 8 * i)) $((0x1fff0000 + 16 * i))
    done
done >push.lackey
expect 0 "$HTMT" ops time push.lackey --machine node.yaml
grep -q '^  time          52.69 ns$' out || fail "another time of the tape: $(cat out)"
expect 0 "$HTMT" ops profile push.lackey --out read.yaml
[ ! -s out ] || fail "ops profile prints: $(cat out)"
grep -qF 'strides: "(16 x 199, -3184) x 2, 16 x 199"' read.yaml || fail "strides: $(cat read.yaml)"
expect 0 "$HTMT" model pic --slices 4 --machine node.yaml --timing profile=read.yaml --json read.json
grep -qF 'Push: timed by its profile: 0.0526875 us a service' out ||
    fail "the profile takes another time than its tape: $(cat out)"

# Twice the strides of the store: more misses.
sed 's/16 x 199, -3184/32 x 199, -6368/; s/2, 16 x 199/2, 32 x 199/; s/bytes: 3192/bytes: 6376/
     s/bytes: 68728/bytes: 71912/' read.yaml >edited.yaml
expect 0 "$HTMT" model pic --slices 4 --machine node.yaml --timing profile=edited.yaml
grep -qF 'Push: timed by its profile: 0.' out || fail "an edited profile is not played: $(cat out)"
! grep -qF ' 0.0526875 us' out || fail 'an edited profile takes the same time'

# Where the profile says what its service counts, other services take their share.
sed 's/^services: 1$/&\ncounts: 1000000000000/' read.yaml >counted.yaml
expect 0 "$HTMT" model pic --slices 4 --machine node.yaml --timing profile=counted.yaml
grep -q '^  Push     execute  SPELL .* [0-9.]* fs ' out || fail "no share of the length: $(cat out)"

# ---- one result ----------------------------------------------------------------------------------

# same TEXT WORD...: the prediction and the events of the run before.
same() {
    local text=$1
    shift
    expect 0 "$HTMT" "$@" --machine "$node" --json other.json --quiet
    [ "$(predicted other.json) $(history other.json)" = "$(predicted one.json) $(history one.json)" ] ||
        fail "$text: $(predicted other.json), not $(predicted one.json)"
}

# Processors by themselves; and two of a slice that share a bus and keep their caches.
sed 's/^    inside:/    processor: {count: {value: 2, source: s}}\n&\n      caches: warm\n      sharing: bus/' \
    node.yaml >shared.yaml
pic=(pic --slices 4 --steps 40 --timing profile=push.yaml)
for node in node.yaml shared.yaml; do
    expect 0 "$HTMT" model "${pic[@]}" --machine $node --json one.json
    grep -q 'Push: timed by its profile: .* to .* us a service' out || fail "variants: $(cat out)"
    grep -q 'in 16 variants' out || fail "variants: $(cat out)"
    same 'two threads' model "${pic[@]}" --clock-threads 2
    same 'windows' model "${pic[@]}" --clock windows --clock-threads 3 --clock-partitions 3
    same 'sequential' model "${pic[@]}" --clock sequential
    same 'a run' run "${pic[@]}" --threads 1
    same 'a run by threads' run "${pic[@]}" --threads 3 --check-determinism
    expect 0 "${launch[@]}" -n 2 "$HTMT" model "${pic[@]}" --machine $node --json other.json --quiet
    [ "$(predicted other.json) $(history other.json)" = "$(predicted one.json) $(history one.json)" ] ||
        fail "$node: two ranks"
done

# Folded: one slice stands for all; its variants are theirs.
sed 's/^kernel: .*/kernel: block multiply.2/' push.yaml >multiply.yaml
cannon=(cannon --size 1024 --slices 16 --timing profile=multiply.yaml --quiet)
for node in node.yaml shared.yaml; do
    expect 0 "$HTMT" model "${cannon[@]}" --machine $node --json one.json
    expect 0 "$HTMT" model "${cannon[@]}" --machine $node --fold --json other.json
    [ "$(predicted one.json)" = "$(predicted other.json)" ] || fail "$node: folded"
done

# ---- mistakes ------------------------------------------------------------------------------------

model=(model pic --slices 4 --machine node.yaml)
# mistake TEXT SED: of the profile, edited.
mistake() {
    sed "$2" push.yaml >bad.yaml
    refuse "$1" "${model[@]}" --timing profile=bad.yaml
}
mistake "bad.yaml:7: operations: found 'frob-f64 x 40', expected operations and types" 's/mul-f64/frob-f64/'
mistake "bad.yaml:7: operations: found 'mul-f16 x 40', expected operations and types" 's/mul-f64/mul-f16/'
mistake 'a profile without mass' 's/operations: .*/operations: ""/; /accesses/,$d'
mistake "bad.yaml:8: next: found 'x 3, end'" 's/0 x 255/0 xx 3/'
mistake "bad.yaml:10: region: found 'atoms', expected the name of a region" 's/region: particles/region: atoms/'
mistake "type Push: its profile has sin-f64, for which layers.cram.inside has no latency" 's/mul-f64/sin-f64/'
mistake "a profile is of kernel 'pusch', but no type has this name" 's/: push/: pusch/'
refuse 'the processor of layer cram has no inside' model pic --slices 4 --timing profile=push.yaml
refuse "--timing: push.yaml is a second profile of kernel 'push'" "${model[@]}" \
    --timing profile=push.yaml,push.yaml
refuse '--timing: the name of a profile is missing' "${model[@]}" --timing profile=
refuse 'expected counts, operations or profile=FILE' "${model[@]}" --timing none
refuse 'only run and model play kernels' predict pic --timing profile=push.yaml
refuse 'cannot open' "${model[@]}" --timing profile=nothing.yaml
refuse 'usage: htmt ops profile FILE --out PROFILE' ops profile push.lackey
refuse 'cannot open' ops profile nothing.ops --out p.yaml
[ ! -e p.yaml ] || fail 'half a profile'
