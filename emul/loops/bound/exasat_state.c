/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the rule of the ExaSAT sheets counts beside time: which loops write which arrays, and which
 * words of a body registers hold. Scalars, words of tables that no loop moves along, and the words
 * that stream past compete for registers by how often the body names them. A streamed word comes
 * from memory once in any case, so it gains less, and of equal ones state goes first. By hand: u at
 * its centre 4 times and at six neighbours once, v once, a table of 3 words twice each, w once. Of
 * 4 registers u's centre has one and the table three: 6 references of state hit and 1 misses; 1 + 6
 * + 1 words are streamed.
 */
#include "emul/loops/bound/exasat.h"

#include <stdlib.h>
#include <string.h>

typedef struct htmt__nest_number number;

/* ---- writes ------------------------------------------------------------------------------------
 */

htmt_wide htmt__exasat_row_writes(const struct htmt__exasat *rule, const struct htmt__nest_row *row,
                                  const char *procedure, bool *touched)
{
    htmt_wide times = 0;
    *touched = false;
    for (unsigned i = 0; i < rule->program->runs; i++) {
        const bool here = !strncmp(rule->program->run[i].name, procedure, strlen(procedure));
        *touched = *touched || (here && row->mark[i] > HTMT__NEST_LIVE);
        times += here && row->mark[i] >= HTMT__NEST_W;
    }
    return times;
}

void htmt__exasat_count_writes(const struct htmt__exasat *rule,
                               const struct htmt__nest_occupancy *occupancy, const char *procedure,
                               struct htmt__exasat_writes *writes)
{
    *writes = (struct htmt__exasat_writes){0};
    for (unsigned k = 0; k < occupancy->rows; k++) {
        const struct htmt__nest_row *row = &occupancy->row[k];
        bool touched;
        const htmt_wide times = htmt__exasat_row_writes(rule, row, procedure, &touched);
        writes->all += times * row->count;
        writes->arrays += touched ? row->count : 0;
        writes->once += touched && times < 2 ? row->count : 0;
    }
}

/* ---- state -------------------------------------------------------------------------------------
 */

/* A word that the body names again and again, and how often. */
struct named {
    number uses;
    bool streamed;
};

/* Of equal ones a state variable first: a streamed word gains less by a register. */
static int by_use(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    int sign = 0;
    if (htmt__nest_compare(b->uses, a->uses, &sign))
        sign = 0;
    return sign ? sign : (int)a->streamed - (int)b->streamed;
}

static bool same_word(const struct htmt__nest_point *a, const struct htmt__nest_point *b)
{
    return a->array == b->array && a->component == b->component &&
           !memcmp(a->offset.at, b->offset.at, sizeof a->offset.at);
}

/* All words of the body, most used first; the caller frees *all. Points of a plan are sorted by
 * array, component and offset, so those of one word follow each other. Words of a table share its
 * references. */
static int name_words(const struct htmt__exasat_loop *loop, struct named **all, size_t *count)
{
    const struct htmt__nest_plan *plan = loop->run->plan;
    const size_t state = (size_t)loop->reals;
    struct named *w = calloc(state + plan->points + 1, sizeof *w);
    size_t n = 0;
    int rc = w ? 0 : HTMT_ENOMEM;
    for (unsigned i = 0; i < plan->scalars && !rc; i++) {
        const struct htmt__nest_scalar *s = &plan->scalar[i];
        const htmt_wide words = htmt__nest_floor(s->words) < 1 ? 1 : htmt__nest_floor(s->words);
        number uses;
        if (s->integer)
            continue;
        rc = htmt__nest_add(s->loads, s->stores, &uses);
        if (!rc)
            rc = htmt__nest_divide(uses, htmt__nest_whole(words), &uses);
        for (htmt_wide k = 0; k < words && n < state && !rc; k++)
            w[n++] = (struct named){uses, false};
    }
    for (size_t i = 0; i < plan->points && !rc; i++) {
        const struct htmt__nest_point *p = &plan->point[i];
        if (!i || !same_word(p, p - 1))
            w[n++] = (struct named){htmt__nest_whole(0), true};
        rc = htmt__nest_add(w[n - 1].uses, p->loads, &w[n - 1].uses);
        if (!rc)
            rc = htmt__nest_add(w[n - 1].uses, p->stores, &w[n - 1].uses);
    }
    if (rc) {
        free(w);
        return rc;
    }
    qsort(w, n, sizeof *w, by_use);
    *all = w;
    *count = n;
    return 0;
}

int htmt__exasat_registers(const struct htmt__exasat_loop *loop, uint64_t count,
                           struct htmt__exasat_registers *registers)
{
    struct named *word = NULL;
    size_t words = 0;
    const number once = htmt__nest_whole(1), none = htmt__nest_whole(0);
    *registers = (struct htmt__exasat_registers){none, none, none};
    int rc = name_words(loop, &word, &words);
    for (size_t i = 0; i < words && !rc; i++) {
        const bool held = !count || i < count;
        number *sum = word[i].streamed ? &registers->streamed
                      : held           ? &registers->hits
                                       : &registers->misses;
        rc = htmt__nest_add(*sum, word[i].streamed && held ? once : word[i].uses, sum);
    }
    free(word);
    return rc;
}

int htmt__exasat_uses(const struct htmt__exasat_loop *loop, uint64_t rank, number *uses)
{
    struct named *word = NULL;
    size_t words = 0;
    uint64_t state = 0;
    int rc = name_words(loop, &word, &words);
    *uses = htmt__nest_whole(0);
    for (size_t i = 0; i < words && !rc; i++)
        if (!word[i].streamed && ++state == rank)
            *uses = word[i].uses;
    free(word);
    return rc;
}
