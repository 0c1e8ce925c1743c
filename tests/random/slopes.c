/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Slopes of random programs on random machines, by the critical paths of one run, against
 * differences of three runs:
 *
 *     slopes [--from N] [--count N] [--verbose]
 *
 * Of each program a run with htmt_options.slopes predicts T; then each figure of its machine is
 * changed by one millionth, up and down, and the program is played again. The machine's times are
 * 10^6 times as long as those that are drawn, in whole femtoseconds: so the change is exact, and
 * what is rounded is a 10^-15th of what is compared. A pair differs if it is more than 10^-6 apart,
 * which is the second order of the change and what it does to ties.
 *
 * Parcels that come to a line at one instant may be in another order when a figure is changed, by
 * however little; the path follows the order of its run. So a pair that differs is excused if, in
 * the changed run, events are in another order: at a resource of a slice or at the target of a
 * network, which mostly shows at once, or at least in a slice, if those who changed places were
 * served by different servers. The status is 1 if a pair is not excused, if more than one pair in
 * 50 is, or more than one in 2000 for the latter reason alone.
 *
 * Runs with slopes are refused where queues of posts have limits or posts leave together; such
 * programs are counted, and that is all. Others play the same history with slopes as without.
 */
#include "tests/random/draw.h"
#include "tests/random/program.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGER   UINT64_C(1000000) /* times of the machine; and one over the change */
#define TOLERATE 1e-6

/* ---- figures --------------------------------------------------------------------------------- */

enum kind { CLOCK, TIME, LAMBDA, ACCESS, STARTUP, LATENCY, OUT_WORD, IN_WORD, WORDS, KINDS };

struct figure {
    enum kind kind;
    uint32_t of, part; /* layer or network; class of operations, or layer */
};

static void ratio_by(struct htmt_ratio *r, uint64_t num, uint64_t den)
{
    struct htmt_ratio by = {num, den}, all;
    if (!r->num)
        return;
    if (htmt_ratio_mul(*r, by, &all))
        abort();
    *r = all;
}

static void time_by(htmt_time *t, uint64_t num, uint64_t den)
{
    *t = (htmt_time)((uint64_t)*t / den * num);
}

static void words_by(struct htmt_network *n, uint64_t num, uint64_t den)
{
    for (uint32_t l = 0; l < HTMT_LAYERS_MAX; l++) {
        ratio_by(&n->port[l].out_word, num, den);
        ratio_by(&n->port[l].in_word, num, den);
    }
}

/* The figure of the machine becomes num / den of what it was. */
static void multiply(struct htmt_machine *m, struct figure f, uint64_t num, uint64_t den)
{
    struct htmt_layer *layer = &m->layer[f.of];
    struct htmt_network *network = &m->network[f.of];
    switch (f.kind) {
    case CLOCK:
        for (int i = 0; i < HTMT_OP_CLASSES; i++)
            ratio_by(&layer->processor.time[i], num, den);
        break;
    case TIME:
        ratio_by(&layer->processor.time[f.part], num, den);
        break;
    case LAMBDA:
        ratio_by(&layer->processor.lambda, num, den);
        break;
    case ACCESS:
        ratio_by(&layer->memory.access, num, den);
        break;
    case STARTUP:
        time_by(&network->startup, num, den);
        break;
    case LATENCY:
        time_by(&network->latency, num, den);
        break;
    case OUT_WORD:
        ratio_by(&network->port[f.part].out_word, num, den);
        break;
    case IN_WORD:
        ratio_by(&network->port[f.part].in_word, num, den);
        break;
    case WORDS:
        words_by(network, num, den);
        break;
    case KINDS:
        break;
    }
}

static bool has(const struct htmt_machine *m, struct figure f)
{
    const struct htmt_layer *layer = &m->layer[f.of];
    const struct htmt_network *network = &m->network[f.of];
    return f.kind == CLOCK      ? true
           : f.kind == TIME     ? layer->processor.time[f.part].num > 0
           : f.kind == LAMBDA   ? layer->processor.lambda.num > 0
           : f.kind == ACCESS   ? layer->memory.access.num > 0
           : f.kind == STARTUP  ? network->startup > 0
           : f.kind == LATENCY  ? network->latency > 0
           : f.kind == OUT_WORD ? network->port[f.part].out_word.num > 0
           : f.kind == IN_WORD  ? network->port[f.part].in_word.num > 0
                                : true;
}

static const char *const names[KINDS] = {"clock",   "operation", "lambda",  "access", "startup",
                                         "latency", "out-word",  "in-word", "rates"};

