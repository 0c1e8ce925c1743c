/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program of a nest file, and its procedures.
 *
 * Formal names. A procedure's formal parameters and arrays are entries behind those of the file, in
 * the same tables, marked formal. So an expression or an access of a nest refers to either by an
 * index, and is read once; a call only changes what the entries mean while the body runs
 * (program.c). Procedures that use the same formal name share its entry, which is safe since a call
 * saves what the caller had there. Formal names are read before any nest, as nests may use them,
 * and bodies of procedures after all nests, as they name them.
 */
#include "emul/loops/nest/reader.h"

#include "runtime/base/array.h"
#include "runtime/base/suggest.h"

#include <stdlib.h>
#include <string.h>

static int refuse(struct htmt__nest_reading *r, const struct htmt_yaml *node, const char *what,
                  const char *expected)
{
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    return htmt__nest_refuse(&place, HTMT_EFORMAT, "found '%.60s', %s",
                             node->text ? node->text : "a mapping", expected);
}

static int find_procedure(const struct htmt__nest_file *f, const char *name)
{
    for (unsigned i = 0; i < f->procedures; i++)
        if (!strcmp(f->procedure[i].name, name))
            return (int)i;
    return -1;
}

void htmt__nest_clear_steps(struct htmt__nest_step *step, unsigned steps)
{
    for (unsigned i = 0; i < steps; i++) {
        struct htmt__nest_step *s = &step[i];
        htmt__nest_expression_clear(&s->number);
        for (unsigned k = 0; k < s->bindings; k++) {
            htmt__nest_expression_clear(&s->binding[k].value);
            htmt__nest_clear_range(&s->binding[k].part.component);
        }
        for (unsigned k = 0; k < s->parts; k++)
            htmt__nest_clear_range(&s->part[k].component);
        htmt__nest_clear_steps(s->step, s->steps);
        free(s->binding);
        free(s->part);
    }
    free(step);
}

/* ---- nest, call --------------------------------------------------------------------------------
 */

static int read_index(struct htmt__nest_reading *r, const struct htmt_yaml *node, const char *what,
                      int (*find)(const struct htmt__nest_file *, const char *), unsigned *index)
{
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, what, r->fault);
    int found = rc ? -1 : find(r->file, node->text);
    if (!rc && found < 0)
        rc = refuse(r, node, what, "which is not in the file");
    *index = (unsigned)found;
    return rc;
}

static bool is_formal(const unsigned *formal, unsigned count, int index)
{
    for (unsigned i = 0; i < count; i++)
        if ((int)formal[i] == index)
            return true;
    return false;
}

static int read_call(struct htmt__nest_reading *r, const struct htmt_yaml *call,
                     const struct htmt_yaml *with, struct htmt__nest_step *s)
{
    struct htmt__nest_names names = htmt__nest_names_of(r->file, NULL);
    int rc = read_index(r, call, "call", find_procedure, &s->index);
    if (rc)
        return rc;
    const struct htmt__nest_procedure *p = &r->file->procedure[s->index];
    if (with)
        rc = htmt__nest_room(r, with, HTMT_YAML_MAPPING, "with", sizeof *s->binding, &s->binding,
                             &s->bindings);
    unsigned i = 0;
    for (const struct htmt_yaml *n = with ? with->first : NULL; n && !rc; n = n->next) {
        struct htmt__nest_binding *b = &s->binding[i++];
        int parameter = htmt__nest_find_parameter(r->file, n->key);
        int array = htmt__nest_find_array(r->file, n->key);
        b->array = is_formal(p->array, p->arrays, array);
        if (b->array) {
            b->formal = (unsigned)array;
            rc = htmt__nest_read_part(r, n, "with", &b->part);
        } else if (is_formal(p->parameter, p->parameters, parameter)) {
            b->formal = (unsigned)parameter;
            rc = htmt__nest_read_expression(r, n, &names, "with", &b->value);
        } else {
            rc = htmt_fault_set(r->fault, HTMT_EFORMAT, "%s:%d: with: procedure %s has no '%.60s'",
                                r->file->path, n->key_line, p->name, n->key);
        }
    }
    if (!rc && s->bindings != p->parameters + p->arrays)
        rc =
            htmt_fault_set(r->fault, HTMT_EFORMAT,
                           "%s:%d: call: procedure %s has %u formal names, found %u of them",
                           r->file->path, s->line, p->name, p->parameters + p->arrays, s->bindings);
    return rc;
}

