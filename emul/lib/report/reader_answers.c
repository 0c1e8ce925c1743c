/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/reader_answers.h"

#include "emul/lib/report/answers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- explanation ----------------------------------------------------------------------------- */

#define CAUSE(key, kind, member) HTMT__FIELD(struct htmt__cause, key, kind, member)
static const struct htmt__field cause_fields[] = {
    CAUSE("cause", TEXT, cause),   CAUSE("of", CHARS, of),
    CAUSE("type", CHARS, type),    CAUSE("stage", TEXT, stage),
    CAUSE("using", CHARS, used),   CAUSE("intervals", COUNT, intervals),
    CAUSE("time_fs", COUNT, time), HTMT__FIELD_END,
};

#define EXPLANATION(key, kind, member) HTMT__FIELD(struct htmt__explanation, key, kind, member)
static const struct htmt__field explanation_fields[] = {
    EXPLANATION("predicted_fs", COUNT, predicted),
    EXPLANATION("principal", CHARS, principal),
    EXPLANATION("intervals", COUNT, intervals),
    HTMT__FIELD_END,
};
static const struct htmt__field gap_fields[] = {
    EXPLANATION("closed_form_fs", COUNT, closed_form),
    EXPLANATION("gap_fs", WHOLE, gap),
    EXPLANATION("beside_fs", WHOLE, beside),
    HTMT__FIELD_END,
};

/* What a name in the file stands for is found afterwards. */
struct departure {
    char type[64];
    const char *kind;
    bool declared;
    uint64_t count;
    double words, moved_s;
};
#define DEPARTURE(key, kind, member) HTMT__FIELD(struct departure, key, kind, member)
static const struct htmt__field departure_fields[] = {
    DEPARTURE("type", CHARS, type),
    DEPARTURE("kind", TEXT, kind),
    DEPARTURE("declared", FLAG, declared),
    DEPARTURE("count", COUNT, count),
    DEPARTURE("words", REAL, words),
    DEPARTURE("moved_s", REAL, moved_s),
    HTMT__FIELD_END,
};

struct carried {
    const char *kind, *refused;
    htmt_time predicted;
};
static const struct htmt__field carried_fields[] = {
    HTMT__FIELD(struct carried, "kind", TEXT, kind),
    HTMT__FIELD_OPTIONAL(struct carried, "predicted_fs", COUNT, predicted),
    HTMT__FIELD_OPTIONAL(struct carried, "refused", TEXT, refused),
    HTMT__FIELD_END,
};

#define DETERMINISM(key, kind, member)                                                             \
    HTMT__FIELD(struct htmt_determinism_report, key, kind, member)
static const struct htmt__field determinism_fields[] = {
    DETERMINISM("equal", FLAG, equal),
    DETERMINISM("events", COUNT, events),
    HTMT__FIELD_END,
};
static const struct htmt__field differing_fields[] = {
    DETERMINISM("number", COUNT, number),
    DETERMINISM("first_run", CHARS, first),
    DETERMINISM("other_run", CHARS, differing),
    HTMT__FIELD_END,
};

/* Times by cause. */
static int read_causes(const struct htmt__reading *in, const char *where, const json_t *object,
                       htmt_time of[HTMT_PATH_CAUSES])
{
    for (unsigned i = 0; i < HTMT_PATH_CAUSES; i++) {
        const char *name = htmt_path_cause_name((enum htmt_path_cause)i);
        const json_t *time = json_object_get(object, name);
        if (!time && i == HTMT_PATH_BLOCKED) /* reports had none once */
            continue;
        if (!json_is_integer(time))
            return htmt__fields_refuse(in, where, name, time, "femtoseconds");
        of[i] = json_integer_value(time);
    }
    return 0;
}

static int read_gap(const struct htmt__reading *in, struct htmt__document *d,
                    const json_t *explanation)
{
    struct htmt__explanation *x = &d->explanation;
    json_t *gap, *more;
    int rc = htmt__fields_member(in, "explanation.", explanation, "gap", JSON_OBJECT, true, &gap);
    if (rc || !gap)
        return rc;
    x->has_closed_form = true;
    rc = htmt__fields_read(in, "explanation.gap.", gap, gap_fields, x);
    if (!rc)
        rc = htmt__fields_member(in, "explanation.gap.", gap, "more_fs", JSON_OBJECT, true, &more);
    if (rc || !more)
        return rc;
    x->has_parts = true;
    return read_causes(in, "explanation.gap.more_fs.", more, x->more);
}

