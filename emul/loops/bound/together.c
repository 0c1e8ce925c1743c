/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/loops/bound/together.h"

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
};

/* Iterations of a nest beyond the block. */
struct halo {
    int64_t low[HTMT__NEST_DEPTH], high[HTMT__NEST_DEPTH];
    bool read; /* a later nest needs what it makes */
};

struct together {
    struct htmt__bounds *b;
    unsigned depth, items;
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

/* ---- items -------------------------------------------------------------------------------------
 */

static int find_item(struct together *t, const struct htmt__nest_stream *s, unsigned *index)
{
    for (*index = 0; *index < t->items; ++*index)
        if (t->item[*index].array == s->array && t->item[*index].component == s->component)
            return 0;
    struct item *all = reallocarray(t->item, t->items + 1, sizeof *all);
    if (!all)
        return HTMT_ENOMEM;
    t->item = all;
    all[t->items++] =
        (struct item){.array = s->array, .component = s->component, .first = UINT32_MAX};
    return 0;
}

static int collect_items(struct together *t)
{
    unsigned index;
    int rc = 0;
    for (unsigned i = 0; i < t->b->loops; i++)
        for (unsigned s = 0; s < plan_of(t, i)->streams && !rc; s++)
            rc = find_item(t, &plan_of(t, i)->stream[s], &index);
    return rc;
}

static void widen(struct use *u, const struct htmt__nest_plan *plan,
                  const struct htmt__nest_pattern *p)
{
    bool fresh = !u->touch;
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
}

static int collect_uses(struct together *t)
{
    unsigned index;
    t->use = calloc((size_t)t->b->loops * t->items + 1, sizeof *t->use);
    if (!t->use)
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < t->b->loops; i++)
        for (unsigned s = 0; s < plan_of(t, i)->streams; s++) {
            const struct htmt__nest_stream *stream = &plan_of(t, i)->stream[s];
            if (find_item(t, stream, &index))
                return HTMT_ENOMEM;
            struct use *u = use_of(t, i, index);
            u->written_first = u->touch ? u->written_first : stream->written_first;
            widen(u, plan_of(t, i), &plan_of(t, i)->pattern[stream->pattern]);
            t->item[index].first = i < t->item[index].first ? i : t->item[index].first;
            t->item[index].last = i;
        }
    return 0;
}

static bool any_exit(const struct htmt__nest_file *file)
{
    for (unsigned i = 0; i < file->arrays; i++)
        if (file->array[i].exit)
            return true;
    return false;
}

/* Read before it is written: comes in. Goes out: what the file says, else what is live on entry or
 * not read after its last write. */
static void judge_item(struct together *t, unsigned index, bool told)
{
    const struct htmt__nest_array *a = &t->b->program->file->array[t->item[index].array];
    const struct use *first = use_of(t, t->item[index].first, index);
    bool written = false, read_after = false;
    for (unsigned i = 0; i < t->b->loops; i++) {
        const struct use *u = use_of(t, i, index);
        bool writes = u->touch & HTMT__NEST_WRITES;
        read_after = writes ? false : read_after || (written && u->touch);
        written = written || writes;
    }
    t->item[index].in = first->touch & HTMT__NEST_READS && !first->written_first;
    t->item[index].out = written && (told ? a->exit : a->entry || !read_after);
}

/* ---- halos -------------------------------------------------------------------------------------
 */

/* Nest r makes what nest q reads of an item. */
static void reach_out(const struct together *t, unsigned r, unsigned q, unsigned index)
{
    const struct use *make = use_of(t, r, index), *read = use_of(t, q, index);
    struct halo *h = &t->halo[r];
    if (!(make->touch & HTMT__NEST_WRITES) || !(read->touch & HTMT__NEST_READS))
        return;
    h->read = true;
    for (unsigned l = 0; l < t->depth; l++) {
        int64_t low = t->halo[q].low[l] - read->low[l] + make->low[l];
        int64_t high = t->halo[q].high[l] + read->high[l] - make->high[l];
        h->low[l] = low > h->low[l] ? low : h->low[l];
        h->high[l] = high > h->high[l] ? high : h->high[l];
    }
}

