#!/bin/bash
# Class: fast.
# Machine files are found from the library's own path, in a program of somebody else's, also after
# the installed tree moved; from the program's path where it has no library, or that has no files.
. "$(dirname "$0")/common"
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"
. "$root/tests/integration/library"
unset LD_LIBRARY_PATH HTMT_MACHINE_PATH HTMT_COSTS_PATH

# machine FOLDER NAME: a machine that is nowhere else.
machine() {
    mkdir -p "$1/share/htmt/machines"
    cp "$root/machines/htmt-oct98.yaml" "$1/share/htmt/machines/$2.yaml"
}
cat >load.c <<'C'
#include "layers/machine/machine.h"
#include <stdio.h>
int main(int argc, char **argv)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    int rc = argc == 2 ? htmt_machine_load(argv[1], NULL, 0, &m, &fault) : 2;
    puts(rc ? fault.text : m->name);
    htmt_machine_destroy(&m);
    return rc != 0;
}
C
arch=$(gcc -print-multiarch)
mkdir -p prefix/lib/"$arch" elsewhere/bin bare/lib static/bin
cp "$library" prefix/lib/"$arch"
ln -s libhtmt.so.1 prefix/lib/"$arch"/libhtmt.so
cp "$library" bare/lib
machine prefix in-prefix
machine elsewhere beside-program
machine static beside-static
"$CC" "${flags[@]}" load.c -o elsewhere/bin/load -L. -lhtmt
# shellcheck disable=SC2046
"$CC" "${flags[@]}" load.c -o static/bin/load "$build/libhtmt.a" \
    $(pkg-config --libs yaml-0.1 liburcu-cds jansson libdeflate) -lm

# finds NAME COMMAND...: that machine is loaded.
finds() {
    local name=$1
    shift
    expect 0 "$@" "$name"
    grep -qx "$name" out || fail "$*: $(cat out)"
}

# A program that links the library, by an absolute path and another, and after the tree moved.
finds in-prefix env LD_LIBRARY_PATH="$PWD/prefix/lib/$arch" elsewhere/bin/load
finds in-prefix env LD_LIBRARY_PATH="prefix/lib/$arch" elsewhere/bin/load
mv prefix moved
finds in-prefix env LD_LIBRARY_PATH="$PWD/moved/lib/$arch" elsewhere/bin/load
expect 1 env LD_LIBRARY_PATH="$PWD/moved/lib/$arch" elsewhere/bin/load nowhere
grep -qF "no nowhere.yaml in $PWD/moved/share/htmt/machines" out || fail "$(cat out)"

# The library has no files above it: those above the program count.
finds beside-program env LD_LIBRARY_PATH="$PWD/bare/lib" elsewhere/bin/load
# The program has the code in itself, and another name as its argv[0].
finds beside-static static/bin/load
finds beside-static bash -c 'exec -a /nowhere/htmt static/bin/load "$0"'

# In Python /proc/self/exe is Python.
python=/usr/bin/python3
[ -x $python ] || { lacks python3 'the library in Python'; exit 77; }
cat >load.py <<'P'
import ctypes, sys

library = ctypes.CDLL(sys.argv[1])
machine = ctypes.c_void_p()
rc = library.htmt_machine_load(sys.argv[2].encode(), None, 0, ctypes.byref(machine), None)
print(sys.argv[2] if rc == 0 else "no machine")
P
finds in-prefix $python load.py "$PWD/moved/lib/$arch/libhtmt.so.1"
finds in-prefix $python load.py "moved/lib/$arch/libhtmt.so"
