/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/study/table.h"

#include "apps/lib/formula.h"
#include "layers/file/units.h"
#include "runtime/base/by_size.h"
#include "runtime/base/suggest.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- columns --------------------------------------------------------------------------------- */

int htmt__study_table_column(struct htmt__study_table *t, const char *given,
                             struct htmt_fault *fault)
{
    const char *equals = strchr(given, '=');
    const size_t length = equals ? (size_t)(equals - given) : strlen(given);
    struct htmt__column *c = &t->column[t->columns];
    if (t->columns > HTMT__COLUMNS_MOST)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--column: more than %d of them",
                              HTMT__COLUMNS_MOST);
    if (!length || length >= sizeof c->name || (equals && !equals[1]))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--column: found '%.80s', expected NAME or NAME=FORMULA", given);
    memcpy(c->name, given, length);
    c->name[length] = '\0';
    c->formula = equals ? equals + 1 : given;
    for (unsigned i = 0; i < t->columns; i++)
        if (strcmp(t->column[i].name, c->name) == 0)
            return htmt_fault_set(fault, HTMT_EUSAGE, "--column: '%s' is there already", c->name);
    t->columns++;
    return 0;
}

int htmt__study_table_front(struct htmt__study_table *t, const char *given,
                            struct htmt_fault *fault)
{
    const char *comma = strchr(given, ',');
    for (int k = 0; k < 2; k++) {
        const char *name = k && comma ? comma + 1 : given;
        const size_t length = k || !comma ? strlen(name) : (size_t)(comma - given);
        t->front[k] = -1;
        for (unsigned i = 0; i < t->columns && comma; i++)
            if (strlen(t->column[i].name) == length &&
                strncmp(t->column[i].name, name, length) == 0)
                t->front[k] = (int)i;
        if (t->front[k] < 0 && comma && *name)
            return htmt_fault_set(fault, HTMT_EUSAGE, "--front: '%.*s' is neither T nor a --column",
                                  (int)length, name);
        if (t->front[k] < 0)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--front: found '%.60s', expected two columns such as cost,T",
                                  given);
    }
    return 0;
}

/* What names in a formula stand for at one point. */
struct reader {
    const json_t *values;
    const struct htmt__point *point;
};

/* Both are read as quantities of the first kind that both are of. */
bool htmt__study_in_unit(const char *text, const char *unit, struct htmt_exact *value)
{
    static const enum htmt_dimension kinds[] = {
        HTMT_UNIT_SIZE,  HTMT_UNIT_TIME,   HTMT_UNIT_FREQUENCY, HTMT_UNIT_ACCESS,
        HTMT_UNIT_BYTES, HTMT_UNIT_CYCLES, HTMT_UNIT_BYTE_TIME, HTMT_UNIT_BANDWIDTH};
    static const enum htmt_dimension rates[] = {HTMT_UNIT_RATE, HTMT_UNIT_BYTE_RATE};
    static const char *const nouns[] = {"flop", "iop", "word"};
    struct htmt_quantity a, b;
    char one[64], why[200];
    snprintf(one, sizeof one, "1 %s", unit);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!htmt_quantity_read(text, kinds[i], NULL, &a, why, sizeof why) &&
            !htmt_quantity_read(one, kinds[i], NULL, &b, why, sizeof why) && a.basis == b.basis)
            return !htmt_exact_apply('/', htmt_exact_ratio(a.value), htmt_exact_ratio(b.value),
                                     value);
    for (unsigned i = 0; i < 2; i++) /* held as times of an item */
        if (!htmt_quantity_read(text, rates[i], NULL, &a, why, sizeof why) &&
            !htmt_quantity_read(one, rates[i], NULL, &b, why, sizeof why))
            return !htmt_exact_apply('/', htmt_exact_ratio(b.value), htmt_exact_ratio(a.value),
                                     value);
    for (unsigned i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (!htmt_quantity_read(text, HTMT_UNIT_OPERATION, nouns[i], &a, why, sizeof why) &&
            !htmt_quantity_read(one, HTMT_UNIT_OPERATION, nouns[i], &b, why, sizeof why) &&
            a.basis == b.basis)
            return !htmt_exact_apply('/', htmt_exact_ratio(a.value), htmt_exact_ratio(b.value),
                                     value);
    return false;
}

static int read_figure(const struct reader *r, const char *name, struct htmt_exact *value,
                       struct htmt_fault *fault)
{
    char key[HTMT__FORMULA_NAME], *unit = NULL, *end;
    snprintf(key, sizeof key, "%s", name);
    if ((unit = strchr(key, '['))) {
        *unit++ = '\0';
        unit[strcspn(unit, "]")] = '\0';
    }
    const char *text = htmt__point_figure(r->point, key);
    if (!text)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--column: '%.60s' is neither a result nor a figure of the machine",
                              name);
    if (unit && htmt__study_in_unit(text, unit, value))
        return 0;
    const double x = strtod(text, &end);
    if (unit || *end || end == text)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--column: %s is '%s', expected %s", key, text,
                              unit ? "a value in the unit that was asked for"
                                   : "a plain number; a unit stands behind the key, as KEY[MiB]");
    *value = htmt_exact_double(x);
    return 0;
}