static void find_halos(const struct together *t)
{
    for (unsigned r = t->b->loops; r-- > 0;)
        for (unsigned q = r + 1; q < t->b->loops; q++)
            for (unsigned k = 0; k < t->items; k++)
                reach_out(t, r, q, k);
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

static htmt_wide cells_of(const struct together *t, unsigned loop)
{
    const struct htmt__nest_plan *plan = plan_of(t, loop);
    const struct halo *h = &t->halo[loop];
    htmt_wide cells = 1;
    for (unsigned l = 0; l < t->depth; l++) {
        int64_t low = plan->low[l] / plan->step[l];
        struct cover c = {h->low[l], h->high[l], low, low + plan->extent[l], 1, !h->read};
        cells *= measure(t, l, &c).sum;
    }
    return cells;
}

static void raise(int64_t *most, int64_t value)
{
    *most = value > *most ? value : *most;
}

/* What a nest touches of an item. */
static void cover_use(const struct together *t, unsigned loop, unsigned index, unsigned l,
                      struct cover *c)
{
    const struct htmt__nest_plan *plan = plan_of(t, loop);
    const struct use *u = use_of(t, loop, index);
    int64_t low = plan->low[l] / plan->step[l];
    if (!u->touch)
        return;
    raise(&c->before, t->halo[loop].low[l] - u->low[l]);
    raise(&c->behind, t->halo[loop].high[l] + u->high[l]);
    raise(&c->most, low + plan->extent[l] + u->high[l]);
    c->least = low + u->low[l] < c->least ? low + u->low[l] : c->least;
    if (u->unit == (int)l)
        c->line = (int64_t)plan->line;
}

/* Words of an item, by all nests that touch it. */
static void measure_item(struct together *t, unsigned index)
{
    struct item *item = &t->item[index];
    item->words = item->most = 1;
    for (unsigned l = 0; l < t->depth; l++) {
        struct cover c = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MIN, 1, false};
        unsigned used = 0;
        for (unsigned i = item->first; i <= item->last; i++) {
            cover_use(t, i, index, l, &c);
            used |= use_of(t, i, index)->used;
        }
        struct lengths all = measure(t, l, &c);
        item->words *= used & 1U << l ? all.sum : 1;
        item->most *= used & 1U << l ? all.most : 1;
    }
}

/* ---- traffic -----------------------------------------------------------------------------------
 */

static htmt_wide bytes_of(const struct together *t, const struct item *item, htmt_wide words)
{
    return words * (htmt_wide)t->b->program->file->array[item->array].bytes;
}

static htmt_wide resident_at(const struct together *t, unsigned loop)
{
    htmt_wide bytes = 0;
    for (unsigned k = 0; k < t->items; k++)
        if (t->item[k].first <= loop && loop <= t->item[k].last)
            bytes += bytes_of(t, &t->item[k], t->item[k].most);
    return bytes;
}

/* Comes in at the first nest that touches it, goes out at the last that does. */
static void put_traffic(const struct together *t, unsigned index)
{
    const struct item *item = &t->item[index];
    struct htmt__bound_loop *first = &t->b->loop[item->first], *last = &t->b->loop[item->last];
    htmt_wide bytes = bytes_of(t, item, item->words);
    bool fetched = item->in || (item->out && !t->b->request.keeping.bypass);
    if (fetched)
        first->traffic[0].read += bytes / (htmt_wide)first->run->plan->unit;
    if (item->out)
        last->traffic[0].written += bytes / (htmt_wide)last->run->plan->unit;
}

