/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program may make a type for each slice, "Worker 0" to "Worker 4095". A table of its phases has
 * thousands of rows that say the same, and the one that says something else is not found among
 * them. So of many phases, those whose types differ in numbers alone become one row: their
 * parcels, operations and shares are added up, times are means over all services, and the busiest
 * of them is named. All phases stay in the JSON.
 *
 * Shares add up, since each is a share of all servers of the resource: 4096 workers that use 0.02 %
 * of 4096 SPELLs each use 80 % together. Families are found by sorting, so thousands of types with
 * thousands of different names cost no more than a few milliseconds.
 */
#include "emul/lib/report/families.h"

#include "runtime/base/error.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A phase, or the family that it begins, with its place in the report. */
struct member {
    struct htmt__family family;
    unsigned first;
};

/* "Worker 17" becomes "Worker *". */
static void generalize(char *type)
{
    char *to = type;
    for (const char *from = type; *from; from++) {
        const bool digit = isdigit((unsigned char)*from);
        if (digit && to > type && to[-1] == '*')
            continue;
        *to++ = digit ? '*' : *from;
    }
    *to = '\0';
}

static int by_name(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = strcmp(x->family.sum.type, y->family.sum.type);
    order = order ? order : strcmp(x->family.sum.stage, y->family.sum.stage);
    order = order ? order : strcmp(x->family.sum.resource, y->family.sum.resource);
    order = order ? order : strcmp(x->family.sum.unit, y->family.sum.unit);
    return order ? order : (x->first > y->first) - (x->first < y->first);
}

static int by_share(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->family.sum.utilization != y->family.sum.utilization)
        return x->family.sum.utilization > y->family.sum.utilization ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static int by_place(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static void add(struct htmt__family *to, const struct htmt__family *from)
{
    struct htmt__stage *a = &to->sum;
    const struct htmt__stage *b = &from->sum;
    const double all = (double)(a->parcels + b->parcels), part = (double)b->parcels;
    const double mine = all > 0 ? part / all : 0;
    a->mean_s += mine * (b->mean_s - a->mean_s);
    a->mean_wait_s += mine * (b->mean_wait_s - a->mean_wait_s);
    a->mean_stall_s += mine * (b->mean_stall_s - a->mean_stall_s);
    a->mean_pause_s += mine * (b->mean_pause_s - a->mean_pause_s);
    a->parcels += b->parcels;
    a->quantity += b->quantity;
    for (unsigned c = 0; c < HTMT_OP_CLASSES; c++)
        a->classes.of[c] += b->classes.of[c];
    a->utilization += b->utilization;
    to->members++;
    if (from->busiest->utilization > to->busiest->utilization)
        to->busiest = from->busiest;
}

int htmt__families_make(const struct htmt__results *r, struct htmt__family **all, unsigned *count,
                        unsigned *left_out)
{
    struct member *m = calloc(r->phase_count + 1u, sizeof *m);
    struct htmt__family *made = calloc(r->phase_count + 1u, sizeof *made);
    const bool many = r->phase_count > HTMT__PHASES_SHOWN;
    unsigned n = r->phase_count;
    if (!m || !made) {
        free(m);
        free(made);
        return HTMT_ENOMEM;
    }
    for (unsigned i = 0; i < n; i++) {
        m[i] = (struct member){{r->phase[i], 1, &r->phase[i]}, i};
        if (many)
            generalize(m[i].family.sum.type);
    }
    if (many) {
        unsigned families = 0;
        qsort(m, n, sizeof *m, by_name);
        for (unsigned i = 0; i < n; i++) {
            struct member other = m[i]; /* as if it stood at the same place */
            other.first = families ? m[families - 1].first : 0;
            if (families && by_name(&m[families - 1], &other) == 0)
                add(&m[families - 1].family, &m[i].family);
            else
                m[families++] = m[i];
        }
        for (unsigned i = 0; i < families; i++)
            if (m[i].family.members == 1) /* its numbers tell it from no other */
                m[i].family.sum = *m[i].family.busiest;
        qsort(m, families, sizeof *m, by_share);
        n = families < HTMT__PHASES_SHOWN ? families : HTMT__PHASES_SHOWN;
        qsort(m, n, sizeof *m, by_place);
    }
    *left_out = r->phase_count;
    for (unsigned i = 0; i < n; i++) {
        made[i] = m[i].family;
        *left_out -= made[i].members;
    }
    free(m);
    *all = made;
    *count = n;
    return 0;
}
