#!/bin/bash
# The same for 300 programs, others than those of every test, 30 in a file.
set -eu
for seed in $(seq 2 11); do
    bash "$(dirname "$0")/../integration/loop_streams.sh" "$seed" 30
done
