#!/bin/bash
# Class: fast.
# Machine files with a model inside: an application takes the time worked out by hand from their
# figures. The application is that of examples/dot; its Block brings 256 elements of two vectors.
. "$(dirname "$0")/common"

dot=$(dirname "$HTMT")/examples/dot.so
hub=$root/examples/machines/hub.yaml
stream=$root/examples/machines/stream.yaml

# takes FS VERB OPTIONS...: the predicted time.
takes() {
    local fs=$1 verb=$2
    shift 2
    expect 0 "$HTMT" "$verb" "$dot" "$@" --json json --quiet
    [ "$(key predicted_fs json)" = "$fs" ] ||
        fail "$verb dot $*: $(key predicted_fs json) fs, not $fs"
}

# One slice, 8 blocks. ns: gather 100 + 512/2 + 100 + 512, inject 122.4, multiply 51.2, eject 20.2,
# scatter 100 + 1/2 + 100 + 1: 1363.3 for the first block, 512 for each of the 7 others (the hub
# takes 256), 34 for the sum of 8 words.
for verb in run model; do
    takes 4981300000 $verb --machine "$hub" --slices 1 --size 2048
done

# Four slices, one block each. All heads come to the hub at 100 ns; slice s passes it at
# 100 + 256 (s + 1) and has its sum at a_s = 1369.3 + 256 s. A word from slice to slice takes
# 100 + 1/2 + 100 + 1 = 201.5 and 2 to be added. Round 1: slice 0 at a_1 + 203.5, slice 2 at
# a_3 + 203.5. Round 2: slice 0 hears from slice 2 at a_3 + 405 and has the result at a_3 + 407.
for verb in run model; do
    takes 2544300000 $verb --machine "$hub" --size 1024
done

# Four slices, 64 blocks. ns: 612 + 122.4 + 513 words at 20 words/ns + 20.2 + 101, 63 times the
# gather's 512, 258 for the sum, two rounds of 103.
for verb in run model; do
    takes 33601250000 $verb --machine "$stream"
    takes 33601250000 $verb --machine "$stream" --set layers.cram.processor.flop=not-modelled
    # half a word a nanosecond: the multiply is the slowest stage, 1026 ns
    takes 66983600000 $verb --machine "$stream" --set layers.cram.inside.rate=4GB/s
done

# Without the model it is the base.
takes 33626800000 model --machine small-htmt
takes 33626800000 model --machine "$stream" --set layers.cram.inside=not-modelled
takes 33626800000 model --machine "$hub" --set networks.vortex.inside=not-modelled

# The same events whatever the threads, and all of the time is explained.
expect 0 "$HTMT" run "$dot" --machine "$hub" --check-determinism --explain
grep -q 'in flight, hub' out || fail "the hub is not in the explanation: $(cat out)"
expect 0 "$HTMT" run cannon --machine "$hub" --size 64 --check-determinism --explain --json json
sum=$(sed -n '/"sums_fs"/,/}/s/^ *"[a-z]*": \([0-9]*\).*/\1/p' json | paste -sd+)
[ "$((sum))" = "$(key predicted_fs json)" ] || fail "explained $((sum)) fs of $(key predicted_fs json)"

expect 3 "$HTMT" model cannon --machine "$hub" --size 64 --fold
[ "$(cat err)" = "htmt model cannon: a network's inside is not the same for all slices" ] ||
    fail "--fold: $(cat err)"
refuse "--set networks.vortex.inside.model: found 'hob', did you mean 'hub'?" \
    model cannon --machine "$hub" --set networks.vortex.inside.model=hob

# htmt machine: figures with their sources, a dump that is the same machine, differing values.
expect 0 "$HTMT" machine show "$hub"
grep -q '^networks.vortex.inside.rate  *2 Gword/s  *made up' out || fail "show: $(cat out)"
expect 0 "$HTMT" machine show --resolved "$hub"
cp out resolved.yaml
expect 0 "$HTMT" machine diff "$hub" resolved.yaml
expect 1 "$HTMT" machine diff "$hub" small-htmt
[ "$(wc -l <out)" = 2 ] || fail "diff: $(cat out)"
expect 0 "$HTMT" machine check "$hub" "$stream"
