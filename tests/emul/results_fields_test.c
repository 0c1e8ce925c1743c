/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of the results' JSON against docs/json.md and the Python package: each has the keys of
 * the tables, and no others.
 */
#define _GNU_SOURCE /* memmem, asprintf */
#include "emul/lib/report/results_fields.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *guide, *package;

static void load(void)
{
    guide = file_content("docs/json.md", NULL);
    package = file_content("emul/python/htmt/results.py", NULL);
}

static void unload(void)
{
    free(guide);
    free(package);
}

TestSuite(results_fields, .init = load, .fini = unload);

/* The line at `from`, or all to the next line that begins with `stop`. The caller frees it. */
static char *part(const char *from, const char *stop)
{
    const char *end = strchr(from, '\n');
    while (stop && end && strncmp(end + 1, stop, strlen(stop)) != 0)
        end = strchr(end + 1, '\n');
    return strndup(from, end ? (size_t)(end - from) : strlen(from));
}

/* A line that begins with `begin` and has the key between back quotes before `before`. */
static const char *line_of(const char *text, const char *begin, const char *key, char before)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "`%s`", key);
    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL) {
        const char *cell = line + strlen(begin);
        if (strncmp(line, begin, strlen(begin)) != 0)
            continue;
        const char *at = strstr(cell, quoted), *end = cell + strcspn(cell, "\n");
        const char *limit = memchr(cell, before, (size_t)(end - cell));
        if (at && at < (limit ? limit : end))
            return line;
    }
    return NULL;
}

/* What the guide says of the members of a key: a section, a table of its own, a row, or a part of
 * what it says of `around`. */
static char *scope_of(const char *key, const char *around)
{
    const char *at = line_of(guide, "## ", key, '\n');
    if (!at)
        at = line_of(guide, "### ", key, ':');
    if (at && strncmp(at + strlen("### ``") + strlen(key), " of ", 4) != 0)
        return part(at, "##");
    at = line_of(guide, "| key of ", key, '|');
    if (at)
        return part(at, "\n");
    at = line_of(guide, "| ", key, '|');
    return at ? part(at, NULL) : strdup(around);
}

static bool has(const struct htmt__field *fields, const char *key, size_t length)
{
    for (; fields && fields->key; fields++)
        if (strlen(fields->key) == length && strncmp(fields->key, key, length) == 0)
            return true;
    return false;
}

/* Every key of the first column of the scope's tables is in one of the two tables. */
static void nothing_else(const char *scope, const struct htmt__field *a,
                         const struct htmt__field *b)
{
    for (const char *line = scope; line && strncmp(line, "| key of ", 9) != 0;
         line = strchr(line, '\n'), line += line != NULL)
        for (const char *at = line; strncmp(line, "| `", 3) == 0 && (at = strpbrk(at + 1, "`|"));) {
            if (*at == '|')
                break;
            size_t length = strcspn(at + 1, "`");
            cr_expect(has(a, at + 1, length) || has(b, at + 1, length),
                      "`%.*s` is in docs/json.md alone", (int)length, at + 1);
            at += length + 1;
        }
}

static const char *type_of(enum htmt__field_kind kind)
{
    static const char *const types[] = {
        [HTMT__FIELD_CHARS] = "string",  [HTMT__FIELD_TEXT] = "string",
        [HTMT__FIELD_COUNT] = "integer", [HTMT__FIELD_LIMIT] = "integer",
        [HTMT__FIELD_WHOLE] = "integer", [HTMT__FIELD_REAL] = "number",
        [HTMT__FIELD_FLAG] = "boolean",  [HTMT__FIELD_HASH] = "string",
        [HTMT__FIELD_TRUTH] = "boolean", [HTMT__FIELD_OBJECT] = "object",
        [HTMT__FIELD_ITEMS] = "objects", [HTMT__FIELD_OWN] = "",
    };
    return types[kind];
}

