#!/bin/bash
# Class: fast.
# Completions know every verb, application and option that help knows.
. "$(dirname "$0")/common"

for shell in bash zsh fish; do
    expect 0 "$HTMT" completion $shell
    mv out completion.$shell
    [ ! -s err ] || fail "$shell: $(cat err)"
done
bash -n completion.bash || fail "bash cannot read its completion"
for shell in zsh fish; do
    type $shell >/dev/null 2>&1 || { lacks $shell 'its completion'; continue; }
    $shell -n completion.$shell || fail "$shell cannot read its own"
done

# What stands in help's first column: "--name", and the words of its lists.
for topic in run validate scene cannon sar pic volume; do
    "$HTMT" help $topic | sed -n 's/^  --\([a-z-]*\).*/\1/p' >>options
done
while read -r option; do
    grep -qE -- "--$option('|\\[)" completion.bash || fail "bash: no --$option"
    grep -qE -- "--$option\\[" completion.zsh || fail "zsh: no --$option"
    grep -qE -- " -l $option " completion.fish || fail "fish: no --$option"
done <options
"$HTMT" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | sort -u >words
[ "$(wc -l <words)" -ge 10 ] || fail "help lists too little: $(cat words)"
while read -r word; do
    for shell in bash zsh fish; do
        grep -qw -- "$word" completion.$shell || fail "$shell: no $word"
    done
done <words

# complete WORDS...: what bash offers for the last of them.
# shellcheck disable=SC1091
. ./completion.bash
complete_words() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _htmt
    printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
}
offers() {
    local wanted=$1 found
    shift
    found=$(complete_words "$@")
    [ "$found" = "$wanted" ] || fail "'$*': '$found', not '$wanted'"
}
offers 'model ' htmt mo
offers 'cannon ' htmt run ca
offers '--schedule --sections --seed --set --size --slices --stored --strict --summary ' htmt run cannon --s
offers '--csv ' htmt validate --c
offers '--targets ' htmt scene sar --tar
offers 'completion.bash completion.fish completion.zsh ' htmt run cannon --json comp
offers ' ' htmt run cannon --size 1
PATH=$(dirname "$HTMT"):$PATH offers 'small-htmt small-two-layer ' htmt run cannon --machine sma

expect 2 "$HTMT" completion
refuse "unknown shell 'bsh', did you mean 'bash'?" completion bsh
refuse 'expected one shell' completion bash zsh
