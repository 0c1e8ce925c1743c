#!/bin/bash
# Class: fast.
# docs/tutorial.md as a new user takes it: an empty folder, the installed package, the page. The files
# are saved as shown, each command is executed in order, and each line below it is among what it
# prints; "..." stands for others. Wall clock figures differ. docs/from-threaded-c.md shows a part of
# its program, and counts its lines.
. "$(dirname "$0")/common"
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
install_tree "$PWD/installed"
unset HTMT HTMT_MACHINE_PATH HTMT_COSTS_PATH HTMT_GOLDEN_PATH HTMT_TRANSFER_PATH HTMT_DECKS_PATH HTMT_TRAFFIC_PATH
lib=$(dirname "$(find "$PWD/installed" -name htmt.pc)")
export PATH=$prefix/bin:$PATH PKG_CONFIG_PATH=$lib LD_LIBRARY_PATH=${lib%/pkgconfig}
page=$root/docs/tutorial.md

# At most 60 lines of 100 columns, with the installed headers alone.
final=$root/examples/tutorial/heat.c
[ "$(wc -l <"$final")" -le 60 ] || fail "heat.c has $(wc -l <"$final") lines"
! grep -nE '.{101}' "$final" || fail "heat.c has longer lines"
! grep -nE '#include "' "$root"/examples/tutorial/*.c || fail "not by installed headers"

mask() {
    sed 's/emulated in .* (host clock)/emulated in .../'
}

# quoted PAGE FILE: the block behind the mark.
quoted() {
    awk -v mark="<!-- quote $2 -->" '$0 == mark { found = 1; next }
        found && /^```/ { if (open) exit; open = 1; next } open' "$1"
}

# Files as the page shows them.
mkdir user
saved=0
while read -r file; do
    quoted "$page" "$file" >"user/${file##*/}"
    diff "$root/$file" "user/${file##*/}" >difference || fail "$file: $(cat difference)"
    saved=$((saved + 1))
done < <(sed -n 's/^<!-- quote \(.*\) -->/\1/p' "$page")
[ "$saved" = 3 ] || fail "$saved files"

# perform: executes the command that was read, unless there is none.
commands=0
perform() {
    (cd user && eval "$command") >out 2>&1 || :
    mask <out >masked
    commands=$((commands + 1))
}

# perform_page PAGE
perform_page() {
    awk '/^```console/ { open = 1; next } /^```/ { open = 0 } open' "$1" >session
    command=
    while IFS= read -r line <&3; do
        case $line in
        '$ '*)
            command=${line#??}
            perform
            ;;
        ...) ;;
        *)
            grep -qxF -- "$(mask <<<"$line")" masked ||
                fail "$1: $command: prints no more: $line: $(head -c 2000 masked)"
            ;;
        esac
    done 3<session
}

perform_page "$page"
[ "$commands" -gt 25 ] || fail "only $commands commands"

guide=$root/docs/from-threaded-c.md
tutorial=$root/examples/tutorial
cp "$tutorial/matvec.c" user
perform_page "$guide"
quoted "$guide" examples/tutorial/matvec.tc | diff "$tutorial/matvec.tc" - >difference ||
    fail "matvec.tc: $(cat difference)"
nest=$(quoted "$guide" examples/tutorial/matvec.c | wc -l)
before=$(wc -l <"$tutorial/matvec.tc")
grep -q "^| the loop nest and its synchronization | $before | $nest |$" "$guide" ||
    fail "$guide: $before lines before, $nest after"
grep -q "^| set-up, input, check | not shown | $(($(wc -l <"$tutorial/matvec.c") - nest)) |$" "$guide" ||
    fail "$guide: set-up is $(($(wc -l <"$tutorial/matvec.c") - nest)) lines"
