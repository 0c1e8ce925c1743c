#!/bin/bash
# Class: fast.
# Programs of processors in memory banks by the command: correct for all sizes, one history for every
# way of the clock, threads and processes, and what is refused.
. "$(dirname "$0")/common"

programs='va gemv red sel uni scan-ssa scan-rss hst-s'
p21=(--machine upmem-p21)
# A launch takes time here, so that slices are played in windows.
windows=("${p21[@]}" --set 'networks.bus.launch=20 us')

# Sizes that no block divides, slices without work, one tasklet and all of them; run and model agree.
for program in $programs; do
    for sizes in '1 3 24' '37 2 1' '4099 5 13'; do
        read -r size dpus tasklets <<<"$sizes"
        options=(--size "$size" --dpus "$dpus" --tasklets "$tasklets")
        expect 0 "$HTMT" run prim "$program" "${p21[@]}" "${options[@]}" --checked --json r.json
        grep -q '"correct": true' r.json || fail "$program, $sizes: not correct"
        expect 0 "$HTMT" model prim "$program" "${p21[@]}" "${options[@]}" --json m.json --quiet
        [ "$(history r.json)" = "$(history m.json)" ] || fail "$program, $sizes: run and model"
    done
    # The same source on another design.
    expect 0 "$HTMT" run prim "$program" --machine htmt-oct98 --dpus 3 --size 1003 --json r.json
    grep -q '"correct": true' r.json || fail "$program on htmt-oct98: not correct"
done

# same NAME ARGUMENTS...: one time and history whichever way the clock goes.
same() {
    local name=$1 way
    shift
    expect 0 "$HTMT" run "$@" --json "$name.json" --quiet
    for way in '--clock windows' '--clock-threads 2' '--clock-threads 3 --clock-partitions 5' \
        '--threads 8' '--clock shared --clock-threads 8'; do
        # shellcheck disable=SC2086
        expect 0 "$HTMT" run "$@" $way --json way.json --quiet
        same_keys "$name.json" way.json predicted_fs history_hash
    done
}
same scan prim scan-ssa "${windows[@]}" --dpus 9 --size 9001
same sel prim sel "${windows[@]}" --dpus 9 --size 9001
same copy micro copy --machine upmem-e19 --dpus 16 --words 4096
expect 0 "$HTMT" run prim hst-s "${windows[@]}" --dpus 6 --size 6000 --check-determinism --json r.json
grep -q '"equal": true' r.json || fail 'hst-s: not the same again'

# One slice stands for all, to the femtosecond. The host and its bus are there once: phases, resources
# and memories say the same, folded or not.
# accounts: of the last command, parcels and all tables.
accounts() {
    sed -n "/^  events/s/.* of \(.* parcels\),.*/\1/p; /^PHASES/,/^BOTTLENECKS/p" out
}
for program in $programs; do
    options=("${p21[@]}" --dpus 64 --size 65536 --costs prim-upmem)
    expect 0 "$HTMT" model prim "$program" "${options[@]}" --json all.json
    accounts >all.txt
    expect 0 "$HTMT" model prim "$program" "${options[@]}" --fold --json one.json
    accounts >one.txt
    [ "$(predicted all.json)" = "$(predicted one.json)" ] || fail "$program: folded, another time"
    grep -q '^  CPU  *1 ' one.txt || fail "$program: not one CPU"
    grep -q '^1,025 parcels' one.txt || fail "$program: not 64 times 16 tasklets and a host's program"
    cmp -s all.txt one.txt || fail "$program: folded, other sums: $(diff all.txt one.txt)"
done

# A tasklet issues, copies or waits: the shares are one, and alone it waits for nobody.
for tasklets in 1 7; do
    expect 0 "$HTMT" model prim va "${p21[@]}" --size 4096 --dpus 2 --tasklets $tasklets --code 24576 \
        --json r.json
    grep -q 'code: *24576 of 24576 bytes' <(tr -s ' \n' ' ' <out) || fail 'no note of the code'
    tr -d ' \n' <r.json | grep -oE '"name":"tasklet_[a-z]*_share","value":[-+.0-9e]+' |
        awk -F: -v alone=$((tasklets == 1)) '{ all += $3; last = $3 }
            END { exit !(NR == 3 && (all - 1) ^ 2 < 1e-18 && last >= 0 && (alone ? last < 1e-9 : last > 1e-3)) }' ||
        fail "$tasklets tasklets: shares"
done

