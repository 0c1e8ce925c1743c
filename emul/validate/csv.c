/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table is cut in place: text stays where it was read, ends of columns become zeros. UTF-8 is
 * checked a line at a time, before anything of the line can reach a message.
 */
#include "emul/validate/csv.h"

#include "runtime/base/input.h"
#include "runtime/base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX ".csv"

int htmt__csv_refuse(const struct htmt__csv_place *p, int code, const char *found,
                     const char *expected)
{
    return htmt_fault_set(p->fault, code, "%s:%d: found '%.60s', expected %s", p->file, p->line,
                          found, expected);
}

int htmt__csv_lines(char *text, struct htmt__csv_place *p, int (*take)(void *, char *),
                    void *context)
{
    char *rest = text, *line;
    int rc = 0;
    for (p->line = 1; !rc && (line = strsep(&rest, "\n")); p->line++)
        rc = htmt__utf8_valid(line) ? take(context, line)
                                    : htmt__csv_refuse(p, HTMT_EFORMAT, line, "UTF-8");
    return rc;
}

/* The quote that ends a column; two of them inside become one. NULL: there is none. */
static char *close_quote(char *text)
{
    char *to = text;
    for (char *at = text; *at; at++) {
        if (*at == '"' && *++at != '"') {
            memmove(to, at - 1, strlen(at) + 2);
            return to;
        }
        *to++ = *at;
    }
    return NULL;
}

int htmt__csv_cut(char *line, char **column, int most, bool quotes)
{
    char *at = line;
    for (int k = 0; k < most; k++) {
        const bool quoted = quotes && *at == '"';
        column[k] = at += quoted;
        at = quoted ? close_quote(at) : at + strcspn(at, ",");
        if (!at)
            return most + 1;
        const char end = at[quoted];
        if ((end && end != ',') || (end && k + 1 == most))
            return most + 1;
        *at = '\0';
        if (!end)
            return k + 1;
        at += quoted + 1;
    }
    return most + 1;
}

static int is_table(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);
    return length > suffix && !strcmp(entry->d_name + length - suffix, SUFFIX);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int htmt__csv_folder(const char *folder, void *search)
{
    struct htmt__csv_search *s = search;
    struct dirent **entry = NULL;
    const size_t used = strlen(s->tried);
    snprintf(s->tried + used, sizeof s->tried - used, "%s%s", used ? ", " : "", folder);
    const int count = scandir(folder, &entry, is_table, by_name);
    if (count < 0 && errno != ENOENT && errno != ENOTDIR)
        return s->rc = htmt_input_failed(folder, "list it", errno, s->fault);
    for (int i = 0; i < count; i++) {
        if (!s->rc)
            s->rc = s->take(s->context, folder, entry[i]->d_name, s->fault);
        free(entry[i]);
    }
    free(entry);
    return count > 0;
}
