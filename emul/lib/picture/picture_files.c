/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The same sheet is drawn once for each file. All names are checked and claimed before the work
 * begins: a run of an hour shall not end with a picture that cannot be written.
 */
#include "emul/lib/picture/picture_files.h"

#include "runtime/base/output.h"

#include <string.h>

enum { KINDS = 3 };

struct kind {
    const char *option, *ending, *path;
};

static void list(const struct htmt__picture_files *f, struct kind kind[static KINDS])
{
    kind[0] = (struct kind){"--svg", ".svg", f->svg};
    kind[1] = (struct kind){"--png", ".png", f->png};
    kind[2] = (struct kind){"--pdf", ".pdf", f->pdf};
}

bool htmt__picture_files_any(const struct htmt__picture_files *files)
{
    return files->svg || files->png || files->pdf;
}

int htmt__picture_files_claim(const struct htmt__picture_files *files, struct htmt_fault *fault)
{
    struct kind kind[KINDS];
    int rc = 0;
    list(files, kind);
    for (int i = 0; i < KINDS && !rc; i++) {
        const struct kind *k = &kind[i];
        const size_t length = k->path ? strlen(k->path) : 0, end = strlen(k->ending);
        if (!k->path)
            continue;
        if (length <= end || strcmp(k->path + length - end, k->ending) != 0)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "%s: found '%s', expected a name that ends in %s", k->option,
                                  k->path, k->ending);
        rc = htmt__sheet_check(k->path, k->option, fault);
        rc = rc ? rc : htmt_output_claim(k->option, k->path, fault);
    }
    return rc;
}

int htmt__picture_files_write(const struct htmt__picture_files *files, struct htmt__sheet *sheet,
                              struct htmt_fault *fault)
{
    struct kind kind[KINDS];
    int rc = 0;
    list(files, kind);
    for (int i = 0; i < KINDS && !rc; i++)
        rc = kind[i].path ? htmt__sheet_write(sheet, kind[i].path, kind[i].option, fault) : 0;
    return rc;
}
