/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of the paper, as the authors' scripts draw them from their sheets.
 */
#include "emul/validate/sheet_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB 1024.0

/* Figure 7: traffic of the flat CNS over the cache. */
static int figure7(struct htmt__sheet_question *q, double *value)
{
    const struct htmt__exasat *rule;
    int rc = htmt__sheet_named(q, "cnsflat", &rule);
    return rc ? rc : htmt__sheet_sum(q, rule, "mem", value);
}

/* Figure 8: small loops over the blocks; "F8.grad.16.mem". */
static int figure8(struct htmt__sheet_question *q, double *value)
{
    const struct htmt__exasat *rule;
    int rc = q->words < 4 ? htmt__sheet_unknown(q) : htmt__sheet_named(q, q->word[1], &rule);
    return rc ? rc : htmt__sheet_loop(q, rule, NULL, 3, value);
}

/* Figure 12: operations of a cell of the box, and their shares of the time. */
static int figure12(struct htmt__sheet_question *q, double *value)
{
    const bool chemistry = !strcmp(q->word[1], "chem");
    const struct htmt__exasat *rule;
    struct htmt__exasat_request r;
    double of[HTMT__NEST_CLASSES] = {0}, box = 1;
    if (!strcmp(q->word[1], "log"))
        return htmt_fault_set(q->fault, HTMT_ENOENT,
                              "nest files of chemistry count functions of all kinds as one");
    int rc = chemistry ? htmt__sheet_chemistry(q, &rule) : htmt__sheet_family(q, "smc", &rule);
    if (rc)
        return rc;
    htmt__sheet_request(q, &r);
    for (int a = 0; a < HTMT__EXASAT_AXES; a++)
        box *= (double)rule->box[a];
    for (unsigned i = 0; i < rule->loops; i++)
        for (int c = 0; c < HTMT__NEST_CLASSES; c++)
            of[c] += htmt__sheet_operations(&rule->loop[i], (enum htmt__nest_class)c) *
                     (double)rule->loop[i].run->plan->count / box;
    const double plain = of[HTMT__NEST_ADD] + of[HTMT__NEST_MUL],
                 divided = of[HTMT__NEST_DIV] * htmt__nest_value(r.divide),
                 called = of[HTMT__NEST_FUNCTION] * htmt__nest_value(r.function),
                 all = plain + divided + called;
    const struct htmt__sheet_measured shares[] = {
        {"add", of[HTMT__NEST_ADD]},         {"mul", of[HTMT__NEST_MUL]},
        {"div", of[HTMT__NEST_DIV]},         {"fn", of[HTMT__NEST_FUNCTION]},
        {"share addmul", 100 * plain / all}, {"share div", 100 * divided / all},
        {"share fn", 100 * called / all}};
    char what[2 * HTMT__SHEET_WORD];
    snprintf(what, sizeof what, "%s%s%s", q->word[2], q->words > 3 ? " " : "",
             q->words > 3 ? q->word[3] : "");
    return htmt__sheet_pick(q, shares, sizeof shares / sizeof *shares, what, value);
}

/* Times of dynamics, chemistry and messages, one after the other; unweighted flop of both. */
struct step {
    double dynamics, chemistry, messages; /* ms */
    double flop, bytes, sent;             /* sent: bytes of messages */
};

static int take_step(struct htmt__sheet_question *q, const struct htmt__exasat_request *r,
                     struct step *step)
{
    const bool light = htmt__sheet_is_set(q, HTMT__SHEET_LIGHT);
    const struct htmt__exasat *dynamics, *chemistry;
    struct htmt__exasat_request whole = *r;
    struct htmt__exasat_bound d, c;
    memset(whole.block, 0, sizeof whole.block);
    int rc = htmt__sheet_family(q, light ? "smclight" : "smc", &dynamics);
    if (!rc)
        rc = htmt__sheet_chemistry(q, &chemistry);
    if (!rc)
        rc = htmt__sheet_add_up(q, dynamics, r, &d);
    if (!rc)
        rc = htmt__sheet_add_up(q, chemistry, &whole, &c);
    if (!rc)
        rc = htmt__sheet_message_ms(q, dynamics, r, &step->messages);
    if (rc)
        return rc;
    step->dynamics = htmt__sheet_ms(&d);
    step->chemistry = htmt__sheet_ms(&c);
    step->flop = htmt__nest_value(d.operations) + htmt__nest_value(c.operations);
    step->bytes = htmt__sheet_bytes(&d) + htmt__sheet_bytes(&c);
    step->sent = (double)dynamics->message_bytes;
    return 0;
}

