/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table is made from the phases, that is the sums of each stage of each type on each resource.
 * A column of a type is divided by how often its parcels were executed, so it reads as the demand
 * of one parcel; the column of all types is divided by the slices. The last rows divide each time
 * by the servers that share it: these are comparable, and the largest of a column is its principal
 * resource, 100 %. Example: one parcel takes 12 us on 4 SPELLs and 2 us on one link; a server's
 * share is 3 us and 2 us, so the SPELLs are the principal resource, and the link has 67 %.
 *
 * A program may have a type for each slice, so thousands of columns and phases. The column of a
 * phase, and how often parcels of a column were executed, are therefore found once; then a row
 * costs a step for each phase and each column.
 */
#include "emul/lib/questions/summary.h"

#include "emul/lib/questions/results.h"
#include "runtime/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct making {
    const struct htmt_emulator *e;
    struct htmt__summary *s;
    struct htmt_phase_report *phase;
    unsigned phases, *column; /* column: of each phase */
    double *repetitions;      /* of each column */
    size_t room;              /* of rows */
    double slices;
};

/* Phases of a type mostly follow each other, so the last column is asked first. */
static unsigned column_of(const struct htmt__summary *s, const char *type)
{
    unsigned i = s->columns ? s->columns - 1 : 0;
    if (s->columns && strcmp(s->name[i], type) == 0)
        return i;
    for (i = 0; i < s->columns && strcmp(s->name[i], type) != 0;)
        i++;
    return i;
}

/* The phases, their columns, and how often parcels of each type were executed; for a type without
 * executions, the count of its most frequent stage. */
static int take_phases(struct making *m)
{
    const unsigned count = htmt_phase_count(m->e);
    double *most = calloc(count + 1, sizeof *most);
    m->phase = calloc(count + 1, sizeof *m->phase);
    m->column = calloc(count + 1, sizeof *m->column);
    m->repetitions = calloc(count + 1, sizeof *m->repetitions);
    m->s->name = calloc(count + 1, sizeof *m->s->name);
    if (!most || !m->phase || !m->column || !m->repetitions || !m->s->name) {
        free(most);
        return HTMT_ENOMEM;
    }
    for (unsigned i = 0; i < count; i++) {
        struct htmt_phase_report *p = &m->phase[m->phases];
        if (htmt_phase_at(m->e, i, p) || !p->count)
            continue;
        const unsigned column = m->column[m->phases++] = column_of(m->s, p->type);
        if (column == m->s->columns)
            snprintf(m->s->name[m->s->columns++], sizeof m->s->name[0], "%s", p->type);
        m->repetitions[column] += p->stage == HTMT_EXECUTE ? (double)p->count : 0;
        most[column] = fmax(most[column], (double)p->count);
    }
    for (unsigned i = 0; i < m->s->columns; i++)
        m->repetitions[i] = m->repetitions[i] > 0 ? m->repetitions[i] : most[i];
    free(most);
    snprintf(m->s->name[m->s->columns++], sizeof m->s->name[0], "all");
    return 0;
}

static struct htmt__summary_row *new_row(struct making *m, enum htmt__summary_group group,
                                         const char *name, const char *unit)
{
    struct htmt__summary *s = m->s;
    if (!htmt__array_fits(&s->row, &m->room, s->rows + 1u, sizeof *s->row))
        return NULL;
    struct htmt__summary_row *row = &s->row[s->rows];
    *row = (struct htmt__summary_row){.group = group, .unit = unit};
    row->value = malloc(s->columns * sizeof *row->value);
    if (!row->value)
        return NULL;
    for (unsigned i = 0; i < s->columns; i++)
        row->value[i] = NAN;
    snprintf(row->name, sizeof row->name, "%s", name);
    s->rows++;
    return row;
}

static double busy_s(const struct htmt_phase_report *p, int class)
{
    (void)class;
    return (double)p->busy / (double)HTMT_SECOND;
}

static double operations(const struct htmt_phase_report *p, int class)
{
    return (double)p->ops[class];
}

static double words(const struct htmt_phase_report *p, int class)
{
    (void)class;
    return (double)p->words;
}

/* Adds a row with the sums over the stages on a resource, unless all sums are 0: of one parcel in
 * the column of its type, of a slice in that of all types. */
static int sum_row(struct making *m, uint32_t resource, enum htmt__summary_group group,
                   const char *name, const char *unit, int class,
                   double (*amount)(const struct htmt_phase_report *p, int class))
{
    const unsigned all = m->s->columns - 1;
    struct htmt__summary_row *row = NULL;
    for (unsigned i = 0; i < m->phases; i++) {
        const struct htmt_phase_report *p = &m->phase[i];
        double sum = p->resource == resource ? amount(p, class) : 0;
        if (!(sum > 0))
            continue;
        row = row ? row : new_row(m, group, name, unit);
        if (!row)
            return HTMT_ENOMEM;
        double *own = &row->value[m->column[i]];
        *own = (isnan(*own) ? 0 : *own) + sum;
        row->value[all] = (isnan(row->value[all]) ? 0 : row->value[all]) + sum / m->slices;
    }
    for (unsigned i = 0; row && i < all; i++)
        row->value[i] /= m->repetitions[i];
    return 0;
}

