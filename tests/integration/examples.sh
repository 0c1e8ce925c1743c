#!/bin/bash
# Class: fast.
# Each numbered example prints its expected output, whatever the number of host threads, and says by
# its status that its check held. A checked run of it finds nothing wrong, and no accesses without an
# order. It stays short, and sees the public headers alone.
. "$(dirname "$0")/common"
built=$(dirname "$HTMT")/examples
checked=$(dirname "$HTMT")/tests/examples/checked.so

# The same machines with a SPELL half as fast: no closed form holds there.
cp -r "$root/machines" slower
sed -i 's/value: 10 GHz/value: 5 GHz/; s/value: 256 GHz/value: 128 GHz/' slower/*.yaml

folders=("$root"/examples/[0-9][0-9]-*)
[ ${#folders[@]} -ge 14 ] || fail "only ${#folders[@]} examples"
for folder in "${folders[@]}"; do
    name=${folder##*/}
    sources=("$folder"/main.c*)
    [ ${#sources[@]} = 1 ] || fail "$name: not one file: ${sources[*]}"
    [ "$(wc -l <"${sources[0]}")" -lt 80 ] || fail "$name: 80 lines or more"
    ! grep -nE '.{101}' "${sources[0]}" >long || fail "$name: longer than 100 columns: $(cat long)"
    # What is included with a folder is not for users.
    ! grep -n '#include "' "${sources[0]}" >own || fail "$name: $(cat own)"
    for threads in 1 2 3; do
        expect 0 "$built/$name" $threads
        diff "$folder/expected.txt" out >difference || fail "$name $threads: $(cat difference)"
    done
    grep -q 'predicted: ' out || fail "$name tells no predicted time"
    # A model of 4096 slices has no accesses, but pages to protect in each of them.
    [ "$name" = 12-fold ] || expect 0 env LD_PRELOAD="$checked" "$built/$name"
    expect 1 env HTMT_MACHINE_PATH=slower "$built/$name"
    # Without its machine it says so, by one status or another, and does not crash.
    status=0
    HTMT_MACHINE_PATH=$work "$built/$name" >out 2>err || status=$?
    [ "$status" = 2 ] && grep -q . err || fail "$name without a machine: status $status: $(cat err)"
done

# Each has its line in the page.
for folder in "${folders[@]}"; do
    grep -qF "(../examples/${folder##*/}/main.c" "$root/docs/examples.md" ||
        fail "docs/examples.md does not name ${folder##*/}"
done
