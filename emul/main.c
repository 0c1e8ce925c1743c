/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/verb.h"

int main(int argc, char **argv)
{
    return htmt__command(htmt_apps, argc, argv);
}