static void make_longer(struct htmt_machine *m)
{
    for (uint32_t l = 0; l < m->layer_count; l++) {
        struct htmt_ratio *times = m->layer[l].processor.time, *access = &m->layer[l].memory.access;
        for (int i = 0; i < HTMT_OP_CLASSES; i++)
            times[i] =
                (struct htmt_ratio){(uint64_t)llround(htmt_ratio_value(times[i])) * LONGER, 1};
        *access = (struct htmt_ratio){(uint64_t)llround(htmt_ratio_value(*access)) * LONGER, 1};
    }
    for (uint32_t n = 0; n < m->network_count; n++) {
        struct htmt_network *net = &m->network[n];
        net->startup *= (htmt_time)LONGER;
        net->latency *= (htmt_time)LONGER;
        for (uint32_t l = 0; l < m->layer_count; l++) {
            struct htmt_ratio *words[] = {&net->port[l].out_word, &net->port[l].in_word};
            for (int i = 0; i < 2; i++)
                if (words[i]->num)
                    *words[i] = (struct htmt_ratio){
                        (uint64_t)llround(htmt_ratio_value(*words[i])) * LONGER, 1};
        }
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* The order of events, but not their times: at each resource and network of each slice, then of the
 * slice. */
struct orders {
    uint64_t *hash;
    uint32_t slices, layers;
};

#define NETWORKS_FROM 500u
#define PLACES        600u

static void add(struct orders *o, uint32_t slice, uint32_t place, const struct htmt_event *event)
{
    uint64_t *h = &o->hash[(size_t)slice * PLACES + place];
    *h = mix(mix(*h, event->serial), event->stage);
}

static void note(void *orders, const struct htmt_event *event)
{
    struct orders *o = orders;
    add(o, event->slice, event->resource, event);
    add(o, event->slice, PLACES - 1, event);
    if (event->resource < o->layers)
        return;
    add(o, event->target, NETWORKS_FROM + (event->resource - o->layers) / o->layers, event);
    if (event->target != event->slice)
        add(o, event->target, PLACES - 1, event);
}

static bool same_order(const struct orders *a, const struct orders *b, bool of_slices)
{
    bool same = true;
    for (size_t i = 0; i < (size_t)a->slices * PLACES && same; i++)
        same = a->hash[i] == b->hash[i] || (i % PLACES == PLACES - 1) != of_slices;
    return same;
}

struct played {
    struct program *program;
    struct orders orders;
    int code;
    htmt_time predicted;
};

static struct played play(struct plan *plan, const struct htmt_machine *machine, bool slopes)
{
    struct htmt_machine *own = plan->machine;
    struct played p = {.orders = {.slices = plan->slices, .layers = plan->layers}};
    struct htmt_options options = htmt_options_init();
    p.orders.hash = calloc((size_t)plan->slices * PLACES, sizeof *p.orders.hash);
    if (!p.orders.hash)
        abort();
    options.mode = plan->known ? HTMT_MODEL : HTMT_RUN;
    options.symmetry = plan->group == APART && plan->number % 2   ? HTMT_INDEPENDENT
                       : plan->group == ALIKE && plan->number % 2 ? HTMT_FOLDED
                                                                  : HTMT_NO_SYMMETRY;
    options.clock = HTMT_CLOCK_SEQUENTIAL;
    options.observe = note;
    options.user = &p.orders;
    options.slopes = slopes;
    plan->machine = (struct htmt_machine *)machine;
    p.program = program_open(plan, options);
    p.code = htmt_emulator_run(program_emulator(p.program));
    p.predicted = htmt_predicted(program_emulator(p.program));
    plan->machine = own;
    return p;
}

static void finish(struct played *p)
{
    program_close(&p->program);
    free(p->orders.hash);
}

/* ---- comparison ------------------------------------------------------------------------------ */

struct sums {
    uint64_t programs, without, refused, failed, pairs, tied, excused, hidden, wrong;
    double worst;
    bool verbose;
};

/* (T of the changed machine - T) / (T change), with the change's sign. */
static void compare(struct sums *s, struct plan *plan, const struct played *base, struct figure f,
                    double slope, int sign)
{
    struct htmt_machine changed = *plan->machine;
    multiply(&changed, f, sign > 0 ? LONGER + 1 : LONGER - 1, LONGER);
    struct played other = play(plan, &changed, false);
    const double found = sign * (double)(other.predicted - base->predicted) /
                         (double)base->predicted * (double)LONGER,
                 apart = fabs(found - slope);
    const bool at_places = same_order(&base->orders, &other.orders, false),
               in_slices = same_order(&base->orders, &other.orders, true);
    s->pairs++;
    if (apart <= TOLERATE) {
        s->worst = apart > s->worst ? apart : s->worst;
    } else {
        s->wrong += at_places && in_slices;
        s->excused += !at_places || !in_slices;
        s->hidden += at_places && !in_slices;
        if (s->verbose || (at_places && in_slices))
            printf("program %" PRIu64 ": %s of %u, %u, %s: by the path %+.7f, by difference "
                   "%+.7f%s\n",
                   plan->number, names[f.kind], f.of, f.part, sign > 0 ? "longer" : "shorter",
                   slope, found,
                   !at_places   ? "; another order"
                   : !in_slices ? "; another order in a slice"
                                : "");
    }
    finish(&other);
}

static void try(struct sums *s, struct plan *plan, const struct played *base, struct figure f)
{
    struct htmt_machine twice = *plan->machine;
    struct htmt_fault fault = {0};
    double larger, smaller;
    if (!has(plan->machine, f))
        return;
    const bool share = f.kind == LAMBDA; /* of at most 1 */
    multiply(&twice, f, share ? 1 : 2, share ? 2 : 1);
    int rc = htmt_slope_find(program_emulator(base->program), &twice, share ? 0.5 : 2, &larger,
                             &smaller, &fault);
    if (rc == HTMT_ENOENT) {
        s->refused++;
        if (s->verbose)
            printf("program %" PRIu64 ": %s\n", plan->number, fault.text);
        return;
    }
    if (rc) {
        printf("program %" PRIu64 ": %s\n", plan->number, fault.text);
        s->wrong++;
        return;
    }
    s->tied += fabs(larger - smaller) > TOLERATE;
    compare(s, plan, base, f, larger, 1);
    compare(s, plan, base, f, smaller, -1);
}

static void try_all(struct sums *s, struct plan *plan, const struct played *base)
{
    const struct htmt_machine *m = plan->machine;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        try(s, plan, base, (struct figure){CLOCK, l, 0});
        try(s, plan, base, (struct figure){LAMBDA, l, 0});
        try(s, plan, base, (struct figure){ACCESS, l, 0});
        for (uint32_t i = 0; i < HTMT_OP_CLASSES; i++)
            try(s, plan, base, (struct figure){TIME, l, i});
    }
    for (uint32_t n = 0; n < m->network_count; n++) {
        try(s, plan, base, (struct figure){STARTUP, n, 0});
        try(s, plan, base, (struct figure){LATENCY, n, 0});
        try(s, plan, base, (struct figure){WORDS, n, 0});
        for (uint32_t l = 0; l < m->layer_count; l++) {
            try(s, plan, base, (struct figure){OUT_WORD, n, l});
            try(s, plan, base, (struct figure){IN_WORD, n, l});
        }
    }
}

/* The run with slopes was refused as it began, since its posts have none. */
static bool is_without(const struct plan *plan, const struct played *base)
{
    static const char end[] = ": expected a run without slopes";
    const char *text = htmt_emulator_fault(program_emulator(base->program))->text;
    const size_t length = strlen(text);
    return plan->posts && base->code == HTMT_EINVAL && length >= sizeof end - 1 &&
           !strcmp(text + length - (sizeof end - 1), end);
}

static void compare_histories(struct sums *s, struct plan *plan, const struct played *base)
{
    struct played plain = play(plan, plan->machine, false);
    if (htmt_history_hash(program_emulator(base->program)) !=
        htmt_history_hash(program_emulator(plain.program))) {
        s->wrong++;
        printf("program %" PRIu64 ": another history with slopes\n", plan->number);
    }
    finish(&plain);
}

static void play_program(struct sums *s, uint64_t number)
{
    struct plan plan;
    plan_draw(&plan, number);
    make_longer(plan.machine);
    struct played base = play(&plan, plan.machine, true);
    const bool without = is_without(&plan, &base);
    s->programs++;
    s->without += without;
    if (!without)
        compare_histories(s, &plan, &base);
    if (!without && (base.code || !base.predicted))
        s->failed++;
    else if (!without)
        try_all(s, &plan, &base);
    finish(&base);
    plan_clear(&plan);
}

int main(int argc, char **argv)
{
    struct sums s = {0};
    uint64_t from = 1, count = 60;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--from") && i + 1 < argc)
            from = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--count") && i + 1 < argc)
            count = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--verbose"))
            s.verbose = true;
        else {
            fprintf(stderr, "usage: slopes [--from N] [--count N] [--verbose]\n");
            return 2;
        }
    for (uint64_t i = 0; i < count; i++)
        play_program(&s, from + i);
    printf("%" PRIu64 " programs, %" PRIu64 " of which are refused with slopes and %" PRIu64
           " end early; %" PRIu64 " figures without a derivative; %" PRIu64 " slopes, %" PRIu64
           " figures tie; at most %.1e apart; %" PRIu64 " in another order (%" PRIu64
           " of them of slices alone), %" PRIu64 " wrong\n",
           s.programs, s.without, s.failed, s.refused, s.pairs, s.tied, s.worst, s.excused,
           s.hidden, s.wrong);
    return s.wrong || s.excused * 50 > s.pairs || s.hidden * 2000 > s.pairs;
}