static int read_explanation(const struct htmt__reading *in, struct htmt__document *d)
{
    struct htmt__explanation *x = &d->explanation;
    json_t *object;
    int rc = htmt__fields_member(in, "", d->object, "explanation", JSON_OBJECT, true, &object);
    if (rc || !object)
        return rc;
    x->made = true;
    rc = htmt__fields_read(in, "explanation.", object, explanation_fields, x);
    if (!rc)
        rc = read_causes(in, "explanation.sums_fs.", json_object_get(object, "sums_fs"), x->sum);
    if (!rc)
        rc = htmt__fields_array(in, "explanation.", object, "parts", false, cause_fields,
                                sizeof *x->cause, (void **)&x->cause, &x->count);
    return rc ? rc : read_gap(in, d, object);
}

/* All kinds: more than one bit. */
static unsigned kinds_of(const char *name)
{
    for (unsigned i = 0; i < HTMT_DEPARTURES; i++)
        if (strcmp(htmt__lint_kind(1u << i), name) == 0)
            return 1u << i;
    return (1u << HTMT_DEPARTURES) - 1;
}

static int take_departures(const struct htmt__reading *in, struct htmt__document *d,
                           const struct departure *from, unsigned count)
{
    struct htmt__lint *l = &d->lint;
    l->departure = calloc(count + 1u, sizeof *l->departure);
    if (!l->departure)
        return htmt_fault_set(in->fault, HTMT_ENOMEM, "%s: no memory for its results", in->file);
    for (; l->count < count; l->count++, from++) {
        struct htmt_departure_report *to = &l->departure[l->count];
        memcpy(to->type, from->type, sizeof to->type);
        to->kind = (enum htmt_departure)kinds_of(from->kind);
        to->declared = from->declared;
        to->count = from->count;
        to->words = (htmt_uwide)from->words;
        to->time = (htmt_wide)rint(from->moved_s * (double)HTMT_SECOND);
    }
    return 0;
}

static int read_departures(const struct htmt__reading *in, struct htmt__document *d,
                           const json_t *lint)
{
    struct departure *all = NULL;
    unsigned count = 0;
    int rc = htmt__fields_array(in, "lint.", lint, "departures", false, departure_fields,
                                sizeof *all, (void **)&all, &count);
    for (unsigned i = 0; i < count && !rc; i++)
        if (!(all[i].words >= 0 && all[i].words < 1e30 && fabs(all[i].moved_s) < 1e15))
            rc = htmt__fields_refuse(in, "lint.departures[].", "words",
                                     json_object_get(lint, "words"), "words and seconds");
    if (!rc)
        rc = take_departures(in, d, all, count);
    free(all);
    return rc;
}

static int read_what_ifs(const struct htmt__reading *in, struct htmt__document *d,
                         const json_t *lint)
{
    struct htmt__lint *l = &d->lint;
    struct carried *all = NULL;
    unsigned count = 0;
    int rc = htmt__fields_array(in, "lint.", lint, "carried", false, carried_fields, sizeof *all,
                                (void **)&all, &count);
    if (!rc && count > sizeof l->what_if / sizeof *l->what_if)
        rc = htmt__fields_refuse(in, "lint.", "carried", json_object_get(lint, "carried"),
                                 "one for each kind of departure, and one for all");
    for (unsigned i = 0; i < count && !rc; i++) {
        l->what_if[i] =
            (struct htmt__what_if){.kinds = kinds_of(all[i].kind), .predicted = all[i].predicted};
        if (all[i].refused)
            htmt_fault_set(&l->what_if[i].fault, HTMT_EINVAL, "%s", all[i].refused);
        l->what_if_count = i + 1;
    }
    free(all);
    return rc;
}

static int read_lint(const struct htmt__reading *in, struct htmt__document *d)
{
    struct htmt__lint *l = &d->lint;
    json_t *object;
    int rc = htmt__fields_member(in, "", d->object, "lint", JSON_OBJECT, true, &object);
    if (rc || !object)
        return rc;
    l->made = true;
    l->slices = d->results.slices;
    l->predicted = d->results.predicted;
    l->kept = json_integer_value(json_object_get(object, "kept_fs"));
    rc = read_departures(in, d, object);
    return rc ? rc : read_what_ifs(in, d, object);
}

static int read_determinism(const struct htmt__reading *in, struct htmt__document *d)
{
    struct htmt_determinism_report *to = &d->determinism;
    json_t *object, *differing;
    int rc = htmt__fields_member(in, "", d->object, "determinism", JSON_OBJECT, true, &object);
    if (rc || !object)
        return rc;
    d->has_determinism = true;
    to->runs = (uint32_t)json_integer_value(json_object_get(object, "runs"));
    rc = htmt__fields_read(in, "determinism.", object, determinism_fields, to);
    if (!rc)
        rc =
            htmt__fields_member(in, "determinism.", object, "event", JSON_OBJECT, true, &differing);
    return rc || !differing
               ? rc
               : htmt__fields_read(in, "determinism.event.", differing, differing_fields, to);
}