/* Figure 13: gain of cheaper divisions and functions, in percent. */
static int figure13(struct htmt__sheet_question *q, double *value)
{
    struct htmt__exasat_request fast, slow;
    struct step a, b;
    htmt__sheet_request(q, &fast);
    slow = fast;
    slow.divide = htmt__nest_whole((htmt_wide)q->rates->divide);
    slow.function = htmt__nest_whole((htmt_wide)q->rates->function);
    int rc = take_step(q, &slow, &a);
    if (!rc)
        rc = take_step(q, &fast, &b);
    if (!rc)
        *value =
            100 *
            ((a.dynamics + a.chemistry + a.messages) / (b.dynamics + b.chemistry + b.messages) - 1);
    return rc;
}

/* Figure 14: references to the state variable that is the N-th most used. */
static int figure14(struct htmt__sheet_question *q, double *value)
{
    const struct htmt__exasat *rule;
    struct htmt__nest_number uses;
    int rc = q->words < 3 ? htmt__sheet_unknown(q) : htmt__sheet_named(q, q->word[1], &rule);
    if (!rc)
        rc = htmt__sheet_fail(
            q, htmt__exasat_uses(&rule->loop[0], strtoull(q->word[2], NULL, 10), &uses));
    if (!rc)
        *value = htmt__nest_value(uses);
    return rc;
}

/* Figure 15: references to state that registers take, in percent; "l1": state among what goes on to
 * the first cache. "F15.dyn53.16" is of all loops of the dynamics. */
static int figure15(struct htmt__sheet_question *q, double *value)
{
    const bool dynamics = !strncmp(q->word[1], "dyn", 3);
    const struct htmt__exasat *rule;
    double hits = 0, misses = 0, streamed = 0;
    if (q->words < 3 || !htmt__sheet_is_set(q, HTMT__SHEET_REGISTERS))
        return htmt__sheet_unknown(q);
    int rc =
        dynamics ? htmt__sheet_family(q, "smc", &rule) : htmt__sheet_named(q, q->word[1], &rule);
    for (unsigned i = 0; !rc && i < rule->loops; i++) {
        struct htmt__exasat_registers one;
        rc = htmt__sheet_fail(
            q, htmt__exasat_registers(
                   &rule->loop[i],
                   (uint64_t)htmt__sheet_within(q->set.value[HTMT__SHEET_REGISTERS], 1e9), &one));
        if (rc)
            break;
        hits += htmt__nest_value(one.hits);
        misses += htmt__nest_value(one.misses);
        streamed += htmt__nest_value(one.streamed);
    }
    if (!rc)
        *value = !strcmp(q->word[2], "l1") ? 100 * misses / (misses + streamed)
                                           : 100 * hits / (hits + misses);
    return rc;
}

/* Figure 16: bytes a flop of the dynamics over blocks and cache. */
static int figure16(struct htmt__sheet_question *q, double *value)
{
    const struct htmt__exasat *rule;
    int rc = htmt__sheet_family(q, "smc", &rule);
    return rc ? rc : htmt__sheet_sum(q, rule, "bf", value);
}

static int best_bytes(struct htmt__sheet_question *q, const char *family, htmt_wide cache,
                      double *bytes)
{
    const struct htmt__exasat *rule;
    struct htmt__exasat_request r;
    struct htmt__exasat_bound t;
    int rc = htmt__sheet_family(q, family, &rule);
    if (rc)
        return rc;
    htmt__sheet_request(q, &r);
    r.cache = cache;
    rc = htmt__sheet_fail(q, htmt__exasat_best_block(rule, &r));
    if (!rc)
        rc = htmt__sheet_add_up(q, rule, &r, &t);
    if (!rc)
        *bytes = htmt__sheet_bytes(&t);
    return rc;
}

/* The cache, a power of two in kB up to 256 MB, from which on fusion moves less, each with its best
 * block. */