static int read_exchange(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                         struct htmt__nest_step *s)
{
    enum { ARRAYS, DEPTH, ROWS };
    static const struct htmt_schema_row rows[] = {
        [ARRAYS] = {.key = "arrays", .kind = HTMT_SCHEMA_NODE},
        [DEPTH] = {.key = "depth", .kind = HTMT_SCHEMA_NODE},
        [ROWS] = {.key = NULL}};
    const struct htmt_yaml *at[ROWS] = {NULL};
    struct htmt__nest_names names = htmt__nest_names_of(r->file, NULL);
    int rc = htmt_schema_nodes(node, "exchange", rows, at, r->fault);
    if (!rc)
        rc = htmt__nest_read_expression(r, at[DEPTH], &names, "exchange.depth", &s->number);
    if (!rc)
        rc = htmt__nest_room(r, at[ARRAYS], HTMT_YAML_SEQUENCE, "exchange.arrays", sizeof *s->part,
                             &s->part, &s->parts);
    unsigned i = 0;
    for (const struct htmt_yaml *n = rc ? NULL : at[ARRAYS]->first; n && !rc; n = n->next)
        rc = htmt__nest_read_part(r, n, "exchange.arrays", &s->part[i++]);
    return rc;
}

/* ---- steps -------------------------------------------------------------------------------------
 */

