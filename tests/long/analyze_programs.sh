#!/bin/bash
# The same for 500 programs, others than those of every test, 50 in a file.
set -eu
for seed in $(seq 101 110); do
    bash "$(dirname "$0")/../integration/analyze_programs.sh" "$seed" 50
done
