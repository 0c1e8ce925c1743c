#!/bin/bash
# Class: fast foreign.
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

# How many services had the shape of a profile.
shapes() { grep 'have the shape' "$1" || :; }
result() { echo "$(predicted "$1") $(history "$1") $(shapes "$1")"; }

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

# ---- shapes ----------------------------------------------------------------------------------------

# Pushes count 119040 operations or 130944; with three slices twice as many, too. Without counts all
# take the length of a profile. 261888 and 238080 operations are nearest to the larger one,
# and their length is rounded to 1 fs of 2e8.
mean_of() { grep -A40 '"name": "Push"' "$1" | grep -A25 '"execute"' | sed -n 's/.*"mean_s": \([^,]*\),/\1/p' | head -n 1; }
sed 's/^services: 1$/&\ncounts: 119040/' read.yaml >small.yaml
sed 's/^services: 1$/&\ncounts: 130944/' edited.yaml >large.yaml
for name in read edited; do
    expect 0 "$HTMT" model pic --slices 4 --machine node.yaml --timing profile=$name.yaml --json $name.json
done
for slices in 3 4; do
    expect 0 "$HTMT" model pic --slices $slices --machine node.yaml --timing profile=large.yaml,small.yaml \
        --json shapes.json
    shapes shapes.json | grep -qF "Push: $((slices == 3 ? 2400 : 4800)) services have the shape of a profile, $((slices == 3 ? 1200 : 0)) take" ||
        fail "$slices slices: $(shapes shapes.json)"
    awk -v small="$(mean_of read.json)" -v large="$(mean_of edited.json)" -v mean="$(mean_of shapes.json)" -v s=$slices 'BEGIN {
        sum = 1600 * small + 3200 * large
        n = 4800
        if (s == 3) {
            sum = 800 * small + 1600 * large + (400 * 238080 / 130944 + 800 * 2) * large
            n = 3600
        }
        exit !(small != large && mean > 0 && (mean * n / sum - 1) ^ 2 < 1e-16) }' ||
        fail "$slices slices: $(mean_of shapes.json) s of $(mean_of read.json) s and $(mean_of edited.json) s"
done

# ---- one result ----------------------------------------------------------------------------------

# same TEXT WORD...: the prediction and the events of the run before.
same() {
    local text=$1
    shift
    expect 0 "$HTMT" "$@" --machine "$node" --json other.json --quiet
    [ "$(result other.json)" = "$(result one.json)" ] || fail "$text: $(result other.json), not $(result one.json)"
}

# Processors by themselves; and two of a slice that share a bus and keep their caches.
sed 's/^    inside:/    processor: {count: {value: 2, source: s}}\n&\n      caches: warm\n      sharing: bus/' \
    node.yaml >shared.yaml
