/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An array has an index for each subscript and one for its component. In memory one of them moves
 * fastest, the others by as many bytes as all faster ones together need: u[k, j, i] of 5
 * components, a box of n x n x n and words of 8 B has the distances 8 n n, 8 n, 8 for k, j, i and 8
 * n n n for a component; with `component-axis: 3`, where components come behind all subscripts, 40
 * n n, 40 n, 40 and 8. Without that key components are taken to lie apart, each a whole grid.
 *
 * Members of structs have records: v[i].x of `struct {double x, y;} v[n]` moves by 16 B for i, and
 * v.x and v.y lie in the same lines. Indices that number records move by records, faster ones
 * within one: of v[i].p[2] only i does. Arrays with the same records start together, and have the
 * box of all of them.
 */
#include "emul/loops/nest/layout.h"

#include <string.h>

enum { INDICES = HTMT__NEST_DEPTH + 1 };

/* The indices of an array from the fastest on: its subscripts, and -1 for the component. */
static unsigned sort_indices(const struct htmt__nest_program *program,
                             const struct htmt__nest_array *a, int index[static INDICES])
{
    const bool first = program->file->unit_first;
    const unsigned before = a->placed ? a->component_axis : first ? a->axes : 0;
    unsigned count = 0;
    int order[INDICES];
    for (unsigned axis = 0; axis <= a->axes; axis++) {
        if (axis == before)
            order[count++] = -1;
        if (axis < a->axes)
            order[count++] = (int)axis;
    }
    for (unsigned i = 0; i < count; i++)
        index[i] = first ? order[i] : order[count - 1 - i];
    return count;
}

static void widen(struct htmt__nest_layout *l, unsigned axis, int64_t low, int64_t size)
{
    if (size <= 0)
        return;
    const int64_t mine = l->low[axis] + l->size[axis], other = low + size;
    l->low[axis] = low < l->low[axis] ? low : l->low[axis];
    l->size[axis] = (mine > other ? mine : other) - l->low[axis];
}

/* Of x[i][d - i] the loops of d and i tell more than there is, -n to 2 n of a row of n. Rows are as
 * long as the box says; room is left for the rest before and behind the array. */
static void narrow(struct htmt__nest_layout *l, unsigned axis, int64_t low, int64_t size)
{
    const int64_t below = low - l->low[axis], above = l->low[axis] + l->size[axis] - low - size;
    l->below[axis] = below > 0 ? below : 0;
    l->above[axis] = above > 0 ? above : 0;
    l->low[axis] = low;
    l->size[axis] = size;
}

/* Words alone may lie anywhere: side by side they need the least. */
static bool has_records(const struct htmt__nest_array *a, int64_t line)
{
    return line && *a->record;
}

static bool same_records(const struct htmt__nest_array *a, const struct htmt__nest_array *b)
{
    return !strcmp(a->record, b->record) && a->record_bytes == b->record_bytes &&
           a->record_axes == b->record_axes && a->axes == b->axes && a->placed == b->placed &&
           a->component_axis == b->component_axis;
}

/* An array begins with a line, and what is touched of it may begin in the middle of one: of
 * a[n][5], read from a[2][0] on, that is 80 B behind the beginning, 16 B behind a line of 64. */
static int64_t phase(const struct htmt__nest_program *program, unsigned array, int64_t line,
                     const struct htmt__nest_layout *l)
{
    htmt_wide bytes = 0;
    for (unsigned axis = 0; axis < l->axes && line; axis++)
        bytes += ((htmt_wide)l->low[axis] - program->low[array][axis]) * l->by[axis] % line;
    return line ? (int64_t)((bytes % line + line) % line) : 0;
}

/* Distances of all indices, and the bytes of the array or of all of its records. */
static int measure(const struct htmt__nest_program *program, unsigned array, bool in_records,
                   htmt_wide most, struct htmt__nest_layout *l, htmt_wide *bytes)
{
    const struct htmt__nest_array *a = &program->file->array[array];
    int index[INDICES];
    const unsigned count = sort_indices(program, a, index);
    const unsigned records = a->record_axes ? a->record_axes : count;
    htmt_wide by = l->bytes;
    for (unsigned i = 0; i < count; i++) {
        if (in_records && i + records == count)
            by = (htmt_wide)a->record_bytes;
        const htmt_wide size = index[i] < 0 ? program->components[array] : l->size[index[i]];
        *(index[i] < 0 ? &l->component : &l->by[index[i]]) = (int64_t)by;
        if (size > 0 && by > most / size)
            return HTMT_ERANGE;
        by *= size > 0 ? size : 1;
    }
    *bytes = by;
    return 0;
}

int htmt__nest_lay_out(const struct htmt__nest_program *program, int64_t line, htmt_wide most,
                       struct htmt__nest_layout *layout, int64_t *all)
{
    const struct htmt__nest_file *f = program->file;
    htmt_wide end = 0, bytes = 0;
    for (unsigned i = 0; i < f->arrays && line; i++) {
        int index[INDICES];
        const unsigned slowest =
            layout[i].used ? sort_indices(program, &f->array[i], index) - 1 : 0;
        for (unsigned k = 0; k < slowest; k++) /* what is behind the slowest one moves nothing */
            if (index[k] >= 0) {
                const int64_t low = (int64_t)program->low[i][index[k]],
                              size = (int64_t)program->size[i][index[k]];
                const bool rows =
                    size > 0 && layout[i].coupled[index[k]] && !has_records(&f->array[i], line);
                (rows ? narrow : widen)(&layout[i], (unsigned)index[k], low, size);
            }
    }
    for (unsigned i = 0; i < f->arrays; i++)
        for (unsigned j = 0; j < f->arrays && layout[i].used && has_records(&f->array[i], line);
             j++)
            for (unsigned k = 0; k < layout[i].axes && layout[j].used; k++)
                if (same_records(&f->array[i], &f->array[j]))
                    widen(&layout[i], k, layout[j].low[k], layout[j].size[k]);
    for (unsigned i = 0; i < f->arrays; i++) {
        struct htmt__nest_layout *l = &layout[i];
        const bool in_records = has_records(&f->array[i], line);
        unsigned with = 0;
        if (!l->used)
            continue;
        l->bytes = (int64_t)f->array[i].bytes;
        int rc = measure(program, i, in_records, most, l, &bytes);
        if (rc)
            return rc;
        while (with < i &&
               !(in_records && layout[with].used && same_records(&f->array[i], &f->array[with])))
            with++;
        if (with == i) {
            htmt_wide ahead = phase(program, i, line, l), behind = 0;
            for (unsigned k = 0; k < l->axes && line; k++) {
                ahead += ((htmt_wide)l->below[k] * l->by[k] + line - 1) / line * line;
                behind += (htmt_wide)l->above[k] * l->by[k];
            }
            l->base = (int64_t)(end + ahead) + (in_records ? (int64_t)f->array[i].record_at : 0);
            end += line ? (ahead + bytes + behind + line - 1) / line * line : bytes;
        } else {
            l->base = layout[with].base + (int64_t)f->array[i].record_at -
                      (int64_t)f->array[with].record_at;
        }
        if (end > most)
            return HTMT_ERANGE;
    }
    *all = (int64_t)end;
    return 0;
}
