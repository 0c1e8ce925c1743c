#!/bin/bash
# Debian packages: lintian finds no error and no warning; installed in a new system they run,
# compile a program and load in Python; purged they leave nothing.
. "$(dirname "$0")/../integration/common"

for tool in dpkg-buildpackage dh dh_python3 lintian; do
    type $tool >/dev/null 2>&1 || { lacks $tool 'packages'; exit 77; }
done
"$root/emul/packaging/deb" "$work/deb" 0.1.0 >log 2>&1 || fail "$(tail -20 log)"
debs=("$work"/deb/*.deb)
[ "${#debs[@]}" -ge 5 ] || fail "too few packages: ${debs[*]}"
for deb in "${debs[@]}"; do
    dpkg-deb -c "$deb" | grep -E ' \./(usr/local|build|work|tmp|home)' && fail "$deb: a foreign path"
done

if ! type mmdebstrap >/dev/null 2>&1 || [ "$(id -u)" != 0 ]; then
    skip "no mmdebstrap, or not root: the packages are not installed"
fi
# shellcheck disable=SC1091
. /etc/os-release
mmdebstrap --variant=apt --include=ca-certificates "$VERSION_CODENAME" "$work/system" >log 2>&1 ||
    skip "no new system can be made: $(tail -1 log)"
inside() {
    chroot "$work/system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv \
        DEBIAN_FRONTEND=noninteractive "$@"
}
inside sh -c 'cd / && find . -xdev -not -path "./proc/*" -not -path "./sys/*" | sort' >before
mkdir "$work/system/debs"
cp "${debs[@]}" "$work/system/debs"
inside sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /debs/htmt_*.deb \
    /debs/htmt-data_*.deb /debs/libhtmt1_*.deb /debs/libhtmt-dev_*.deb /debs/python3-htmt_*.deb \
    gcc libc6-dev pkgconf' >log 2>&1 || fail "$(tail -20 log)"

expect 0 inside htmt doctor
expect 0 inside htmt run cannon --size 64 --slices 4 --quiet
for app in sar pic volume; do
    expect 0 inside htmt model $app --slices 4 --quiet
done
expect 0 inside python3 -c \
    'import htmt; print(htmt.run("cannon", size=64, slices=4).predicted_fs)'
cat >"$work/system/srv/hello.c" <<'C'
#include <htmt.h>

int main(void)
{
    struct htmt_machine *machine = NULL;
    struct htmt_fault fault;
    int rc = htmt_machine_load("small-htmt", NULL, 0, &machine, &fault);
    htmt_machine_destroy(&machine);
    return htmt_exit_status(rc);
}
C
# shellcheck disable=SC2016
expect 0 inside sh -c 'cd /srv && gcc hello.c -o hello $(pkg-config --cflags --libs htmt) && ./hello'
# shellcheck disable=SC2016
expect 0 inside sh -c 'cd /srv && gcc hello.c -o static -static-libgcc $(pkg-config --cflags htmt) \
    -Wl,-Bstatic -lhtmt -Wl,-Bdynamic $(pkg-config --static --libs-only-l htmt | sed s/-lhtmt//) && ./static'

expect 0 inside sh -c 'apt-get purge -y -qq htmt htmt-data libhtmt1 libhtmt-dev python3-htmt'
inside sh -c 'cd / && find . -xdev -not -path "./proc/*" -not -path "./sys/*" | sort' >after
comm -13 before after | grep -iE 'htmt' | grep -vE '^\./(debs|srv|var/(cache|log))' >left || :
[ ! -s left ] || fail "purged, and still there: $(head -5 left)"
