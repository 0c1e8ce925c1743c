/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a machine gives a bound: time of a flop on all processors of the innermost layer that has
 * any, time of a word between neighbouring memories there and back, time of a word of messages.
 *
 * A bound must not be above what any program takes, so everything that may overlap does: all
 * channels and servers of a link work at once, and startups and latencies count only where no
 * program avoids them (a DMA engine's requests, an exchange's message). A channel between two
 * memories takes for a word the longest of its own time and of an access at either end. For example
 * four channels of 8 ns a word between memories of 3 ns an access give max(8, 3) / 4 = 2 ns.
 *
 * Processors with an inside (docs/nodes.md) have caches of their own in front of their layer's
 * memory. These are links like those of layers; of all processors together, as layers are. A flop
 * takes what the fastest vectors need for one number: with an addition and a multiplication of
 * four numbers each half a cycle, and both at once, 4 / 0.5 + 4 / 0.5 = 16 flop/cycle.
 */
#include "emul/loops/bound/rates.h"

#include "layers/bank/controller.h"
#include "layers/machine/nodes.h"
#include "layers/machine/weights.h"
#include "layers/network/topology.h"

#define PROBE (UINT64_C(1) << 20) /* words of the message that tells a model's rate */

static const struct htmt_ratio not_modelled = {0, 1};

static struct htmt_ratio slower(struct htmt_ratio a, struct htmt_ratio b)
{
    return htmt_ratio_cmp(a, b) < 0 ? b : a;
}

static struct htmt_ratio shared(struct htmt_ratio word, uint32_t channels)
{
    struct htmt_ratio each = not_modelled;
    if (channels && word.num && !htmt_ratio_div(word, (struct htmt_ratio){channels, 1}, &each))
        return each;
    return not_modelled;
}

static struct htmt_ratio word_of(struct htmt_ratio byte)
{
    struct htmt_ratio word;
    return htmt_ratio_mul(byte, (struct htmt_ratio){HTMT_WORD, 1}, &word) ? not_modelled : word;
}

static struct htmt_ratio access_word(const struct htmt_memory *memory)
{
    uint32_t words = memory->access_words ? (uint32_t)memory->access_words : 1;
    return shared(memory->access, words);
}

/* A word of requests of the largest size: its share of their startup, and its time at the rate.
 * With requests of 128 B that start in 16 ns and move 1 B/ns, a word of 8 B takes 1 + 8 = 9 ns. */
static struct htmt_ratio engine_word(const struct htmt__dma_figures *engine)
{
    const struct htmt_ratio requests = {HTMT_WORD, engine->largest ? engine->largest : 1};
    struct htmt_ratio word = word_of(engine->byte), startup;
    struct htmt__nest_number sum;
    if (!engine->largest || htmt_ratio_mul(engine->startup, requests, &startup))
        return word;
    const struct htmt__nest_number a = {(htmt_wide)word.num, (htmt_wide)word.den};
    const struct htmt__nest_number b = {(htmt_wide)startup.num, (htmt_wide)startup.den};
    bool fits = !htmt__nest_add(a, b, &sum) && sum.num <= INT64_MAX && sum.den <= INT64_MAX;
    return fits ? (struct htmt_ratio){(uint64_t)sum.num, (uint64_t)sum.den} : word;
}

/* A word from layer to layer: the channels out of one, those into the other, or the accesses to
 * either memory, whatever is slowest. */
static struct htmt_ratio transfer_word(const struct htmt_machine *m, uint32_t from, uint32_t to)
{
    int network = htmt_machine_route(m, from, to, false);
    const struct htmt__bank_machine *host = htmt__bank_machine_of(m);
    if (network < 0)
        return not_modelled;
    if (host && (uint32_t)network == host->dma)
        return engine_word(&host->engine);
    const struct htmt_port *out = &m->network[network].port[from];
    const struct htmt_port *in = &m->network[network].port[to];
    struct htmt_ratio source = access_word(&m->layer[from].memory);
    struct htmt_ratio target = access_word(&m->layer[to].memory);
    struct htmt_ratio sent = shared(slower(out->out_word, slower(source, target)), out->out);
    return slower(sent, shared(slower(in->in_word, target), in->in));
}

