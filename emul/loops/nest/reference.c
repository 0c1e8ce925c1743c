/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts of nest files: names, expressions, ranges, references to arrays.
 *
 *     range      = expression [ ".." expression ]
 *     part       = array [ ":" range ]                     u:0..4
 *     access     = touch part "[" range { "," range } "]" [ "x" expression ]
 *
 * Each function takes its piece from the front of the text and leaves the rest, so a mistake is
 * told with what stands there. By hand, "update u:0..4[k-1, j, i] x2": the touch is up to the
 * blank; the name is u; behind the colon the components are 0 to 4; then three subscripts, each a
 * range of one end; then 2 times. "read u[k-1, j i]" is refused: found 'i]', expected ']'.
 *
 * One character has two meanings. Names of arrays may have dots, rho.inverse, since those of
 * members of structs in C do, and a range has two dots. A name therefore ends before two dots that
 * follow each other, and u..v is the range from u to v. Loop variables have no dots, so that the
 * text of an expression needs no such rule.
 */
#include "emul/loops/nest/reader.h"

#include "runtime/base/array.h"
#include "runtime/base/suggest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct htmt__nest_place htmt__nest_place_at(const struct htmt__nest_reading *r,
                                            const struct htmt_yaml *node, const char *what)
{
    return (struct htmt__nest_place){r->file->path, what, node->line, r->fault};
}

int htmt__nest_read_text(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                         const char *what, char *text, size_t room)
{
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, what, r->fault);
    if (!rc && strlen(node->text) >= room)
        rc = htmt__nest_refuse(&place, HTMT_EFORMAT, "more than %zu characters", room - 1);
    if (!rc)
        memcpy(text, node->text, strlen(node->text) + 1);
    return rc;
}

int htmt__nest_room(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                    enum htmt_yaml_kind kind, const char *what, size_t size, void *all,
                    unsigned *count)
{
    unsigned children = 0;
    int rc = htmt_yaml_expect(node, kind, what, r->fault);
    if (rc)
        return rc;
    for (const struct htmt_yaml *n = node->first; n; n = n->next)
        children++;
    void *room = calloc(children + 1, size);
    if (!room)
        return htmt_fault_set(r->fault, HTMT_ENOMEM, "%s: out of memory", r->file->path);
    *(void **)all = room;
    *count = children;
    return 0;
}

static size_t name_length(const char *text)
{
    size_t length = 0;
    if (isalpha((unsigned char)*text) || *text == '_')
        while (isalnum((unsigned char)text[length]) || (text[length] && strchr("_.", text[length])))
            length++;
    /* u..v is no name: two dots begin the end of a range */
    for (size_t i = 0; i + 1 < length; i++)
        if (text[i] == '.' && text[i + 1] == '.')
            return i;
    return length;
}

int htmt__nest_read_name(struct htmt__nest_reading *r, const char *name, int line, const char *what,
                         char text[static HTMT__NEST_NAME])
{
    static const char *const reserved[] = {"floor", "ceil", "min", "max", "mod", "and"};
    struct htmt__nest_place place = {r->file->path, what, line, r->fault};
    size_t length = name_length(name);
    bool bad = !length || name[length] || length >= HTMT__NEST_NAME;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        bad = bad || !strcmp(name, reserved[i]);
    if (bad)
        return htmt__nest_refuse(&place, HTMT_EFORMAT,
                                 "found '%.60s', expected a name of letters, digits, _ and .",
                                 name);
    memcpy(text, name, length + 1);
    return 0;
}

static int whole_text(const char *rest, const struct htmt__nest_place *place)
{
    if (!*rest)
        return 0;
    return htmt__nest_refuse(place, HTMT_EFORMAT, "found '%.40s' behind the expression", rest);
}

int htmt__nest_read_expression(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                               const struct htmt__nest_names *names, const char *what,
                               struct htmt__nest_expression *expression)
{
    if (!node)
        return 0;
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, what, r->fault);
    if (rc)
        return rc;
    const char *at = node->text;
    rc = htmt__nest_expression_read(&at, names, &place, expression);
    return rc ? rc : whole_text(at, &place);
}

struct htmt__nest_names htmt__nest_names_of(const struct htmt__nest_file *file,
                                            const struct htmt__nest *nest)
{
    struct htmt__nest_names names = {.name = file->parameter_name, .count = file->parameters};
    for (unsigned l = 0; nest && l < nest->depth; l++)
        names.variable[names.depth++] = nest->loop[l].name;
    return names;
}

int htmt__nest_read_range(const char **text, const struct htmt__nest_names *names,
                          const struct htmt__nest_place *place, struct htmt__nest_range *range)
{
    int rc = htmt__nest_expression_read(text, names, place, &range->low);
    if (rc || strncmp(*text, "..", 2) != 0)
        return rc;
    *text += 2;
    return htmt__nest_expression_read(text, names, place, &range->high);
}

