/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Order `blocks`: a block runs through all nests before the next block begins.
 *
 * What nest q reads of nest r beyond the block, r must make itself: its halo. Halos follow from the
 * last nest to the first, since a nest that makes more reads more. With block [0, 16) and q reading
 * v[i-2..i+2], the nest that makes v covers [-2, 18); the nest before it, of which v needs u[i-1..
 * i+1], covers [-3, 19): 22 iterations for 16, so small blocks compute much again.
 *
 * An item is one component of an array. In a block it lives from the first nest that touches it to
 * the last. If all that live at once fit the innermost memory, only what the program reads and what
 * outlives it moves: once in at the first nest, once out at the last. Lengths are summed block by
 * block along each axis, then multiplied: the cost is items times blocks of one axis, not blocks of
 * the box.
 */
#include "emul/loops/bound/bound.h"

#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

/* What a nest does with a component of an array: words less the variables of its loops. */
struct use {
    unsigned touch, used;
    bool written_first;
    int unit; /* the loop that moves word by word; -1: none */
    int64_t low[HTMT__NEST_DEPTH], high[HTMT__NEST_DEPTH];
};

struct item {
    unsigned array;
    htmt_wide component;
    unsigned first, last;  /* loops that touch it */
    bool in, out;          /* the program reads it, it outlives the program */
    htmt_wide words, most; /* of all blocks, of the largest */
    htmt_wide once;        /* different ones of all blocks */
};

/* Iterations of a nest beyond the block. */
struct halo {
    int64_t low[HTMT__NEST_DEPTH], high[HTMT__NEST_DEPTH];
    bool read; /* a later nest needs what it makes */
};

struct together {
    struct htmt__bounds *b;
    unsigned depth, items;
    size_t room;
    struct item *item;
    struct use *use; /* [loop][item] */
    struct halo *halo;
    int64_t low[HTMT__NEST_DEPTH], extent[HTMT__NEST_DEPTH], block[HTMT__NEST_DEPTH];
};

/* Iterations or words of one axis: a range beyond each block, within a whole, rounded to lines. */
struct cover {
    int64_t before, behind, least, most, line;
    bool to_ends; /* the outer blocks reach the ends of the whole */
};

static const struct htmt__nest_plan *plan_of(const struct together *t, unsigned loop)
{
    return t->b->loop[loop].run->plan;
}

static struct use *use_of(const struct together *t, unsigned loop, unsigned item)
{
    return &t->use[(size_t)loop * t->items + item];
}

static void raise(int64_t *most, int64_t value)
{
    *most = value > *most ? value : *most;
}

static bool writes(const struct use *u)
{
    return u->touch & HTMT__NEST_WRITES;
}

/* ---- items -------------------------------------------------------------------------------------
 */

static unsigned find_item(const struct together *t, const struct htmt__nest_stream *s)
{
    unsigned i = 0;
    while (i < t->items && (t->item[i].array != s->array || t->item[i].component != s->component))
        i++;
    return i;
}

