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

# stub NAME BUILD: NAME.so, a library of public types alone. It has the functions that htmt.h of the build
# declares, and one for each struct and enum of $version, some of which none of these uses. The types
# inside libhtmt would take abidiff minutes.
stub() {
    local include=("-I$2/include" "-I$2/include/htmt")
    echo '#include <htmt.h>' >"$1.c"
    # From standard input: ccache forgets the declarations.
    rm -f "$1.so"
    gcc -std=gnu17 "${include[@]}" -fsyntax-only -aux-info declared -x c - <"$1.c"
    sed -n 's,^/\*.*\*/ extern \(.*[ *]htmt_[a-z].*\);$,\1 { __builtin_trap(); },p' declared |
        sort -u >>"$1.c"
    sed -nE 's/^(struct|enum) (htmt_[a-z_]+) \{.*/void htmt_any_\2(\1 \2 *any) {}/p' \
        "$version/htmt.h" >>"$1.c"
    gcc -std=gnu2x -g -w -fPIC -shared "${include[@]}" "$1.c" -o "$1.so" \
        -Wl,--version-script="$root/emul/packaging/libhtmt.map"
}

# declare_version NAME SED: NAME is a build of htmt.h of $version, edited.
declare_version() {
    mkdir -p "$1/include/htmt"
    sed -E "$2" "$version/htmt.h" >"$1/include/htmt/htmt.h"
}

# serves BUILD: programs of $version can use it; otherwise `difference` says why not. abidiff overlooks
# all but insertions in a struct that may grow at its end: the rows have these.
serves() {
    "$abi/describe" structs "$1" >structs || fail "$1: no structs"
    compare structs was_structs structs | sed '/: new, /,$d; 1d' >difference
    [ ! -s difference ] || return 1
    type abidiff >/dev/null 2>&1 || return 0
    stub now "$1" || fail "$1: no library"
    abidiff --suppr grown --no-added-syms was.so now.so >difference 2>&1
}

# change YES SED: whether programs of $version can use one with this change.
change() {
    local serves=no
    declare_version changed "$2"
    ! cmp -s {was,changed}/include/htmt/htmt.h || fail "nothing is changed by: $2"
    ! serves changed || serves=yes
    [ $serves = "$1" ] || fail "a change serves programs: $serves, not $1: $2: $(cat difference)"
}

compare_types() {
    declare_version was ''
    "$abi/describe" structs was >was_structs
    stub was was
    sed -n 's/^struct \([^ ]*\) .*, sized$/[suppress_type]\nname=\1\nhas_data_member_inserted_at=end/p' \
        was_structs >grown
    serves "$build" || fail "$version: $raise: $(cat difference)"
    change no '/^struct htmt_resource_report/,/}/s/uint32_t count/uint64_t count/'
    change no '/^struct htmt_resource_report/,/}/{/uint64_t served/d; s/(.*words;)/\1 uint64_t served;/}'
    change no '/^struct htmt_app /,/}/s/bool folds/int folds/'
    change no 's/HTMT_CYCLE, HTMT_FLOP/HTMT_FLOP, HTMT_CYCLE/'
    change yes '/^struct htmt_put /,/}/s/^}/void *more; }/'
    change yes '$s/#endif/void htmt_more(void);\n&/'
    if ! type abidiff >/dev/null 2>&1; then
        echo 'abidiff is not there: functions are compared by tests/abi/functions.txt alone'
        return
    fi
    change no '/^uint32_t htmt_resource_places/d'
    change no '/^uint32_t htmt_resource_places/s/index/*index/'
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
    compare_types
done

# A struct of a later version is refused where it is used.
"${compile[@]}" -shared "-I$abi/v0.1.0" -DPUT_SIZE='(sizeof(struct htmt_put) + 8)' \
    "$abi/v0.1.0/application.c" -o later.so
# shellcheck disable=SC2086
expect 2 "$HTMT" run ./later.so $same
grep -q 'struct htmt_put of .* bytes.*built for a newer libhtmt' err || fail "later: $(cat err)"
