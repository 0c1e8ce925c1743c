/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Derivatives of charges. Each function here mirrors one of machine.c, over double instead of exact
 * ratios, and carries beside each value how fast it changes.
 *
 * Near a machine each of its figures f is taken as a power of the figure p that is changed, f = c
 * p^k: k is 1 if p is the time f itself, -1 if f is a time and p the rate or the clock that it is
 * made of, and 0 if f does not depend on p. So d f / d ln p = k f. A sum adds these up. A maximum
 * grows as its largest arm does. If several arms are equal, the one that grows most is the largest
 * a moment later; so a maximum has two slopes there, one for a growing p and one for a falling one,
 * and the direction is part of every question.
 *
 * By hand: 64 words of 1 ns, 8 accesses of 4 ns, start-up 100 ns: 100 + max(64, 32) = 164 ns. A
 * time of a word that is 1 % longer adds 0.64 ns, one of an access nothing. With accesses of 8 ns
 * both arms are 64 ns: longer accesses add 0.64 ns for 1 %, shorter ones take nothing away.
 */
#include "layers/machine/slope.h"

#include "layers/machine/parts.h"
#include "layers/model.h"

#include <math.h>
#include <string.h>

/* ---- charges --------------------------------------------------------------------------------- */

struct htmt__charge htmt__charge_out(const struct htmt_machine *m, uint32_t network, uint32_t from,
                                     uint32_t to, uint64_t words, uint64_t from_pieces,
                                     uint64_t to_pieces)
{
    return (struct htmt__charge){HTMT__CHARGE_OUT,
                                 network,
                                 from,
                                 to,
                                 {words, htmt__accesses(&m->layer[from].memory, words, from_pieces),
                                  htmt__accesses(&m->layer[to].memory, words, to_pieces)}};
}

struct htmt__charge htmt__charge_in(const struct htmt_machine *m, uint32_t network, uint32_t to,
                                    uint64_t words, uint64_t to_pieces)
{
    return (struct htmt__charge){
        HTMT__CHARGE_IN,
        network,
        to,
        to,
        {words, 0, htmt__accesses(&m->layer[to].memory, words, to_pieces)}};
}

/* ---- a value and how fast it changes --------------------------------------------------------- */

struct grows {
    double value, slope;
};

/* A machine that nobody read may have ports without figures: 0 of nothing. */
static double value_of(struct htmt_ratio a)
{
    return a.num ? htmt_ratio_value(a) : 0;
}

/* n units at a figure, whose exponent has the direction's sign. */
static struct grows units(struct htmt_ratio each, double n, double k)
{
    double value = n * value_of(each);
    return (struct grows){value, k * value};
}

static struct grows sum(struct grows a, struct grows b)
{
    return (struct grows){a.value + b.value, a.slope + b.slope};
}

/* Rounding is no difference: times of a machine are ratios of small numbers. */
#define SAME 1e-13

static struct grows larger(struct grows a, struct grows b)
{
    const double most = fmax(a.value, b.value);
    if (fabs(a.value - b.value) <= SAME * most)
        return (struct grows){most, fmax(a.slope, b.slope)};
    return a.value > b.value ? a : b;
}

/* f = max + (1 - lambda) (sum - max) */
static struct grows work(const struct htmt_machine *m, const struct htmt__exponents *x,
                         const struct htmt__charge *c, double sign)
{
    const struct htmt_processor *processor = &m->layer[c->of].processor;
    const double lambda = value_of(processor->lambda),
                 hidden = sign * x->layer[c->of].lambda * lambda;
    struct grows longest = {0, 0}, all = {0, 0};
    for (int i = 0; i < HTMT_OP_CLASSES; i++) {
        if (!c->n[i])
            continue;
        struct grows term =
            units(processor->time[i], (double)c->n[i], sign * x->layer[c->of].time[i]);
        longest = all.value > 0 ? larger(longest, term) : term;
        all = sum(all, term);
    }
    return (struct grows){lambda * longest.value + (1 - lambda) * all.value,
                          lambda * longest.slope + (1 - lambda) * all.slope -
                              hidden * (all.value - longest.value)};
}

static struct grows accesses(const struct htmt_machine *m, const struct htmt__exponents *x,
                             uint32_t layer, uint64_t n, double sign)
{
    return units(m->layer[layer].memory.access, (double)n, sign * x->layer[layer].access);
}

/* start-up + max(words, accesses), or one of them alone */
static struct grows move(const struct htmt_machine *m, const struct htmt__exponents *x,
                         const struct htmt__charge *c, double sign)
{
    const struct htmt_network *n = &m->network[c->of];
    const bool out = c->kind == HTMT__CHARGE_OUT;
    const struct htmt_ratio word = out ? n->port[c->from].out_word : n->port[c->to].in_word;
    const double k = out ? x->network[c->of].out_word[c->from] : x->network[c->of].in_word[c->to],
                 startup = out ? (double)n->startup : 0;
    struct grows words = units(word, (double)c->n[0], sign * k);
    if (word.num) {
        words = larger(words, accesses(m, x, c->from, c->n[1], sign));
        words = larger(words, accesses(m, x, c->to, c->n[2], sign));
    }
    return sum((struct grows){startup, sign * x->network[c->of].startup * startup}, words);
}

