/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What reports say of arrays: names, references, bytes.
 */
#include "emul/loops/bound/report.h"

#include <math.h>
#include <string.h>

/* Loads and stores of a row's components, and of all, over the program. */
struct references {
    double loads, stores, all;
};

static bool is_in(const struct htmt__nest_row *row, const struct htmt__nest_stream *s)
{
    return s->array == row->array && s->component >= row->first &&
           s->component < row->first + row->count;
}

static struct references count(const struct htmt__bound_report *report,
                               const struct htmt__nest_row *row)
{
    struct references sum = {0, 0, 0};
    for (unsigned i = 0; i < report->bound->loops; i++) {
        const struct htmt__bound_loop *loop = &report->bound->loop[i];
        double cells = (double)loop->cells * (double)loop->run->times;
        for (unsigned k = 0; k < loop->run->plan->streams; k++) {
            const struct htmt__nest_stream *s = &loop->run->plan->stream[k];
            double loads = cells * htmt__nest_value(s->loads);
            double stores = cells * htmt__nest_value(s->stores);
            sum.all += loads + stores;
            sum.loads += is_in(row, s) ? loads : 0;
            sum.stores += is_in(row, s) ? stores : 0;
        }
    }
    return sum;
}

double htmt__bound_write_rate(const struct htmt__bound_report *report,
                              const struct htmt__nest_row *row)
{
    struct references sum = count(report, row);
    return sum.all > 0 ? sum.stores / sum.all : 0;
}

double htmt__bound_read_ratio(const struct htmt__bound_report *report,
                              const struct htmt__nest_row *row)
{
    struct references sum = count(report, row);
    return sum.stores > 0 ? sum.loads / sum.stores : (double)INFINITY;
}

htmt_wide htmt__bound_row_bytes(const struct htmt__bound_report *report,
                                const struct htmt__nest_row *row)
{
    const struct htmt__nest_program *p = report->bound->program;
    return htmt__nest_array_words(p, row->array, row->count) *
           (htmt_wide)p->file->array[row->array].bytes;
}

void htmt__bound_row_name(const struct htmt__bound_report *report, const struct htmt__nest_row *row,
                          char *name, size_t room)
{
    const struct htmt__nest_program *p = report->bound->program;
    const char *array = p->file->array[row->array].name;
    if (row->count == p->components[row->array])
        snprintf(name, room, "%s", array);
    else if (row->count == 1)
        snprintf(name, room, "%s:%lld", array, (long long)row->first);
    else
        snprintf(name, room, "%s:%lld..%lld", array, (long long)row->first,
                 (long long)(row->first + row->count - 1));
}

void htmt__bound_block_name(const struct htmt__bound_loop *loop, char *name, size_t room)
{
    size_t used = 0;
    *name = '\0';
    for (unsigned l = loop->run->plan->depth; l-- > 0 && used < room;) {
        char length[24] = "all";
        if (loop->block[l])
            snprintf(length, sizeof length, "%lld", (long long)loop->block[l]);
        used += (size_t)snprintf(name + used, room - used, "%s%s", used ? " x " : "", length);
    }
}
