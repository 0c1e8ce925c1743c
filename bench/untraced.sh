#!/bin/bash
# Instructions of kernels that are not recorded, in two builds: bench/untraced.sh BUILD OTHER
# Each application runs under callgrind; what counts are the instructions in its plug-in, which a busy
# host does not change. OTHER is compared with BUILD, such as one from before kernels were recorded.
set -euo pipefail

build=${1:?folder of the first build} other=${2:?folder of the other build}
command -v valgrind >/dev/null ||
    { echo 'valgrind is missing: .ci/deps .ci/packages-check.txt' >&2; exit 2; }
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

instructions() {
    valgrind --tool=callgrind --callgrind-out-file="$home/out" "$1/htmt" run "${@:2}" --threads 1 --quiet \
        >"$home/says" 2>&1 || { cat "$home/says" >&2; exit 1; }
    callgrind_annotate --threshold=100 "$home/out" |
        awk '/\/apps\/[a-z]*\.so\]/ { gsub(",", "", $1); sum += $1 } END { print sum }'
}

for app in 'cannon --slices 4 --size 64' 'pic --slices 4 --steps 2' sar; do
    # shellcheck disable=SC2086
    echo "$app $(instructions "$build" $app) $(instructions "$other" $app)" |
        awk '{ printf "%-28s %12d %12d %+.3f %%\n", substr($0, 1, match($0, / [0-9]+ [0-9]+$/) - 1),
                      $(NF - 1), $NF, ($NF / $(NF - 1) - 1) * 100 }'
done
