/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The top of a nest file: parameters, arrays, what was skipped; the rest is read beside.
 */
#include "emul/loops/nest/reader.h"

#include "layers/file/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters --------------------------------------------------------------------------------
 */

/* "n: 64", or "n: needed": the command line gives it. */
static int read_parameters(struct htmt__nest_reading *r, const struct htmt_yaml *node)
{
    struct htmt__nest_file *f = r->file;
    int rc = htmt__nest_room(r, node, HTMT_YAML_MAPPING, "parameters", sizeof *f->parameter,
                             &f->parameter, &f->parameters);
    struct htmt__nest_parameter *p = f->parameter;
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next, p++) {
        struct htmt__nest_place place = htmt__nest_place_at(r, n, "parameters");
        char *end = NULL;
        p->line = n->line;
        rc = htmt__nest_read_name(r, n->key, n->key_line, "parameters", p->name);
        if (!rc)
            rc = htmt_yaml_expect(n, HTMT_YAML_SCALAR, "a parameter", r->fault);
        if (rc || !strcmp(n->text, "needed"))
            continue;
        errno = 0;
        p->value = strtoll(n->text, &end, 10);
        p->known = !errno && end != n->text && !*end;
        if (!p->known)
            rc = htmt__nest_refuse(&place, HTMT_EFORMAT,
                                   "found '%.40s', expected a whole number or 'needed'", n->text);
    }
    return rc;
}

/* The names of all parameters that are known so far; formal ones move the array of parameters. */
static int name_parameters(struct htmt__nest_reading *r)
{
    struct htmt__nest_file *f = r->file;
    free(f->parameter_name);
    f->parameter_name = calloc(f->parameters + 1, sizeof *f->parameter_name);
    if (!f->parameter_name)
        return htmt_fault_set(r->fault, HTMT_ENOMEM, "%s: out of memory", f->path);
    for (unsigned i = 0; i < f->parameters; i++)
        f->parameter_name[i] = f->parameter[i].name;
    return 0;
}

/* ---- arrays ------------------------------------------------------------------------------------
 */

enum array_row { BOX, COMPONENTS, COMPONENT_AXIS, WORD, RECORD, LIVE, ARRAY_ROWS };