sed 's/^kernel: push/&\ncounts: 119040/' push.yaml >small.yaml
sed 's/^kernel: push/&\ncounts: 130944/; s/0 x 255/0 x 300/' push.yaml >large.yaml
cases=(node.yaml push.yaml shared.yaml push.yaml node.yaml small.yaml,large.yaml shared.yaml small.yaml,large.yaml)
! only_memory || cases=(shared.yaml small.yaml,large.yaml)
for ((i = 0; i < ${#cases[@]}; i += 2)); do
    node=${cases[i]}
    pic=(pic --slices 3 --steps 20 --timing "profile=${cases[i + 1]}")
    expect 0 "$HTMT" model "${pic[@]}" --machine $node --json one.json
    grep -q 'Push: timed by its profile: .* to .* us a service' out || fail "variants: $(cat out)"
    grep -q 'in 16 variants' out || fail "variants: $(cat out)"
    same 'two threads' model "${pic[@]}" --clock-threads 2
    same 'windows' model "${pic[@]}" --clock shared --clock-threads 3 --clock-partitions 3
    same 'sequential' model "${pic[@]}" --clock sequential
    same 'a run' run "${pic[@]}" --threads 1
    same 'a run by threads' run "${pic[@]}" --threads 3 --check-determinism
    expect 0 "${launch[@]}" -n 2 "$HTMT" model "${pic[@]}" --machine $node --json other.json --quiet
    [ "$(result other.json)" = "$(result one.json)" ] || fail "$node: two ranks"
done
shapes one.json | grep -qF 'Push: 120 services have the shape of a profile, 60 take' || fail "$(shapes one.json)"

# Folded: one slice stands for all; its variants are theirs.
sed 's/^kernel: .*/kernel: block multiply.2/' push.yaml >multiply.yaml
sed 's/^kernel: .*/&\ncounts: 4194304/' multiply.yaml >exact.yaml
sed 's/^kernel: .*/&\ncounts: 1000000/; s/0 x 255/0 x 300/' multiply.yaml >other.yaml
for ((i = 0; i < ${#cases[@]}; i += 2)); do
    node=${cases[i]}
    profiles=exact.yaml,other.yaml
    [ "${cases[i + 1]}" != push.yaml ] || profiles=multiply.yaml
    cannon=(cannon --size 1024 --slices 16 --timing "profile=$profiles" --quiet)
    expect 0 "$HTMT" model "${cannon[@]}" --machine $node --json one.json
    expect 0 "$HTMT" model "${cannon[@]}" --machine $node --fold --json other.json
    [ "$(shapes one.json)" = "$(shapes other.json)" ] || fail "$node: folded: $(shapes other.json)"
    [ "$(predicted one.json)" = "$(predicted other.json)" ] || fail "$node: folded"
done

# ---- recorded shapes ------------------------------------------------------------------------------

# What docs/profiles.md says of profiles and traces: at most 2.7 % apart.
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && (a / b - 1) ^ 2 < 0.027 ^ 2) }' || fail "$3: $1, not $2"; }
if [ -x "$(dirname "$HTMT")/htmt-rec" ]; then
    small=(pic --machine pim-node --slices 3 --steps 1)
    expect 0 "$HTMT" run "${small[@]}" --timing operations --json run.json
    expect 0 "$HTMT" ops record "${small[@]}" --type Push --service all --out all.ops
    expect 0 "$HTMT" ops profile all.ops --out all.profile --kernel push
    grep -qF 'services that count 119040, 130944, 238080, 261888 operations; --counts N takes' err || fail "$(cat err)"
    # The mean of two, four, one and two services.
    grep -qx 'counts: 169301' all.profile || fail "another mean: $(grep counts all.profile)"
    for counts in 119040 130944 238080 261888; do
        expect 0 "$HTMT" ops profile all.ops --out $counts.profile --kernel push --counts $counts
        [ ! -s err ] || fail "one shape of several: $(cat err)"
        grep -qx "counts: $counts" $counts.profile || fail "$(grep counts $counts.profile)"
    done
    expect 0 "$HTMT" model "${small[@]}" --json shapes.json \
        --timing profile=119040.profile,130944.profile,238080.profile,261888.profile
    shapes shapes.json | grep -qF 'Push: 9 services have the shape of a profile, 0 take' || fail "$(shapes shapes.json)"
    near "$(mean_of shapes.json)" "$(mean_of run.json)" 'pushes of four shapes'
    refuse 'all.ops: found no service that counts 5 operations, expected 119040, 130944, 238080, 261888' \
        ops profile all.ops --out p.yaml --counts 5
    refuse "--counts: found '5k', expected a number of operations" ops profile all.ops --out p.yaml --counts 5k

    # Two sizes of a block, one profile each.
    for size in 64 96; do
        expect 0 "$HTMT" ops record cannon --machine pim-node --slices 4 --size $size --type 'Block Multiply' --out b.ops
        expect 0 "$HTMT" ops profile b.ops --out $size.profile --kernel 'block multiply.1'
        expect 0 "$HTMT" ops time b.ops --machine pim-node --json $size.json
    done
    for size in 64 96; do
        expect 0 "$HTMT" model cannon --machine pim-node --slices 4 --size $size --json b.json \
            --timing profile=64.profile,96.profile
        shapes b.json | grep -qF 'fibers: 4 services have the shape of a profile, 0 take' || fail "$size: $(shapes b.json)"
        counts=$(sed -n 's/^counts: //p' $size.profile)
        length=$(sed -n "s/.*by its profile: \([0-9.]*\) us .* counts $counts operations.*/\1/p" b.json)
        near "${length:-0}e9" "$(key time_fs $size.json)" "a block of $size"
    done
fi

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
refuse "type Push has several profiles, and push.yaml does not say what its service counts: expected the key counts" \
    "${model[@]}" --timing profile=small.yaml,push.yaml
sed 's/^kernel: push/kernel: PUSH/' small.yaml >same.yaml
refuse "type Push: small.yaml and same.yaml are both profiles of a service that counts 119040 operations: expected one of each shape" \
    "${model[@]}" --timing profile=small.yaml,large.yaml,same.yaml
refuse '--timing: the name of a profile is missing' "${model[@]}" --timing profile=
refuse 'expected counts, operations or profile=FILE' "${model[@]}" --timing none
refuse 'only run and model play kernels' predict pic --timing profile=push.yaml
refuse 'cannot open' "${model[@]}" --timing profile=nothing.yaml
refuse 'usage: htmt ops profile FILE --out PROFILE' ops profile push.lackey
refuse 'cannot open' ops profile nothing.ops --out p.yaml
[ ! -e p.yaml ] || fail 'half a profile'
