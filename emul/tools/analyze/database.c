/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a source is compiled, out of compile_commands.json as CMake, Meson and Bear write it: a list
 * of {"directory", "file", "command" or "arguments"}. The entry of a source is the one whose file
 * is the same on disk; a source with two entries has two meanings, so it is refused, with the lines
 * that tell them apart left to the user. Folders of -I are those seen from the entry's directory.
 *
 * A command is split as a shell does it for words without variables: at blanks outside of quotes,
 * with a backslash before what stands for itself.
 */
#include "emul/tools/analyze/parse.h"

#include "emul/loops/analyze_arguments.h"
#include "emul/tools/analyze/memory.h"
#include "runtime/base/input.h"
#include "runtime/base/jansson.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct words {
    const char **word;
    size_t count;
};

static void add(struct words *w, const char *word)
{
    w->word = htmt__source_room(w->word, w->count, sizeof *w->word);
    w->word[w->count++] = word;
}

static void split(const char *command, struct words *to)
{
    const char *c = command;
    while (*(c += strspn(c, " \t\n"))) {
        char *word = htmt__source_alloc(strlen(c) + 1), *end = word, quote = 0;
        for (; *c && (quote || !strchr(" \t\n", *c)); c++) {
            if (*c == '\\' && quote != '\'' && c[1])
                *end++ = *++c;
            else if (quote ? *c == quote : *c == '"' || *c == '\'')
                quote = quote ? 0 : *c;
            else
                *end++ = *c;
        }
        add(to, word);
    }
}

static const char *below(const char *directory, const char *path)
{
    return *path == '/' ? path : htmt__source_print("%s/%s", directory, path);
}

/* The words that say what the source means, with folders as seen from here. */
static void keep(const struct words *from, const char *directory, struct words *to)
{
    for (size_t i = 1; i < from->count; i++) {
        const char *flag = "", *value = NULL, *path;
        const enum htmt__source_flag kind = htmt__source_flag(from->word[i], &flag, &value);
        if (kind == HTMT__FLAG_WORD)
            add(to, from->word[i]);
        if (kind == HTMT__FLAG_NONE || kind == HTMT__FLAG_WORD || kind == HTMT__FLAG_LEFT)
            continue;
        if (!value && i + 1 < from->count)
            value = from->word[++i];
        if (!value || kind == HTMT__FLAG_LEFT_PAIR)
            continue;
        struct stat status;
        path = below(directory, value);
        /* -include NAME is a file of the folder, or one that is searched for. */
        if (kind == HTMT__FLAG_PAIR && strcmp(flag, "-x") != 0 &&
            ((strcmp(flag, "-include") != 0 && strcmp(flag, "-imacros") != 0) ||
             stat(path, &status) == 0))
            value = path;
        if (kind == HTMT__FLAG_JOINED)
            add(to, htmt__source_print("%s%s", flag, strcmp(flag, "-I") == 0 ? path : value));
        else
            add(to, flag), add(to, value);
    }
}

static const char *text_of(const json_t *entry, const char *key)
{
    const json_t *value = json_object_get(entry, key);
    return json_is_string(value) ? json_string_value(value) : NULL;
}

static int wrong(const char *path, size_t number, const char *what, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s: entry %zu: found no %s, expected one", path,
                          number + 1, what);
}

/* The words of an entry, of either form. */
static int read_entry(const char *path, size_t number, const json_t *entry, const char *directory,
                      struct words *to, struct htmt_fault *fault)
{
    const json_t *list = json_object_get(entry, "arguments");
    const char *command = text_of(entry, "command");
    struct words all = {NULL, 0};
    if (command)
        split(command, &all);
    for (size_t i = 0; !command && i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word)
            return wrong(path, number, "text among its arguments", fault);
        add(&all, htmt__source_text(word));
    }
    if (!all.count)
        return wrong(path, number, "command or arguments", fault);
    keep(&all, directory, to);
    return 0;
}

static int find(const char *path, const json_t *entries, const char *source, struct words *to,
                struct htmt_fault *fault)
{
    struct stat own, other;
    size_t found = 0, count = 0;
    if (stat(source, &own))
        return 0; /* opening it tells why */
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        const char *directory = text_of(entry, "directory"), *file = text_of(entry, "file");
        if (!directory || !file)
            return wrong(path, i, directory ? "file" : "directory", fault);
        directory = htmt__source_text(directory);
        if (stat(below(directory, file), &other) || own.st_dev != other.st_dev ||
            own.st_ino != other.st_ino)
            continue;
        if (count++)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s: found two entries of %s, %zu and %zu, expected one", path,
                                  source, found + 1, i + 1);
        found = i;
        int rc = read_entry(path, i, entry, directory, to, fault);
        if (rc)
            return rc;
    }
    return count ? 0
                 : htmt_fault_set(fault, HTMT_EFORMAT, "%s: found no entry of %s", path, source);
}

int htmt__database_find(const char *path, const char *source, const char ***words, unsigned *count,
                        struct htmt_fault *fault)
{
    struct stat status;
    struct words own = {NULL, 0};
    char *text = NULL;
    size_t length;
    json_t *entries = NULL;
    json_error_t error;
    /* A folder, as other tools take it. */
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        path = htmt__source_print("%s/compile_commands.json", path);
    int rc = htmt_input_read(path, HTMT_INPUT_LIST, &text, &length, fault);
    if (rc)
        return rc;
    rc = htmt__json_read(text, length, 0, &entries, &error);
    if (rc == HTMT_ENOMEM)
        htmt_fault_set(fault, rc, "%s: out of memory", path);
    else if (rc)
        htmt_fault_set(fault, rc, "%s:%d: %s", path, error.line, error.text);
    else if (!json_is_array(entries))
        rc =
            htmt_fault_set(fault, HTMT_EFORMAT, "%s: found no list, expected one of entries", path);
    else
        rc = find(path, entries, source, &own, fault);
    json_decref(entries);
    free(text);
    *words = own.word;
    *count = (unsigned)own.count;
    return rc;
}