# Figures that are quoted from memory are named: all keys of the machine's, and of its table of
# instructions those that the program counts.
# from_memory: the keys of the last r.json.
from_memory() {
    grep -o '"quoted from memory[^"]*"' r.json | sed 's/^"[^:]*: //; s/"$//; s/, /\n/g'
}
for case in 'gemv add-i32 mul-i32' 'red add-i64' 'sel'; do
    read -r program rows <<<"$case"
    expect 0 "$HTMT" model prim "$program" "${p21[@]}" --dpus 2 --size 2048 --json r.json --quiet
    from_memory >keys
    for row in $rows; do
        grep -qx "layers.wram.processor.instructions.$row" keys || fail "$program: no $row in $(cat keys)"
    done
    [ "$(grep -c instructions keys)" = "$(wc -w <<<"$rows")" ] || fail "$program: rows: $(cat keys)"
    for key in slices layers.mram.memory.capacity layers.wram.processor.clock networks.dma.rate \
        networks.dma.largest networks.bus.group networks.bus.broadcast.to.rate; do
        grep -qx "$key" keys || fail "$program: no $key in $(cat keys)"
    done
done
expect 0 "$HTMT" model prim gemv "${p21[@]}" --dpus 2 --size 2048 --costs prim-upmem --json r.json --quiet
[ "$(from_memory | grep -c instructions)" = 0 ] || fail 'a constant counts no operation'
expect 0 "$HTMT" model micro random "${p21[@]}" --json r.json --quiet
from_memory | grep -qx layers.wram.processor.instructions.add-i64 || fail "random: $(from_memory)"
expect 0 "$HTMT" model micro copy "${p21[@]}" --json r.json --quiet
[ "$(from_memory | grep -c instructions)" = 0 ] || fail "copy: $(from_memory)"

# Microbenchmarks: what comes back is what was pushed, where blocks were.
for program in 'copy --level mram' stream random strided 'host --mode serial' 'host --mode broadcast'; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" run micro $program "${p21[@]}" --dpus 3 --words 1000 --checked --json r.json
    grep -q '"correct": true' r.json || fail "$program: not correct"
done
for program in 'copy --level wram' operation launch; do
    # shellcheck disable=SC2086
    expect 0 "$HTMT" run micro $program --machine upmem-e19 --dpus 3 --quiet
done

# A range of tasklets: a row for each, that of the run; the plot is drawn.
expect 0 "$HTMT" model micro copy --machine upmem-e19 --level mram --tasklets 7..24 --plot threads.svg
cp out rows
[ "$(grep -c ' us$' rows)" = 18 ] && grep -q '<svg' threads.svg || fail 'no table, or no plot'
expect 0 "$HTMT" model micro copy --machine upmem-e19 --level mram --tasklets 15 --json r.json --quiet
wanted=$(awk -v fs="$(predicted r.json)" 'BEGIN { printf "%.2f us", fs * 1e-9 }')
grep -q "^ *15 .* $wanted\$" rows || fail "15 tasklets: not $wanted"
expect 0 "$HTMT" run micro copy --machine upmem-e19 --check none
grep -q 'not checked *--check none' out || fail '--check none checks'
refuse "--tasklets: found '3..2'" model prim va "${p21[@]}" --dpus 1 --tasklets 3..2
refuse 'at most the 24 threads of a DPU' model prim va "${p21[@]}" --dpus 1 --tasklets 24..25
refuse '--json: a range of --tasklets' model prim va "${p21[@]}" --tasklets 1..2 --json r.json

refuse "--plot: expected 'htmt model' and a range" model prim va "${p21[@]}" --tasklets 4 --plot x.svg
[ ! -e "${HTMT%/*}/htmt-rec" ] || # without LLVM it is not there
    refuse '--timing operations: no processor of machine htmt-oct98 has an inside' \
        run prim va --timing operations
for app in prim micro; do
    expect 0 "$HTMT" help $app
    grep -q -- '--plot FILE' out && grep -q 'range N..M' out || fail "$app: help without --plot"
done
# Without --tasklets 16, or all threads where there are fewer.
few=("${p21[@]}" --set layers.wram.processor.threads=8 --dpus 2 --size 4096)
usual() {
    expect 0 "$HTMT" model prim va "${@:2}" --json usual.json --quiet
    expect 0 "$HTMT" model prim va "${@:2}" --tasklets "$1" --json r.json --quiet
    same_keys usual.json r.json history_hash
}
usual 16 "${p21[@]}" --dpus 2 --size 4096
usual 8 "${few[@]}"
expect 0 "$HTMT" model micro launch "${few[@]:0:4}" --quiet

