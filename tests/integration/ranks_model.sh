#!/bin/bash
# Class: fast.
# Model runs of the five applications by RANKS processes of THREADS clock threads tell what one
# process tells: all of the JSON but host times. Half of them are played, the others with the next
# commits; HTMT_LONG=1: all.
. "$(dirname "$0")/../integration/common"
. "$root/tests/ranks/launch"
. "$root/tests/random/first"

cat >flits.yaml <<END
htmt-machine: 1
about: routers of flits
base: fat-tree-64
networks: {net: {inside: {switching: wormhole, pipeline: per-flit, flit: {value: 16 B, source: test}}}}
END
n=0
while read -r command; do
    n=$((n + 1))
    turn $n 2 || continue
    expect 0 "$HTMT" model $command --json $n.one --quiet
    for ranks in ${RANKS:-2}; do
        for threads in ${THREADS:-2}; do
            expect 0 "${launch[@]}" -n $ranks "$HTMT" model $command --clock shared --clock-threads $threads \
                --json $n.$ranks.$threads --quiet
        done
    done
done <<END
cannon --size 512 --slices 64
pic --steps 20
pic --phases push --slices 16
sar --slices 6
volume --slices 16 --phantom 64 --frames 3
traffic --table hpsc-grid --order rotated --iterations 3
traffic --pattern uniform --rate 1e6 --slots 20 --slices 64
traffic --pattern all-to-all --slots 2 --slices 400
cannon --machine htmt-torus --size 512 --slices 64
pic --machine htmt-torus --slices 4 --steps 10
traffic --machine hpsc-simple --table hpsc-simple --iterations 8
traffic --machine hpsc-eight --table hpsc-grid --order rotated
traffic --machine gcel --pattern uniform --slots 5
traffic --machine gcel --pattern uniform --slots 5 --set networks.grid.inside.switching=wormhole --set networks.grid.inside.wire=1us --set networks.grid.inside.control=1us --set networks.grid.inside.buffer=64B
traffic --machine fat-tree-64 --pattern uniform --bytes 256 --rate 3e7 --slots 20 --set networks.net.inside.routing=up-adaptive
traffic --machine dragonfly-72 --pattern uniform --bytes 256 --rate 3e7 --slots 20
traffic --machine ./flits.yaml --pattern uniform --bytes 256 --rate 3e7 --slots 5
traffic --machine htmt-vortex --slices 24 --pattern uniform --bytes 300 --load 0.7 --measure 20ns..80ns
traffic --machine powerstone1 --pattern all-to-all --set networks.grid.inside.buffer=2packet --set networks.grid.inside.planes.as=dealt
END
python3 "$root/tests/ranks/same.py" . 2>err || fail "documents, by number of the command: $(cat err)"
