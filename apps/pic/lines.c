/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Transforms of the lines that parcels carry: one for each length and number of columns that
 * occurs.
 */
#include "apps/pic/coordinator.h"

#include <stdlib.h>

static const struct htmt__pic_line *line_of(const htmt__pic *p, uint32_t length, uint32_t width,
                                            bool backward)
{
    for (uint32_t i = 0; i < p->lines; i++)
        if (p->line[i].length == length && p->line[i].width == width &&
            p->line[i].backward == backward)
            return &p->line[i];
    return NULL;
}

void htmt__pic_transform(const htmt__pic *p, uint32_t length, uint32_t width, bool backward,
                         double complex *at)
{
    htmt__fft_run(line_of(p, length, width, backward)->fft, at);
}

static int add_line(htmt__pic *p, uint32_t length, uint32_t width, bool backward,
                    struct htmt_fault *fault)
{
    struct htmt__fft_shape shape = {
        .length = length, .count = width, .stride = width, .distance = 1, .backward = backward};
    if (!width || line_of(p, length, width, backward))
        return 0;
    struct htmt__pic_line *more = realloc(p->line, (p->lines + 1) * sizeof *more);
    if (!more)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for transforms");
    p->line = more;
    more[p->lines] = (struct htmt__pic_line){length, width, backward, NULL};
    int rc = htmt__fft_create(&shape, &more[p->lines].fft, fault);
    p->lines += !rc;
    return rc;
}

/* Parcels of `columns` have `each`, the last what is left. */
static int add_columns(htmt__pic *p, uint32_t length, uint64_t columns, uint32_t each,
                       struct htmt_fault *fault)
{
    int rc = 0;
    for (int back = 0; back < 2 && !rc; back++) {
        rc = add_line(p, length, columns < each ? 0 : each, back, fault);
        if (!rc)
            rc = add_line(p, length, (uint32_t)(columns % each), back, fault);
    }
    return rc;
}

int htmt__pic_lines_create(htmt__pic *p, struct htmt_fault *fault)
{
    const uint32_t *n = p->plan.problem.n;
    int rc = add_columns(p, n[0], 1, 1, fault);
    for (uint32_t i = 0; i < p->plan.slices && !rc; i++) {
        const struct htmt__pic_site *s = &p->site[i];
        rc = add_columns(p, n[1], s->modes_x, p->plan.columns_y, fault);
        if (!rc)
            rc = add_columns(p, n[2], (uint64_t)s->modes_x * s->modes_y, p->plan.columns_z, fault);
    }
    return rc;
}

void htmt__pic_lines_destroy(htmt__pic *p)
{
    for (uint32_t i = 0; i < p->lines; i++)
        htmt__fft_destroy(&p->line[i].fft);
    free(p->line);
}
