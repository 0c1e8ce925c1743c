#!/bin/bash
# Class: fast.
# .ci/tree passes a clean tree. It refuses changes, large tracked files and strange root entries.
. "$(dirname "$0")/common"

# A scratch repository: nothing of the caller's repository or settings reaches it.
# shellcheck disable=SC2046
unset $(git rev-parse --local-env-vars)
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
mkdir -p scratch/.ci scratch/docs
cp "$root/.ci/tree" scratch/.ci
echo '/build*/' >scratch/.gitignore
echo text >scratch/docs/page.md
in_scratch() {
    git -C scratch -c user.name=n -c user.email=e "$@"
}
in_scratch init -q
commit() {
    in_scratch add -A
    in_scratch commit -qm one
}

passes() {
    expect 0 scratch/.ci/tree
    [ ! -s out ] && [ ! -s err ] || fail "output for a clean tree: $(cat out err)"
}

# refuses LINE...: exactly these lines on standard error.
refuses() {
    expect 1 scratch/.ci/tree
    [ ! -s out ] || fail "on standard output: $(cat out)"
    printf '.ci/tree: %s\n' "$@" | cmp -s - err || fail "expected: $*; found: $(cat err)"
}

commit
mkdir scratch/build scratch/build-other
echo made >scratch/build/made
passes

# Files that a test run leaves or changes.
dirty='changed or untracked, not committed'
echo more >>scratch/docs/page.md
echo 1 >'scratch/docs/an output.npy'
refuses "docs/page.md: $dirty" "docs/an output.npy: $dirty"
in_scratch checkout -q docs
rm scratch/docs/an*
passes
rm scratch/docs/page.md
refuses "docs/page.md: $dirty"
in_scratch checkout -q docs

# 512 KiB are allowed, one byte more is not.
head -c 524288 /dev/zero >scratch/docs/large
commit
passes
echo >>scratch/docs/large
commit
refuses 'docs/large: tracked and above 512 KiB'
in_scratch rm -q docs/large
commit

# Root entries: tracked, untracked, an empty folder.
strange='not among the root entries that .ci/tree allows'
mkdir scratch/notes
echo 1 >scratch/notes/one
echo 2 >scratch/out
commit
refuses "notes: $strange" "out: $strange"
in_scratch rm -qr notes out
commit
mkdir scratch/empty
refuses "empty: $strange"
rmdir scratch/empty
echo 3 >scratch/err
refuses "err: $dirty" "err: $strange"
rm scratch/err
passes

# Without a repository nothing can be checked.
mv scratch/.git hidden
! GIT_CEILING_DIRECTORIES=$PWD scratch/.ci/tree >out 2>err || fail 'passed without a repository'
