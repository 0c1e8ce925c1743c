#!/bin/bash
# The load that `make pgo` counts: bench/profile.sh BUILD. The clock with parcels, messages,
# services and stores of each kind, and kernels, for some seconds.
set -euo pipefail

build=${1:?folder of the build}

stages() { "$build/bench/emulator_stages" --slices "$1" --each "$2" --generations "$3" >/dev/null; }
htmt() { "$build/htmt" "$@" --quiet >/dev/null; }

stages 1 8 2000
stages 256 16 10
stages 4096 16 2
htmt model cannon --size 4096 --slices 16 --threads 1
htmt model pic --case thermal --cells 62,64,64 --steps 2 --slices 256 --threads 1
htmt model sar --lines 512 --samples 1024 --patches 16 --slices 16 --threads 1
htmt model volume --phantom 64 --size 128 --slices 4 --threads 1
htmt run cannon --size 512 --slices 16 --block 32 --threads 1
htmt run cannon --size 512 --slices 16 --block 32 --threads 2
htmt run pic --cells 16,16,16 --slices 4 --steps 5 --threads 2
htmt run volume --phantom 64 --size 128 --slices 4 --threads 2
htmt run sar --lines 512 --samples 1024 --slices 4 --threads 2
