#!/bin/bash
# Class: fast.
# The history hashes of earlier versions: tests/histories/old-hashes has one for each row, and
# --old-history tells it, by either clock.
. "$(dirname "$0")/../histories/common"

# Each row with a hash has its line, in order, and no other.
for file in commands commands-long programs trees; do
    grep -v '^#' "$expected/$file" | awk -v file="$file" '
        { at = file ~ /commands/ ? 4 : 6; name = file ~ /commands/ ? $1 : $1 " " $2 " " $3 }
        $at != "-" { print file, $at, name }'
done >rows
grep -v '^#' "$expected/old-hashes" | cut -d' ' -f1,3- >lines
diff rows lines >difference || fail "rows and old-hashes differ: $(head -3 difference)"

# Every ninth row, in turns by either clock.
grep '^commands ' "$expected/old-hashes" | awk 'NR % 9 == 2' >chosen
clock=sequential
while read -r _ old new name; do
    command=$(sed -n "s/^$name [^ ]* [^ ]* [^ ]* [^ ]* //p" "$expected/commands")
    rm -f row.json
    # shellcheck disable=SC2086
    "$HTMT" $command --clock $clock --old-history --json row.json --quiet >out 2>err || true
    [ "$(key old_history_hash row.json) $(key history_hash row.json)" = "\"$old\" \"$new\"" ] ||
        fail "$name by $clock: not $old and $new: $(head -1 err) $(grep history_hash row.json | tr -d '\n')"
    if [ $clock = sequential ]; then clock=windows; else clock=sequential; fi
done <chosen
[ "$(wc -l <chosen)" -ge 10 ] || fail 'too few rows'

"$HTMT" model cannon --size 64 --old-history >out
grep -qE '^  old history +[0-9a-f]{16}$' out || fail 'the report has no old history'
"$HTMT" model cannon --size 64 --json plain.json --quiet >out
! grep -q old_history plain.json || fail 'nobody asked for an old history'
refuse '--old-history: only run and model can tell' predict cannon --old-history
