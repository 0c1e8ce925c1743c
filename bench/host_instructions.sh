#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# bench/host_instructions.sh BUILD: how far the instructions that the node model dispatches are off
# those of the compiled code, in percent of these, for each kernel of the application kernels. A tape
# says how many the recorded blocks have as compiled without hooks (htmt ops show); callgrind counts
# what the same source by the same compiler runs, without what it calls of libraries. Needs Valgrind,
# and clang-14 when BUILD was made. A line for each kernel as bench/clock.h says, and the worst.
set -euo pipefail

build=$(realpath "${1:?folder of the build}")
# glibc has a memcpy() for each processor, callgrind that of its host; these all hosts have.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-AVX,-ERMS,-FSRM
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cd "$home"

recorded() {
    "$build/htmt" ops record kernels --kernel "$1" --n "$2" --rounds 2 --type "$1 $2" \
        --machine pim-node --out tape.ops >says 2>&1
    "$build/htmt" ops show tape.ops 2>/dev/null | awk '/as compiled without hooks/ { print $1 }' | tr -d ,
}

# What callgrind gives the functions of the kernel's text.
counted() {
    valgrind --tool=callgrind --callgrind-out-file=calls "$build/htmt" run kernels --kernel "$1" \
        --n "$2" --rounds 2 --machine htmt-oct98 --quiet >says 2>&1
    callgrind_annotate --threshold=100 --auto=no calls | tr -d , |
        awk '/\/(loops|shapes)_(text|loops)\.h:|\/(loops|shapes)_plain\.c:/ { n += $1 } END { print n }'
}

for case in ddot:4000 ddot4:4000 daxpy:4000 dipole:500 triad:4000 dgemm:32 fft:1024 gemm:32 bicg:48 \
    solve:48 factor:32 stencil1:2000 stencil2:48 stencil3:12 correlate:32 filter:1000 total:1000; do
    kernel=${case%:*} n=${case#*:}
    echo "$kernel $(recorded "$kernel" "$n") $(counted "$kernel" "$n")"
done | awk '{ off = 100 * ($2 / $3 - 1); off = off < 0 ? -off : off; worst = off > worst ? off : worst
              printf "RESULT host instructions-%s %.2f %% 0000000000000001\n", $1, off }
            END { printf "RESULT host instructions %.2f %% 0000000000000001\n", worst }'