static const struct htmt_schema_row array_rows[] = {
    [BOX] = {.key = "box", .kind = HTMT_SCHEMA_NODE},
    [COMPONENTS] = {.key = "components", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [COMPONENT_AXIS] = {.key = "component-axis", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [WORD] = {.key = "word", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [RECORD] = {.key = "record", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [LIVE] = {.key = "live", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [ARRAY_ROWS] = {.key = NULL}};

static int read_box(struct htmt__nest_reading *r, const struct htmt_yaml *node, const char *what,
                    struct htmt__nest_array *a)
{
    struct htmt__nest_names names = htmt__nest_names_of(r->file, NULL);
    int rc = htmt__nest_room(r, node, HTMT_YAML_SEQUENCE, what, sizeof *a->box, &a->box, &a->axes);
    unsigned i = 0;
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next) {
        struct htmt__nest_place place = htmt__nest_place_at(r, n, what);
        rc = htmt_yaml_expect(n, HTMT_YAML_SCALAR, what, r->fault);
        if (rc)
            return rc;
        const char *at = n->text;
        rc = htmt__nest_read_range(&at, &names, &place, &a->box[i++]);
        if (!rc && *at)
            rc = htmt__nest_refuse(&place, HTMT_EFORMAT, "found '%.40s' behind the range", at);
    }
    return rc;
}

static int read_bytes(struct htmt__nest_reading *r, const struct htmt_yaml *node, const char *what,
                      uint64_t least, uint64_t most, uint64_t *bytes)
{
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    struct htmt_quantity q;
    char why[200];
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, what, r->fault);
    if (!rc && htmt_quantity_read(node->text, HTMT_UNIT_BYTES, NULL, &q, why, sizeof why))
        rc = htmt__nest_refuse(&place, HTMT_EUNIT, "%s", why);
    if (!rc && (q.value.num < least || q.value.num > most))
        rc = htmt__nest_refuse(&place, HTMT_ERANGE,
                               "found '%.40s', expected %" PRIu64 " B to %" PRIu64 " B", node->text,
                               least, most);
    if (!rc)
        *bytes = q.value.num;
    return rc;
}

/* A number of subscripts. */
static int read_axis(struct htmt__nest_reading *r, const struct htmt_yaml *node, const char *what,
                     unsigned least, unsigned most, unsigned *axis)
{
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    char text[8], *end;
    int rc = htmt__nest_read_text(r, node, what, text, sizeof text);
    if (rc)
        return rc;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end || value < least || value > most)
        return htmt__nest_refuse(&place, HTMT_ERANGE, "found '%s', expected %u to %u", text, least,
                                 most);
    *axis = (unsigned)value;
    return 0;
}

/* Where words lie: components among the subscripts, members in their records. */
static int read_place(struct htmt__nest_reading *r, const struct htmt_yaml *components,
                      const struct htmt_yaml *record, struct htmt__nest_array *a)
{
    enum { OF, SIZE, AT, AXES, ROWS };
    static const struct htmt_schema_row rows[] = {
        [OF] = {.key = "of", .kind = HTMT_SCHEMA_TEXT},
        [SIZE] = {.key = "size", .kind = HTMT_SCHEMA_NODE},
        [AT] = {.key = "at", .kind = HTMT_SCHEMA_NODE},
        [AXES] = {.key = "axes", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [ROWS] = {.key = NULL}};
    const struct htmt_yaml *at[ROWS] = {NULL};
    char what[HTMT__NEST_NAME + 8];
    snprintf(what, sizeof what, "%s.record", a->name);
    a->placed = components;
    int rc = components ? read_axis(r, components, a->name, 0, a->axes, &a->component_axis) : 0;
    if (rc || !record)
        return rc;
    rc = htmt_schema_nodes(record, what, rows, at, r->fault);
    if (!rc)
        rc = htmt__nest_read_name(r, at[OF]->text, at[OF]->line, what, a->record);
    if (!rc)
        rc = read_bytes(r, at[SIZE], what, a->bytes, 1 << 20, &a->record_bytes);
    if (!rc)
        rc = read_bytes(r, at[AT], what, 0, a->record_bytes - a->bytes, &a->record_at);
    if (!rc && at[AXES])
        rc = read_axis(r, at[AXES], what, 1, a->axes + 1, &a->record_axes);
    return rc;
}

static int read_array(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                      struct htmt__nest_array *a)
{
    struct htmt__nest_names names = htmt__nest_names_of(r->file, NULL);
    const struct htmt_yaml *at[ARRAY_ROWS] = {NULL};
    a->line = node->line;
    a->bytes = 8;
    int rc = htmt__nest_read_name(r, node->key, node->key_line, "arrays", a->name);
    if (!rc)
        rc = htmt_schema_nodes(node, a->name, array_rows, at, r->fault);
    if (!rc)
        rc = read_box(r, at[BOX], a->name, a);
    if (!rc)
        rc = htmt__nest_read_expression(r, at[COMPONENTS], &names, a->name, &a->components);
    if (!rc && at[WORD])
        rc = read_bytes(r, at[WORD], a->name, 1, 1024, &a->bytes);
    if (!rc)
        rc = read_place(r, at[COMPONENT_AXIS], at[RECORD], a);
    if (rc || !at[LIVE])
        return rc;
    struct htmt__nest_place place = htmt__nest_place_at(r, at[LIVE], a->name);
    char live[16];
    rc = htmt__nest_read_text(r, at[LIVE], a->name, live, sizeof live);
    if (rc)
        return rc;
    const bool both = !strcmp(live, "both");
    a->entry = both || !strcmp(live, "entry");
    a->exit = both || !strcmp(live, "exit");
    if (a->entry || a->exit || !strcmp(live, "no"))
        return 0;
    return htmt__nest_refuse(&place, HTMT_EFORMAT, "found '%s', expected entry, exit, both or no",
                             live);
}

static int read_arrays(struct htmt__nest_reading *r, const struct htmt_yaml *node)
{
    struct htmt__nest_file *f = r->file;
    int rc = htmt__nest_room(r, node, HTMT_YAML_MAPPING, "arrays", sizeof *f->array, &f->array,
                             &f->arrays);
    unsigned i = 0;
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next)
        rc = read_array(r, n, &f->array[i++]);
    return rc;
}

/* ---- what was skipped --------------------------------------------------------------------------
 */

static int read_number(struct htmt__nest_reading *r, const struct htmt_yaml *node, uint64_t *value)
{
    char text[24], *end;
    int rc = htmt__nest_read_text(r, node, "skipped", text, sizeof text);
    if (rc)
        return rc;
    *value = strtoull(text, &end, 10);
    return !*end ? 0
                 : htmt_fault_set(r->fault, HTMT_EFORMAT,
                                  "%s:%d: skipped: found '%s', expected a whole number",
                                  r->file->path, node->line, text);
}

static int read_skips(struct htmt__nest_reading *r, const struct htmt_yaml *node)
{
    enum { SOURCE, LINE, COLUMN, WHY, ROWS };
    static const struct htmt_schema_row rows[] = {
        [SOURCE] = {.key = "file", .kind = HTMT_SCHEMA_TEXT, .optional = true},
        [LINE] = {.key = "line", .kind = HTMT_SCHEMA_WHOLE},
        [COLUMN] = {.key = "column", .kind = HTMT_SCHEMA_WHOLE, .optional = true},
        [WHY] = {.key = "why", .kind = HTMT_SCHEMA_TEXT},
        [ROWS] = {.key = NULL}};
    struct htmt__nest_file *f = r->file;
    int rc = htmt__nest_room(r, node, HTMT_YAML_SEQUENCE, "skipped", sizeof *f->skipped,
                             &f->skipped, &f->skips);
    struct htmt__nest_skipped *s = f->skipped;
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next, s++) {
        const struct htmt_yaml *at[ROWS] = {NULL};
        rc = htmt_schema_nodes(n, "skipped", rows, at, r->fault);
        if (!rc && at[SOURCE])
            rc = htmt__nest_read_text(r, at[SOURCE], "skipped", s->source, sizeof s->source);
        if (!rc)
            rc = htmt__nest_read_text(r, at[WHY], "skipped", s->why, sizeof s->why);
        if (!rc)
            rc = read_number(r, at[LINE], &s->line);
        if (!rc && at[COLUMN])
            rc = read_number(r, at[COLUMN], &s->column);
    }
    return rc;
}

/* ---- the file ----------------------------------------------------------------------------------
 */

enum top_row {
    VERSION_ROW,
    ABOUT,
    SOURCE,
    UNIT,
    PARAMETERS,
    ASSUME,
    ARRAYS,
    NESTS,
    DEPENDENCES,
    PROCEDURES,
    PROGRAM,
    SKIPPED,
    TOP_ROWS
};

static const struct htmt_schema_row top_rows[] = {
    [VERSION_ROW] = {.key = "htmt-nests", .kind = HTMT_SCHEMA_NODE},
    [ABOUT] = {.key = "about", .kind = HTMT_SCHEMA_TEXT, .optional = true},
    [SOURCE] = {.key = "source", .kind = HTMT_SCHEMA_TEXT, .optional = true},
    [UNIT] = {.key = "unit-stride", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [PARAMETERS] = {.key = "parameters", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [ASSUME] = {.key = "assume", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [ARRAYS] = {.key = "arrays", .kind = HTMT_SCHEMA_NODE},
    [NESTS] = {.key = "nests", .kind = HTMT_SCHEMA_NODE},
    [DEPENDENCES] = {.key = "dependences", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [PROCEDURES] = {.key = "procedures", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [PROGRAM] = {.key = "program", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [SKIPPED] = {.key = "skipped", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [TOP_ROWS] = {.key = NULL}};

static int read_assumptions(struct htmt__nest_reading *r, const struct htmt_yaml *node)
{
    struct htmt__nest_file *f = r->file;
    struct htmt__nest_names names = htmt__nest_names_of(f, NULL);
    unsigned i = 0;
    int rc = htmt__nest_room(r, node, HTMT_YAML_SEQUENCE, "assume", sizeof *f->assumption,
                             &f->assumption, &f->assumptions);
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next) {
        struct htmt__nest_place place = htmt__nest_place_at(r, n, "assume");
        struct htmt__nest_assumption *a = &f->assumption[i++];
        a->line = n->line;
        rc = htmt__nest_read_text(r, n, "assume", a->text, sizeof a->text);
        if (!rc)
            rc = htmt__nest_condition_read(a->text, &names, &place, &a->holds);
    }
    return rc;
}

/* Names come first, as all expressions may name them: parameters and arrays of the file, then the
 * formal ones of procedures. */
static int read_root(struct htmt__nest_reading *r, const struct htmt_yaml *root)
{
    struct htmt__nest_file *f = r->file;
    const struct htmt_yaml *at[TOP_ROWS] = {NULL};
    int rc = htmt_schema_nodes(root, "a nest file", top_rows, at, r->fault);
    if (!rc)
        rc = htmt__schema_version(root, "htmt-nests", "a nest file", r->fault);
    if (!rc && at[ABOUT])
        rc = htmt__nest_read_text(r, at[ABOUT], "about", f->about, sizeof f->about);
    if (!rc && at[SOURCE])
        rc = htmt__nest_read_text(r, at[SOURCE], "source", f->source, sizeof f->source);
    char unit[8] = "last";
    if (!rc && at[UNIT])
        rc = htmt__nest_read_text(r, at[UNIT], "unit-stride", unit, sizeof unit);
    f->unit_first = !strcmp(unit, "first");
    if (!rc && !f->unit_first && strcmp(unit, "last") != 0)
        rc = htmt_fault_set(r->fault, HTMT_EFORMAT,
                            "%s:%d: unit-stride: found '%s', expected first or last", f->path,
                            at[UNIT]->line, unit);
    if (!rc && at[PARAMETERS])
        rc = read_parameters(r, at[PARAMETERS]);
    if (!rc)
        rc = name_parameters(r);
    if (!rc && at[ASSUME])
        rc = read_assumptions(r, at[ASSUME]);
    if (!rc)
        rc = read_arrays(r, at[ARRAYS]);
    if (!rc && at[PROCEDURES])
        rc = htmt__nest_read_formals(r, at[PROCEDURES]);
    if (!rc)
        rc = name_parameters(r); /* now with the formal ones */
    if (!rc)
        rc = htmt__nest_read_nests(r, at[NESTS]);
    if (!rc && at[DEPENDENCES])
        rc = htmt__nest_read_dependences(r, at[DEPENDENCES]);
    if (!rc && at[PROCEDURES])
        rc = htmt__nest_read_procedures(r, at[PROCEDURES]);
    if (!rc && at[PROGRAM])
        rc = htmt__nest_read_steps(r, at[PROGRAM], &f->step, &f->steps);
    return rc || !at[SKIPPED] ? rc : read_skips(r, at[SKIPPED]);
}

static int make(const char *name, const struct htmt_yaml *root, struct htmt__nest_file **file,
                struct htmt_fault *fault)
{
    struct htmt__nest_file *f = calloc(1, sizeof *f);
    struct htmt__nest_reading r = {f, fault};
    if (!f)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", name);
    snprintf(f->path, sizeof f->path, "%s", name);
    int rc = read_root(&r, root);
    if (rc)
        htmt__nest_file_destroy(&f);
    else
        *file = f;
    return rc;
}

int htmt__nest_file_read(const char *path, struct htmt__nest_file **file, struct htmt_fault *fault)
{
    struct htmt_yaml *root = NULL;
    int rc = htmt_schema_open(path, &root, fault);
    if (!rc)
        rc = make(path, root, file, fault);
    htmt_yaml_destroy(&root);
    return rc;
}

int htmt__nest_file_parse(const char *name, const char *text, size_t length,
                          struct htmt__nest_file **file, struct htmt_fault *fault)
{
    struct htmt_yaml *root = NULL;
    int rc = htmt_yaml_parse(name, text, length, &root, fault);
    if (!rc)
        rc = make(name, root, file, fault);
    htmt_yaml_destroy(&root);
    return rc;
}

void htmt__nest_file_destroy(struct htmt__nest_file **file)
{
    struct htmt__nest_file *f = *file;
    if (!f)
        return;
    for (unsigned i = 0; i < f->arrays; i++) {
        for (unsigned k = 0; k < f->array[i].axes; k++)
            htmt__nest_clear_range(&f->array[i].box[k]);
        free(f->array[i].box);
        htmt__nest_expression_clear(&f->array[i].components);
    }
    for (unsigned i = 0; i < f->procedures; i++) {
        htmt__nest_clear_steps(f->procedure[i].step, f->procedure[i].steps);
        free(f->procedure[i].parameter);
        free(f->procedure[i].array);
    }
    free(f->array);
    free(f->procedure);
    for (unsigned i = 0; i < f->nests; i++)
        htmt__nest_clear_nest(&f->nest[i]);
    htmt__nest_clear_steps(f->step, f->steps);
    free(f->nest);
    free(f->parameter);
    free(f->parameter_name);
    free(f->dependence);
    for (unsigned i = 0; i < f->assumptions; i++)
        htmt__nest_condition_destroy(&f->assumption[i].holds);
    free(f->assumption);
    free(f->skipped);
    free(f);
    *file = NULL;
}
