/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/profile_services.h"

#include "layers/machine/nodes.h"
#include "layers/node/generator.h"
#include "layers/node/node.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/banked.h"
#include "parcels/walk/remark.h"
#include "parcels/walk/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- playing --------------------------------------------------------------------------------- */

/* What plays one variant. */
struct stand {
    const struct htmt__profile *profile;
    struct htmt__node *node;
    struct htmt__generator *generator;
    struct htmt__tape_writer tape;
};

static int play_service(struct stand *s, htmt_time *length)
{
    htmt__node_start(s->node, false);
    int rc = htmt__generator_service(s->generator, &s->tape);
    htmt__tape_flush(&s->tape);
    rc = rc ? rc : s->tape.code;
    if (rc)
        return rc;
    *length = htmt__node_finish(s->node, NULL);
    return *length < 0 ? HTMT_EOVERFLOW : 0;
}

/* The mean of the profile's services, rounded. */
static int play_services(struct stand *s, htmt_time *length)
{
    const htmt_wide services = (htmt_wide)s->profile->services;
    htmt_wide sum = 0;
    htmt_time one = 0;
    int rc = 0;
    for (uint64_t i = 0; i < s->profile->services && !rc; i++) {
        rc = play_service(s, &one);
        sum += one;
    }
    *length = (htmt_time)((2 * sum + services) / (2 * services));
    return rc;
}

static int play_variant(struct stand *s, uint64_t seed, htmt_time *length)
{
    int rc = htmt__generator_new(&s->generator, s->profile, seed);
    if (rc)
        return rc;
    rc = htmt__tape_open(&s->tape, htmt__node_play, s->node);
    rc = rc ? rc : play_services(s, length);
    htmt__tape_close(&s->tape);
    htmt__generator_free(s->generator);
    return rc;
}

static int play_variants(struct htmt__profiled *p, struct stand *s)
{
    const bool varies = htmt__profile_varies(p->profile);
    int rc = 0;
    for (unsigned i = 0; i < HTMT__VARIANTS && !rc; i++)
        if (varies || !i)
            rc = play_variant(s, i + 1, &p->length[i]);
        else
            p->length[i] = p->length[0];
    return rc;
}

/* ---- keeping operations ---------------------------------------------------------------------- */

static int keep_services(struct htmt__tape *tape, uint64_t *start, struct stand *s)
{
    int rc = 0;
    for (uint64_t i = 0; i < s->profile->services && !rc; i++) {
        start[i] = htmt__tape_entries(tape);
        rc = htmt__generator_service(s->generator, &s->tape);
        htmt__tape_put(&s->tape, htmt__tape_entry(HTMT__TAPE_END, 0, 0));
        htmt__tape_flush(&s->tape);
        rc = rc ? rc : s->tape.code;
    }
    start[s->profile->services] = htmt__tape_entries(tape);
    return rc;
}

static int keep_variant(struct htmt__profiled *p, unsigned variant)
{
    struct stand s = {.profile = p->profile};
    p->start[variant] = calloc(p->profile->services + 1, sizeof *p->start[variant]);
    int rc = p->start[variant] ? htmt__tape_new(&p->tape[variant], NULL) : HTMT_ENOMEM;
    rc = rc ? rc : htmt__generator_new(&s.generator, p->profile, variant + 1);
    rc = rc ? rc : htmt__tape_open(&s.tape, htmt__tape_append, p->tape[variant]);
    rc = rc ? rc : keep_services(p->tape[variant], p->start[variant], &s);
    htmt__tape_close(&s.tape);
    htmt__generator_free(s.generator);
    return rc;
}

static int keep_variants(struct htmt__profiled *p)
{
    const unsigned variants = htmt__profile_varies(p->profile) ? HTMT__VARIANTS : 1;
    int rc = 0;
    for (unsigned i = 0; i < variants && !rc; i++)
        rc = keep_variant(p, i);
    return rc;
}

/* ---- all of a profile ------------------------------------------------------------------------ */

static void refuse(struct htmt_emulator *e, const struct htmt__profiled *p,
                   const struct htmt__node *node, int code)
{
    const char *unknown = node ? htmt__node_unknown(node) : NULL;
    const char *layer = e->machine->layer[p->layer].name;
    if (code == HTMT_EINVAL && unknown)
        htmt__fail(e, code,
                   "type %s: its profile has %s, for which layers.%s.inside has no latency",
                   p->type, unknown, layer);
    else
        htmt__fail(e, code, "type %s: its profile cannot be played on layer %s: %s", p->type, layer,
                   htmt_strerror(code));
}

static void play(struct htmt_emulator *e, struct htmt__profiled *p,
                 const struct htmt__node_figures *figures)
{
    struct stand s = {.profile = p->profile};
    int rc = htmt__node_new(&s.node, figures, p->profile->program);
    rc = rc ? rc : play_variants(p, &s);
    if (!rc && htmt__machine_node_depends(e->machine, p->layer))
        rc = keep_variants(p);
    if (rc)
        refuse(e, p, s.node, rc);
    htmt__node_free(s.node);
}

