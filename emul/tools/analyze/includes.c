/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that sources include, before libclang opens them.
 *
 * libclang reads whatever a name leads to, to its end: `#include "/dev/zero"` has none, a pipe
 * waits for who writes it. An included file is an input as the source is, so the same rule holds
 * for it (runtime/base/input.h): a regular file of at most 64 MiB, and none that an output
 * replaces. The lines `#include "NAME"` and `<NAME>` of the sources are followed from file to file,
 * as far as they lead beside the including file or below the folders of -I; those of the system are
 * left to libclang. Branches of the preprocessor are not evaluated, so a line that is left out
 * counts, too. What a macro names is not seen here; the limits of the process
 * (emul/command/analyze.c) hold for that.
 */
#include "emul/tools/analyze/parse.h"

#include "emul/tools/analyze/memory.h"
#include "runtime/base/input.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file that was looked at; a file may include itself. */
struct seen {
    dev_t device;
    ino_t number;
    struct seen *next;
};

struct search {
    const char *const *arguments;
    int count;
    struct seen *seen;
    struct htmt_fault *fault;
};

/* The name behind #include at the start of a line, with its quote or bracket; false: another line.
 */
static bool read_line(const char *line, char **name, bool *quoted)
{
    static const char word[] = "include";
    const char *at = line + strspn(line, " \t");
    if (*at != '#')
        return false;
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, word, sizeof word - 1) != 0)
        return false;
    at += sizeof word - 1;
    at += strncmp(at, "_next", 5) == 0 ? 5 : 0;
    at += strspn(at, " \t");
    *quoted = *at == '"';
    const char *end = *quoted || *at == '<' ? strpbrk(at + 1, *quoted ? "\"\n" : ">\n") : NULL;
    if (!end || *end == '\n')
        return false;
    *name = htmt__source_print("%.*s", (int)(end - at - 1), at + 1);
    return true;
}

/* Where a name leads: the including file's folder, then those of -I. NULL: to the system's. */
static const char *find(const struct search *s, const char *from, const char *name, bool quoted,
                        struct stat *status)
{
    const char *slash = strrchr(from, '/'), *path = name;
    if (name[0] == '/')
        return stat(path, status) == 0 ? path : NULL;
    if (quoted) {
        path = slash ? htmt__source_print("%.*s/%s", (int)(slash - from), from, name) : name;
        if (stat(path, status) == 0)
            return path;
    }
    for (int i = 0; i < s->count; i++) {
        const char *word = s->arguments[i],
                   *folder = strncmp(word, "-I", 2) == 0 ? word + 2
                             : i + 1 < s->count && (strcmp(word, "-isystem") == 0 ||
                                                    strcmp(word, "-iquote") == 0 ||
                                                    strcmp(word, "-idirafter") == 0)
                                 ? s->arguments[i + 1]
                                 : NULL;
        path = folder ? htmt__source_print("%s/%s", folder, name) : "";
        if (folder && stat(path, status) == 0)
            return path;
    }
    return NULL;
}

static bool is_known(struct search *s, const struct stat *status)
{
    struct seen *own = s->seen;
    while (own && (own->device != status->st_dev || own->number != status->st_ino))
        own = own->next;
    if (own)
        return true;
    own = htmt__source_alloc(sizeof *own);
    *own = (struct seen){status->st_dev, status->st_ino, s->seen};
    s->seen = own;
    return false;
}

static int look_at(struct search *s, const char *path, const char *text)
{
    int rc = 0;
    unsigned number = 1;
    for (const char *line = text; line && !rc; number++) {
        struct stat status;
        char *name, *inside = NULL;
        size_t length;
        bool quoted;
        const char *found =
            read_line(line, &name, &quoted) ? find(s, path, name, quoted, &status) : NULL;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
        if (!found || is_known(s, &status))
            continue;
        struct htmt_fault why = {0};
        rc = htmt_input_read(found, HTMT_INPUT_LIST, &inside, &length, &why);
        if (rc)
            htmt_fault_set(s->fault, rc, "%s:%u: #include: %s", path, number, why.text);
        else
            rc = look_at(s, found, inside);
        free(inside);
    }
    return rc;
}

int htmt__includes_check(const char *path, const char *const *arguments, int count,
                         struct htmt_fault *fault)
{
    struct search s = {.arguments = arguments, .count = count, .fault = fault};
    char *text = NULL;
    size_t length;
    int rc = htmt_input_read(path, HTMT_INPUT_LIST, &text, &length, fault);
    if (!rc)
        rc = look_at(&s, path, text);
    free(text);
    /* "-include own.h" is such a line before the first one. */
    for (int i = 0; i + 1 < count && !rc; i++) {
        const bool is = strcmp(arguments[i], "-include") == 0 || !strcmp(arguments[i], "-imacros");
        const char *line = is ? htmt__source_print("#include \"%s\"", arguments[i + 1]) : "";
        rc = look_at(&s, "./command-line", line);
    }
    return rc;
}