static struct grows lead(const struct htmt_machine *m, const struct htmt__exponents *x,
                         const struct htmt__charge *c, double sign)
{
    const double startup = c->kind == HTMT__CHARGE_LATENCY ? 0 : (double)m->network[c->of].startup,
                 latency = c->kind == HTMT__CHARGE_STARTUP ? 0 : (double)m->network[c->of].latency;
    return (struct grows){startup + latency, sign * (x->network[c->of].startup * startup +
                                                     x->network[c->of].latency * latency)};
}

static struct grows charge_of(const struct htmt_machine *m, const struct htmt__exponents *x,
                              const struct htmt__charge *c, double sign)
{
    switch ((enum htmt__charge_kind)c->kind) {
    case HTMT__CHARGE_WORK:
        return work(m, x, c, sign);
    case HTMT__CHARGE_OUT:
    case HTMT__CHARGE_IN:
        return move(m, x, c, sign);
    case HTMT__CHARGE_STARTUP:
    case HTMT__CHARGE_LATENCY:
    case HTMT__CHARGE_LEAD:
        return lead(m, x, c, sign);
    case HTMT__CHARGE_FIXED:
    case HTMT__CHARGE_UNKNOWN:
        break;
    }
    return (struct grows){0, 0};
}

double htmt__charge_value(const struct htmt_machine *m, const struct htmt__charge *charge)
{
    static const struct htmt__exponents none;
    return charge_of(m, &none, charge, 1).value;
}

double htmt__charge_slope(const struct htmt_machine *m, const struct htmt__exponents *x,
                          const struct htmt__charge *charge, double sign)
{
    return charge_of(m, x, charge, sign).slope;
}

/* ---- two machines ---------------------------------------------------------------------------- */

struct change {
    double factor;
    const char *where;
    struct htmt_fault *fault;
    int rc;
};

/* Whole femtoseconds are rounded: a time is proportional if it is so but for one of them. */
static double exponent(struct change *c, double a, double b, bool whole, const char *figure)
{
    if (a == b)
        return 0;
    if (a > 0 && b > 0)
        return whole && fabs(b - a * c->factor) <= 1 ? 1 : log(b / a) / log(c->factor);
    if (!c->rc)
        c->rc = htmt_fault_set(c->fault, HTMT_ENOENT,
                               "no derivative: %s of %s takes no time on one of the machines",
                               figure, c->where);
    return 0;
}

static double exponent_of(struct change *c, struct htmt_ratio a, struct htmt_ratio b,
                          const char *figure)
{
    return exponent(c, value_of(a), value_of(b), false, figure);
}

static void same(struct change *c, bool is, const char *what)
{
    if (!is && !c->rc)
        c->rc = htmt_fault_set(c->fault, HTMT_ENOENT, "no derivative: %s of %s is no time", what,
                               c->where);
}

static void compare_layers(struct change *c, const struct htmt_layer *a, const struct htmt_layer *b,
                           struct htmt__exponents *x, uint32_t l)
{
    const struct htmt_memory *u = &a->memory, *v = &b->memory;
    c->where = a->name;
    same(c, !strcmp(a->name, b->name) && a->model == b->model, "the kind");
    same(c, a->processor.count == b->processor.count, "the number of processors");
    same(c, u->capacity == v->capacity && u->reserve == v->reserve, "the capacity");
    same(c, u->access_words == v->access_words, "the words of an access");
    same(c, u->ports == v->ports, "the number of ports");
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        x->layer[l].time[i] =
            exponent_of(c, a->processor.time[i], b->processor.time[i], "an operation");
    x->layer[l].lambda = exponent_of(c, a->processor.lambda, b->processor.lambda, "lambda");
    x->layer[l].access = exponent_of(c, u->access, v->access, "an access");
}

static void compare_networks(struct change *c, const struct htmt_network *a,
                             const struct htmt_network *b, struct htmt__exponents *x, uint32_t n)
{
    c->where = a->name;
    same(c, !strcmp(a->name, b->name) && a->model == b->model, "the kind");
    same(c, a->machine_wide == b->machine_wide, "the scope");
    x->network[n].startup =
        exponent(c, (double)a->startup, (double)b->startup, true, "the start-up");
    x->network[n].latency =
        exponent(c, (double)a->latency, (double)b->latency, true, "the latency");
    for (uint32_t l = 0; l < HTMT_LAYERS_MAX; l++) {
        const struct htmt_port *p = &a->port[l], *q = &b->port[l];
        same(c, p->out == q->out && p->in == q->in, "the number of channels");
        x->network[n].out_word[l] = exponent_of(c, p->out_word, q->out_word, "a word");
        x->network[n].in_word[l] = exponent_of(c, p->in_word, q->in_word, "a word");
    }
}

/* Figures of models inside count only where a charge comes of them, which is UNKNOWN then. */
int htmt__exponents_find(const struct htmt_machine *m, const struct htmt_machine *toward,
                         double factor, struct htmt__exponents *x, struct htmt_fault *fault)
{
    struct change c = {.factor = factor, .where = m->name, .fault = fault};
    memset(x, 0, sizeof *x);
    same(&c, m->slices == toward->slices, "the number of slices");
    same(&c, m->layer_count == toward->layer_count, "the number of layers");
    same(&c, m->network_count == toward->network_count, "the number of networks");
    for (uint32_t l = 0; l < m->layer_count && !c.rc; l++)
        compare_layers(&c, &m->layer[l], &toward->layer[l], x, l);
    for (uint32_t n = 0; n < m->network_count && !c.rc; n++)
        compare_networks(&c, &m->network[n], &toward->network[n], x, n);
    return c.rc;
}
