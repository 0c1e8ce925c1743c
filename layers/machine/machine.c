/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions to a loaded machine: names, routes, and what work and moves cost. Nothing here looks
 * at more than the plain data, so a machine made by hand answers like one from a file.
 */
#include "layers/machine/machine.h"

#include "layers/machine/parts.h"
#include "layers/model.h"
#include "runtime/base/wide.h"

#include <strings.h>

/* A result of at most 2^63 fs over a scale of at most 2^62 keeps each class below 2^125 and the sum
 * of five below 2^128: an overflow on the way means that the result overflows. */
#define SCALE_MAX (UINT64_C(1) << 62)

/* Numbers that a caller gives may be none of the machine's. */
static bool has_layer(const struct htmt_machine *m, uint32_t layer)
{
    return m && layer < m->layer_count;
}

static bool has_network(const struct htmt_machine *m, uint32_t network)
{
    return m && network < m->network_count;
}

int htmt_machine_layer(const struct htmt_machine *m, const char *name)
{
    for (uint32_t i = 0; name && has_layer(m, i); i++) {
        const struct htmt_layer *layer = &m->layer[i];
        if (strcasecmp(layer->name, name) == 0 || strcasecmp(layer->memory.name, name) == 0 ||
            (*layer->processor.name && strcasecmp(layer->processor.name, name) == 0))
            return (int)i;
    }
    return -1;
}