refuse 'at most the 24 threads of a DPU' run prim va "${p21[@]}" --tasklets 25
refuse 'at most the 24576 of the code memory of a DPU' model prim va "${p21[@]}" --dpus 3 --code 24577
refuse 'heap and stacks of 24 tasklets take' run prim va "${p21[@]}" --tasklets 24 --stack 2048
refuse "found no row 'square-i32'" run micro operation "${p21[@]}" --operation square-i32
refuse "--program: found 'vb', expected va, gemv" run prim vb "${p21[@]}"
refuse '--fold: slices have 334 elements each, and the last ones fewer: choose --size 1002' \
    model prim va "${p21[@]}" --dpus 3 --size 1000 --fold
expect 0 "$HTMT" model prim va "${p21[@]}" --dpus 3 --size 1002 --fold --quiet
# Work that is not equal: known before anything runs. Of three elements each, uni keeps two everywhere.
for words in 'sel --dpus 5 --size 645 --fetch parallel' 'uni --dpus 5 --size 645' 'sel --dpus 64 --size 192'; do
    # shellcheck disable=SC2086
    refuse 'keeps another number in every second one' model prim $words "${p21[@]}" --tasklets 7 --fold
done
expect 0 "$HTMT" model prim uni "${p21[@]}" --dpus 64 --size 192 --fold --quiet
refuse 'expected prim or micro' model cannon "${p21[@]}" --size 64
refuse 'expected a machine with a host' run micro copy --machine htmt-oct98
refuse '--dpus: found 2557, expected at most the 2556 slices' model prim va "${p21[@]}" --dpus 2557
refuse '--dpus: found 513, expected at most the 512 slices' model micro launch --machine upmem-e19 --dpus 513
refuse 'both arrays take 65552 bytes of WRAM, which has 65536' model micro copy "${p21[@]}" --level wram --words 8194
refuse 'arrays take 65544 bytes of WRAM' model micro host "${p21[@]}" --level wram --words 16386
refuse "--way: found 'in', expected" model micro host "${p21[@]}" --way in

# A cost file's instructions are above zero.
sed '/^  red:/,/start/s/instructions: {value: [0-9.]*/instructions: {value: 0/' \
    "$root/costs/prim-upmem.yaml" >zero.yaml
for verb in run model predict; do
    refuse 'zero.yaml:15: red.instructions: found 0, expected more than zero' \
        $verb prim red "${p21[@]}" --dpus 2 --size 1000 --costs ./zero.yaml --quiet
done
# What a machine does not have, or not in that size, is found before anything runs.
for program in sel uni red scan-ssa scan-rss; do
    refuse '--fetch serial: networks.bus.serial.from of machine upmem-e19: found none' \
        run prim $program --machine upmem-e19 --dpus 4 --size 1000
done
refuse 'host: networks.bus.serial.to of machine upmem-e19: found none, expected' \
    run micro host --mode serial --machine upmem-e19
refuse 'host: networks.bus.scratch.parallel.to of machine upmem-p21: found none, expected' \
    run micro host --way to --level wram "${p21[@]}"
refuse 'va: networks.dma.largest of machine upmem-p21: found 512 B, expected at least 1024 B' \
    run prim va "${p21[@]}" --dpus 4 --size 10000 --set 'networks.dma.largest=512 B'
refuse 'copy: networks.dma.largest of machine upmem-e19: found 32 B, expected at least 64 B' \
    run micro copy --machine upmem-e19 --set 'networks.dma.largest=32 B'
refuse 'va: networks.dma.align of machine upmem-p21: found 16 B, expected a divisor of 8 B' \
    run prim va "${p21[@]}" --dpus 4 --size 10000 --set 'networks.dma.align=16 B'
refuse 'va: networks.bus.parallel.to.time of machine upmem-e19: found 1000 processors, expected 1 to 512' \
    model prim va --machine upmem-e19 --set slices=2000 --dpus 1000
refuse 'launch: networks.bus.launch of machine upmem-e19: found 1000 processors, expected 1 to 512' \
    model micro launch --machine upmem-e19 --set slices=2000 --dpus 1000
small=(--dpus 2 --set 'layers.host.memory.capacity=1 KiB')
refuse '--size: inputs and results take 1200 bytes of HOST, expected at most 1024' \
    run prim va "${p21[@]}" "${small[@]}" --size 100
refuse '--words: arrays of all slices take 32768 bytes of HOST, expected at most 1024' \
    run micro host "${p21[@]}" "${small[@]}" --words 2048

# Transfers alone, of both ends and one way, fill all that is there.
for way in to from both; do
    expect 0 "$HTMT" run micro host --machine upmem-e19 --way $way --level wram --words 16384 --slices 3 --json r.json --quiet
    grep -qE '"correct": (true|null)' r.json || fail "host $way: not correct"
done
expect 0 "$HTMT" model micro host --machine upmem-e19 --words 16777216 --quiet
