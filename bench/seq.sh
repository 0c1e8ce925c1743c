#!/bin/bash
# The sources of the base line `seq`: the emulator before its clock went slice by slice, out of git
# into a folder: bench/seq.sh FOLDER. Without that commit (a tarball, a shallow clone) it says so,
# and there is no folder.
set -euo pipefail

commit=59a485e4bcbba70a11e94d1baabbea89504ddca5
tree=$(realpath "${0%/*}/..")
folder=${1:?folder}

[ ! -e "$folder/Makefile" ] || exit 0
git -C "$tree" cat-file -e "$commit^{commit}" 2>/dev/null ||
    { echo 'no git history: the cases of seq are left out' >&2; exit 0; }
rm -rf "$folder"
mkdir -p "$folder.new"
git -C "$tree" archive "$commit" | tar -x -C "$folder.new"
mv "$folder.new" "$folder"
