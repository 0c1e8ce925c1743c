#!/bin/bash
# Class: fast.
# Kernels that their own operations time: one time whatever the host does, what the report says of
# it, tapes of services, and what is refused.
. "$(dirname "$0")/common"

machine=(--machine pim-node --slices 4)

# What needs no htmt-rec.
refuse 'only run has kernels to record' model pic "${machine[@]}" --timing operations
refuse "--timing: found 'clocks', expected counts" run pic "${machine[@]}" --timing clocks
refuse 'no tape of operations' ops show "$root/README.md"

if [ ! -x "$(dirname "$HTMT")/htmt-rec" ]; then
    refuse 'which this installation lacks' run pic "${machine[@]}" --timing operations
    [ -n "${SANITIZE-}" ] || lacks 'clang-14 or LLVM 14' 'recorded kernels'
    skip 'htmt-rec was not built'
fi
refuse 'no processor of machine small-htmt has an inside' run pic --machine small-htmt --timing operations

printf '%s\n' 'htmt-machine: 1' 'base: pim-node' 'layers: {cram: {inside: {caches: hot}}}' >hot.yaml
refuse 'found '\''hot'\'', expected '\''cold'\'' or '\''warm'\' \
    run pic --machine ./hot.yaml --slices 4 --timing operations

# ---- services that depend on each other ---------------------------------------------------------

# Two processors that share a bus and keep their caches.
printf '%s\n' 'htmt-machine: 1' 'base: pim-node' 'layers:' '  cram:' \
    '    processor: {count: {value: 2, source: test}}' \
    '    inside: {caches: warm, sharing: bus}' >shared.yaml
shared=(run pic --machine ./shared.yaml --slices 4 --steps 2 --timing operations --quiet)
expect 0 "$HTMT" "${shared[@]}" --json shared.json
grep -q '"correct": true' shared.json || fail 'pic on a shared bus is wrong'
for way in '--threads 1' '--threads 2' '--threads 3' '--threads 8' '--checked' '--explain' \
    '--clock windows' '--clock shared --clock-threads 2' '--clock-threads 3 --threads 8'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" "${shared[@]}" $way --json way.json
    same_keys shared.json way.json history_hash
done
for key in caches=cold sharing=alone; do
    expect 0 "$HTMT" "${shared[@]}" --set "layers.cram.inside.$key" --json way.json
    [ "$(key history_hash way.json)" != "$(key history_hash shared.json)" ] ||
        fail "$key: the same history"
done

# An operation without latency, and processors that route, which tests/parcels/nodes_test.c times.
printf '%s\n' 'htmt-machine: 1' 'base: ./shared.yaml' \
    'layers: {cram: {inside: {mul-f64: not-modelled}}}' >nomul.yaml
expect 2 "$HTMT" "${shared[@]/shared.yaml/nomul.yaml}"
grep -q 'operation mul-f64 came up, and the processor.s inside has no latency for it' err ||
    fail "an operation without latency: $(cat err)"
expect 0 "$HTMT" ops record pic --machine ./nomul.yaml --slices 4 --steps 2 --type Push --out nomul.ops
printf '%s\n' 'htmt-machine: 1' 'base: gcel' 'layers:' '  node:' \
    '    processor: {count: {value: 2, source: test}}' '    inside: {sharing: bus}' >routes.yaml
expect 0 "$HTMT" run kernels --machine ./routes.yaml --timing operations --kernel ddot --n 64

# Shipped machines of processors at one bus.
for shipped in powerstone1 hpsc-apu; do
    expect 0 "$HTMT" run kernels --machine $shipped --timing operations --kernel ddot --n 64..1024
done

# ---- one time -----------------------------------------------------------------------------------

expect 0 "$HTMT" run pic "${machine[@]}" --steps 2 --timing operations --json pic.json
grep -q '^OPERATIONS' out || fail 'the report has no stack of operations'
grep -q 'misses of Push: region 0' out || fail 'the report has no misses'
! grep -q 'by counts' out || fail "kernels of pic that keep counts: $(grep 'by counts' out)"
grep -q '"correct": true' pic.json || fail 'pic is wrong'
expect 0 "$HTMT" report pic.json
grep -q '^OPERATIONS' out || fail 'a saved report has no stack of operations'
for way in '--threads 1' '--threads 2' '--threads 3' '--threads 8' '--checked'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" run pic "${machine[@]}" --steps 2 --timing operations $way --json way.json --quiet
    same_keys pic.json way.json history_hash
done
for size in 1 1000 10001; do
    expect 0 env FILLER="$(head -c $size /dev/zero | tr '\0' x)" \
        "$HTMT" run pic "${machine[@]}" --steps 2 --timing operations --json way.json --quiet
    same_keys pic.json way.json history_hash
done
expect 0 "$HTMT" run pic "${machine[@]}" --steps 2 --json counts.json --quiet
[ "$(key history_hash counts.json)" != "$(key history_hash pic.json)" ] ||
    fail 'operations give the history of counts'
expect 0 "$HTMT" run cannon "${machine[@]}" --size 64 --timing operations --check-determinism --json c.json
grep -q '"correct": true' c.json || fail 'cannon is wrong'
grep -q '"equal": true' c.json || fail 'cannon is not the same again'

# A multiply-add of two 32 x 32 matrices: its loads and stores are known.
expect 0 "$HTMT" ops record cannon "${machine[@]}" --size 64 --type 'Block Multiply' --out c.ops
expect 0 "$HTMT" ops show c.ops
grep -q "mul-f64 *32,768" out || fail "not 32^3 multiplications: $(grep mul-f64 out)"
grep -q "add-f64 *32,768" out || fail "not 32^3 additions: $(grep add-f64 out)"

