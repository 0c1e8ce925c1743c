#!/bin/bash
# Class: fast.
# Manual pages: each exported function stands in htmt(3) with a description, and each function there
# is exported; each key of a machine stands in htmt-machine(5), and each key there is one; roff has
# nothing to complain of.
. "$(dirname "$0")/common"

build=$(dirname "$HTMT")
pages=$build/share/man
library=$build/libhtmt.so.1

nm -D --defined-only "$library" | sed -n 's/.* [TW] \(htmt_[a-z0-9_]*\)@.*/\1/p' | sort -u >exported
[ "$(wc -l <exported)" -ge 100 ] || fail "too few functions: $(wc -l <exported)"
find "$build/include/htmt/" -name '*.h' | sort >headers
(cd "$build/include/htmt" && find . -name '*.h' | sort |
    xargs awk -v list=1 -f "$root/emul/packaging/manual3.awk") | sort -u >listed
grep -P '\tbare$' listed && fail "functions without a description"
# Inline functions are in the headers alone.
cut -f1 listed >documented
comm -23 <(grep -v "^htmt__rec_" exported) documented >missing
[ ! -s missing ] || fail "not in a public header: $(tr '\n' ' ' <missing)"
comm -13 exported documented >inline
while read -r name; do
    xargs grep -lE "^static inline .*\b$name\(" <headers >/dev/null ||
        fail "in a public header, not exported: $name"
done <inline
while read -r name; do
    grep -q -- "$name(" "$pages/man3/htmt.3" || fail "htmt(3) lacks $name"
done <documented

# Each option that all applications have.
"$HTMT" help cannon | sed '1,/^Options of every application/d' | grep -oE '^  --[a-z-]+' >options
[ "$(wc -l <options)" -ge 30 ] || fail "too few options: $(cat options)"
tr -d '\\' <"$pages/man1/htmt.1" >page
while read -r option; do
    grep -qE -- "^\.BI? $option( |$)" page || fail "htmt(1) lacks $option"
done <options

# The last part of each key of a machine; the second one has what only bounds of loops ask for.
"$HTMT" machine show htmt-oct98 >shown
"$HTMT" machine show exasat-listing1 >>shown
grep -oE '^(slices|layers|networks)[a-z0-9.-]*' shown | sed 's/.*\.//' | sort -u >keys
[ "$(wc -l <keys)" -ge 20 ] || fail "too few keys: $(cat keys)"
tr -d '\\' <"$pages/man5/htmt-machine.5" >page
while read -r key; do
    grep -qE "fB([a-zA-Z.]*\.)?${key}fR" page || fail "htmt-machine(5) lacks $key"
done <keys
# Each key that the page lists is accepted or named by the reader: an unknown one is refused.
grep -oE '^fB\.(processor|memory)\.[a-z-]+fR' page | sed 's/^fB\.//; s/fR$//' | sort -u >listed_keys
"$HTMT" machine show upmem-e19 >>shown # which has keys of processors in memory banks
"$HTMT" machine show xeon-6148 >>shown # which has vectors
[ "$(wc -l <listed_keys)" -ge 8 ] || fail "too few keys in the page"
while read -r key; do
    grep -qE "^ *layers\.[a-z0-9]+\.$key\b" shown || fail "htmt-machine(5) has $key, machines do not"
done <listed_keys

if type groff >/dev/null 2>&1; then
    for page in "$pages"/man*/htmt*.[135]; do
        [ -L "$page" ] || groff -man -Tutf8 -ww -z "$page" 2>complaints
        [ ! -s complaints ] || fail "$page: $(head -3 complaints)"
    done
else
    lacks groff-base 'what groff says of the pages'
fi