/* One key tells the kind of a step; some have another beside it. */
static int read_step(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                     struct htmt__nest_step *s)
{
    enum { NEST, CALL, WITH, REPEAT, LOOP, DO, EXCHANGE, ROWS };
    static const struct htmt_schema_row rows[] = {
        [NEST] = {.key = "nest", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [CALL] = {.key = "call", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [WITH] = {.key = "with", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [REPEAT] = {.key = "repeat", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [LOOP] = {.key = "loop", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [DO] = {.key = "do", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [EXCHANGE] = {.key = "exchange", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [ROWS] = {.key = NULL}};
    static const struct {
        int row, beside;
    } kinds[] = {[HTMT__NEST_RUN] = {NEST, NEST},
                 [HTMT__NEST_CALL] = {CALL, WITH},
                 [HTMT__NEST_REPEAT] = {REPEAT, DO},
                 [HTMT__NEST_INSIDE_LOOP] = {LOOP, DO},
                 [HTMT__NEST_EXCHANGE] = {EXCHANGE, EXCHANGE}};
    const struct htmt_yaml *at[ROWS] = {NULL};
    struct htmt__nest_names names = htmt__nest_names_of(r->file, NULL);
    unsigned kind = 0;
    s->line = node->line;
    int rc = htmt_schema_nodes(node, "a step of the program", rows, at, r->fault);
    if (rc)
        return rc;
    while (kind < sizeof kinds / sizeof *kinds && !at[kinds[kind].row])
        kind++;
    if (kind == sizeof kinds / sizeof *kinds)
        return refuse(r, node, "program", "expected nest, call, repeat, loop or exchange");
    for (int k = 0; k < ROWS; k++)
        if (at[k] && k != kinds[kind].row && k != kinds[kind].beside)
            return refuse(r, node, rows[k].key, "which does not belong to this step");
    s->kind = (enum htmt__nest_step_kind)kind;
    switch (s->kind) {
    case HTMT__NEST_RUN:
        return read_index(r, at[NEST], "nest", htmt__nest_find, &s->index);
    case HTMT__NEST_CALL:
        return read_call(r, at[CALL], at[WITH], s);
    case HTMT__NEST_EXCHANGE:
        return read_exchange(r, at[EXCHANGE], s);
    case HTMT__NEST_REPEAT:
        rc = htmt__nest_read_expression(r, at[REPEAT], &names, "repeat", &s->number);
        break;
    default:
        rc = htmt_yaml_expect(at[LOOP], HTMT_YAML_SCALAR, "loop", r->fault);
        if (!rc)
            rc = htmt__nest_read_name(r, at[LOOP]->text, at[LOOP]->line, "loop", s->loop);
    }
    if (!rc && !at[DO])
        rc = refuse(r, at[kinds[kind].row], rows[kinds[kind].row].key, "expected 'do' beside it");
    return rc ? rc : htmt__nest_read_steps(r, at[DO], &s->step, &s->steps);
}

int htmt__nest_read_steps(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                          struct htmt__nest_step **step, unsigned *steps)
{
    int rc = htmt__nest_room(r, node, HTMT_YAML_SEQUENCE, "program", sizeof **step, step, steps);
    unsigned i = 0;
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next)
        rc = read_step(r, n, &(*step)[i++]);
    return rc;
}

/* ---- procedures --------------------------------------------------------------------------------
 */

/* One more element, zeroed: room for names of procedures behind those of the file. */
static int grow(struct htmt__nest_reading *r, void *all, size_t *room, unsigned count, size_t size)
{
    char *at;
    if (*room < count)
        *room = count; /* as many as the file has */
    if (!htmt__array_fits(all, room, (size_t)count + 1, size))
        return htmt_fault_set(r->fault, HTMT_ENOMEM, "out of memory");
    memcpy(&at, all, sizeof at);
    memset(at + count * size, 0, size);
    return 0;
}

/* The index of a formal name, which is added to the file's if no procedure before had it. */
static int add_parameter(struct htmt__nest_reading *r, const char *name, int line, unsigned *index)
{
    struct htmt__nest_file *f = r->file;
    int found = htmt__nest_find_parameter(f, name);
    *index = found < 0 ? f->parameters : (unsigned)found;
    if (found >= 0)
        return 0;
    int rc = grow(r, &f->parameter, &f->parameter_room, f->parameters, sizeof *f->parameter);
    if (rc)
        return rc;
    struct htmt__nest_parameter *p = &f->parameter[f->parameters++];
    p->formal = true;
    p->line = line;
    return htmt__nest_read_name(r, name, line, "parameters", p->name);
}

static int add_array(struct htmt__nest_reading *r, const char *name, int line, unsigned *index)
{
    struct htmt__nest_file *f = r->file;
    int found = htmt__nest_find_array(f, name);
    *index = found < 0 ? f->arrays : (unsigned)found;
    if (found >= 0)
        return 0;
    int rc = grow(r, &f->array, &f->array_room, f->arrays, sizeof *f->array);
    if (rc)
        return rc;
    struct htmt__nest_array *a = &f->array[f->arrays++];
    a->formal = true;
    a->bytes = 8;
    a->line = line;
    return htmt__nest_read_name(r, name, line, "arrays", a->name);
}

static int read_formal_names(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                             const char *what,
                             int (*add)(struct htmt__nest_reading *, const char *, int, unsigned *),
                             unsigned **index, unsigned *count)
{
    int rc = htmt__nest_room(r, node, HTMT_YAML_SEQUENCE, what, sizeof **index, index, count);
    unsigned i = 0;
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next) {
        rc = htmt_yaml_expect(n, HTMT_YAML_SCALAR, what, r->fault);
        if (!rc)
            rc = add(r, n->text, n->line, &(*index)[i++]);
    }
    return rc;
}

static int read_procedure(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                          struct htmt__nest_procedure *p)
{
    enum { PARAMETERS, ARRAYS, UNKNOWN, PROGRAM, ROWS };
    static const struct htmt_schema_row rows[] = {
        [PARAMETERS] = {.key = "parameters", .kind = HTMT_SCHEMA_NODE},
        [ARRAYS] = {.key = "arrays", .kind = HTMT_SCHEMA_NODE},
        [UNKNOWN] = {.key = "unknown", .kind = HTMT_SCHEMA_SWITCH, .optional = true},
        [PROGRAM] = {.key = "program", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [ROWS] = {.key = NULL}};
    const struct htmt_yaml *at[ROWS] = {NULL};
    p->line = node->line;
    int rc = htmt__nest_read_name(r, node->key, node->key_line, "procedures", p->name);
    if (!rc)
        rc = htmt_schema_nodes(node, "a procedure", rows, at, r->fault);
    if (!rc)
        rc = read_formal_names(r, at[PARAMETERS], "parameters", add_parameter, &p->parameter,
                               &p->parameters);
    if (!rc)
        rc = read_formal_names(r, at[ARRAYS], "arrays", add_array, &p->array, &p->arrays);
    if (rc)
        return rc;
    const struct htmt_yaml *u = at[UNKNOWN];
    if (u && (!u->text || (strcmp(u->text, "true") != 0 && strcmp(u->text, "false") != 0)))
        return refuse(r, u, "unknown", "expected true or false");
    p->unknown = u && !strcmp(u->text, "true");
    if (p->unknown == !at[PROGRAM])
        return 0;
    return htmt_fault_set(r->fault, HTMT_EFORMAT,
                          "%s:%d: procedure %s: expected a program, or 'unknown: true'",
                          r->file->path, p->line, p->name);
}

int htmt__nest_read_formals(struct htmt__nest_reading *r, const struct htmt_yaml *node)
{
    struct htmt__nest_file *f = r->file;
    int rc = htmt__nest_room(r, node, HTMT_YAML_MAPPING, "procedures", sizeof *f->procedure,
                             &f->procedure, &f->procedures);
    unsigned i = 0;
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next)
        rc = read_procedure(r, n, &f->procedure[i++]);
    return rc;
}

int htmt__nest_read_procedures(struct htmt__nest_reading *r, const struct htmt_yaml *node)
{
    unsigned i = 0;
    int rc = 0;
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next, i++) {
        struct htmt__nest_procedure *p = &r->file->procedure[i];
        const struct htmt_yaml *program = htmt_yaml_get(n, "program");
        if (program)
            rc = htmt__nest_read_steps(r, program, &p->step, &p->steps);
    }
    return rc;
}
