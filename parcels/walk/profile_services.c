/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Services that a profile times.
 *
 * A profile describes the operations of a kernel: its mix, its patterns of addresses, its branches.
 * A generator makes operations of it, by a seed, and the node model of the layer's processor plays
 * them (layers/node/). That is far too slow for every service of a run. So each profile is played
 * when its type is made: in 16 variants, by the seeds 1 to 16, each the mean of the profile's
 * number of services, from cold caches. A service of the run takes the length of one of the
 * variants.
 *
 * Which one must not depend on slices or threads. A service takes the variant of its birth modulo
 * 16, the number that its entity had among those of its slice. Slices that do the same give their
 * entities the same births, so folding stays exact.
 *
 * Several shapes. A kernel may be profiled with services of several sizes, each said by its key
 * `counts`. They form a list by size. A service takes the profile of its own count, or that of the
 * nearest one by ratio, in proportion: with profiles of 100 and 400 operations, a service of 180
 * takes 180/100 of the first one's time, since 180/100 < 400/180; above 200 operations it would
 * take the second one's.
 *
 * Where services depend on each other, by warm caches or a shared bus, a length by itself means
 * little. There the variants' operations are kept as tapes, and node_services.c plays them when the
 * services start.
 */
#include "parcels/walk/profile_services.h"

#include "layers/machine/nodes.h"
#include "layers/node/generator.h"
#include "layers/node/node.h"
#include "parcels/clock/statistics.h"
#include "parcels/walk/controller.h"
#include "parcels/walk/remark.h"
#include "parcels/walk/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- playing a profile ----------------------------------------------------------------------- */

/* The mean of the profile's services by that seed, rounded. */
static int play_variant(const struct htmt__profile *profile, struct htmt__node *node, uint64_t seed,
                        htmt_time *length)
{
    const htmt_wide services = (htmt_wide)profile->services;
    struct htmt__generator *generator;
    struct htmt__tape_writer tape = {0};
    htmt_wide sum = 0;
    int rc = htmt__generator_new(&generator, profile, seed);
    if (rc)
        return rc;
    rc = htmt__tape_open(&tape, htmt__node_play, node);
    for (uint64_t i = 0; i < profile->services && !rc; i++) {
        htmt__node_start(node, false);
        rc = htmt__generator_service(generator, &tape);
        htmt__tape_flush(&tape);
        rc = rc ? rc : tape.code;
        if (rc)
            break;
        htmt_time one = htmt__node_finish(node, NULL);
        rc = one < 0 ? HTMT_EOVERFLOW : 0;
        sum += one;
    }
    *length = (htmt_time)((2 * sum + services) / (2 * services));
    htmt__tape_close(&tape);
    htmt__generator_free(generator);
    return rc;
}

/* The same operations on a tape; start[i]: where service i begins, and the end of the last one. */
static int keep_variant(struct htmt__profiled *p, unsigned variant)
{
    const struct htmt__profile *profile = p->profile;
    struct htmt__generator *generator = NULL;
    struct htmt__tape_writer tape = {0};
    uint64_t *start = p->start[variant] = calloc(profile->services + 1, sizeof *start);
    int rc = start ? htmt__tape_new(&p->tape[variant], NULL) : HTMT_ENOMEM;
    rc = rc ? rc : htmt__generator_new(&generator, profile, variant + 1);
    rc = rc ? rc : htmt__tape_open(&tape, htmt__tape_append, p->tape[variant]);
    for (uint64_t i = 0; i < profile->services && !rc; i++) {
        start[i] = htmt__tape_entries(p->tape[variant]);
        rc = htmt__generator_service(generator, &tape);
        htmt__tape_put(&tape, htmt__tape_entry(HTMT__TAPE_END, 0, 0));
        htmt__tape_flush(&tape);
        rc = rc ? rc : tape.code;
    }
    if (!rc)
        start[profile->services] = htmt__tape_entries(p->tape[variant]);
    htmt__tape_close(&tape);
    htmt__generator_free(generator);
    return rc;
}

