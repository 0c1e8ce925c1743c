#!/bin/bash
# Of its particles a run of the plasma has one copy in the emulated memory and, while it checks them,
# another in the serial program. Beside them are lists of both, the fields and the emulator: the peak
# stays below 2.5 times the 6.9 million particles, on one thread and on three.
. "$(dirname "$0")/../integration/common"

[ -z "${SANITIZE-}" ] || skip "the sanitizers' shadows are memory, too"

for threads in 1 3; do
    python3 - $threads <<'PYTHON' || fail "too much memory on $threads threads"
import os, resource, subprocess, sys
done = subprocess.run([os.environ["HTMT"], "run", "pic", "--case", "thermal", "--cells", "62,64,64",
                       "--slices", "64", "--steps", "1", "--quiet", "--threads", sys.argv[1]],
                      stdin=subprocess.DEVNULL)
peak = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
copies = peak / (62 * 64 * 64 * 27 * 48)
print(f"{peak / 2**20:.0f} MiB, {copies:.2f} times the particles", file=sys.stderr)
sys.exit(done.returncode or copies > 2.5)
PYTHON
done
