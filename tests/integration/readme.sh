#!/bin/bash
# Class: fast.
# README.md and the pages of docs/ show what the command prints; the README shows a program as it is.
. "$(dirname "$0")/common"
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"

# What differs from one host, run or build to the next.
host='^  (correct|total|threads|events|kernels|version|kernel set) |^                output |^  note '

# block PAGE MARK: the fenced block behind the line MARK.
block() {
    awk -v mark="$2" '$0 == mark { found = 1; next }
        found && /^```/ { if (open) exit; open = 1; next }
        open' "$1"
}

shown=0
# output PAGE: every block behind `<!-- output ARGUMENTS -->` is a part of what htmt prints.
output() {
    local page=$1 line text
    while read -r line; do
        line=${line#<!-- output } line=${line% -->}
        block "$page" "<!-- output $line -->" | grep -vE "$host" >wanted
        # shellcheck disable=SC2086
        expect 0 "$HTMT" $line
        while IFS= read -r text; do
            case $text in
            "\$ htmt $line" | ... | "") ;;
            *) grep -qxF -- "$text" out || fail "$page: $line no longer prints: $text" ;;
            esac
            shown=$((shown + 1))
        done <wanted
    done < <(grep '^<!-- output ' "$page")
}

# links PAGE: every file that the page links to is there. Lambdas in programs are no links.
links() {
    local link
    while read -r link; do
        [ -e "$(dirname "$1")/$link" ] || fail "$1: no file $link"
    done < <(awk '/^```/ { code = !code } !code' "$1" | grep -o '](\([^)#]*\)' | cut -c3- | grep -v '^$\|^https*:' | sort -u)
}

for page in "$root/README.md" "$root"/docs/*.md; do
    output "$page"
    links "$page"
done
[ "$shown" -gt 55 ] || fail "only $shown lines of output"

block "$root/README.md" '<!-- quote tests/sketches/hello.c -->' >hello.c
diff "$root/tests/sketches/hello.c" hello.c >difference || fail "hello.c: $(cat difference)"
[ "$(wc -l <hello.c)" -lt 40 ] || fail "the first program has grown"