static int time_loop(const struct together *t, struct htmt__bound_loop *loop)
{
    struct htmt__bound_traffic *traffic = &loop->traffic[0];
    const struct htmt__bound_link *link = &t->b->rates->link[0];
    htmt_wide unit = (htmt_wide)loop->run->plan->unit, in, out;
    traffic->bytes = (traffic->read + traffic->written) * unit;
    int rc = htmt__bound_time(htmt__nest_whole(traffic->read * unit), link->inward, HTMT_WORD, &in);
    if (!rc)
        rc = htmt__bound_time(htmt__nest_whole(traffic->written * unit), link->outward, HTMT_WORD,
                              &out);
    if (!rc)
        traffic->fs = in + out;
    return rc;
}

static int move_together(const struct together *t)
{
    int rc = 0;
    for (unsigned i = 0; i < t->b->loops; i++)
        t->b->loop[i].traffic[0] = (struct htmt__bound_traffic){0};
    for (unsigned k = 0; k < t->items; k++)
        put_traffic(t, k);
    for (unsigned i = 0; i < t->b->loops && !rc; i++)
        rc = time_loop(t, &t->b->loop[i]);
    return rc;
}

static int compute(const struct together *t)
{
    int rc = 0;
    for (unsigned i = 0; i < t->b->loops && !rc; i++) {
        struct htmt__bound_loop *loop = &t->b->loop[i];
        htmt_wide cells = cells_of(t, i);
        loop->cells = cells > loop->cells ? cells : loop->cells;
        rc = htmt__nest_multiply(loop->flops, htmt__nest_whole(loop->cells), &loop->work);
        if (!rc)
            rc = htmt__bound_time(loop->work, t->b->rates->flop, t->b->rates->processors,
                                  &loop->compute_fs);
    }
    return rc;
}

static int run_blocks(struct together *t)
{
    const struct htmt__bound_rates *rates = t->b->rates;
    htmt_wide capacity = t->b->request.capacity >= 0 ? t->b->request.capacity
                         : rates->links              ? rates->link[0].capacity
                                                     : 0;
    int rc = collect_items(t);
    if (!rc)
        rc = collect_uses(t);
    if (rc)
        return rc;
    bool told = any_exit(t->b->program->file);
    find_halos(t);
    for (unsigned k = 0; k < t->items; k++) {
        judge_item(t, k, told);
        measure_item(t, k);
    }
    t->b->resident = 0;
    for (unsigned i = 0; i < t->b->loops; i++) {
        htmt_wide bytes = resident_at(t, i);
        t->b->resident = bytes > t->b->resident ? bytes : t->b->resident;
    }
    t->b->together = t->b->resident <= capacity * HTMT_WORD;
    rc = compute(t);
    return rc || !t->b->together || !rates->links ? rc : move_together(t);
}

/* Blocks are those of the last nest's box. */
static int prepare(struct together *t, struct htmt_fault *fault)
{
    const struct htmt__nest_plan *last = plan_of(t, t->b->loops - 1);
    t->depth = last->depth;
    for (unsigned i = 0; i < t->b->loops; i++)
        if (plan_of(t, i)->depth != t->depth || t->b->loop[i].run->times != 1)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--order blocks: nest %s has other loops than %s, or repeats",
                                  t->b->loop[i].run->name, last->name);
    for (unsigned l = 0; l < t->depth; l++) {
        int64_t block = t->b->request.block[t->depth - 1 - l];
        t->low[l] = last->low[l] / last->step[l];
        t->extent[l] = last->extent[l];
        t->block[l] = block > 0 ? block : last->extent[l];
        if (!t->block[l])
            t->block[l] = 1;
    }
    return 0;
}

int htmt__bound_together(struct htmt__bounds *bound, struct htmt_fault *fault)
{
    struct together t = {.b = bound};
    int rc = bound->loops ? prepare(&t, fault) : 0;
    if (rc || !bound->loops)
        return rc;
    t.halo = calloc(bound->loops, sizeof *t.halo);
    rc = t.halo ? run_blocks(&t) : HTMT_ENOMEM;
    free(t.item);
    free(t.use);
    free(t.halo);
    return rc ? htmt_fault_set(fault, rc, "--order blocks: %s", htmt_strerror(rc)) : 0;
}