/* What is inside a network: fs a word, and the latency of a message. A topology is as fast as its
 * fastest channel, whose packets may be dealt to all planes: no message is faster. A model is asked
 * for an empty message and a long one. */
static void read_inside(const struct htmt_machine *m, uint32_t network,
                        struct htmt__bound_rates *rates)
{
    const struct htmt_network *n = &m->network[network];
    const struct htmt__topology *t = htmt__topology(n);
    struct htmt_ratio byte = not_modelled;
    rates->message_word = not_modelled;
    rates->message_latency = n->latency;
    for (uint32_t c = 0; t && c < t->channels; c++) {
        const struct htmt_ratio other = htmt__wire(t, c)->byte;
        if (other.num && (!byte.num || htmt_ratio_cmp(other, byte) < 0))
            byte = other;
    }
    if (t)
        rates->message_word = shared(word_of(byte), t->inside.planes ? t->inside.planes : 1);
    if (!n->model || t)
        return;
    htmt_time none = htmt_machine_crossing(m, network, 0);
    htmt_time some = htmt_machine_crossing(m, network, PROBE);
    rates->message_latency = none;
    if (none >= 0 && some > none)
        rates->message_word = shared((struct htmt_ratio){(uint64_t)(some - none), 1}, PROBE);
}

static void read_network(const struct htmt_machine *m, uint32_t inner,
                         struct htmt__bound_rates *rates)
{
    for (uint32_t n = 0; n < m->network_count; n++)
        for (uint32_t l = 0; l <= inner && m->network[n].machine_wide; l++) {
            const struct htmt_port *p = &m->network[n].port[l];
            if (!p->out)
                continue;
            rates->network = true;
            rates->network_name = m->network[n].name;
            read_inside(m, n, rates);
            rates->message_word = slower(rates->message_word, shared(p->out_word, p->out));
            return;
        }
}

/* ---- inside of the processors ------------------------------------------------------------------
 */

static struct htmt_ratio times(struct htmt_ratio a, uint64_t n)
{
    struct htmt_ratio product;
    return htmt_ratio_mul(a, (struct htmt_ratio){n, 1}, &product) ? not_modelled : product;
}

/* Time of one number of an operation on reals, in the vectors of at most so many lanes in which it
 * is shortest; zero: the inside has no such operation. */
static struct htmt_ratio fastest(const struct htmt__node_figures *f, uint32_t most,
                                 enum htmt_operation operation)
{
    struct htmt_ratio best = not_modelled;
    for (uint32_t lanes = 1; lanes <= most; lanes *= 2) {
        const struct htmt__node_unit *unit =
            &f->unit[operation][htmt_operand_vector(HTMT_F64, lanes)];
        const struct htmt_ratio each = unit->given ? shared(unit->every, lanes) : not_modelled;
        if (each.num && (!best.num || htmt_ratio_cmp(each, best) < 0))
            best = each;
    }
    return best;
}

/* Of two operations that are under way at once. */
static struct htmt_ratio both(struct htmt_ratio a, struct htmt_ratio b)
{
    struct htmt__nest_number x = {(htmt_wide)a.den, (htmt_wide)a.num}, sum;
    const struct htmt__nest_number y = {(htmt_wide)b.den, (htmt_wide)b.num};
    if (!a.num || !b.num)
        return a.num ? a : b;
    bool fits = !htmt__nest_add(x, y, &sum) && sum.num <= INT64_MAX && sum.den <= INT64_MAX;
    return fits ? (struct htmt_ratio){(uint64_t)sum.den, (uint64_t)sum.num} : a;
}

/* How many flop an operation is worth, of which a number takes so long. */
static uint64_t worth(struct htmt_ratio each, struct htmt_ratio flop, uint64_t otherwise)
{
    struct htmt_ratio ratio;
    if (otherwise != 1 || !each.num || htmt_ratio_div(each, flop, &ratio))
        return otherwise;
    const uint64_t rounded = ratio.num / ratio.den + (2 * (ratio.num % ratio.den) >= ratio.den);
    return rounded ? rounded : 1;
}