/* The number of a result; false: there is none of that name. A store may hold anything. */
static bool find_result(const json_t *values, const char *name, double *x)
{
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *v = json_array_get(values, i), *number = json_array_get(v, 1);
        const char *of = json_string_value(json_array_get(v, 0));
        if (of && strcmp(of, name) == 0 && json_is_number(number)) {
            *x = json_number_value(number);
            return true;
        }
    }
    return false;
}

static int read_name(void *user, const char *name, struct htmt_exact *value,
                     struct htmt_fault *fault)
{
    const struct reader *r = user;
    double x;
    if (!find_result(r->values, name, &x))
        return read_figure(r, name, value, fault);
    *value = htmt_exact_double(x);
    return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A plain name is the result itself; a formula is evaluated exactly and then rounded once. */
static int evaluate(struct htmt__study_table *t, struct reader *r, double *values,
                    struct htmt_fault *fault)
{
    int rc = 0;
    for (unsigned c = 0; c < t->columns && !rc; c++) {
        struct htmt_exact exact;
        if (find_result(r->values, t->column[c].formula, &values[c]))
            continue;
        rc = htmt__formula(t->column[c].formula, read_name, r, &exact, fault);
        if (!rc)
            values[c] = (double)htmt_exact_value(exact);
        else if (rc != HTMT_ENOMEM)
            rc = fault->code = HTMT_EUSAGE;
    }
    return rc;
}

static int mark_front(struct htmt__study_table *t, struct htmt_fault *fault)
{
    const uint64_t n = t->study->points;
    double *a = malloc(2 * n * sizeof *a);
    bool *front = malloc(n);
    for (uint64_t i = 0; i < n && a; i++)
        for (int k = 0; k < 2; k++)
            a[k ? n + i : i] = t->value[i * t->columns + (unsigned)t->front[k]];
    int rc = a && front ? htmt__front(a, a + n, n, front) : HTMT_ENOMEM;
    for (uint64_t i = 0; i < n && !rc; i++)
        t->row[i].front = front[i];
    free(a);
    free(front);
    return rc ? htmt_fault_set(fault, rc, "out of memory for the front") : 0;
}

int htmt__study_table_open(struct htmt__study_table *t, const struct htmt__study *s,
                           struct htmt_fault *fault)
{
    const size_t values = s->points * t->columns * sizeof *t->value;
    t->study = s;
    t->row = calloc(s->points, sizeof *t->row);
    void *shared =
        mmap(NULL, values + s->points, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!t->row || shared == MAP_FAILED)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for the rows");
    t->shared_bytes = values + s->points;
    t->value = shared;
    t->fine = (bool *)((char *)shared + values);
    return 0;
}

int htmt__study_table_take(struct htmt__study_table *t, uint64_t number, const json_t *result,
                           const struct htmt__point *p, struct htmt_fault *fault)
{
    json_t *list = json_object_get(result, "values"), *code = json_object_get(result, "code");
    int rc = 0;
    if (!json_is_array(list) || !json_is_integer(code))
        return htmt_fault_set(fault, HTMT_EFORMAT, "the store has a result that cannot be read");
    if (!json_integer_value(code)) {
        struct reader r = {list, p};
        rc = evaluate(t, &r, &t->value[number * t->columns], fault);
    }
    t->fine[number] = !rc && !json_integer_value(code);
    return rc;
}

/* The point is made again: either that refuses, or its result in the store does. What is not there
 * ended its process. */
static int find_why(struct htmt__study_table *t, struct htmt__study *s, uint64_t number,
                    const struct htmt__study_part *part, struct htmt__store *store, int ended,
                    struct htmt_fault *fault)
{
    struct htmt__row *row = &t->row[number];
    struct htmt_fault why = {0};
    struct htmt__point p;
    char *text = NULL;
    json_t *o = NULL;
    int rc = 0;
    if (!htmt__point_make(s, number, &p, &why)) {
        rc = part->get(store, p.key, &text, fault);
        o = text ? json_loads(text, 0, NULL) : NULL;
    }
    const char *said = json_string_value(json_object_get(o, "why"));
    if (o)
        htmt_fault_set(&why, (int)json_integer_value(json_object_get(o, "code")), "%s",
                       said ? said : "");
    else if (!why.code && ended && ended != UINT8_MAX)
        htmt_fault_set(&why, HTMT_ESYSTEM, "signal %d ended its process", ended);
    else if (!why.code)
        htmt_fault_set(&why, HTMT_ESYSTEM, "it ended its process");
    row->code = why.code;
    if (!rc && !(row->why = strdup(why.text)))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for the rows");
    json_decref(o);
    free(text);
    htmt__point_fini(&p);
    return rc;
}

int htmt__study_table_close(struct htmt__study_table *t, struct htmt__study *s,
                            const struct htmt__study_place *place, const unsigned char *ended,
                            struct htmt_fault *fault)
{
    struct htmt__store *store = NULL;
    int rc = htmt__study_place_store(place, &store, fault);
    for (uint64_t i = 0; i < s->points && !rc; i++) {
        if (t->fine[i])
            continue;
        for (unsigned c = 0; c < t->columns; c++)
            t->value[i * t->columns + c] = (double)NAN;
        t->refused++;
        rc = find_why(t, s, i, place->part, store, ended[i], fault);
    }
    place->part->close(&store);
    return rc || t->front[0] < 0 ? rc : mark_front(t, fault);
}

void htmt__study_table_fini(struct htmt__study_table *t)
{
    for (uint64_t i = 0; t->row && i < t->study->points; i++)
        free(t->row[i].why);
    free(t->row);
    if (t->shared_bytes)
        munmap(t->value, t->shared_bytes);
    *t = (struct htmt__study_table){.columns = 0};
}

/* ---- of all rows ----------------------------------------------------------------------------- */

struct item {
    double x, y;
    uint64_t number;
};

static int by_x_then_y(const void *a, const void *b)
{
    const struct item *p = a, *q = b;
    const int by_x = (p->x > q->x) - (p->x < q->x);
    return by_x ? by_x : (p->y > q->y) - (p->y < q->y);
}

/* In the order of the first value, a point is on the front if its second is less than that of all
 * before it: of those with an equal first value, only the least second can be. Its equals follow it
 * in this order. (1, 5), (2, 3), (2, 3), (2, 4), (3, 3): the first three are. */
int htmt__front(const double *a, const double *b, uint64_t n, bool *front)
{
    struct item *item = malloc((n + 1) * sizeof *item);
    uint64_t count = 0;
    double least = (double)INFINITY, of_x = (double)NAN;
    if (!item)
        return HTMT_ENOMEM;
    for (uint64_t i = 0; i < n; i++) {
        front[i] = false;
        if (!isnan(a[i]) && !isnan(b[i]))
            item[count++] = (struct item){a[i], b[i], i};
    }
    qsort(item, count, sizeof *item, by_x_then_y);
    for (uint64_t i = 0; i < count; i++) {
        if (item[i].y < least) {
            least = item[i].y;
            of_x = item[i].x;
        }
        front[item[i].number] = item[i].y == least && item[i].x == of_x;
    }
    free(item);
    return 0;
}

int htmt__quantiles(const double *x, uint64_t n, const double *share, unsigned shares,
                    double *quantile)
{
    double *sorted = malloc((n + 1) * sizeof *sorted);
    uint64_t count = 0;
    if (!sorted)
        return HTMT_ENOMEM;
    for (uint64_t i = 0; i < n; i++)
        if (!isnan(x[i]))
            sorted[count++] = x[i];
    qsort(sorted, count, sizeof *sorted, htmt__by_size);
    for (unsigned i = 0; i < shares; i++) {
        const double at = share[i] * (double)(count ? count - 1 : 0);
        const uint64_t below = (uint64_t)at, above = below + (below + 1 < count);
        quantile[i] = count ? sorted[below] + (at - (double)below) * (sorted[above] - sorted[below])
                            : (double)NAN;
    }
    free(sorted);
    return 0;
}

/* Ranks of x among the items, equal ones the mean of theirs, into y. */
static void rank(struct item *item, uint64_t n)
{
    qsort(item, n, sizeof *item, by_x_then_y);
    for (uint64_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && item[end].x == item[i].x; end++)
            ;
        for (uint64_t k = i; k < end; k++)
            item[k].y = 0.5 * (double)(i + end - 1);
    }
}

