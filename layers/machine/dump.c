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

/* A figure under its key: the mappings that the key opens, then its last component. `last` is the
 * key before it. Behind "layers.a.memory.ports", "layers.a.memory.line" opens none, "layers.b.name"
 * the mapping b. */
static void put_figure(FILE *out, const struct htmt_figure *figure, const char *last)
{
    const char *key = figure->key;
    size_t at = 0;
    int depth = 0;
    for (size_t i = 0; key[i] && key[i] == last[i]; i++)
        if (key[i] == '.') {
            at = i + 1;
            depth++;
        }
    for (;; depth++) {
        size_t length = strcspn(key + at, ".");
        fprintf(out, "%*s%.*s:", depth * INDENT, "", (int)length, key + at);
        at += length;
        if (!key[at])
            break;
        fputc('\n', out);
        at++;
    }
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
