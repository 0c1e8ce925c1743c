/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures stand in the order of the dump, so the nesting follows from comparing each key with
 * the one before it.
 */
#include "layers/machine/machine.h"

#include <string.h>

#define INDENT 2

static void put_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\x%02X", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

/* Length of the common leading components, the dot after them included. */
static size_t common(const char *a, const char *b)
{
    size_t same = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '.')
            same = i + 1;
    return same;
}

static int depth_at(const char *key, size_t length)
{
    int depth = 0;
    for (size_t i = 0; i < length; i++)
        depth += key[i] == '.';
    return depth;
}

/* The mappings that this key opens, then the key itself. */
static void put_key(FILE *out, const char *key, const char *last)
{
    size_t at = common(key, last);
    int depth = depth_at(key, at);
    for (;;) {
        size_t length = strcspn(key + at, ".");
        fprintf(out, "%*s%.*s:", depth * INDENT, "", (int)length, key + at);
        at += length;
        if (!key[at])
            return;
        fputc('\n', out);
        at++;
        depth++;
    }
}

static void put_figure(FILE *out, const struct htmt_figure *figure, const char *last)
{
    put_key(out, figure->key, last);
    if (!*figure->source) {
        fprintf(out, " %s\n", figure->value);
        return;
    }
    fputs(" {value: ", out);
    put_quoted(out, figure->value);
    fputs(", source: ", out);
    put_quoted(out, figure->source);
    fputs("}\n", out);
}

int htmt_machine_dump(const struct htmt_machine *m, FILE *out)
{
    const char *last = "";
    if (!m || !out)
        return HTMT_EINVAL;
    fprintf(out, "# %s, resolved\nhtmt-machine: 1\n", m->name);
    if (*m->about) {
        fputs("about: ", out);
        put_quoted(out, m->about);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < m->figure_count; i++) {
        put_figure(out, &m->figure[i], last);
        last = m->figure[i].key;
    }
    return fflush(out) || ferror(out) ? HTMT_EIO : 0;
}