/* ---- who has one ----------------------------------------------------------------------------- */

static bool is_of(const struct htmt__profile *profile, const char *type, int fiber)
{
    char name[sizeof profile->kernel];
    snprintf(name, sizeof name, "%s.%d", type, fiber);
    return strcasecmp(profile->kernel, fiber < 0 ? type : name) == 0;
}

static void append(struct htmt_emulator *e, struct htmt__profiled *p)
{
    struct htmt__profiled **last = &e->profiled;
    while (*last)
        last = &(*last)->next;
    *last = p;
}

static const char *file_of(const struct htmt__profiled *p)
{
    return p->profile->file ? p->profile->file : "a profile";
}

/* Each of another shape. */
static void check_shapes(struct htmt_emulator *e, const struct htmt__profiled *smallest)
{
    for (const struct htmt__profiled *p = smallest; p && p->larger; p = p->larger)
        if (!p->counts)
            htmt__fail(e, HTMT_EINVAL,
                       "type %s has several profiles, and %s does not say what its service counts: "
                       "expected the key counts",
                       p->type, file_of(p));
        else if (p->counts == p->larger->counts)
            htmt__fail(e, HTMT_EINVAL,
                       "type %s: %s and %s are both profiles of a service that counts %llu "
                       "operations: expected one of each shape",
                       p->type, file_of(p), file_of(p->larger), (unsigned long long)p->counts);
}

/* Behind those that count as much. */
static void insert(struct htmt__profiled **at, struct htmt__profiled *p)
{
    while (*at && (*at)->counts <= p->counts)
        at = &(*at)->larger;
    p->larger = *at;
    *at = p;
}

static struct htmt__profiled *add_shape(struct htmt_emulator *e,
                                        const struct htmt__profile *profile, const char *type,
                                        int fiber, uint32_t layer)
{
    const struct htmt__node_figures *figures = htmt__machine_node(e->machine, layer);
    struct htmt__profiled *p = calloc(1, sizeof *p);
    if (!figures || !p) {
        free(p);
        htmt__fail(e, figures ? HTMT_ENOMEM : HTMT_EINVAL,
                   figures ? "no host memory for a profile of type %s on layer %s"
                           : "type %s has a profile, but the processor of layer %s has no inside "
                             "that could play it",
                   type, e->machine->layer[layer].name);
        return NULL;
    }
    p->profile = profile;
    snprintf(p->type, sizeof p->type, "%s", type);
    p->fiber = fiber;
    p->layer = layer;
    p->counts = profile->counts;
    append(e, p);
    play(e, p, figures);
    return p;
}

struct htmt__profiled *htmt__profiled_find(struct htmt_emulator *e, const char *type, int fiber,
                                           uint32_t layer)
{
    const struct htmt_profiles *all = e->options.profiles;
    struct htmt__profiled *smallest = NULL;
    for (uint32_t i = 0; all && i < all->count && !e->fault.code; i++) {
        struct htmt__profiled *p = NULL;
        if (is_of(all->profile[i], type, fiber))
            p = add_shape(e, all->profile[i], type, fiber, layer);
        if (p)
            insert(&smallest, p);
    }
    check_shapes(e, smallest);
    return smallest;
}

static void note(struct htmt_emulator *e, const struct htmt_profiled *p, uint64_t counts)
{
    char fiber[32] = "", others[96] = "";
    const char *alone =
        htmt__machine_node_depends(e->machine, p->layer) ? " by itself from cold caches" : "";
    if (p->fiber >= 0)
        snprintf(fiber, sizeof fiber, ", fiber %d", p->fiber);
    if (counts)
        snprintf(others, sizeof others, " where it counts %llu operations",
                 (unsigned long long)counts);
    if (p->least == p->most)
        htmt__note(e, "%s%s: timed by its profile: %.6g us a service%s%s", p->type, fiber,
                   (double)p->least / 1e9, alone, others);
    else
        htmt__note(e, "%s%s: timed by its profile: %.6g to %.6g us a service%s, in %u variants%s",
                   p->type, fiber, (double)p->least / 1e9, (double)p->most / 1e9, alone,
                   HTMT__VARIANTS, others);
}

static void note_all(struct htmt_emulator *e)
{
    const struct htmt__profiled *p = e->profiled;
    struct htmt_profiled told;
    for (uint32_t i = 0; p && !htmt_profiled_at(e, i, &told); i++, p = p->next)
        note(e, &told, p->counts);
}

