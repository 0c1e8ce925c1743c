/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The nests of a nest file: loops, operations, accesses, state; and dependences between nests.
 *
 * A nest is what an iteration of its innermost body does, and over which iterations. For example:
 *
 *     smooth:
 *       loops:                               # outermost first
 *         j: 0..n-1
 *         i: max(0, j-8)..min(n-1, j+8)      # may name the loops outside
 *       ops: {add: 2, mul: 1, functions: {exp: 1}}
 *       accesses: ["read u[j, i-1]", "update v[j, i] x2"]
 *       state: {c: {kind: fp, loads: 1, stores: 0}}
 *
 * Everything is an expression of parameters, and nothing is evaluated here: the same file is asked
 * for many values of them. A bound may also name the loops outside of its own, a subscript all
 * loops of its nest. Counts (operations, times, state) may name no loop, since they are of one
 * iteration, the same in each. Where that is not so, as for iterations of which only some take
 * part, `count` says how many there are, in pieces: the first whose condition `where` holds.
 *
 * Reading allocates from what the file has, never from what it says: a list gets room for as many
 * elements as it has nodes before the first of them is read. Elements are zero until they are read,
 * so if reading fails in the middle, htmt__nest_clear_nest() frees what is there. Keys come from
 * tables, so an unknown, missing or repeated key is refused with its line before any value is
 * looked at.
 */
#include "emul/loops/nest/reader.h"

#include "runtime/base/array.h"
#include "runtime/base/suggest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHAT 200 /* of "nests.NAME.accesses" */

static int read_whole(struct htmt__nest_reading *r, const struct htmt_yaml *node, const char *what,
                      int64_t least, int64_t *value)
{
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    char *end = NULL;
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, what, r->fault);
    if (rc)
        return rc;
    errno = 0;
    *value = strtoll(node->text, &end, 10);
    if (!errno && end != node->text && !*end && *value >= least)
        return 0;
    return htmt__nest_refuse(&place, HTMT_ERANGE,
                             "found '%.40s', expected a whole number from %lld on", node->text,
                             (long long)least);
}

/* ---- counts ------------------------------------------------------------------------------------
 */

void htmt__nest_clear_count(struct htmt__nest_count *count)
{
    for (unsigned i = 0; i < count->count; i++) {
        htmt__nest_condition_destroy(&count->piece[i].where);
        htmt__nest_expression_clear(&count->piece[i].is);
    }
    free(count->piece);
    *count = (struct htmt__nest_count){0};
}

/* A piece of a count: "is", where "where" holds. */
static int read_piece(struct htmt__nest_reading *r, const struct htmt_yaml *node, const char *what,
                      struct htmt__nest_case *piece)
{
    enum { WHERE, IS, ROWS };
    static const struct htmt_schema_row rows[] = {
        [WHERE] = {.key = "where", .kind = HTMT_SCHEMA_TEXT, .optional = true},
        [IS] = {.key = "is", .kind = HTMT_SCHEMA_NODE},
        [ROWS] = {.key = NULL}};
    const struct htmt_yaml *at[ROWS];
    struct htmt__nest_names names = htmt__nest_names_of(r->file, NULL);
    int rc = htmt_schema_nodes(node, what, rows, at, r->fault);
    if (rc)
        return rc;
    piece->line = at[IS]->line;
    rc = htmt__nest_read_expression(r, at[IS], &names, what, &piece->is);
    if (rc || !at[WHERE])
        return rc;
    struct htmt__nest_place place = htmt__nest_place_at(r, at[WHERE], what);
    rc = htmt_yaml_expect(at[WHERE], HTMT_YAML_SCALAR, what, r->fault);
    return rc ? rc : htmt__nest_condition_read(at[WHERE]->text, &names, &place, &piece->where);
}

int htmt__nest_read_count(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                          const char *what, struct htmt__nest_count *count)
{
    struct htmt__nest_names names = htmt__nest_names_of(r->file, NULL);
    unsigned i = 0;
    if (!node)
        return 0;
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    if (node->kind == HTMT_YAML_SCALAR) {
        count->piece = calloc(1, sizeof *count->piece);
        if (!count->piece)
            return htmt__nest_refuse(&place, HTMT_ENOMEM, "out of memory");
        count->count = 1;
        count->piece->line = node->line;
        return htmt__nest_read_expression(r, node, &names, what, &count->piece->is);
    }
    int rc = htmt__nest_room(r, node, HTMT_YAML_SEQUENCE, what, sizeof *count->piece, &count->piece,
                             &count->count);
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next)
        rc = read_piece(r, n, what, &count->piece[i++]);
    return rc;
}