static int resource_rows(struct making *m, enum htmt__summary_group group)
{
    struct htmt_resource_report r;
    char name[3 * HTMT_NAME_MAX];
    int rc = 0;
    for (uint32_t i = 0; i < htmt_resource_count(m->e) && !rc; i++) {
        htmt_resource_at(m->e, i, &r);
        if (group == HTMT__SUMMARY_TIME)
            rc = sum_row(m, i, group, r.name, "s", 0, busy_s);
        if (group == HTMT__SUMMARY_WORDS)
            rc = sum_row(m, i, group, r.name, "words", 0, words);
        for (int c = 0; group == HTMT__SUMMARY_WORK && c < HTMT_OP_CLASSES && !rc; c++) {
            snprintf(name, sizeof name, "%s %s", r.name, htmt__op_names[c]);
            rc = sum_row(m, i, group, name, htmt__op_names[c], c, operations);
        }
    }
    return rc;
}

static int memory_rows(struct making *m)
{
    struct htmt_memory_report r;
    char name[3 * HTMT_NAME_MAX];
    for (uint32_t l = 0; htmt_memory_at(m->e, l, &r) == 0; l++) {
        snprintf(name, sizeof name, "%s, fullest", r.name);
        struct htmt__summary_row *row =
            r.peak ? new_row(m, HTMT__SUMMARY_MEMORY, name, "words") : NULL;
        if (r.peak && !row)
            return HTMT_ENOMEM;
        if (row)
            row->value[m->s->columns - 1] = (double)r.peak;
    }
    return 0;
}

/* ---- balance --------------------------------------------------------------------------------- */

static double servers_of(const struct making *m, const char *resource)
{
    struct htmt_resource_report r;
    for (uint32_t i = 0; htmt_resource_at(m->e, i, &r) == 0; i++)
        if (strcmp(r.name, resource) == 0)
            return (double)r.count * htmt_resource_places(m->e, i) / m->slices;
    return 1;
}

/* Each time divided by the servers of a slice, as a share of the greatest in its column. */
static int balance_rows(struct making *m)
{
    struct htmt__summary *s = m->s;
    unsigned before = s->rows;
    for (unsigned i = 0; i < before; i++) {
        char name[3 * HTMT_NAME_MAX];
        if (s->row[i].group != HTMT__SUMMARY_TIME)
            continue;
        memcpy(name, s->row[i].name, sizeof name);
        struct htmt__summary_row *row = new_row(m, HTMT__SUMMARY_BALANCE, name, "%");
        if (!row)
            return HTMT_ENOMEM;
        const double servers = servers_of(m, name);
        for (unsigned c = 0; c < s->columns; c++)
            row->value[c] = s->row[i].value[c] / servers;
    }
    for (unsigned c = 0; c < s->columns; c++) {
        double most = 0;
        for (unsigned i = before; i < s->rows; i++)
            most = fmax(most, s->row[i].value[c]);
        for (unsigned i = before; i < s->rows; i++)
            s->row[i].value[c] *= 100 / most;
    }
    return 0;
}

int htmt__summary_make(const struct htmt_emulator *e, struct htmt__summary *s)
{
    struct making m = {.e = e, .s = s, .slices = htmt_emulator_slices(e)};
    *s = (struct htmt__summary){.made = true};
    int rc = take_phases(&m);
    struct htmt__summary_row *count =
        rc ? NULL : new_row(&m, HTMT__SUMMARY_COUNT, "repetitions, a slice", "1");
    for (unsigned i = 0; count && i + 1 < s->columns; i++)
        count->value[i] = m.repetitions[i] / m.slices;
    if (!rc && !count)
        rc = HTMT_ENOMEM;
    for (int g = HTMT__SUMMARY_TIME; g <= HTMT__SUMMARY_WORDS && !rc; g++)
        rc = resource_rows(&m, (enum htmt__summary_group)g);
    if (!rc)
        rc = memory_rows(&m);
    if (!rc)
        rc = balance_rows(&m);
    free(m.phase);
    free(m.column);
    free(m.repetitions);
    if (rc)
        htmt__summary_clear(s);
    return rc;
}

void htmt__summary_clear(struct htmt__summary *s)
{
    for (unsigned i = 0; i < s->rows; i++)
        free(s->row[i].value);
    free(s->row);
    free(s->name);
    *s = (struct htmt__summary){0};
}