int htmt__rank_correlation(const double *x, const double *y, uint64_t n, double *r)
{
    struct item *item = malloc((n + 1) * sizeof *item);
    double *of_x = malloc((n + 1) * sizeof *of_x);
    uint64_t count = 0;
    double xx = 0, xy = 0, yy = 0;
    *r = (double)NAN;
    if (!item || !of_x) {
        free(item);
        free(of_x);
        return HTMT_ENOMEM;
    }
    for (uint64_t i = 0; i < n; i++)
        if (!isnan(x[i]) && !isnan(y[i]))
            item[count++] = (struct item){x[i], 0, i};
    rank(item, count);
    for (uint64_t i = 0; i < count; i++)
        of_x[item[i].number] = item[i].y;
    for (uint64_t i = 0; i < count; i++)
        item[i] = (struct item){y[item[i].number], 0, item[i].number};
    rank(item, count);
    const double mean = 0.5 * ((double)count - 1);
    for (uint64_t i = 0; i < count; i++) {
        const double p = of_x[item[i].number] - mean, q = item[i].y - mean;
        xx += p * p;
        xy += p * q;
        yy += q * q;
    }
    if (xx > 0 && yy > 0)
        *r = xy / sqrt(xx * yy);
    free(item);
    free(of_x);
    return 0;
}