static int fusion_pays(struct htmt__sheet_question *q, double *value)
{
    bool pays = true;
    int rc = 0;
    *value = 0;
    for (int k = 18; k >= 0 && pays && !rc; k--) {
        const htmt_wide cache = (htmt_wide)1 << (k + 10);
        double apart, fused;
        rc = best_bytes(q, "smc", cache, &apart);
        if (!rc)
            rc = best_bytes(q, "smcfused", cache, &fused);
        pays = !rc && fused < apart;
        if (pays)
            *value = (double)cache / KIB;
    }
    return rc;
}

/* Figure 17: bytes a flop over the cache, in whole or in the best blocks. */
static int figure17(struct htmt__sheet_question *q, double *value)
{
    char family[HTMT__SHEET_WORD + 4] = "smc";
    const struct htmt__exasat *rule;
    struct htmt__exasat_request r;
    struct htmt__exasat_bound t;
    if (!strcmp(q->word[1], "fuse") && !strcmp(q->word[2], "cache"))
        return fusion_pays(q, value);
    if (strcmp(q->word[1], "base") != 0)
        snprintf(family, sizeof family, "smc%s", q->word[1]);
    int rc = htmt__sheet_family(q, family, &rule);
    if (rc)
        return rc;
    htmt__sheet_request(q, &r);
    if (q->words > 3 && !strcmp(q->word[3], "blocked"))
        rc = htmt__sheet_fail(q, htmt__exasat_best_block(rule, &r));
    if (!rc)
        rc = htmt__sheet_add_up(q, rule, &r, &t);
    if (!rc)
        *value = htmt__sheet_bytes(&t) / htmt__nest_value(t.work);
    return rc;
}

/* Figure 18: loops of the procedure `advance` that write a component: the share of one write among
 * all, and of components that at most one loop writes among all that it touches. */
static int figure18(struct htmt__sheet_question *q, double *value)
{
    const struct htmt__exasat *rule;
    struct htmt__nest_occupancy o;
    struct htmt__exasat_writes w;
    int rc = htmt__sheet_family(q, "smc", &rule);
    if (!rc)
        rc = htmt__sheet_fail(q, htmt__nest_occupancy_make(rule->program, &o));
    if (rc)
        return rc;
    htmt__exasat_count_writes(rule, &o, "advance", &w);
    htmt__nest_occupancy_clear(&o);
    const struct htmt__sheet_measured shares[] = {
        {"once", 100 / (double)w.all}, {"share", 100 * (double)w.once / (double)w.arrays}};
    return htmt__sheet_pick(q, shares, sizeof shares / sizeof *shares, q->word[1], value);
}

/* Figure 19: share of messages in what moves, on networks so many times slower than memory. */
static int figure19(struct htmt__sheet_question *q, double *value)
{
    struct htmt__exasat_request r;
    struct step s;
    if (!htmt__sheet_is_set(q, HTMT__SHEET_RATIO))
        return htmt__sheet_unknown(q);
    htmt__sheet_request(q, &r);
    int rc = take_step(q, &r, &s);
    const double slower = q->set.value[HTMT__SHEET_RATIO];
    if (!rc)
        *value = 100 * s.sent * slower / (s.bytes + s.sent * slower);
    return rc;
}

/* Figure 20: unweighted flop/s of dynamics, chemistry and messages. */
static int figure20(struct htmt__sheet_question *q, double *value)
{
    struct htmt__exasat_request r;
    struct step s;
    htmt__sheet_request(q, &r);
    int rc = take_step(q, &r, &s);
    if (!rc)
        *value = s.flop / ((s.dynamics + s.chemistry + s.messages) / 1e3);
    return rc;
}

int htmt__sheet_figure(struct htmt__sheet_question *q, double *value)
{
    static const struct {
        const char *word;
        int (*ask)(struct htmt__sheet_question *, double *);
    } asked[] = {{"F7", figure7},   {"F8", figure8},   {"F12", figure12}, {"F13", figure13},
                 {"F14", figure14}, {"F15", figure15}, {"F16", figure16}, {"F17", figure17},
                 {"F18", figure18}, {"F19", figure19}, {"F20", figure20}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (!strcmp(asked[i].word, q->word[0]))
            return asked[i].ask(q, value);
    return htmt__sheet_unknown(q);
}