# A block of va has 256 elements, one of the stencil a root for each of its 8^3 cells.
expect 0 "$HTMT" ops record prim va --machine pim-node --slices 2 --size 4096 --type tasklet --out va.ops
expect 0 "$HTMT" ops show va.ops
[ "$(grep -Ec '(add-i32|stores) +256$' out)" = 2 ] || fail "not 256 additions: $(<out)"
expect 0 "$HTMT" run stencil --machine pim-node --slices 1 --cells 8,8,8 --timing operations --json stencil.json
grep -q '"correct": true' stencil.json || fail 'the stencil is wrong'
! grep -q 'by counts' out || fail "kernels of the stencil that keep counts: $(grep 'by counts' out)"
expect 0 "$HTMT" ops record stencil --machine pim-node --slices 1 --cells 8,8,8 --type 'First Block' --out stencil.ops
expect 0 "$HTMT" ops show stencil.ops
grep -Eq 'sqrt-f64 +512$' out || fail "not 512 roots: $(grep sqrt out)"
for program in uni scan-ssa; do # kernels in turns, with a result, with merges
    expect 0 "$HTMT" run prim $program --machine pim-node --slices 2 --size 4096 --timing operations --json prim.json
    grep -q '"correct": true' prim.json || fail "$program is wrong"
    ! grep -q 'by counts' out || fail "kernels of $program that keep counts: $(grep 'by counts' out)"
done
expect 2 "$HTMT" ops record cannon "${machine[@]}" --size 64 --type Nothing --out n.ops
grep -q 'found no service of type Nothing' err || fail "a type that is not there: $(cat err)"
[ ! -e n.ops ] || fail 'a tape of nothing'

# Other services of the type, and all of them.
expect 0 "$HTMT" ops record pic "${machine[@]}" --steps 1 --type push --out first.ops
expect 0 "$HTMT" ops record pic "${machine[@]}" --steps 1 --type Push --service 5 --out fifth.ops
expect 0 "$HTMT" ops record pic "${machine[@]}" --steps 1 --type Push --out one.ops
cmp -s first.ops one.ops || fail 'the letters of a type make another tape'
expect 0 "$HTMT" ops record pic "${machine[@]}" --steps 1 --type Push --service all --out all.ops
expect 0 "$HTMT" ops show all.ops
services=$(sed -n 's/.* entries, \([0-9]*\) services.*/\1/p' out)
[ "$services" -gt 2 ] || fail "all services: $(head -1 out)"
loads=0
for i in $(seq "$services"); do
    expect 0 "$HTMT" ops record pic "${machine[@]}" --steps 1 --type Push --service "$i" --out one.ops
    expect 0 "$HTMT" ops show one.ops
    loads=$((loads + $(awk '$1 == "loads" { gsub(",", "", $2); print $2 }' out)))
done
expect 0 "$HTMT" ops show all.ops
[ "$(awk '$1 == "loads" { gsub(",", "", $2); print $2 }' out)" = "$loads" ] ||
    fail "all services have not the $loads loads of each"
cmp -s first.ops fifth.ops && fail 'the fifth service is the first'
expect 2 "$HTMT" ops record pic "${machine[@]}" --steps 1 --type Push --out n.ops --service $((services + 1))
grep -q "found no service $((services + 1)) of type Push" err || fail "a service too many: $(cat err)"
refuse "--service: found '0', expected 1, 2, .. or all" \
    ops record pic "${machine[@]}" --type Push --out n.ops --service 0

# Vectors: two lanes of doubles are one operation of a type of its own, which a machine must time.
vectors() {
    expect 0 "$HTMT" ops record cannon "${machine[@]}" --size 64 --type 'Block Multiply' --tape O3 --out v.ops
    expect 0 "$HTMT" ops show v.ops
    grep -q 'tape O3$' out || fail "a tape without its name: $(head -1 out)"
    grep -q "mul-f64x2 *16,384" out || fail "not 32^3 / 2 multiplications: $(grep mul- out)"
    grep -q "add-f64x2 *16,384" out || fail "not 32^3 / 2 additions: $(grep add- out)"
    ! grep -q 'mul-f64 ' out || fail 'multiplications without vectors'
    expect 0 "$HTMT" ops record kernels --machine pim-node --kernel daxpy --n 64 --rounds 1 --type 'daxpy 64' \
        --tape O3 --out daxpy.ops
    refuse 'operation mul-f64x2 came up, but layers.cram.inside.mul-f64x2 of pim-node is not given' \
        ops time daxpy.ops --machine pim-node
    cat >vectors.yaml <<'END'
htmt-machine: 1
base: pim-node
layers: {cram: {inside: {mul-f64x2: {value: 4 cycles, source: "made up"}, add-f64x2: {value: 3 cycles, source: "made up"}}}}
END
    expect 0 "$HTMT" ops time daxpy.ops --machine ./vectors.yaml
}
if [ -x "$(dirname "$HTMT")/htmt-rec-O3" ]; then
    vectors
else
    echo 'skipped: htmt-rec-O3 was not built (TAPES): tapes of vectors'
fi
refuse "--tape: found 'O4', expected O2 or O3" ops record pic "${machine[@]}" --type Push --out n.ops --tape O4

# A tape is whole and of a known version.
head -c 3000 c.ops >half.ops
refuse 'it is cut off' ops show half.ops
printf 'htmttape\10' >wrong.ops
tail -c +10 c.ops >>wrong.ops
refuse 'a tape of version 8, expected version 7' ops show wrong.ops
