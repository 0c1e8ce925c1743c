#!/bin/bash
# What programs and plug-ins were compiled against is still there: the exported functions, their
# declarations, the sizes and offsets of public structs. An application that was compiled against the
# headers of an earlier version does what it does with those of today.
. "$(dirname "$0")/common"
export LC_ALL=C
# Sanitizers add symbols.
[ -z "${SANITIZE-}" ] || exit 0
build=$(dirname "$HTMT")
abi=$root/tests/abi
symbols=$root/emul/packaging/debian/libhtmt0.symbols
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
compare "symbols of libhtmt.so.0" symbols.txt symbols >difference
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
says new a@HTMT_0 $'a@HTMT_0\nb@HTMT_0'
says gone $'a@HTMT_0\nb@HTMT_0' a@HTMT_0
says new 'struct a 8 bytes, sized' $'struct a 16 bytes, sized\nstruct a 8 int more'
says 'gone new' 'struct a 8 bytes' $'struct a 16 bytes\nstruct a 8 int more'
says 'gone new' 'struct a 8 int b' 'struct a 16 int b'
says 'gone new' 'extern int f (int);' 'extern int f (long);'

# The packager's tool reads the list.
if type dpkg-gensymbols >/dev/null 2>&1; then
    mkdir debian
    cp "$root/emul/packaging/debian/"{control,changelog} debian
    dpkg-gensymbols -plibhtmt0 -v0.1.0 -I"$symbols" -e"$build/libhtmt.so.0" -Pnowhere -Osymbols.deb -c4 \
        >gensymbols 2>&1 || fail "dpkg-gensymbols: $(cat gensymbols)"
else
    echo 'dpkg-gensymbols is not there: the list of symbols is not checked with it'
fi

# ---- what was compiled before --------------------------------------------------------------------

same='--machine small-htmt --set slices=4 --threads 1 --explain --lint --json json'
compile=(gcc -std=gnu17 -O2 -Wall -Wextra -Werror -fPIC)

# report FILE COMMAND...: what it prints and its JSON, without what differs from run to run.
report() {
    local file=$1
    shift
    # shellcheck disable=SC2086
    expect 0 "$@" $same
    sed '/^WALL/,/^$/d' out >"$file"
    sed '/"wall"/,/}/d; /_s": /d' json >>"$file"
}

# build_both FOLDER INCLUDE...: a plug-in and a program of application.c in $version.
build_both() {
    mkdir "$1"
    "${compile[@]}" "${@:2}" -shared "$version/application.c" -o "$1/application.so"
    "${compile[@]}" "${@:2}" -DLINKED "$version/application.c" -L"$build" -Wl,-rpath,"$build" \
        -lhtmt -o "$1/application"
}

# compare_types FOLDER: abidiff between a library of what its header declares and this one, which may
# have more, also at the end of structs that begin with their size.
compare_types() {
    type abidiff >/dev/null 2>&1 ||
        { echo 'abidiff is not there: types are compared by tests/abi/structs.txt alone' && return; }
    echo '#include <htmt.h>' >before.c
    # From standard input: ccache forgets the declarations.
    gcc -std=gnu17 "-I$1" -fsyntax-only -aux-info declared -x c - <before.c
    sed -n 's,^/\*.*\*/ extern \(.*[ *]htmt_[a-z].*\);$,\1 { __builtin_trap(); },p' declared |
        sort -u >>before.c
    gcc -std=gnu2x -g -w -fPIC -shared "-I$1" before.c -o before.so -Wl,-soname,libhtmt.so.0 \
        -Wl,--version-script="$root/emul/packaging/libhtmt.map"
    sed -n 's/^struct \([^ ]*\) .*, sized$/[suppress_type]\nname=\1\nhas_data_member_inserted_at=end/p' \
        "$abi/structs.txt" >grown
    # It can take minutes where types refer to each other; sizes and offsets are compared above.
    local status=0
    timeout 60 abidiff --suppr grown --no-added-syms before.so "$build/libhtmt.so.0" >difference 2>&1 ||
        status=$?
    case $status in
    0) ;;
    124) echo 'abidiff did not end in a minute: types are compared by tests/abi/structs.txt alone' ;;
    *) fail "abidiff: $1: $raise: $(cat difference)" ;;
    esac
}

headers=("-I$build/include" "-I$build/include/htmt")
for version in "$abi"/v*; do
    rm -rf before today
    build_both today "${headers[@]}"
    build_both before "-I$version"
    for verb in run model; do
        report wanted "$HTMT" $verb today/application.so
        grep -q '"predicted_fs": [1-9]' wanted || fail "no report: $(cat wanted)"
        for command in "$HTMT $verb before/application.so" "today/application $verb" \
            "before/application $verb"; do
            # shellcheck disable=SC2086
            report found $command
            diff wanted found >difference || fail "$version: $command: $(cat difference)"
        done
    done
    compare_types "$version"
done

# A struct of a later version is refused where it is used.
"${compile[@]}" -shared "-I$abi/v0.1.0" -DPUT_SIZE='(sizeof(struct htmt_put) + 8)' \
    "$abi/v0.1.0/application.c" -o later.so
# shellcheck disable=SC2086
expect 2 "$HTMT" run ./later.so $same
grep -q 'struct htmt_put of .* bytes.*built for a newer libhtmt' err || fail "later: $(cat err)"