/* The items of all nests, and what each nest does with them. */
static int collect_uses(struct together *t)
{
    for (unsigned i = 0; i < t->b->loops; i++)
        for (unsigned s = 0; s < plan_of(t, i)->streams; s++) {
            const struct htmt__nest_stream *stream = &plan_of(t, i)->stream[s];
            if (find_item(t, stream) < t->items)
                continue;
            if (!htmt__array_fits(&t->item, &t->room, (size_t)t->items + 1, sizeof *t->item))
                return HTMT_ENOMEM;
            t->item[t->items++] = (struct item){
                .array = stream->array, .component = stream->component, .first = UINT32_MAX};
        }
    t->use = calloc((size_t)t->b->loops * t->items + 1, sizeof *t->use);
    if (!t->use)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < t->b->loops; i++)
        for (unsigned s = 0; s < plan_of(t, i)->streams; s++) {
            const struct htmt__nest_stream *stream = &plan_of(t, i)->stream[s];
            unsigned index = find_item(t, stream);
            struct use *u = use_of(t, i, index);
            const struct htmt__nest_plan *plan = plan_of(t, i);
            const struct htmt__nest_pattern *p = &plan->pattern[stream->pattern];
            const bool fresh = !u->touch;
            u->written_first = fresh ? stream->written_first : u->written_first;
            for (unsigned o = 0; o < p->offsets; o++)
                for (unsigned l = 0; l < plan->depth; l++) {
                    int64_t at = p->offset[o].at[l] - plan->low[l] / plan->step[l];
                    bool first = fresh && o == 0;
                    u->low[l] = first || at < u->low[l] ? at : u->low[l];
                    u->high[l] = first || at > u->high[l] ? at : u->high[l];
                }
            u->touch |= p->touch;
            u->used |= p->used;
            u->unit = p->unit;
            t->item[index].first = i < t->item[index].first ? i : t->item[index].first;
            t->item[index].last = i;
        }
    return 0;
}

/* Read before it is written: comes in. Goes out: what the file says (`told`), else what is live on
 * entry or not read after its last write. */
static void judge_item(struct together *t, unsigned index, bool told)
{
    const struct htmt__nest_array *a = &t->b->program->file->array[t->item[index].array];
    const struct use *first = use_of(t, t->item[index].first, index);
    bool written = false, read_after = false;
    for (unsigned i = 0; i < t->b->loops; i++) {
        const struct use *u = use_of(t, i, index);
        read_after = writes(u) ? false : read_after || (written && u->touch);
        written = written || writes(u);
    }
    t->item[index].in = first->touch & HTMT__NEST_READS && !first->written_first;
    t->item[index].out = written && (told ? a->exit : a->entry || !read_after);
}

/* ---- halos -------------------------------------------------------------------------------------
 */

static void find_halos(const struct together *t)
{
    for (unsigned r = t->b->loops; r-- > 0;)
        for (unsigned q = r + 1; q < t->b->loops; q++)
            for (unsigned k = 0; k < t->items; k++) {
                const struct use *make = use_of(t, r, k), *read = use_of(t, q, k);
                struct halo *h = &t->halo[r];
                if (!writes(make) || !(read->touch & HTMT__NEST_READS))
                    continue;
                h->read = true;
                for (unsigned l = 0; l < t->depth; l++) {
                    raise(&h->low[l], t->halo[q].low[l] - read->low[l] + make->low[l]);
                    raise(&h->high[l], t->halo[q].high[l] + read->high[l] - make->high[l]);
                }
            }
}

/* ---- lengths -----------------------------------------------------------------------------------
 */

/* The sum over blocks, and the largest. */
struct lengths {
    htmt_wide sum, most;
};

static struct lengths measure(const struct together *t, unsigned l, const struct cover *c)
{
    struct lengths all = {0, 0};
    int64_t end = t->low[l] + t->extent[l];
    for (int64_t at = t->low[l]; at < end; at += t->block[l]) {
        int64_t next = at + t->block[l] < end ? at + t->block[l] : end;
        int64_t low = at - c->before, high = next + c->behind;
        low = low < c->least || (c->to_ends && at == t->low[l]) ? c->least : low;
        high = high > c->most || (c->to_ends && next == end) ? c->most : high;
        int64_t length = high > low ? high - low : 0;
        length = (length + c->line - 1) / c->line * c->line;
        all.sum += length;
        all.most = length > all.most ? length : all.most;
    }
    return all;
}

/* All iterations are one block. */
static htmt_wide measure_whole(struct together *t, unsigned l, const struct cover *c)
{
    const int64_t block = t->block[l];
    t->block[l] = t->extent[l] > 0 ? t->extent[l] : 1;
    const htmt_wide sum = measure(t, l, c).sum;
    t->block[l] = block;
    return sum;
}

