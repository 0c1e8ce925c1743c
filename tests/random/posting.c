/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Posts: from any layer that has a way to the type's home, to any slice, by controls, generators
 * and the control for quiet, one by one or together. What a post does depends on what its slice has
 * kept so far, so another order of posts is another program from there on.
 */
#include "tests/random/parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 6, WORDS = HTMT_POST_BYTES / 8 };

/* Arguments; of a type those in its first args_bytes. */
struct note {
    uint64_t seed, depth, rest[WORDS - 2];
};

/* Of each slice. */
struct kept {
    uint64_t sum, served, quiets;
};

static struct kept *kept_of(struct htmt_context *c)
{
    const struct posted *me = htmt_user(c);
    return htmt_kept(c, me->program->post.kept[htmt_slice(c)]);
}

static void count(struct htmt_context *c, enum tally_of class)
{
    const struct posted *me = htmt_user(c);
    me->program->tally[htmt_slice(c)].n[class]++;
}

static bool reaches(const struct program *p, uint32_t from, uint32_t home, bool own)
{
    return (own && from == home) || htmt_machine_route(p->plan->machine, from, home, !own) >= 0;
}

/* Of a random type that has a way from here; of none if there is none. */
static void post_on(struct htmt_context *c, uint64_t seed, uint64_t depth)
{
    const struct posted *me = htmt_user(c);
    const struct program *p = me->program;
    struct note n = {.seed = draw(&seed) | 1, .depth = depth};
    const uint32_t there =
        once_in(&seed, 4) ? htmt_slice(c) : program_peer(p, htmt_slice(c), &seed);
    const bool own = there == htmt_slice(c);
    const uint64_t first = draw(&seed);
    for (uint32_t i = 0; i < WORDS - 2; i++)
        n.rest[i] = mix(n.seed, i);
    for (uint32_t i = 0; i < POSTED; i++) {
        const struct posted *to = &p->post.of[(first + i) % POSTED];
        if (!reaches(p, me->layer, to->layer, own))
            continue;
        count(c, own ? POST_OWN : POST_SLICE);
        htmt_post(c, to->type, there, to->bytes ? &n : NULL);
        return;
    }
}

/* Where a type has no arguments, the slice goes on with what it has, but not for ever. */
static struct note note_of(struct htmt_context *c)
{
    const struct posted *me = htmt_user(c);
    const struct kept *k = kept_of(c);
    struct note n = {.seed = k->sum | 1, .depth = k->served < 20 ? DEPTH - 1 : DEPTH};
    if (me->bytes)
        memcpy(&n, htmt_args(c), me->bytes);
    return n;
}

static void next(struct htmt_context *c, uint64_t i)
{
    struct note n = note_of(c);
    uint64_t seed = mix(n.seed, i) | 1;
    if (once_in(&seed, 3))
        htmt_charge(c, HTMT_CYCLE, between(&seed, 0, 30));
    if (once_in(&seed, 6))
        count(c, POST_NOTHING);
    else
        post_on(c, draw(&seed) | 1, n.depth + 1);
}

static void serve(struct htmt_context *c)
{
    const struct posted *me = htmt_user(c);
    const struct note n = note_of(c);
    struct kept *k = kept_of(c);
    uint64_t seed = mix(n.seed, k->sum) | 1;
    k->sum = mix(mix(k->sum, n.seed), htmt_sender(c));
    for (uint32_t i = 0; i + offsetof(struct note, rest) / 8 < me->bytes / 8; i++)
        if (n.rest[i] != mix(n.seed, i))
            htmt_fail(c, HTMT_EWRONG, "other arguments came than were posted");
    k->served++;
    htmt_charge(c, HTMT_CYCLE,
                me->program->plan->even ? 10 : between(&seed, 0, once_in(&seed, 4) ? 900 : 20));
    if (n.depth >= DEPTH)
        return;
    if (once_in(&seed, 3)) {
        count(c, POST_EACH);
        htmt_each(c, between(&seed, 1, 6), next);
        return;
    }
    for (uint64_t i = between(&seed, 0, 2); i > 0; i--)
        post_on(c, draw(&seed) | 1, n.depth + 1);
}

static bool wanted(struct htmt_context *c)
{
    const struct note n = note_of(c);
    htmt_charge(c, HTMT_CYCLE, n.seed % 3);
    return n.seed % 5 != 0 && kept_of(c)->served % 4 != 3;
}

/* Now and then a slice begins anew. */
static void quiet(struct htmt_context *c)
{
    const struct posted *me = htmt_user(c);
    struct kept *k = kept_of(c);
    uint64_t seed = mix(k->sum, ++k->quiets) | 1;
    count(c, POST_QUIET);
    if (k->quiets <= me->program->post.rounds && once_in(&seed, 3))
        post_on(c, draw(&seed) | 1, 2);
}

