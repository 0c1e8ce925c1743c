/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* asprintf */
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct place place(const char *name)
{
    struct place p = {.folder = "/tmp/htmt-test-XXXXXX"};
    cr_assert_not_null(mkdtemp(p.folder));
    snprintf(p.path, sizeof p.path, "%s/%s", p.folder, name);
    return p;
}

void place_clear(const struct place *p)
{
    unlink(p->path);
    cr_expect_eq(rmdir(p->folder), 0, "something was left in %s", p->folder);
}

void place_remove(const struct place *p)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", p->folder);
    cr_assert_eq(system(command), 0);
}

void place_put(const struct place *p, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    file_write(path, text, strlen(text));
}

char *file_content(const char *path, size_t *length)
{
    FILE *in = fopen(path, "rb");
    cr_assert_not_null(in, "%s (tests run in the folder of the sources)", path);
    cr_assert_eq(fseek(in, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(in);
    char *bytes = calloc(1, size + 1);
    rewind(in);
    cr_assert(bytes && fread(bytes, 1, size, in) == size, "%s", path);
    fclose(in);
    if (length)
        *length = size;
    return bytes;
}

void file_write(const char *path, const void *bytes, size_t length)
{
    FILE *out = fopen(path, "wb");
    cr_assert_not_null(out, "%s", path);
    size_t written = fwrite(bytes, 1, length, out);
    cr_assert(fclose(out) == 0 && written == length, "%s", path);
}

char *file_changed(const char *path, const char *old, const char *new)
{
    char *text = file_content(path, NULL), *at = old ? strstr(text, old) : NULL, *changed = NULL;
    if (!old)
        return text;
    cr_assert_not_null(at, "%s has no '%s'", path, old);
    cr_assert_geq(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old)), 0);
    free(text);
    return changed;
}