static void read_units(const struct htmt__node_figures *f, uint32_t most,
                       struct htmt__bound_rates *rates)
{
    static const enum htmt_operation counted[] = {HTMT_ADD, HTMT_MUL, HTMT_FMA};
    static const enum htmt_operation functions[] = {HTMT_SQRT, HTMT_SIN, HTMT_COS, HTMT_TAN,
                                                    HTMT_ATAN, HTMT_EXP, HTMT_LOG, HTMT_POW};
    struct htmt_ratio apart = both(fastest(f, most, HTMT_ADD), fastest(f, most, HTMT_MUL)),
                      quickest = {0, 1};
    struct htmt_ratio together = shared(fastest(f, most, HTMT_FMA), 2);
    struct htmt_ratio flop =
        !together.num || (apart.num && htmt_ratio_cmp(apart, together) < 0) ? apart : together;
    for (uint32_t lanes = 2; lanes <= most; lanes *= 2)
        for (unsigned i = 0; i < sizeof counted / sizeof *counted; i++)
            if (f->unit[counted[i]][htmt_operand_vector(HTMT_F64, lanes)].given)
                rates->vector = lanes;
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
        struct htmt_ratio each = fastest(f, most, functions[i]);
        if (each.num && (!quickest.num || htmt_ratio_cmp(each, quickest) < 0))
            quickest = each;
    }
    if (!flop.num)
        return;
    rates->flop = flop;
    rates->divide = worth(fastest(f, most, HTMT_DIV), flop, rates->divide);
    rates->function = worth(quickest, flop, rates->function);
}

/* A word of the memory behind the last cache: of the bus, or of all banks on open pages. */
static struct htmt_ratio dram_word(const struct htmt__node_figures *f, uint64_t line)
{
    const struct htmt_ratio bus =
        f->bus.width ? shared(times(f->bus.cycle, HTMT_WORD), (uint32_t)f->bus.width)
                     : not_modelled;
    const uint32_t banks = f->dram.given && f->dram.banks ? f->dram.banks : 1;
    return slower(bus, shared(shared(f->dram.hit, banks), (uint32_t)(line / HTMT_WORD)));
}

/* The caches of all processors, from the first to the layer's memory. */
static void read_caches(const struct htmt__node_figures *f, const char *memory,
                        struct htmt__bound_rates *rates)
{
    static const char *const names[] = {"l1", "l2", "l3"};
    const struct htmt__node_cache *cache[] = {&f->l1, &f->l2, &f->l3};
    const uint32_t own = rates->processors, memories = f->shared ? 1 : own;
    unsigned count = 0;
    while (count < 3 && cache[count]->kind == HTMT__NODE_CACHE)
        count++;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t line = cache[i]->line;
        const bool last = i + 1 == count;
        struct htmt_ratio word =
            last ? shared(dram_word(f, line), memories)
                 : shared(shared(cache[i + 1]->every, (uint32_t)(line / HTMT_WORD)), own);
        if (!last && !i && f->bus.width && f->bus.at == HTMT__NODE_L1_L2)
            word =
                slower(word, shared(shared(times(f->bus.cycle, HTMT_WORD), (uint32_t)f->bus.width),
                                    memories));
        rates->link[rates->links++] =
            (struct htmt__bound_link){.inner = names[i],
                                      .outer = last ? memory : names[i + 1],
                                      .capacity = (htmt_wide)(cache[i]->size / HTMT_WORD) * own,
                                      .inward = word,
                                      .outward = word,
                                      .duplex = last && f->bus.duplex};
    }
    if (!count)
        return;
    const struct htmt_ratio load = f->l1.every.num ? f->l1.every : f->l1.hit;
    rates->load = shared(load, (uint32_t)rates->vector);
    rates->store =
        shared(f->l1.store_every.num ? f->l1.store_every : load, (uint32_t)rates->vector);
    rates->line = rates->line > 1 ? rates->line : f->l1.line / HTMT_WORD;
}

/* ---- all ---------------------------------------------------------------------------------------
 */

