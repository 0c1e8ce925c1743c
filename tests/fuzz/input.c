/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void fail(const char *what, const char *text)
{
    fprintf(stderr, "fuzz: %s: '%s'\n", what, text);
    abort();
}

static const char *folder(void)
{
    static char path[256];
    if (path[0])
        return path;
    const char *above = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/htmt-fuzz-XXXXXX", above ? above : "/tmp");
    if (!mkdtemp(path))
        fail("no folder", path);
    return path;
}

const char *fuzz_file(const char *suffix, const uint8_t *bytes, size_t size)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/input%s", folder(), suffix);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
        fail("cannot write", path);
    return path;
}

char *fuzz_text(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        fail("no memory", "");
    if (size)
        memcpy(text, bytes, size);
    text[size] = 0;
    return text;
}

void fuzz_judge(int rc, const struct htmt_fault *fault)
{
    if (!rc)
        return;
    if (!fault->text[0])
        fail("a refusal without a line", htmt_strerror(rc));
    for (const char *at = fault->text; *at; at++)
        if ((unsigned char)*at < ' ')
            fail("a control character", fault->text);
    if (htmt_exit_status(rc) < 2 || htmt_exit_status(rc) > 4)
        fail("a status that no refusal has", fault->text);
}
