/* SPDX-License-Identifier: BSD-3-Clause */
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

static bool ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && !strcmp(path + n - m, ending);
}

static int claim(const struct kind *k, struct htmt_fault *fault)
{
    if (!ends_in(k->path, k->ending))
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: found '%s', expected a name that ends in %s",
                              k->option, k->path, k->ending);
    int rc = htmt__sheet_check(k->path, k->option, fault);
    return rc ? rc : htmt_output_claim(k->option, k->path, fault);
}

int htmt__picture_files_claim(const struct htmt__picture_files *files, struct htmt_fault *fault)
{
    struct kind kind[KINDS];
    int rc = 0;
    list(files, kind);
    for (int i = 0; i < KINDS && !rc; i++)
        rc = kind[i].path ? claim(&kind[i], fault) : 0;
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
