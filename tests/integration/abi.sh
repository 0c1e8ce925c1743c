#!/bin/bash
# Class: fast.
# What programs and plug-ins were compiled against is still there: the exported functions, their
# declarations, the sizes and offsets of public structs.
. "$(dirname "$0")/common"
export LC_ALL=C
# Sanitizers add symbols.
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
build=$(dirname "$HTMT")
abi=$root/tests/abi
symbols=$root/emul/packaging/debian/libhtmt1.symbols
raise='that breaks what was compiled before: raise HTMT_ABI and the soname (docs/extending.md, Versions)'
record='where that is meant, record it: tests/abi/update'

# compare WHAT RECORDED FOUND: rows that are gone, then rows that are new. A struct that begins with
# its size may grow at its end.
compare() {
    local gone new
    gone=$(comm -23 <(sort "$2") <(sort "$3") | grep -v 'bytes, sized$' || :)
    new=$(comm -13 <(sort "$2") <(sort "$3"))
    [ -z "$gone" ] || { echo "$1: gone or changed, $raise:" && echo "$gone"; }
    [ -z "$new" ] || { echo "$1: new, $record:" && echo "$new"; }
}

# ---- what is recorded ----------------------------------------------------------------------------

sed -n 's/^ \([^ ]*\) .*/\1/p' "$symbols" >symbols.txt
"$abi/describe" symbols "$build" >symbols
compare "symbols of libhtmt.so.1" symbols.txt symbols >difference
"$abi/describe" functions "$build" >functions
compare "declarations of functions" "$abi/functions.txt" functions >>difference
if [ "$(uname -m)" = x86_64 ]; then
    "$abi/describe" structs "$build" >structs
    compare "public structs" "$abi/structs.txt" structs >>difference
fi
[ ! -s difference ] || fail "$(cat difference)"
sort -c symbols.txt || fail "$symbols is not sorted"

# says KIND ROWS ROWS: what is said of a change; KIND is gone, new, or both.
says() {
    local kind
    printf '%s\n' "$2" >recorded
    printf '%s\n' "$3" >found
    compare rows recorded found >said
    kind=$(sed -n "s/^rows: gone or changed, .*raise .*/gone/p; s/^rows: new, .*update:/new/p" said)
    [ "${kind//$'\n'/ }" = "$1" ] || fail "not '$1': $2 -> $3: $(cat said)"
}
says new a@HTMT_1 $'a@HTMT_1\nb@HTMT_1'
says gone $'a@HTMT_1\nb@HTMT_1' a@HTMT_1
says new 'struct a 8 bytes, sized' $'struct a 16 bytes, sized\nstruct a 8 int more'
says 'gone new' 'struct a 8 bytes' $'struct a 16 bytes\nstruct a 8 int more'
says 'gone new' 'struct a 8 int b' 'struct a 16 int b'
says 'gone new' 'extern int f (int);' 'extern int f (long);'

# The packager's tool reads the list.
if type dpkg-gensymbols >/dev/null 2>&1; then
    mkdir debian
    cp "$root/emul/packaging/debian/"{control,changelog} debian
    dpkg-gensymbols -plibhtmt1 -v0.1.0 -I"$symbols" -e"$build/libhtmt.so.1" -Pnowhere -Osymbols.deb -c4 \
        >gensymbols 2>&1 || fail "dpkg-gensymbols: $(cat gensymbols)"
else
    lacks dpkg-dev 'the list of symbols by dpkg-gensymbols'
fi

# A struct of a later version is refused where it is used; one of today is not.
totals=$root/tests/plugins/totals.c
compile=(gcc -std=gnu17 -O2 -Wall -Wextra -Werror -fPIC -shared "-I$build/include" "-I$build/include/htmt")
small='--machine small-htmt --set slices=4 --threads 1'
"${compile[@]}" "$totals" -o totals.so
"${compile[@]}" -DPUT_SIZE='(sizeof(struct htmt_put) + 8)' "$totals" -o later.so
# shellcheck disable=SC2086
expect 0 "$HTMT" run ./totals.so $small
# shellcheck disable=SC2086
expect 2 "$HTMT" run ./later.so $small
grep -q 'struct htmt_put of .* bytes.*built for a newer libhtmt' err || fail "later: $(cat err)"