/* ---- loops -------------------------------------------------------------------------------------
 */

/* "0..n-1", "0..n-1 step 2", "0..n-1 step -1"; the loops outside may be named. */
static int read_loop(struct htmt__nest_reading *r, const struct htmt_yaml *node, const char *what,
                     struct htmt__nest *nest)
{
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    if (nest->depth == HTMT__NEST_DEPTH)
        return htmt__nest_refuse(&place, HTMT_ERANGE, "more than %d loops", HTMT__NEST_DEPTH);
    struct htmt__nest_loop *loop = &nest->loop[nest->depth];
    struct htmt__nest_names outer = htmt__nest_names_of(r->file, nest);
    loop->line = node->line;
    loop->step = 1;
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, what, r->fault);
    if (!rc)
        rc = htmt__nest_read_name(r, node->key, node->key_line, what, loop->name);
    if (rc)
        return rc;
    bool bad = htmt__nest_find_parameter(r->file, loop->name) >= 0 || strchr(loop->name, '.');
    for (unsigned l = 0; l < nest->depth; l++)
        bad = bad || !strcmp(nest->loop[l].name, loop->name);
    if (bad)
        return htmt__nest_refuse(&place, HTMT_EFORMAT,
                                 "'%s' may not name a loop variable: it is a parameter, another "
                                 "loop's, or has a dot",
                                 loop->name);
    const char *at = node->text;
    char *end = NULL;
    nest->depth++;
    rc = htmt__nest_read_range(&at, &outer, &place, &loop->range);
    if (!rc && !loop->range.high.count)
        rc = htmt__nest_refuse(&place, HTMT_EFORMAT,
                               "found '%.40s', expected a range such as 0..n-1", node->text);
    if (rc || !*at)
        return rc;
    loop->down = !strncmp(at, "step -", 6);
    const char *number = at + (loop->down ? 6 : 5);
    if (!strncmp(at, "step ", 5) && *number >= '0' && *number <= '9')
        loop->step = strtoull(number, &end, 10);
    if (end && !*end && loop->step >= 1 && loop->step <= INT32_MAX)
        return 0;
    return htmt__nest_refuse(&place, HTMT_EFORMAT, "found '%.40s', expected 'step N' or 'step -N'",
                             at);
}

static int read_loops(struct htmt__nest_reading *r, const struct htmt_yaml *node, const char *what,
                      struct htmt__nest *nest)
{
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    int rc = htmt_yaml_expect(node, HTMT_YAML_MAPPING, what, r->fault);
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next)
        rc = read_loop(r, n, what, nest);
    if (!rc && !nest->depth)
        rc = htmt__nest_refuse(&place, HTMT_EFORMAT, "no loop, expected at least one");
    return rc;
}

/* ---- operations --------------------------------------------------------------------------------
 */

static int read_operation(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                          enum htmt__nest_class class, const char *what, struct htmt__nest *nest)
{
    struct htmt__nest_names names = htmt__nest_names_of(r->file, NULL);
    struct htmt__nest_operation *o = &nest->operation[nest->operations];
    o->class = class;
    o->line = node->line;
    snprintf(o->name, sizeof o->name, "%s", node->key);
    nest->operations++;
    return htmt__nest_read_expression(r, node, &names, what, &o->times);
}

