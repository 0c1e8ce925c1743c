#!/bin/bash
# The same as ranks_model.sh by 1, 2, 3 and 4 ranks of one and two clock threads.
export RANKS='1 2 3 4' THREADS='1 2'
exec bash "$(dirname "$0")/../integration/ranks_model.sh"
