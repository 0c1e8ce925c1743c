/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the actions of `htmt ops` share.
 */
#include "emul/command/ops.h"

#include <string.h>

int htmt__ops_complain(const struct htmt_fault *fault)
{
    return htmt__complain("ops", fault);
}

const char *htmt__ops_value(const char *option, int argc, char **argv, int *i)
{
    const size_t length = strlen(option);
    if (strncmp(argv[*i], option, length) != 0)
        return NULL;
    if (argv[*i][length] == '=')
        return argv[*i] + length + 1;
    if (argv[*i][length])
        return NULL;
    return *i + 1 < argc ? argv[++*i] : "";
}

int htmt__ops_load(const char *path, struct htmt__tape **tape, struct htmt_fault *fault)
{
    static const char suffix[] = ".lackey";
    const size_t n = strlen(path), k = sizeof suffix - 1;
    char error[sizeof fault->text] = "";
    int rc = n > k && strcmp(path + n - k, suffix) == 0
                 ? htmt__tape_load_lackey(tape, path, error, sizeof error)
                 : htmt__tape_load(tape, path, 0, error, sizeof error);
    return rc ? htmt_fault_set(fault, rc, "%s", error) : 0;
}