void htmt__nest_clear_range(struct htmt__nest_range *range)
{
    htmt__nest_expression_clear(&range->low);
    htmt__nest_expression_clear(&range->high);
}

/* ---- arrays ------------------------------------------------------------------------------------
 */

int htmt__nest_find_array(const struct htmt__nest_file *file, const char *name)
{
    for (unsigned i = 0; i < file->arrays; i++)
        if (!strcmp(file->array[i].name, name))
            return (int)i;
    return -1;
}

int htmt__nest_find_parameter(const struct htmt__nest_file *file, const char *name)
{
    for (unsigned i = 0; i < file->parameters; i++)
        if (!strcmp(file->parameter[i].name, name))
            return (int)i;
    return -1;
}

/* A name, and its components if a colon follows. */
static int take_part(struct htmt__nest_reading *r, const char **text,
                     const struct htmt__nest_place *place, unsigned *array,
                     struct htmt__nest_range *component)
{
    char name[HTMT__NEST_NAME], hint[200];
    const char *known[256];
    unsigned count = 0;
    struct htmt__nest_names names = htmt__nest_names_of(r->file, NULL);
    size_t length = name_length(*text);
    if (!length || length >= sizeof name)
        return htmt__nest_refuse(place, HTMT_EFORMAT, "found '%.40s', expected an array", *text);
    memcpy(name, *text, length);
    name[length] = '\0';
    *text += length;
    int found = htmt__nest_find_array(r->file, name);
    if (found < 0) {
        for (; count < r->file->arrays && count < 256; count++)
            known[count] = r->file->array[count].name;
        htmt__suggest(name, known, count, hint, sizeof hint);
        return htmt__nest_refuse(place, HTMT_EFORMAT, "unknown array '%s', %s", name, hint);
    }
    *array = (unsigned)found;
    if (**text != ':')
        return 0;
    ++*text;
    return htmt__nest_read_range(text, &names, place, component);
}

int htmt__nest_read_part(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                         const char *what, struct htmt__nest_part *part)
{
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, what, r->fault);
    if (rc)
        return rc;
    const char *at = node->text;
    rc = take_part(r, &at, &place, &part->array, &part->component);
    return rc ? rc : whole_text(at, &place);
}

/* ---- accesses ----------------------------------------------------------------------------------
 */

static int take_subscripts(const char **text, const struct htmt__nest_names *names,
                           const struct htmt__nest_place *place, struct htmt__nest_access *a)
{
    int rc = 0;
    do {
        if (!htmt__array_fits(&a->subscript, &a->subscript_room, a->subscripts + 1,
                              sizeof *a->subscript))
            return htmt__nest_refuse(place, HTMT_ENOMEM, "out of memory");
        struct htmt__nest_range *range = &a->subscript[a->subscripts++];
        *range = (struct htmt__nest_range){0};
        ++*text; /* '[' or ',' */
        rc = htmt__nest_read_range(text, names, place, range);
    } while (!rc && **text == ',');
    if (!rc && **text != ']')
        rc = htmt__nest_refuse(place, HTMT_EFORMAT, "found '%.40s', expected ']'", *text);
    *text += !rc;
    return rc;
}

/* "update u:0..4[k-1, j, i] x2": the touch, the array with components, subscripts, times. */
int htmt__nest_read_access(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                           const struct htmt__nest *nest, const char *what,
                           struct htmt__nest_access *access)
{
    static const char *const words[] = {[HTMT__NEST_READ] = "read ",
                                        [HTMT__NEST_WRITE] = "write ",
                                        [HTMT__NEST_UPDATE] = "update "};
    const unsigned touches = sizeof words / sizeof *words;
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    struct htmt__nest_names names = htmt__nest_names_of(r->file, nest);
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, what, r->fault);
    if (rc)
        return rc;
    const char *at = node->text;
    unsigned touch = 0;
    access->line = node->line;
    while (touch < touches && strncmp(at, words[touch], strlen(words[touch])) != 0)
        touch++;
    if (touch == touches)
        return htmt__nest_refuse(&place, HTMT_EFORMAT,
                                 "found '%.40s', expected 'read', 'write' or 'update' and an array",
                                 at);
    access->touch = (enum htmt__nest_touch)touch;
    at += strlen(words[touch]);
    rc = take_part(r, &at, &place, &access->array, &access->component);
    if (!rc && *at != '[')
        rc = htmt__nest_refuse(&place, HTMT_EFORMAT, "found '%.40s', expected '[' and subscripts",
                               at);
    if (!rc)
        rc = take_subscripts(&at, &names, &place, access);
    if (rc)
        return rc;
    while (*at == ' ')
        at++;
    if (*at == 'x') {
        at++;
        names.depth = 0; /* times may name parameters alone */
        rc = htmt__nest_expression_read(&at, &names, &place, &access->times);
    }
    return rc ? rc : whole_text(at, &place);
}