/* Words of an item, by all nests that touch it. */
static void measure_item(struct together *t, unsigned index)
{
    struct item *item = &t->item[index];
    item->words = item->most = item->once = 1;
    for (unsigned l = 0; l < t->depth; l++) {
        struct cover c = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MIN, 1, false};
        unsigned used = 0;
        for (unsigned i = item->first; i <= item->last; i++) {
            const struct htmt__nest_plan *plan = plan_of(t, i);
            const struct use *u = use_of(t, i, index);
            int64_t low = plan->low[l] / plan->step[l];
            if (!u->touch)
                continue;
            used |= u->used;
            raise(&c.before, t->halo[i].low[l] - u->low[l]);
            raise(&c.behind, t->halo[i].high[l] + u->high[l]);
            raise(&c.most, low + plan->extent[l] + u->high[l]);
            c.least = low + u->low[l] < c.least ? low + u->low[l] : c.least;
            if (u->unit == (int)l)
                c.line = (int64_t)plan->line;
        }
        struct lengths all = measure(t, l, &c);
        item->words *= used & 1U << l ? all.sum : 1;
        item->most *= used & 1U << l ? all.most : 1;
        item->once *= used & 1U << l ? measure_whole(t, l, &c) : 1;
    }
}

/* ---- traffic -----------------------------------------------------------------------------------
 */

static htmt_wide bytes_of(const struct together *t, const struct item *item, htmt_wide words)
{
    return words * (htmt_wide)t->b->program->file->array[item->array].bytes;
}

/* An item comes in at the first nest that touches it and goes out at the last that does: the words
 * of each block. */
static int move_together(const struct together *t)
{
    const struct htmt__bound_link *link = &t->b->rates->link[0];
    int rc = 0;
    for (unsigned i = 0; i < t->b->loops; i++)
        t->b->loop[i].traffic[0] = (struct htmt__bound_traffic){0};
    for (unsigned k = 0; k < t->items; k++) {
        const struct item *item = &t->item[k];
        struct htmt__bound_loop *first = &t->b->loop[item->first], *last = &t->b->loop[item->last];
        htmt_wide bytes = bytes_of(t, item, item->words);
        if (item->in || (item->out && !t->b->request.keeping.bypass))
            first->traffic[0].read += bytes / (htmt_wide)first->run->plan->unit;
        if (item->out)
            last->traffic[0].written += bytes / (htmt_wide)last->run->plan->unit;
    }
    for (unsigned i = 0; i < t->b->loops && !rc; i++) {
        struct htmt__bound_traffic *traffic = &t->b->loop[i].traffic[0];
        rc = htmt__bound_pass(link, (htmt_wide)plan_of(t, i)->unit, traffic);
    }
    return rc;
}

/* Two ends of what a nest moves. Low: each word once, if all that blocks share stays from one to
 * the next. High: the words of each block; where its items do not fit, what the nest moves alone,
 * in as many cells as it computes. */
static int put_ends(const struct together *t)
{
    int rc = 0;
    for (unsigned i = 0; i < t->b->loops && !rc; i++) {
        const struct htmt__bound_loop *loop = &t->b->loop[i];
        struct htmt__nest_number bytes = htmt__nest_whole(loop->traffic[0].bytes), cells;
        const htmt_wide count = loop->run->plan->count;
        if (!t->b->together && count) {
            rc = htmt__nest_divide(htmt__nest_whole(loop->cells), htmt__nest_whole(count), &cells);
            if (!rc)
                rc = htmt__nest_multiply(bytes, cells, &bytes);
        }
        t->b->loop[i].traffic[0].most = htmt__nest_round(bytes);
        t->b->loop[i].traffic[0].total = 0;
    }
    for (unsigned k = 0; k < t->items; k++) {
        const struct item *item = &t->item[k];
        const htmt_wide once = bytes_of(t, item, item->once);
        if (item->in || (item->out && !t->b->request.keeping.bypass))
            t->b->loop[item->first].traffic[0].total += once;
        if (item->out)
            t->b->loop[item->last].traffic[0].total += once;
    }
    for (unsigned i = 0; i < t->b->loops; i++) {
        struct htmt__bound_traffic *traffic = &t->b->loop[i].traffic[0];
        traffic->most = traffic->most > traffic->total ? traffic->most : traffic->total;
    }
    return rc;
}

