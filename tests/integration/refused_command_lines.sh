#!/bin/bash
# Class: fast foreign.
# Every mistake on the command line is one line and status 2, before any work.
. "$(dirname "$0")/common"

refuse "expected a verb"
refuse "unknown verb 'dance'" dance
refuse "expected an application" run
refuse "unknown application 'triangles'" model triangles
refuse "unknown option '--sise', did you mean '--size'?" run cannon --sise 64
refuse "unknown option '--colour'; 'htmt help cannon' lists them" run cannon --colour red
refuse "unknown option '--lnies', did you mean '--lines'?" scene sar --lnies 64
refuse "unknown verb 'prdict', did you mean 'predict'?" prdict cannon
refuse "unknown verb 'scen', did you mean 'scene'?" scen sar
refuse "unknown application 'canon', did you mean 'cannon'?" run canon
refuse "unknown application 'sarr', did you mean 'sar'?" scene sarr
refuse "unknown verb or application 'volumes', did you mean 'volume'?" help volumes
refuse "--schedule: found 'papers', did you mean 'paper'?" run cannon --schedule papers
refuse "no machine 'htmt-oct89', did you mean 'htmt-oct98'? (no htmt-oct89.yaml in " \
    run cannon --machine htmt-oct89
refuse "no machine 'vax' (no vax.yaml in " run cannon --machine vax
refuse "no cost file 'canon-amaral', did you mean 'cannon-amaral'?" model cannon --costs canon-amaral
refuse "'landua', did you mean 'landau'?" run pic --case landua
refuse "'sfot', did you mean 'soft'?" run volume --transfer sfot
refuse "unknown action 'shwo', did you mean 'show'?" machine shwo
refuse "unknown action" machine dance
refuse "no machine 'smal-htmt', did you mean 'small-htmt'?" machine show smal-htmt
refuse "unknown option '--quite', did you mean '--quiet'?" validate --quite
refuse "unknown option '--dance'; 'htmt help validate' lists them" validate --dance
refuse "there is no table 'amaral-tabel2-hardware', did you mean 'amaral-table2-hardware'?" \
    validate amaral-tabel2-hardware
refuse "there is no table 'dance'; 'htmt validate --list' lists them" validate dance
refuse "machine htmt-oct98 has no layer 'spel', did you mean 'spell'?" run cannon --threads spel=1
refuse "has no layer 'gpu', expected one of '" run cannon --threads gpu=1
refuse "found 'size'" run cannon size 64
refuse "--seed: given twice" run cannon --seed 1 --seed 2
refuse "--seed: the value is missing" run cannon --seed
refuse "--seed: found '1.5'" run cannon --seed 1.5
refuse "--seed: found 99999999999999999999" run cannon --seed 99999999999999999999
refuse "--quiet: takes no value" run cannon --quiet=yes
refuse "--slices: found 0" run cannon --slices 0
refuse "--slices: found 5000, expected 1 to 4096" run cannon --slices 5000
refuse "--slices: found '-1'" run cannon --slices -1
refuse "--threads: found 0" run cannon --threads 0
refuse "--threads: found 1025 workers in all, expected 1 to 1024" \
    run cannon --threads spell=1024,spim=1
refuse "has no layer 'gpu'" run cannon --threads gpu=1
refuse "--run-ahead: found '1XB'" run cannon --run-ahead 1XB
refuse "--set: found 'slices'" run cannon --set slices
refuse "--fold: only a model run can be folded" run cannon --fold
for verb in model predict; do
    result="found a file for results, which $verb does not have; expected htmt run"
    refuse "--out: $result" "$verb" cannon --out c.npy
    refuse "--png: $result" "$verb" sar --png image.png
    refuse "--out-fields: $result" "$verb" pic --out-fields e.npy
    refuse "--npy: $result" "$verb" volume --npy image.npy
done
refuse "there is no folder 'nowhere'" run cannon --json nowhere/out.json
refuse "is a folder" run cannon --json .
refuse "no-such-machine" run cannon --machine no-such-machine
refuse "no-such-costs" run cannon --costs no-such-costs
sed 's/{value: 1, source: "Amaral et al., section 4.2"}/{value: 2, source: none}/' \
    "$root/costs/cannon-amaral.yaml" >two-sums.yaml
for verb in run model predict; do
    refuse "two-sums.yaml:15: cram.subblocks-c: found 2, expected 1" "$verb" cannon \
        --costs ./two-sums.yaml
done
refuse "unknown verb or application 'triangles'" help triangles