static int read_operations(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                           const char *what, struct htmt__nest *nest)
{
    static const struct htmt_schema_row rows[] = {
        [HTMT__NEST_ADD] = {.key = "add", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [HTMT__NEST_MUL] = {.key = "mul", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [HTMT__NEST_DIV] = {.key = "div", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [HTMT__NEST_IOP] = {.key = "iop", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [HTMT__NEST_FUNCTION] = {.key = "functions", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [HTMT__NEST_CLASSES] = {.key = NULL}};
    const struct htmt_yaml *at[HTMT__NEST_CLASSES] = {NULL};
    struct htmt__nest_operation *spare;
    unsigned functions = 0;
    int rc = htmt_schema_nodes(node, what, rows, at, r->fault);
    const struct htmt_yaml *named = rc ? NULL : at[HTMT__NEST_FUNCTION];
    if (named)
        rc = htmt_yaml_expect(named, HTMT_YAML_MAPPING, what, r->fault);
    for (const struct htmt_yaml *n = named ? named->first : NULL; n; n = n->next)
        functions++;
    if (rc)
        return rc;
    nest->operation = spare = calloc(functions + HTMT__NEST_CLASSES, sizeof *spare);
    if (!spare)
        return htmt_fault_set(r->fault, HTMT_ENOMEM, "out of memory");
    for (int c = 0; c < HTMT__NEST_FUNCTION && !rc; c++)
        if (at[c])
            rc = read_operation(r, at[c], (enum htmt__nest_class)c, what, nest);
    for (const struct htmt_yaml *n = named ? named->first : NULL; n && !rc; n = n->next)
        rc = read_operation(r, n, HTMT__NEST_FUNCTION, what, nest);
    return rc;
}

/* ---- accesses, state ---------------------------------------------------------------------------
 */

static int read_accesses(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                         const char *what, struct htmt__nest *nest)
{
    unsigned i = 0;
    int rc = htmt__nest_room(r, node, HTMT_YAML_SEQUENCE, what, sizeof *nest->access, &nest->access,
                             &nest->accesses);
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next)
        rc = htmt__nest_read_access(r, n, nest, what, &nest->access[i++]);
    return rc;
}

/* Touches of references, by their numbers from 1 on. */
struct ordering {
    struct htmt__nest *nest;
    const char *what;
    bool *named; /* of each access: it stands in the order */
    size_t room; /* of the sequence */
    unsigned long touches;
};

enum { TOUCHES_MOST = 4000000 };

/* "3", or "3..5" of those that follow each other. */
static int read_touches(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                        struct ordering *o, struct htmt__nest_sequence *s)
{
    struct htmt__nest_place place = htmt__nest_place_at(r, node, o->what);
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, o->what, r->fault);
    if (rc)
        return rc;
    char *end;
    const bool digit = node->text[0] >= '0' && node->text[0] <= '9';
    const unsigned long first = strtoul(node->text, &end, 10);
    const bool several = !strncmp(end, "..", 2) && end[2] >= '0' && end[2] <= '9';
    const unsigned long last = several ? strtoul(end + 2, &end, 10) : first;
    if (!digit || *end || !first || last < first || last > o->nest->accesses)
        return htmt__nest_refuse(&place, HTMT_EFORMAT,
                                 "found '%.40s' in the order, expected numbers of 1 to %u, 3 or "
                                 "3..5",
                                 node->text, o->nest->accesses);
    o->touches += last - first + 1;
    if (o->touches > TOUCHES_MOST)
        return htmt__nest_refuse(&place, HTMT_ERANGE, "an order of more than %d touches",
                                 TOUCHES_MOST);
    if (!htmt__array_fits(&s->touch, &o->room, s->touches + (last - first) + 1, sizeof *s->touch))
        return htmt_fault_set(r->fault, HTMT_ENOMEM, "out of memory");
    for (unsigned long i = first; i <= last; i++) {
        o->named[i - 1] = true;
        s->touch[s->touches++] = (unsigned)(i - 1);
    }
    return 0;
}

/* "{times: NS, do: [3, 4]}" */
static int read_turns(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                      struct ordering *o, struct htmt__nest_sequence *s)
{
    enum { TIMES, DO, ROWS };
    static const struct htmt_schema_row rows[] = {
        [TIMES] = {.key = "times", .kind = HTMT_SCHEMA_NODE},
        [DO] = {.key = "do", .kind = HTMT_SCHEMA_NODE},
        [ROWS] = {.key = NULL}};
    const struct htmt_yaml *at[ROWS] = {NULL};
    struct htmt__nest_names names = htmt__nest_names_of(r->file, NULL);
    int rc = htmt_schema_nodes(node, o->what, rows, at, r->fault);
    if (!rc)
        rc = htmt__nest_read_expression(r, at[TIMES], &names, o->what, &s->times);
    if (!rc)
        rc = htmt_yaml_expect(at[DO], HTMT_YAML_SEQUENCE, o->what, r->fault);
    for (const struct htmt_yaml *n = rc ? NULL : at[DO]->first; n && !rc; n = n->next)
        rc = read_touches(r, n, o, s);
    return rc;
}

/* Numbers that follow each other are one sequence. */
static int read_sequences(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                          struct ordering *o)
{
    struct htmt__nest *nest = o->nest;
    unsigned children;
    int rc = htmt__nest_room(r, node, HTMT_YAML_SEQUENCE, o->what, sizeof *nest->sequence,
                             &nest->sequence, &children);
    for (const struct htmt_yaml *n = rc ? NULL : node->first; n && !rc;) {
        struct htmt__nest_sequence *s = &nest->sequence[nest->sequences++];
        s->line = n->line;
        o->room = 0;
        if (n->kind != HTMT_YAML_SCALAR) {
            rc = read_turns(r, n, o, s);
            n = n->next;
        }
        for (; n && n->kind == HTMT_YAML_SCALAR && !s->times.count && !rc; n = n->next)
            rc = read_touches(r, n, o, s);
    }
    return rc;
}

/* Each reference stands in the order. */
static int read_order(struct htmt__nest_reading *r, const struct htmt_yaml *node, const char *what,
                      struct htmt__nest *nest)
{
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    struct ordering o = {nest, what, calloc(nest->accesses + 1, sizeof *o.named), 0, 0};
    if (!o.named)
        return htmt_fault_set(r->fault, HTMT_ENOMEM, "out of memory");
    int rc = read_sequences(r, node, &o);
    for (unsigned i = 0; i < nest->accesses && !rc; i++)
        if (!o.named[i])
            rc = htmt__nest_refuse(&place, HTMT_EFORMAT, "access %u does not stand in the order",
                                   i + 1);
    free(o.named);
    return rc;
}

static int read_state(struct htmt__nest_reading *r, const struct htmt_yaml *node, const char *what,
                      struct htmt__nest *nest)
{
    enum { KIND, LOADS, STORES, WORDS, ROWS };
    static const struct htmt_schema_row rows[] = {
        [KIND] = {.key = "kind", .kind = HTMT_SCHEMA_NODE},
        [LOADS] = {.key = "loads", .kind = HTMT_SCHEMA_NODE},
        [STORES] = {.key = "stores", .kind = HTMT_SCHEMA_NODE},
        [WORDS] = {.key = "words", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [ROWS] = {.key = NULL}};
    struct htmt__nest_names names = htmt__nest_names_of(r->file, NULL);
    int rc = htmt__nest_room(r, node, HTMT_YAML_MAPPING, what, sizeof *nest->state, &nest->state,
                             &nest->states);
    struct htmt__nest_state *s = nest->state;
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next, s++) {
        const struct htmt_yaml *at[ROWS] = {NULL};
        char kind[8] = "";
        s->line = n->line;
        rc = htmt__nest_read_name(r, n->key, n->key_line, what, s->name);
        if (!rc)
            rc = htmt_schema_nodes(n, what, rows, at, r->fault);
        if (!rc)
            rc = htmt__nest_read_text(r, at[KIND], what, kind, sizeof kind);
        if (!rc && strcmp(kind, "fp") != 0 && strcmp(kind, "int") != 0)
            rc = htmt_fault_set(r->fault, HTMT_EFORMAT, "%s:%d: %s: found '%s', expected fp or int",
                                r->file->path, at[KIND]->line, what, kind);
        s->integer = kind[0] == 'i';
        if (!rc)
            rc = htmt__nest_read_expression(r, at[LOADS], &names, what, &s->loads);
        if (!rc)
            rc = htmt__nest_read_expression(r, at[STORES], &names, what, &s->stores);
        if (!rc)
            rc = htmt__nest_read_expression(r, at[WORDS], &names, what, &s->words);
    }
    return rc;
}

static int read_touched(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                        const char *what, struct htmt__nest *nest)
{
    enum { READ, WRITE, ROWS };
    static const struct htmt_schema_row rows[] = {
        [READ] = {.key = "read", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [WRITE] = {.key = "write", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [ROWS] = {.key = NULL}};
    int rc = htmt__nest_room(r, node, HTMT_YAML_MAPPING, what, sizeof *nest->touched,
                             &nest->touched, &nest->touches);
    struct htmt__nest_touched *t = nest->touched;
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next, t++) {
        const struct htmt_yaml *at[ROWS] = {NULL};
        struct htmt__nest_place place = htmt__nest_place_at(r, n, what);
        int found = htmt__nest_find_array(r->file, n->key);
        if (found < 0)
            return htmt__nest_refuse(&place, HTMT_EFORMAT, "unknown array '%.60s'", n->key);
        t->array = (unsigned)found;
        t->line = n->line;
        rc = htmt_schema_nodes(n, what, rows, at, r->fault);
        if (!rc)
            rc = htmt__nest_read_count(r, at[READ], what, &t->read);
        if (!rc)
            rc = htmt__nest_read_count(r, at[WRITE], what, &t->write);
    }
    return rc;
}

/* ---- a nest ------------------------------------------------------------------------------------
 */

static int read_nest(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                     struct htmt__nest *nest)
{
    enum { SOURCE, LINE, LOOPS, COUNT, OPS, ACCESSES, ORDER, STATE, TOUCHED, ROWS };
    static const struct htmt_schema_row rows[] = {
        [SOURCE] = {.key = "file", .kind = HTMT_SCHEMA_TEXT, .optional = true},
        [LINE] = {.key = "line", .kind = HTMT_SCHEMA_WHOLE, .optional = true},
        [LOOPS] = {.key = "loops", .kind = HTMT_SCHEMA_NODE},
        [COUNT] = {.key = "count", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [OPS] = {.key = "ops", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [ACCESSES] = {.key = "accesses", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [ORDER] = {.key = "order", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [STATE] = {.key = "state", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [TOUCHED] = {.key = "touched", .kind = HTMT_SCHEMA_NODE, .optional = true},
        [ROWS] = {.key = NULL}};
    static int (*const read[ROWS])(struct htmt__nest_reading *, const struct htmt_yaml *,
                                   const char *, struct htmt__nest *) = {[OPS] = read_operations,
                                                                         [ACCESSES] = read_accesses,
                                                                         [ORDER] = read_order,
                                                                         [STATE] = read_state,
                                                                         [TOUCHED] = read_touched};
    const struct htmt_yaml *at[ROWS] = {NULL};
    char what[WHAT];
    int64_t line = 0;
    nest->line = node->line;
    int rc = htmt__nest_read_name(r, node->key, node->key_line, "nests", nest->name);
    snprintf(what, sizeof what, "nests.%s", nest->name);
    if (!rc)
        rc = htmt_schema_nodes(node, what, rows, at, r->fault);
    if (!rc && at[SOURCE])
        rc = htmt__nest_read_text(r, at[SOURCE], what, nest->source, sizeof nest->source);
    if (!rc && at[LINE])
        rc = read_whole(r, at[LINE], what, 1, &line);
    nest->source_line = (uint64_t)line;
    if (!rc)
        rc = read_loops(r, at[LOOPS], what, nest);
    if (!rc)
        rc = htmt__nest_read_count(r, at[COUNT], what, &nest->count);
    for (int i = OPS; i < ROWS && !rc; i++)
        if (at[i])
            rc = read[i](r, at[i], what, nest);
    return rc;
}

int htmt__nest_read_nests(struct htmt__nest_reading *r, const struct htmt_yaml *node)
{
    struct htmt__nest_file *f = r->file;
    struct htmt__nest_place place = htmt__nest_place_at(r, node, "nests");
    int rc =
        htmt__nest_room(r, node, HTMT_YAML_MAPPING, "nests", sizeof *f->nest, &f->nest, &f->nests);
    unsigned i = 0;
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next)
        rc = read_nest(r, n, &f->nest[i++]);
    if (!rc && !f->nests)
        rc = htmt__nest_refuse(&place, HTMT_EFORMAT, "no nest, expected at least one");
    return rc;
}

int htmt__nest_find(const struct htmt__nest_file *file, const char *name)
{
    for (unsigned i = 0; i < file->nests; i++)
        if (!strcmp(file->nest[i].name, name))
            return (int)i;
    return -1;
}

void htmt__nest_clear_nest(struct htmt__nest *nest)
{
    for (unsigned i = 0; i < nest->depth; i++)
        htmt__nest_clear_range(&nest->loop[i].range);
    htmt__nest_clear_count(&nest->count);
    for (unsigned i = 0; i < nest->operations; i++)
        htmt__nest_expression_clear(&nest->operation[i].times);
    for (unsigned i = 0; i < nest->accesses; i++) {
        struct htmt__nest_access *a = &nest->access[i];
        htmt__nest_clear_range(&a->component);
        for (unsigned s = 0; s < a->subscripts; s++)
            htmt__nest_clear_range(&a->subscript[s]);
        free(a->subscript);
        htmt__nest_expression_clear(&a->times);
    }
    for (unsigned i = 0; i < nest->sequences; i++) {
        htmt__nest_expression_clear(&nest->sequence[i].times);
        free(nest->sequence[i].touch);
    }
    for (unsigned i = 0; i < nest->states; i++) {
        htmt__nest_expression_clear(&nest->state[i].loads);
        htmt__nest_expression_clear(&nest->state[i].stores);
        htmt__nest_expression_clear(&nest->state[i].words);
    }
    for (unsigned i = 0; i < nest->touches; i++) {
        htmt__nest_clear_count(&nest->touched[i].read);
        htmt__nest_clear_count(&nest->touched[i].write);
    }
    free(nest->operation);
    free(nest->access);
    free(nest->sequence);
    free(nest->state);
    free(nest->touched);
}

/* ---- dependences -------------------------------------------------------------------------------
 */

static int find_named(struct htmt__nest_reading *r, const struct htmt_yaml *node, const char *what,
                      int (*find)(const struct htmt__nest_file *, const char *), unsigned *index)
{
    struct htmt__nest_place place = htmt__nest_place_at(r, node, what);
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, what, r->fault);
    int found = rc ? -1 : find(r->file, node->text);
    if (!rc && found < 0)
        rc = htmt__nest_refuse(&place, HTMT_EFORMAT, "found '%.60s', which is not there",
                               node->text);
    *index = (unsigned)found;
    return rc;
}

static int read_dependence(struct htmt__nest_reading *r, const struct htmt_yaml *node,
                           struct htmt__nest_dependence *d)
{
    enum { FROM, TO, ARRAY, KIND, DISTANCE, ROWS };
    static const struct htmt_schema_row rows[] = {
        [FROM] = {.key = "from", .kind = HTMT_SCHEMA_NODE},
        [TO] = {.key = "to", .kind = HTMT_SCHEMA_NODE},
        [ARRAY] = {.key = "array", .kind = HTMT_SCHEMA_NODE},
        [KIND] = {.key = "kind", .kind = HTMT_SCHEMA_NODE},
        [DISTANCE] = {.key = "distance", .kind = HTMT_SCHEMA_NODE},
        [ROWS] = {.key = NULL}};
    static const char *const kinds[] = {"flow", "anti", "output"};
    const struct htmt_yaml *at[ROWS] = {NULL};
    char kind[8];
    int rc = htmt_schema_nodes(node, "dependences", rows, at, r->fault);
    if (!rc)
        rc = find_named(r, at[FROM], "dependences.from", htmt__nest_find, &d->from);
    if (!rc)
        rc = find_named(r, at[TO], "dependences.to", htmt__nest_find, &d->to);
    if (!rc)
        rc = find_named(r, at[ARRAY], "dependences.array", htmt__nest_find_array, &d->array);
    if (!rc)
        rc = htmt__nest_read_text(r, at[KIND], "dependences.kind", kind, sizeof kind);
    for (d->kind = 0; !rc && d->kind < 3 && strcmp(kind, kinds[d->kind]);)
        d->kind++;
    if (!rc && d->kind > HTMT__NEST_OUTPUT)
        rc = htmt_fault_set(r->fault, HTMT_EFORMAT,
                            "%s:%d: dependences.kind: found '%s', expected flow, anti or output",
                            r->file->path, at[KIND]->line, kind);
    const struct htmt_yaml *distance = at[DISTANCE];
    if (!rc)
        rc = htmt_yaml_expect(distance, HTMT_YAML_SEQUENCE, "dependences.distance", r->fault);
    for (const struct htmt_yaml *n = rc ? NULL : distance->first; n && !rc; n = n->next) {
        struct htmt__nest_place place = htmt__nest_place_at(r, distance, "dependences.distance");
        if (d->depth == r->file->nest[d->to].depth)
            return htmt__nest_refuse(&place, HTMT_EFORMAT, "more distances than loops");
        d->any[d->depth] = n->kind == HTMT_YAML_SCALAR && !strcmp(n->text, "any");
        if (!d->any[d->depth])
            rc = read_whole(r, n, "dependences.distance", INT32_MIN, &d->distance[d->depth]);
        d->depth++;
    }
    return rc;
}

int htmt__nest_read_dependences(struct htmt__nest_reading *r, const struct htmt_yaml *node)
{
    struct htmt__nest_file *f = r->file;
    int rc = htmt__nest_room(r, node, HTMT_YAML_SEQUENCE, "dependences", sizeof *f->dependence,
                             &f->dependence, &f->dependences);
    unsigned i = 0;
    for (const struct htmt_yaml *n = node->first; n && !rc; n = n->next)
        rc = read_dependence(r, n, &f->dependence[i++]);
    return rc;
}