/* Each nest computes its cells of all blocks, those of the halos as often as blocks need them. */
static int compute(const struct together *t)
{
    int rc = 0;
    for (unsigned i = 0; i < t->b->loops && !rc; i++) {
        struct htmt__bound_loop *loop = &t->b->loop[i];
        const struct htmt__nest_plan *plan = plan_of(t, i);
        const struct halo *h = &t->halo[i];
        htmt_wide cells = 1;
        for (unsigned l = 0; l < t->depth; l++) {
            int64_t low = plan->low[l] / plan->step[l];
            struct cover c = {h->low[l], h->high[l], low, low + plan->extent[l], 1, !h->read};
            cells *= measure(t, l, &c).sum;
        }
        loop->cells = cells > loop->cells ? cells : loop->cells;
        rc = htmt__bound_work(t->b, loop);
    }
    return rc;
}

static int run_blocks(struct together *t)
{
    const struct htmt__bound_rates *rates = t->b->rates;
    const struct htmt__nest_file *file = t->b->program->file;
    htmt_wide capacity = t->b->request.capacity >= 0 ? t->b->request.capacity
                         : rates->links              ? rates->link[0].capacity
                                                     : 0;
    bool told = false;
    int rc = collect_uses(t);
    if (rc)
        return rc;
    for (unsigned i = 0; i < file->arrays; i++)
        told = told || file->array[i].exit;
    find_halos(t);
    for (unsigned k = 0; k < t->items; k++) {
        judge_item(t, k, told);
        measure_item(t, k);
    }
    t->b->resident = 0;
    for (unsigned i = 0; i < t->b->loops; i++) {
        htmt_wide bytes = 0;
        for (unsigned k = 0; k < t->items; k++)
            if (t->item[k].first <= i && i <= t->item[k].last)
                bytes += bytes_of(t, &t->item[k], t->item[k].most);
        t->b->resident = bytes > t->b->resident ? bytes : t->b->resident;
    }
    t->b->together = t->b->resident <= capacity * HTMT_WORD;
    rc = compute(t);
    if (!rc && t->b->together && rates->links)
        rc = move_together(t);
    return rc || !rates->links ? rc : put_ends(t);
}

/* Blocks are those of the last nest's box. */
int htmt__bound_together(struct htmt__bounds *bound, struct htmt_fault *fault)
{
    struct together t = {.b = bound};
    if (!bound->loops)
        return 0;
    const struct htmt__nest_plan *last = plan_of(&t, bound->loops - 1);
    t.depth = last->depth;
    for (unsigned i = 0; i < bound->loops; i++)
        if (plan_of(&t, i)->depth != t.depth || bound->loop[i].run->times != 1)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--order blocks: nest %s has other loops than %s, or repeats",
                                  bound->loop[i].run->name, last->name);
    for (unsigned l = 0; l < t.depth; l++) {
        int64_t block = bound->request.block[t.depth - 1 - l];
        t.low[l] = last->low[l] / last->step[l];
        t.extent[l] = last->extent[l];
        t.block[l] = block > 0 ? block : last->extent[l] ? last->extent[l] : 1;
    }
    t.halo = calloc(bound->loops, sizeof *t.halo);
    int rc = t.halo ? run_blocks(&t) : HTMT_ENOMEM;
    free(t.item);
    free(t.use);
    free(t.halo);
    return rc ? htmt_fault_set(fault, rc, "--order blocks: %s", htmt_strerror(rc)) : 0;
}
