#!/bin/bash
# Class: fast.
# Every source file that opens or parses an input stands in tests/fuzz/readers with a fuzzer that is
# there, or with the reason why it needs none; and nothing else stands there.
. "$(dirname "$0")/common"
cd "$root"

calls='\bhtmt_(input_(open|stream|read)|schema_open|parameters_read|yaml_parse)\('
grep -lrE --include='*.c' "$calls" apps emul layers parcels runtime | sort >"$work/found"
grep -v '^#' tests/fuzz/readers | cut -d' ' -f1 | sort >"$work/listed"
[ "$(wc -l <"$work/found")" -gt 20 ] || fail "the readers are not found"
missing=$(comm -23 "$work/found" "$work/listed")
[ -z "$missing" ] || fail "no fuzzer is named in tests/fuzz/readers for $missing"
stale=$(comm -13 "$work/found" "$work/listed")
[ -z "$stale" ] || fail "tests/fuzz/readers has $stale, which reads nothing"
grep -v '^#' tests/fuzz/readers | while read -r file names; do
    case $names in
    '- '?*) continue ;;
    '') fail "$file has neither a fuzzer nor a reason" ;;
    esac
    for name in $names; do
        [ -f "tests/fuzz/$name.c" ] || fail "$file: there is no fuzzer $name"
    done
done
