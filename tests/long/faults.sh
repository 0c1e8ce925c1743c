#!/bin/bash
# The same as tests/integration/faults.sh, of all commands, with the first 200 calls of each kind, 100 spread over the
# rest, and ten moments from which the host fails for good.
export EACH=${EACH:-200} SPREAD=${SPREAD:-100} LASTING=${LASTING:-10} EVERY=1
exec bash "$(dirname "$0")/../integration/faults.sh"