void htmt__profiled_check(struct htmt_emulator *e)
{
    const struct htmt_profiles *all = e->options.profiles;
    for (uint32_t i = 0; all && i < all->count && !e->fault.code; i++) {
        const struct htmt__profiled *p = e->profiled;
        while (p && p->profile != all->profile[i])
            p = p->next;
        if (!p)
            htmt__fail(e, HTMT_EINVAL, "a profile is of kernel '%s', but no type has this name",
                       all->profile[i]->kernel);
    }
    if (!e->fault.code)
        note_all(e);
}

void htmt__profiled_note(struct htmt_emulator *e)
{
    for (const struct htmt__stage_stats *s = e->stats; s; s = s->next) {
        const uint64_t n = htmt__stands_for_resource(e, s->resource);
        if (s->shaped + s->scaled)
            htmt__note(e,
                       "%s%s: %llu services have the shape of a profile, %llu take that of the "
                       "nearest one in proportion",
                       s->type, s->stage == HTMT_FIBER ? ", fibers" : "",
                       (unsigned long long)(s->shaped * n), (unsigned long long)(s->scaled * n));
    }
}

void htmt__profiled_destroy(struct htmt_emulator *e)
{
    while (e->profiled) {
        struct htmt__profiled *next = e->profiled->next;
        for (unsigned i = 0; i < HTMT__VARIANTS; i++) {
            htmt__tape_free(e->profiled->tape[i]);
            free(e->profiled->start[i]);
        }
        free(e->profiled);
        e->profiled = next;
    }
}

/* ---- services -------------------------------------------------------------------------------- */

static htmt_uwide sum_of(const struct htmt_ops *ops)
{
    htmt_uwide sum = 0;
    for (int i = HTMT_FLOP; i < HTMT_OP_CLASSES; i++)
        sum += ops->n[i];
    return sum;
}

static bool is_nearer_to_larger(const struct htmt__profiled *p, htmt_uwide counts)
{
    return p->larger && counts > p->counts &&
           counts * counts > (htmt_uwide)p->counts * p->larger->counts;
}

const struct htmt__profiled *htmt__profiled_choose(const struct htmt__step *step,
                                                   const struct htmt_ops *ops)
{
    const struct htmt__profiled *p = step->profiled;
    const htmt_uwide counts = sum_of(ops);
    while (p->larger && p->larger->counts <= counts)
        p = p->larger;
    if (is_nearer_to_larger(p, counts))
        p = p->larger;
    step->stats->shaped += p->counts && p->counts == counts;
    step->stats->scaled += p->counts && p->counts != counts;
    return p;
}

/* In proportion to what the service counts, where the profile says what its own do. */
htmt_time htmt__profiled_length(const struct htmt__profiled *p, uint64_t birth,
                                const struct htmt_ops *ops)
{
    const htmt_time length = p->length[birth % HTMT__VARIANTS];
    htmt_uwide product;
    if (!p->counts)
        return length;
    if (__builtin_mul_overflow((htmt_uwide)length, sum_of(ops), &product))
        return -1;
    const htmt_uwide t = (product + p->counts / 2) / p->counts;
    return t <= (htmt_uwide)HTMT_TIME_MAX ? (htmt_time)t : -1;
}

bool htmt__profiled_read(const struct htmt__profiled *p, uint64_t birth, const struct htmt_ops *ops,
                         struct htmt__tape_reading *reading)
{
    const bool varies = p->tape[1] != NULL;
    const unsigned variant = varies ? birth % HTMT__VARIANTS : 0;
    const uint64_t *start =
        p->start[variant] + (varies ? birth / HTMT__VARIANTS : birth) % p->profile->services;
    const uint64_t entries = start[1] - start[0] - 1; /* without that of its end */
    htmt_uwide all = entries, product;
    if (p->counts && __builtin_mul_overflow(all, sum_of(ops), &product))
        return false;
    if (p->counts)
        all = (product + p->counts / 2) / p->counts;
    if (all > (htmt_uwide)HTMT_TIME_MAX)
        return false;
    htmt__tape_read(reading, p->tape[variant], *start, (uint64_t)all);
    return true;
}

/* ---- answers --------------------------------------------------------------------------------- */

uint32_t htmt_profiled_count(const struct htmt_emulator *e)
{
    uint32_t count = 0;
    for (const struct htmt__profiled *p = e ? e->profiled : NULL; p; p = p->next)
        count++;
    return count;
}

int htmt_profiled_at(const struct htmt_emulator *e, uint32_t index, struct htmt_profiled *profiled)
{
    const struct htmt__profiled *p = e ? e->profiled : NULL;
    for (; p && index; index--)
        p = p->next;
    if (!p || !profiled)
        return HTMT_EINVAL;
    struct htmt_profiled found = {p->type, p->fiber, p->layer, p->length[0], p->length[0]};
    for (unsigned i = 1; i < HTMT__VARIANTS; i++) {
        found.least = p->length[i] < found.least ? p->length[i] : found.least;
        found.most = p->length[i] > found.most ? p->length[i] : found.most;
    }
    *profiled = found;
    return 0;
}