/* All keys of the table are in the scope, with their types where they have rows with types. */
static void documented(const char *scope, const struct htmt__field *fields)
{
    for (const struct htmt__field *f = fields; f->key; f++) {
        char quoted[80];
        snprintf(quoted, sizeof quoted, "`%s`", f->key);
        cr_expect_not_null(strstr(scope, quoted), "%s is not in docs/json.md", quoted);
        const char *row =
            strstr(scope, "| key | type |") ? line_of(scope, "| ", f->key, '|') : NULL;
        const char *type = row ? strchr(row + 2, '|') : NULL;
        if (type && !strstr(scope, "` and `")) /* a section of two kinds of objects */
            cr_expect(memmem(type + 1, strcspn(type + 1, "|"), type_of(f->kind),
                             strlen(type_of(f->kind))),
                      "%s is said to be %.*s", quoted, (int)strcspn(type + 1, "|"), type + 1);
        if (f->of) {
            char *inner = scope_of(f->key, scope);
            documented(inner, f->of);
            const char *table = strstr(inner, "| key ");
            if (table && !strstr(inner, "` and `") && strcmp(inner, scope) != 0)
                nothing_else(strchr(table, '\n'), f->of, NULL);
            free(inner);
        }
    }
}

Test(results_fields, the_guide_has_the_keys_of_the_tables)
{
    const char *predict = strstr(guide, "\n## Of predict"),
               *program = strstr(guide, "\n## Of a program of your own");
    char *all = part(guide, "## Of predict"), *of_predict = part(predict + 1, "## Of a program");
    cr_assert(predict && program);
    documented(all, htmt__head_fields);
    documented(all, htmt__run_fields);
    char *both;
    cr_assert_geq(asprintf(&both, "%s\n%s", all, of_predict), 0);
    documented(both, htmt__prediction_fields);
    char *top = part(all, "### ");
    nothing_else(top, htmt__head_fields, htmt__run_fields);
    free(both);
    free(top);
    free(all);
    free(of_predict);
}

/* ---- Python ---------------------------------------------------------------------------------- */

/* The text of a dataclass. The caller frees it. NULL: there is none. */
static char *class_of(const char *name, size_t length)
{
    char head[80];
    snprintf(head, sizeof head, "\nclass %.*s:\n", (int)length, name);
    const char *at = strstr(package, head);
    return at ? part(at + 1, "@dataclass") : NULL;
}

/* The annotation of a field; NULL: there is no such field. */
static const char *annotation(const char *class, const char *key)
{
    char row[80];
    snprintf(row, sizeof row, "\n    %s: ", key);
    const char *at = strstr(class, row);
    return at ? at + strlen(row) : NULL;
}

static void in_python(const char *class, const struct htmt__field *fields)
{
    for (const struct htmt__field *f = fields; f->key; f++) {
        const char *type = annotation(class, f->key);
        cr_expect_not_null(type, "%s is no field of %.40s", f->key, class);
        if (!type || !f->of || strncmp(type, "dict", 4) == 0)
            continue;
        type += strncmp(type, "Table[", 6) == 0 ? 6 : 0;
        char *inner =
            class_of(type, strspn(type, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"));
        cr_assert_not_null(inner, "%s has no class", f->key);
        in_python(inner, f->of);
        for (const char *line = inner; (line = strstr(line, "\n    ")); line++) {
            size_t length = strspn(line + 5, "abcdefghijklmnopqrstuvwxyz_0123456789");
            cr_expect(line[5 + length] != ':' || has(f->of, line + 5, length),
                      "%.*s is in Python alone", (int)length, line + 5);
        }
        free(inner);
    }
}

Test(results_fields, the_dataclasses_have_the_keys_of_the_tables)
{
    char *results = class_of("Results", strlen("Results"));
    cr_assert_not_null(results);
    in_python(results, htmt__head_fields);
    in_python(results, htmt__run_fields);
    in_python(results, htmt__prediction_fields);
    free(results);
}
