#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/host_applications.sh HOST.yaml [SAMPLES [APPLICATION...]]: four applications on a measured host,
# predicted by their recorded operations, beside the wall time of the same kernels without hooks
# (build/htmt-plain; make). `own` is all of the wall but the kernels, the emulator's own work; ratios
# have it beside the prediction. On one thread, the least of SAMPLES runs (10): the wall time of the
# emulation, and its share of the processor time of the run, which leaves out the time in which
# others had the host. An APPLICATION is one word, with options: 'cannon --size 256'.
set -euo pipefail
machine=$(realpath "$1")
samples=${2:-10}
cd "$(dirname "$0")/.."

exec python3 - "$machine" "$samples" "${@:3}" <<'PYTHON'
import json, resource, subprocess, sys

def run(program, words, *more):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([program, "run", *words.split(), "--machine", sys.argv[1], "--slices", "1", "--threads", "1",
                          "--json", "-", *more], check=True, capture_output=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(out), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

print(f"{'application':20} {'predicted':>10} {'own':>10} {'wall':>10} {'ratio':>6} {'computed':>10} {'ratio':>6}")
for words in sys.argv[3:] or ("pic --steps 100", "cannon --size 256", "sar", "volume --size 128"):
    predicted = run("build/htmt", words, "--timing", "operations")[0]["predicted_s"]
    walls, computed, own = [], [], []
    for _ in range(int(sys.argv[2])):
        report, cpu = run("build/htmt-plain", words, "--time-kernels")
        own.append(report["wall"]["emulate_s"] - report["wall"]["kernels_s"])
        walls.append(report["wall"]["emulate_s"])
        computed.append(cpu * report["wall"]["emulate_s"] / report["wall"]["total_s"])
    wall, cpu = min(walls), min(computed)
    print(f"{words:20} {1e3 * predicted:7.2f} ms {1e3 * min(own):7.2f} ms {1e3 * wall:7.2f} ms"
          f" {(predicted + min(own)) / wall:6.2f}"
          f" {1e3 * cpu:7.2f} ms {(predicted + min(own)) / cpu:6.2f}")
PYTHON
