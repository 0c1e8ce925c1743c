/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fresh folder and the name of one file in it; clearing it finds what else was left there.
 */
#ifndef HTMT_TESTS_APPS_PLACE_H
#define HTMT_TESTS_APPS_PLACE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct place {
    char folder[64], path[160];
};

static struct place place(const char *name)
{
    struct place p = {.folder = "/tmp/htmt-apps-XXXXXX"};
    cr_assert_not_null(mkdtemp(p.folder));
    snprintf(p.path, sizeof p.path, "%s/%s", p.folder, name);
    return p;
}

static void clear(const struct place *p)
{
    unlink(p->path);
    cr_expect_eq(rmdir(p->folder), 0, "something was left in %s", p->folder);
}

/* The caller frees the bytes; *length of them. */
static inline char *content(const struct place *p, size_t *length)
{
    enum { ROOM = 1 << 24 };
    char *bytes = malloc(ROOM);
    FILE *in = fopen(p->path, "rb");
    cr_assert(bytes && in);
    *length = fread(bytes, 1, ROOM, in);
    fclose(in);
    return bytes;
}

#endif
