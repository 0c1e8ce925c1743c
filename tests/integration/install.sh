#!/bin/bash
# What is installed is complete: a program of somebody else's compiles, links and runs against it,
# and the command finds its machines from any folder, built or installed or moved.
. "$(dirname "$0")/common"
[ -z "${SANITIZE-}" ] || exit 0
make -s -C "$root" install BUILD="$(dirname "$HTMT")" DESTDIR="$PWD/root" >make.log 2>&1 ||
    fail "make install: $(cat make.log)"

cat >user.c <<'C'
#include <htmt/parcels/htmt.h>

int main(void)
{
    struct htmt_ratio half, quarter;
    if (htmt_ratio_decimal(5, -1, &half) || htmt_ratio_mul(half, half, &quarter))
        return 1;
    return quarter.num != 1 || quarter.den != 4;
}
C
pc=$(find "$PWD/root" -name htmt.pc)
prefix=$(sed -n 's/^prefix=//p' "$pc")
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$PWD/root
gcc -std=gnu17 user.c -o user $(pkg-config --cflags --libs --static htmt)
./user

unset HTMT_MACHINE_PATH HTMT_COSTS_PATH HTMT_GOLDEN_PATH HTMT_TRANSFER_PATH HTMT_DECKS_PATH
for command in "$HTMT" "root$prefix/bin/htmt"; do
    "$command" predict cannon --machine htmt-2007 --quiet >out
    grep -q '^cannon: predicted' out
    "$command" run pic --case langmuir --steps 2 --slices 4 --quiet >out
    grep -q '^pic: correct' out
    "$command" run volume --slices 2 --phantom 8 --size 8 --transfer tissue --quiet >out
    grep -q '^volume: correct' out
    "$command" validate amaral-table2 --quiet >out
    grep -q '^  input       12 of 12 held' out
done

# The README's first program, built as it says.
cp "$root/tests/sketches/hello.c" .
gcc -std=gnu17 hello.c -o hello $(pkg-config --cflags --libs --static htmt)
HTMT_MACHINE_PATH=root$prefix/share/htmt/machines ./hello | grep -q '8 squared is 64'

make -s -C "$root" uninstall DESTDIR="$PWD/root" >/dev/null 2>&1
left=$(find root ! -type d)
[ -z "$left" ] || fail "uninstall leaves: $left"
