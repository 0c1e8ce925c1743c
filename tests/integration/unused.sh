#!/bin/bash
# Class: fast.
# What a machine has and a run does not touch costs next to nothing: two slices of a million take
# the memory of the tables of elements, not of the six million channels between them.
. "$(dirname "$0")/common"

[ -z "${SANITIZE-}" ] || skip "the sanitizers' shadows are memory, too"

# most MIB ARGUMENTS...: the command ends well and never has more memory than that.
most() {
    python3 - "$@" <<'PYTHON' || fail "too much: ${*:2}"
import os, resource, subprocess, sys
done = subprocess.run([os.environ["HTMT"], *sys.argv[2:], "--quiet"], stdin=subprocess.DEVNULL)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print(peak, "MiB of", sys.argv[1], file=sys.stderr) if peak > int(sys.argv[1]) else None
sys.exit(done.returncode or peak > int(sys.argv[1]))
PYTHON
}

million=(--set slices=1048576 --slices 2)
ping=(model traffic --pattern ping-pong --partner 1 --bytes 100)
square=(--set 'networks.grid.inside.shape=1024 x 1024')
most 200 "${ping[@]}" --machine gcel "${million[@]}" "${square[@]}"

# The same where lanes have streams, round rings, and in other shapes.
most 200 "${ping[@]}" --machine gcel "${million[@]}" "${square[@]}" \
    --set networks.grid.inside.lanes=2
most 200 "${ping[@]}" --machine gcel "${million[@]}" --set networks.grid.inside.topology=torus \
    --set networks.grid.inside.routing=torus --set networks.grid.inside.lanes=2 "${square[@]}"
most 200 "${ping[@]}" --machine gcel "${million[@]}" --set networks.grid.inside.topology=tree \
    --set networks.grid.inside.routing=shortest --set networks.grid.inside.shape='2 x 20'

# A pair's time does not depend on how many others there are.
time_of() {
    "$HTMT" "${ping[@]}" --machine gcel --slices 2 --json - "$@" | sed -n 's/^ *"predicted_fs": \([0-9]*\).*/\1/p'
}
[ "$(time_of)" = "$(time_of --set slices=1048576 "${square[@]}")" ] || fail 'the size of the mesh counts'
