#!/bin/bash
# Each nest of the programs of tests/loops as a program of its own, at six capacities: played, and by
# its offsets (--alone). Prints how many nests are the same at all of them, and the bound that is furthest away.
. "$(dirname "$0")/../integration/common"
[ -x "$(dirname "$HTMT")/htmt-analyze" ] || skip 'no libclang or isl'

for file in "$root"/tests/loops/*.c; do
    expect 0 "$HTMT" analyze "$file" --nests "$(basename "$file" .c).yaml"
done
python3 - "$HTMT" >counted <<'END' || fail "$(cat counted)"
import csv, glob, re, subprocess, sys

def moved(*arguments):
    subprocess.run([sys.argv[1], "bound", "./one", "--machine", "exasat-listing1", "--csv", "one.csv", *arguments], check=True, stdout=subprocess.DEVNULL)  # fmt: skip
    rows = list(csv.DictReader(open("one.csv")))
    return [sum(int(row[end]) for row in rows) for end in ("all_bytes_low", "all_bytes_high")]

nests = exact = 0
worst = (1, "none")
for path in sorted(glob.glob("*.yaml")):
    text = open(path).read()
    head = re.sub(r"\ndependences:.*", "", text[: text.index("\nprogram:")], flags=re.S)
    for name in re.findall(r"\n  (\S+):\n    file", head):
        open("one", "w").write(f"{head}\nprogram:\n  - nest: {name}\n")
        all_once = moved("--cache", "1000GiB")[0]
        same = True
        for part in (64, 16, 8, 4, 2, 1):
            cache = str(max(8, all_once // part // 8 * 8))
            low, high = moved("--cache", cache)
            assert low == high, (path, name, cache)
            ratio = moved("--cache", cache, "--alone")[0] / low
            same = same and ratio == 1
            worst = max(worst, (max(ratio, 1 / ratio), f"{path} {name} {cache} B"))
        nests += 1
        exact += same
print(f"{nests} nests, {exact} by offsets as they are played, worst {worst[0]:.2f}: {worst[1]}")
sys.exit(exact < 80)
END
cat counted