/* All variants; only one, where they are the same. */
static void play(struct htmt_emulator *e, struct htmt__profiled *p,
                 const struct htmt__node_figures *figures)
{
    const unsigned variants = htmt__profile_varies(p->profile) ? HTMT__VARIANTS : 1;
    const char *layer = e->machine->layer[p->layer].name;
    struct htmt__node *node = NULL;
    int rc = htmt__node_new(&node, figures, p->profile->program);
    for (unsigned i = 0; i < HTMT__VARIANTS && !rc; i++)
        if (i < variants)
            rc = play_variant(p->profile, node, i + 1, &p->length[i]);
        else
            p->length[i] = p->length[0];
    if (!rc && htmt__machine_node_depends(e->machine, p->layer))
        for (unsigned i = 0; i < variants && !rc; i++)
            rc = keep_variant(p, i);
    const char *unknown = node ? htmt__node_unknown(node) : NULL;
    if (rc == HTMT_EINVAL && unknown)
        htmt__fail(e, rc, "type %s: its profile has %s, for which layers.%s.inside has no latency",
                   p->type, unknown, layer);
    else if (rc)
        htmt__fail(e, rc, "type %s: its profile cannot be played on layer %s: %s", p->type, layer,
                   htmt_strerror(rc));
    htmt__node_free(node);
}

/* ---- who has one ----------------------------------------------------------------------------- */

/* Several profiles of one kernel each have another shape. */
static void check_shapes(struct htmt_emulator *e, const struct htmt__profiled *smallest)
{
    for (const struct htmt__profiled *p = smallest; p && p->larger; p = p->larger) {
        const char *file = p->profile->file ? p->profile->file : "a profile",
                   *larger = p->larger->profile->file ? p->larger->profile->file : "a profile";
        if (!p->counts)
            htmt__fail(e, HTMT_EINVAL,
                       "type %s has several profiles, and %s does not say what its service counts: "
                       "expected the key counts",
                       p->type, file);
        else if (p->counts == p->larger->counts)
            htmt__fail(e, HTMT_EINVAL,
                       "type %s: %s and %s are both profiles of a service that counts %llu "
                       "operations: expected one of each shape",
                       p->type, file, larger, (unsigned long long)p->counts);
    }
}

/* The profile is played, and stands behind all others of the emulator and, in the list of its
 * kernel's shapes, behind those that count as much. */
static void add_shape(struct htmt_emulator *e, const struct htmt__profile *profile,
                      const char *type, int fiber, uint32_t layer, struct htmt__profiled **smallest)
{
    const struct htmt__node_figures *figures = htmt__machine_node(e->machine, layer);
    struct htmt__profiled *p = calloc(1, sizeof *p), **at = &e->profiled;
    if (!figures || !p) {
        free(p);
        htmt__fail(e, figures ? HTMT_ENOMEM : HTMT_EINVAL,
                   figures ? "no host memory for a profile of type %s on layer %s"
                           : "type %s has a profile, but the processor of layer %s has no inside "
                             "that could play it",
                   type, e->machine->layer[layer].name);
        return;
    }
    p->profile = profile;
    snprintf(p->type, sizeof p->type, "%s", type);
    p->fiber = fiber;
    p->layer = layer;
    p->counts = profile->counts;
    while (*at)
        at = &(*at)->next;
    *at = p;
    play(e, p, figures);
    for (at = smallest; *at && (*at)->counts <= p->counts;)
        at = &(*at)->larger;
    p->larger = *at;
    *at = p;
}

struct htmt__profiled *htmt__profiled_find(struct htmt_emulator *e, const char *type, int fiber,
                                           uint32_t layer)
{
    const struct htmt_profiles *all = e->options.profiles;
    struct htmt__profiled *smallest = NULL;
    for (uint32_t i = 0; all && i < all->count && !e->fault.code; i++) {
        const struct htmt__profile *profile = all->profile[i];
        char name[sizeof profile->kernel];
        snprintf(name, sizeof name, "%s.%d", type, fiber);
        if (strcasecmp(profile->kernel, fiber < 0 ? type : name) == 0)
            add_shape(e, profile, type, fiber, layer, &smallest);
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
    if (e->fault.code)
        return;
    const struct htmt__profiled *p = e->profiled;
    struct htmt_profiled told;
    for (uint32_t i = 0; p && !htmt_profiled_at(e, i, &told); i++, p = p->next)
        note(e, &told, p->counts);
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

const struct htmt__profiled *htmt__profiled_choose(const struct htmt__step *step,
                                                   const struct htmt_ops *ops)
{
    const struct htmt__profiled *p = step->profiled;
    const htmt_uwide counts = sum_of(ops);
    while (p->larger && p->larger->counts <= counts)
        p = p->larger;
    if (p->larger && counts > p->counts &&
        counts * counts > (htmt_uwide)p->counts * p->larger->counts)
        p = p->larger; /* it is nearer */
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
