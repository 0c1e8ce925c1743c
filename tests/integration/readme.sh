#!/bin/bash
# The README shows what the command prints and a program as it is.
. "$(dirname "$0")/common"
[ -z "${SANITIZE-}" ] || exit 0

# What differs from one host, run or build to the next.
host='^  (correct|total|threads|events|kernels|version|kernel set) |^                output |^  note '

# block MARK: the fenced block behind the line that begins with MARK.
block() {
    awk -v mark="$1" 'index($0, mark) == 1 { found = 1; next }
        found && /^```/ { if (open) exit; open = 1; next }
        open' "$root/README.md"
}

shown=0
while read -r line; do
    line=${line#<!-- output } line=${line% -->}
    block "<!-- output $line" | grep -vE "$host" >wanted
    # shellcheck disable=SC2086
    expect 0 "$HTMT" $line
    while IFS= read -r text; do
        case $text in
        "\$ htmt $line" | ... | "") ;;
        *) grep -qxF -- "$text" out || fail "$line no longer prints: $text" ;;
        esac
        shown=$((shown + 1))
    done <wanted
done < <(grep '^<!-- output ' "$root/README.md")
[ "$shown" -gt 30 ] || fail "only $shown lines of output"

block '<!-- quote tests/sketches/hello.c' >hello.c
diff "$root/tests/sketches/hello.c" hello.c >difference || fail "hello.c: $(cat difference)"
[ "$(wc -l <hello.c)" -lt 40 ] || fail "the first program has grown"

# Every file that the README links to is there.
grep -o '](\([^)#]*\)' "$root/README.md" | cut -c3- | sort -u >links
while read -r link; do
    [ -e "$root/$link" ] || fail "no file $link"
done <links