int htmt__bound_rates_read(const struct htmt_machine *machine, struct htmt__bound_rates *rates,
                           struct htmt_fault *fault)
{
    uint32_t inner = machine->layer_count;
    while (inner && !*machine->layer[inner - 1].processor.name)
        inner--;
    if (!inner)
        return htmt_fault_set(fault, HTMT_EINVAL, "machine %s has no processors", machine->name);
    const bool chain = htmt_machine_processors_of(machine, inner - 1) != inner - 1;
    inner = htmt_machine_processors_of(machine, inner - 1);
    const struct htmt_processor *p = &machine->layer[inner].processor;
    if (!p->time[HTMT_FLOP].num)
        return htmt_fault_set(fault, HTMT_EINVAL, "machine %s: flop of layer %s is not modelled",
                              machine->name, machine->layer[inner].name);
    struct htmt__machine_weights weights = htmt__machine_weights(machine, inner);
    *rates = (struct htmt__bound_rates){.machine = machine,
                                        .layer = machine->layer[inner].name,
                                        .processors = p->count,
                                        .flop = p->time[HTMT_FLOP],
                                        .vector = 1,
                                        .lambda = p->lambda,
                                        .divide = weights.divide,
                                        .function = weights.function,
                                        .line = weights.line,
                                        .load = not_modelled,
                                        .store = not_modelled,
                                        .message_word = not_modelled};
    const struct htmt__node_figures *inside = htmt__machine_node(machine, inner);
    if (inside) {
        read_units(inside, weights.vector ? (uint32_t)weights.vector : HTMT_LANES_MAX, rates);
    } else if (weights.vector) {
        rates->vector = weights.vector;
        rates->flop = shared(p->time[HTMT_FLOP], (uint32_t)weights.vector);
        rates->load = shared(p->time[HTMT_LOAD], (uint32_t)weights.vector);
        rates->store = shared(p->time[HTMT_STORE], (uint32_t)weights.vector);
    }
    if (inside)
        read_caches(inside, rates->layer, rates);
    /* Where one processor serves several layers, these are its own caches and parts of its memory.
     */
    for (uint32_t l = chain ? 0 : inner; l > 0; l--)
        rates->link[rates->links++] =
            (struct htmt__bound_link){.inner = machine->layer[l].name,
                                      .outer = machine->layer[l - 1].name,
                                      .capacity = (htmt_wide)htmt_machine_room(machine, l),
                                      .inward = transfer_word(machine, l - 1, l),
                                      .outward = transfer_word(machine, l, l - 1)};
    read_network(machine, inner, rates);
    return 0;
}

int htmt__bound_time(struct htmt__nest_number n, struct htmt_ratio each, uint64_t shared_by,
                     htmt_wide *fs)
{
    struct htmt__nest_number ratio, time;
    int rc = htmt__nest_divide(htmt__nest_whole((htmt_wide)each.num),
                               htmt__nest_whole((htmt_wide)each.den), &ratio);
    if (!rc)
        rc = htmt__nest_multiply(n, ratio, &time);
    if (!rc)
        rc = htmt__nest_divide(time, htmt__nest_whole((htmt_wide)shared_by), &time);
    if (!rc)
        *fs = htmt__nest_round(time);
    return rc;
}

htmt_wide htmt__bound_overlap(const struct htmt__bound_rates *rates, enum htmt__bound_hiding hiding,
                              const htmt_wide *time, unsigned times_given)
{
    htmt_wide sum = 0, most = 0;
    for (unsigned i = 0; i < times_given; i++) {
        sum += time[i];
        most = time[i] > most ? time[i] : most;
    }
    const htmt_wide moving = times_given ? sum - time[0] : 0;
    if (hiding == HTMT__BOUND_HIDES_ALL)
        return most;
    if (hiding == HTMT__BOUND_HIDES_NONE)
        return sum;
    if (hiding == HTMT__BOUND_HIDES_OPERATIONS)
        return times_given && time[0] > moving ? time[0] : moving;
    htmt_wide share = (htmt_wide)rates->lambda.den - (htmt_wide)rates->lambda.num;
    struct htmt__nest_number rest, exposed = htmt__nest_whole(0);
    if (htmt__nest_divide(htmt__nest_whole(share), htmt__nest_whole((htmt_wide)rates->lambda.den),
                          &rest) ||
        htmt__nest_multiply(rest, htmt__nest_whole(sum - most), &exposed))
        return sum;
    return most + htmt__nest_round(exposed);
}