/* ---- summary --------------------------------------------------------------------------------- */

/* The table of demands: names of columns, and rows of values. */
struct table {
    const struct htmt__reading *in;
    struct htmt__summary *s;
    json_t *columns, *rows;
};

static bool take_name(const json_t *value, char *into, size_t room)
{
    const char *text = json_string_value(value);
    return text && (size_t)snprintf(into, room, "%s", text) < room;
}

static int read_columns(const struct table *t)
{
    unsigned count = (unsigned)json_array_size(t->columns);
    for (; t->s->columns < count; t->s->columns++) {
        const json_t *name = json_array_get(t->columns, t->s->columns);
        if (!take_name(name, t->s->name[t->s->columns], sizeof *t->s->name))
            return htmt__fields_refuse(t->in, "summary.", "columns[]", name, "a short text");
    }
    return 0;
}

static int read_values(const struct table *t, const json_t *values, double *into)
{
    if (json_array_size(values) != t->s->columns)
        return htmt__fields_refuse(t->in, "summary.rows[].", "values", values,
                                   "an array of one for each column");
    for (unsigned i = 0; i < t->s->columns; i++) {
        const json_t *value = json_array_get(values, i);
        if (!json_is_number(value) && !json_is_null(value))
            return htmt__fields_refuse(t->in, "summary.rows[].", "values[]", value, "a number");
        into[i] = json_is_null(value) ? NAN : json_number_value(value);
    }
    return 0;
}

static bool take_group(const char *name, enum htmt__summary_group *group)
{
    for (unsigned g = 0; g <= HTMT__SUMMARY_BALANCE; g++)
        if (name && strcmp(htmt__summary_group_name((enum htmt__summary_group)g), name) == 0) {
            *group = (enum htmt__summary_group)g;
            return true;
        }
    return false;
}

static int read_row(const struct table *t, const json_t *from, struct htmt__summary_row *to)
{
    const json_t *group = json_object_get(from, "group"), *name = json_object_get(from, "name");
    to->unit = json_string_value(json_object_get(from, "unit"));
    if (!take_group(json_string_value(group), &to->group))
        return htmt__fields_refuse(t->in, "summary.rows[].", "group", group, "a group of rows");
    if (!take_name(name, to->name, sizeof to->name))
        return htmt__fields_refuse(t->in, "summary.rows[].", "name", name, "a short text");
    if (!to->unit)
        return htmt__fields_refuse(t->in, "summary.rows[].", "unit", NULL, "a text");
    return read_values(t, json_object_get(from, "values"), to->value);
}

static int make_room(const struct table *t)
{
    struct htmt__summary *s = t->s;
    size_t columns = json_array_size(t->columns), rows = json_array_size(t->rows);
    s->name = calloc(columns + 1, sizeof *s->name);
    s->row = calloc(rows + 1, sizeof *s->row);
    bool made = s->name && s->row;
    for (; s->rows < rows && made; s->rows += made) {
        s->row[s->rows].value = calloc(columns + 1, sizeof *s->row->value);
        made = s->row[s->rows].value != NULL;
    }
    return made ? 0
                : htmt_fault_set(t->in->fault, HTMT_ENOMEM, "%s: no memory for its results",
                                 t->in->file);
}

static int read_summary(const struct htmt__reading *in, struct htmt__document *d)
{
    struct table t = {.in = in, .s = &d->summary};
    json_t *object;
    int rc = htmt__fields_member(in, "", d->object, "summary", JSON_OBJECT, true, &object);
    if (rc || !object)
        return rc;
    rc = htmt__fields_member(in, "summary.", object, "columns", JSON_ARRAY, false, &t.columns);
    if (!rc)
        rc = htmt__fields_member(in, "summary.", object, "rows", JSON_ARRAY, false, &t.rows);
    if (!rc)
        rc = make_room(&t);
    if (!rc)
        rc = read_columns(&t);
    for (unsigned i = 0; i < t.s->rows && !rc; i++)
        rc = read_row(&t, json_array_get(t.rows, i), &t.s->row[i]);
    t.s->made = !rc;
    return rc;
}

int htmt__answers_read(const struct htmt__reading *in, struct htmt__document *d)
{
    int rc = read_explanation(in, d);
    if (!rc)
        rc = read_lint(in, d);
    if (!rc)
        rc = read_determinism(in, d);
    return rc ? rc : read_summary(in, d);
}
