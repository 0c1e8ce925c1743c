#!/bin/bash
# Class: fast foreign.
# Every mistake in a machine file is refused with its line, also through --set.
. "$(dirname "$0")/common"

source='source: "made up for tests"'

# broken OFFSET TEXT FOUND PUT: small-two-layer with the first line that has FOUND replaced ('@'
# divides lines); the message says TEXT and names the line OFFSET lines behind the edit.
broken() {
    local offset=$1 text=$2 found=$3 put=$4 file=$root/machines/small-two-layer.yaml at
    at=$(grep -nF -- "$found" "$file" | head -1 | cut -d: -f1)
    [ -n "$at" ] || fail "not in the file: $found"
    awk -v at="$at" -v put="$put" 'NR == at { gsub("@", "\n", put); $0 = put } 1' "$file" \
        >broken.yaml
    refuse "$text" run cannon --machine ./broken.yaml
    grep -qF "broken.yaml:$((at + offset)):" err || fail "another line than $at: $(cat err)"
    refuse "$text" machine check ./broken.yaml
}

broken 1 "unknown key 'colour'" 'htmt-machine: 1' 'htmt-machine: 1@colour: 1'
broken 1 'is repeated, first given in line 1' 'htmt-machine: 1' 'htmt-machine: 1@htmt-machine: 1'
broken 0 "found '1', expected a rate" 'out-rate: {' "        out-rate: {value: 1, $source}"
broken 0 "found '-1 Gword/s', expected no negative value" 'out-rate: {' "        out-rate: {value: -1 Gword/s, $source}"
broken 0 "found '0', expected more than zero" 'count: {' "      count: {value: 0, $source}"
broken 1 'attic.out: a port of a layer that is not there' '      host:' '      attic:'
broken 0 "found '99999999999 TiB', which is too large" 'capacity: {' "      capacity: {value: 99999999999 TiB, $source}"
broken 0 "key 'source' is missing" 'count: {' '      count: {value: 2}'

refuse bogus run cannon --set bogus.key=1
refuse slices run cannon --set slices=0
refuse layers.cram.processor.count run cannon --set layers.cram.processor.count=0
refuse "found '4e9', expected at most 1048576" run traffic --pattern ping-pong --partner 1 --bytes 100 \
    --machine gcel --set layers.node.processor.count=4e9
refuse layers.cram.memory.capacity run cannon --set layers.cram.memory.capacity=1048576
refuse networks.rti.ports.sram.out-rate run cannon \
    --set 'networks.rti.ports.sram.out-rate=-1 Gword/s'

# What no run could do is refused before it begins.
for figure in startup latency; do
    refuse "networks.rti.$figure: found '9000 s', expected at most" model cannon \
        --set "networks.rti.$figure=9000 s"
done
sed '/^  vortex:/,/^  rti:/s/scope: machine/scope: slice/' "$root/machines/htmt-oct98.yaml" >alone.yaml
for app in pic volume; do
    for verb in model predict; do
        refuse 'machine alone: no network from dram to dram of other slices' "$verb" "$app" \
            --machine ./alone.yaml --slices 4
    done
done

# A Data Vortex, and what only one has.
vortex() {
    refuse "networks.vortex.inside.$1" model traffic --pattern uniform --slices 4 --machine htmt-vortex \
        --set "networks.vortex.inside.$2"
}
vortex "shape: found '48 x 5', expected heights, a power of two, and angles" 'shape=48 x 5'
vortex 'shape: 2048 ends do not hold the 4096 slices of the machine' 'shape=2048 x 5'
vortex 'shape: ports have 2 channels out and 5 in, expected as many angles' shape=4
vortex 'signal: found 800 ps, expected less than the slot of 800 ps' 'signal=800 ps'
vortex 'slot: a data vortex cannot do without' slot=not-modelled
vortex "packet: a data vortex cannot do without" packet=not-modelled
vortex "routing: found 'shortest', but the topology is 'data-vortex'" routing=shortest
vortex "blocked: no packet stops in a data vortex, expected 'link'" blocked=source
sed 's/^      signal:.*/&\n      lanes: {value: 2, source: s}/' "$root/machines/htmt-vortex.yaml" >lanes.yaml
refuse "lanes.yaml:24: networks.vortex.inside.lanes: topology 'data-vortex' has none" machine check ./lanes.yaml
sed '/^      signal:/d' "$root/machines/htmt-vortex.yaml" >less.yaml
refuse "networks.vortex.inside.signal' is missing" machine check ./less.yaml
sed 's/^      control:.*/&\n      slot: {value: 1 ns, source: s}/' "$root/machines/gcel.yaml" >slots.yaml
refuse "slot: topology 'mesh' has none" machine check ./slots.yaml
refuse 'check takes files alone, no options' machine check htmt-oct98 --set layers.cram.memory.capacity=1GiB