static void work(struct htmt_kernel *k)
{
    const struct note *n = htmt_kernel_args(k);
    htmt_count(k, HTMT_CYCLE, n->seed % 64);
}

static void work_cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    ops->n[HTMT_CYCLE] = ((const struct note *)args)->seed % 64;
}

/* As its layer says, or by figures of its own: often none but those of one instant. */
static struct htmt_aggregate gathered(struct program *p, uint64_t *seed)
{
    struct htmt_aggregate a = {0};
    if (!p->plan->gathers || once_in(seed, 3))
        return a;
    a.bytes = between(seed, 1, once_in(seed, 3) ? 1000 : 120);
    a.wait = once_in(seed, 3) ? 0 : (htmt_time)between(seed, 0, 300) * 1000000;
    p->tally[0].n[TYPE_GATHERED]++;
    return a;
}

void posting_create(struct program *p)
{
    static const char *const names[POSTED] = {"posted 0", "posted 1", "posted 2", "posted 3",
                                              "posted 4"};
    static const uint32_t bytes[POSTED] = {0, 16, 16, 24, HTMT_POST_BYTES};
    uint64_t seed = mix(p->plan->number, 43) | 1, gather = mix(p->plan->number, 59) | 1;
    if (!p->plan->posts)
        return;
    const uint32_t keeps = (uint32_t)between(&seed, 0, p->layers - 1);
    p->post.rounds = (uint32_t)between(&seed, 0, 3);
    for (uint32_t i = 0; i < p->slices; i++)
        program_check(
            p,
            htmt_object_create_kept(p->e, i, keeps, sizeof(struct kept), "kept", &p->post.kept[i]),
            "kept");
    for (uint32_t k = 0; k < POSTED; k++) {
        struct posted *to = &p->post.of[k];
        struct htmt_type_desc d = htmt_type_desc_init();
        *to = (struct posted){.program = p, .bytes = bytes[k]};
        to->layer = (uint32_t)between(&seed, 0, p->layers - 1);
        d.name = names[k];
        d.home = d.exec = program_layer(p, to->layer);
        d.user = to;
        d.args_bytes = to->bytes;
        d.queue = once_in(&seed, 2) ? "first" : "second";
        d.payload_words = once_in(&seed, 4) ? between(&seed, 1, 20) : 0;
        d.aggregate = gathered(p, &gather);
        d.execute.control = serve;
        if (k == 2) {
            d.execute.kernel = work;
            d.execute.cost = p->plan->known ? work_cost : NULL;
            d.execute.steered = true;
        } else if (once_in(&seed, 2)) {
            d.wanted = wanted;
        }
        program_check(p, htmt_type_create(p->e, &d, &to->type), "posted");
        p->tally[0].n[SUM_TYPES]++;
        p->tally[0].n[TYPE_POSTED]++;
    }
    p->post.quiet = (struct posted){.program = p, .layer = p->layers - 1};
    if (once_in(&seed, 2) || p->plan->answers)
        program_check(p, htmt_quiet(p->e, quiet, &p->post.quiet), "quiet");
}

/* One in each slice, which any queue has room for. */
void posting_start(struct program *p)
{
    uint64_t seed = mix(p->plan->number, 47) | 1;
    for (uint32_t i = 0; p->plan->posts && i < p->slices; i++) {
        const struct posted *to = &p->post.of[between(&seed, 1, POSTED - 1)];
        struct note n = {.seed = draw(&seed) | 1};
        for (uint32_t k = 0; k < WORDS - 2; k++)
            n.rest[k] = mix(n.seed, k);
        program_check(p, htmt_post(htmt_root(p->e), to->type, i, &n), "post");
    }
}

/* All ranks fetch all. */
uint64_t posting_kept(const struct program *p)
{
    uint64_t h = 1;
    bool here = true;
    for (uint32_t i = 0; p->plan->posts && i < p->slices; i++) {
        const void *bytes = NULL;
        here = htmt_object_fetch(p->post.kept[i], &bytes) == 0 && bytes;
        const struct kept *k = bytes;
        if (here)
            h = mix(mix(mix(h, k->sum), k->served), k->quiets);
    }
    for (uint32_t k = 0; p->plan->posts && k < POSTED; k++) {
        struct htmt_posts n = htmt_posts_init();
        program_check(p, htmt_posts_of(p->post.of[k].type, &n), "posts");
        h = mix(mix(mix(mix(mix(h, n.posted), n.served), n.unwanted), n.own), n.most);
    }
    return here ? h : 0;
}