int htmt_machine_network(const struct htmt_machine *m, const char *name)
{
    for (uint32_t i = 0; name && has_network(m, i); i++)
        if (strcasecmp(m->network[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* The first network of the scope that leads from a layer to a layer: out of one, and out of or into
 * the other one. */
static int first_joining(const struct htmt_machine *m, uint32_t from, uint32_t to,
                         bool machine_wide)
{
    for (uint32_t i = 0; i < m->network_count; i++) {
        const struct htmt_port *target = &m->network[i].port[to];
        if (m->network[i].machine_wide == machine_wide && m->network[i].port[from].out > 0 &&
            (target->out > 0 || target->in > 0))
            return (int)i;
    }
    return -1;
}

int htmt_machine_route(const struct htmt_machine *m, uint32_t from, uint32_t to, bool across)
{
    if (!m || from >= m->layer_count || to >= m->layer_count)
        return -1;
    int inside = across ? -1 : first_joining(m, from, to, false);
    return inside >= 0 ? inside : first_joining(m, from, to, true);
}

uint64_t htmt_machine_room(const struct htmt_machine *m, uint32_t layer)
{
    if (!has_layer(m, layer))
        return 0;
    const struct htmt_memory *memory = &m->layer[layer].memory;
    return memory->capacity > memory->reserve ? memory->capacity - memory->reserve : 0;
}

uint32_t htmt_machine_servers(const struct htmt_machine *m, uint32_t layer)
{
    if (!has_layer(m, layer))
        return 0;
    uint32_t n = m->layer[layer].processor.count, ports = m->layer[layer].memory.ports;
    return ports && ports < n ? ports : n;
}

uint64_t htmt__processor_scale(const struct htmt_processor *processor)
{
    uint64_t lcm = 1;
    for (int i = 0; i < HTMT_OP_CLASSES; i++) {
        uint64_t den = processor->time[i].den;
        if (lcm % den == 0)
            continue;
        if (__builtin_mul_overflow(lcm, den / htmt__gcd(lcm, den), &lcm))
            return 0;
    }
    if (__builtin_mul_overflow(lcm, processor->lambda.den, &lcm) || lcm > SCALE_MAX)
        return 0;
    return lcm;
}

/* Most sums fit 64 bits, where a division takes a third of the time. */
static htmt_uwide divide(htmt_uwide a, uint64_t b)
{
    return a <= UINT64_MAX ? (uint64_t)a / b : a / b;
}

/* The times of several classes of operations overlap by lambda: f = max + (1 - lambda) (sum - max).
 * All are whole numbers of 1 / scale fs, and multiples of lambda's denominator, so nothing is
 * rounded but the result, to the nearest fs. With 100 fs of one class, 60 of another and lambda 1/2
 * it is 100 + 30. -1: overflow. */
static htmt_time work_of_many(const struct htmt_processor *processor, const struct htmt_ops *ops)
{
    const uint64_t scale = htmt__processor_scale(processor);
    const struct htmt_ratio lambda = processor->lambda;
    htmt_uwide longest = 0, sum = 0, total;
    if (scale == 0)
        return -1;
    for (int i = 0; i < HTMT_OP_CLASSES; i++) {
        const struct htmt_ratio time = processor->time[i];
        htmt_uwide term = (htmt_uwide)time.num * (scale / time.den);
        if (__builtin_mul_overflow(term, ops->n[i], &term) ||
            __builtin_add_overflow(sum, term, &sum))
            return -1;
        longest = term > longest ? term : longest;
    }
    htmt_uwide rest = divide(sum - longest, lambda.den);
    if (__builtin_mul_overflow(rest, (htmt_uwide)(lambda.den - lambda.num), &rest) ||
        __builtin_add_overflow(longest, rest, &total) ||
        __builtin_add_overflow(total, (htmt_uwide)(scale / 2), &total))
        return -1;
    total = divide(total, scale);
    return total <= (htmt_uwide)HTMT_TIME_MAX ? (htmt_time)total : -1;
}

htmt_time htmt_machine_work(const struct htmt_machine *m, uint32_t layer,
                            const struct htmt_ops *ops)
{
    if (!has_layer(m, layer) || !ops || !*m->layer[layer].processor.name)
        return -1;
    const struct htmt_processor *processor = &m->layer[layer].processor;
    const struct htmt__processor_model *model = m->layer[layer].model;
    if (__builtin_expect(model && model->work, 0))
        return model->work(m->layer[layer].inside, &(struct htmt__kernel_report){ops});
    int used = -1, classes = 0;
    for (int i = 0; i < HTMT_OP_CLASSES; i++) {
        if (ops->n[i] == 0)
            continue;
        used = i;
        classes++;
    }
    if (classes == 0)
        return 0;
    return classes == 1 ? htmt_charge_time(processor->time[used], ops->n[used])
                        : work_of_many(processor, ops);
}

/* A piece begins a new access (Amaral et al., eq. 3). An access holds a word at least, so they
 * never exceed words. */
uint64_t htmt__accesses(const struct htmt_memory *memory, uint64_t words, uint64_t pieces)
{
    if (pieces <= 1)
        return htmt_ceil_div(words, memory->access_words);
    uint64_t shorter = words / pieces, longer_count = words % pieces;
    return longer_count * htmt_ceil_div(shorter + 1, memory->access_words) +
           (pieces - longer_count) * htmt_ceil_div(shorter, memory->access_words);
}

static htmt_time access_time(const struct htmt_memory *memory, uint64_t words, uint64_t pieces)
{
    if (memory->access.num == 0)
        return 0;
    return htmt_charge_time(memory->access, htmt__accesses(memory, words, pieces));
}

/* The longer one, or -1 when either overflowed. */
static htmt_time longer(htmt_time a, htmt_time b)
{
    if (a < 0 || b < 0)
        return -1;
    return a > b ? a : b;
}

htmt_time htmt_machine_out_time(const struct htmt_machine *m, uint32_t network, uint32_t from,
                                uint32_t to, uint64_t words, uint64_t from_pieces,
                                uint64_t to_pieces)
{
    if (!has_network(m, network) || !has_layer(m, from) || !has_layer(m, to))
        return -1;
    const struct htmt_network *n = &m->network[network];
    struct htmt_ratio word = n->port[from].out_word;
    if (word.num == 0)
        return n->startup;
    htmt_time move = htmt_charge_time(word, words);
    move = longer(move, access_time(&m->layer[from].memory, words, from_pieces));
    move = longer(move, access_time(&m->layer[to].memory, words, to_pieces));
    if (move < 0 || __builtin_add_overflow(move, n->startup, &move))
        return -1;
    return move;
}

htmt_time htmt_machine_in_time(const struct htmt_machine *m, uint32_t network, uint32_t to,
                               uint64_t words, uint64_t to_pieces)
{
    if (!has_network(m, network) || !has_layer(m, to))
        return -1;
    struct htmt_ratio word = m->network[network].port[to].in_word;
    if (word.num == 0)
        return 0;
    return longer(htmt_charge_time(word, words),
                  access_time(&m->layer[to].memory, words, to_pieces));
}

htmt_time htmt_machine_crossing(const struct htmt_machine *m, uint32_t network, uint64_t words)
{
    if (!has_network(m, network))
        return -1;
    const struct htmt_network *n = &m->network[network];
    return n->model ? n->model->alone(n->inside, n->latency, words) : n->latency;
}
