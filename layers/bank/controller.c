/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions to a machine whose slices are memory banks, joined by nothing but their controller: how
 * long its transfers, launches and copies take, and which of them the machine does not have.
 *
 * The bus is described by curves: values at points that were measured, with lines between them
 * (layers/file/curve.h), by slices, ranks or bytes. A transfer is either a time of its own, or a
 * start and a rate of all slices together. Each part is rounded once.
 */
#include "layers/bank/controller.h"
#include "layers/machine/banks.h"

#include "runtime/base/wide.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct htmt__bank_machine *htmt__bank_machine_of(const struct htmt_machine *m)
{
    return m ? m->bank_machine : NULL;
}

const struct htmt_layer *htmt__machine_controller(const struct htmt_machine *m)
{
    return m && m->bank_machine ? &m->layer[m->bank_machine->controller] : NULL;
}

uint32_t htmt_machine_threads(const struct htmt_machine *m, uint32_t layer)
{
    return m && m->bank_machine && layer == m->bank_machine->scratch
               ? m->bank_machine->issue.threads
               : 0;
}

int htmt_machine_instructions(const struct htmt_machine *m, const char *operation,
                              struct htmt_ratio *count)
{
    uint32_t rows =
        m && m->bank_machine && operation && count ? m->bank_machine->instruction_count : 0;
    for (uint32_t i = 0; i < rows; i++) {
        if (strcmp(m->bank_machine->instruction[i].name, operation) != 0)
            continue;
        *count = m->bank_machine->instruction[i].count;
        return 0;
    }
    return HTMT_ENOENT;
}

uint32_t htmt__bus_ranks(const struct htmt__bus *bus, uint32_t slices)
{
    return (uint32_t)htmt_ceil_div(slices, bus->group);
}

static uint64_t argument(const struct htmt__bus *bus, const char *by, uint32_t slices,
                         uint64_t bytes)
{
    if (strcmp(by, "bytes") == 0)
        return bytes;
    return strcmp(by, "ranks") == 0 ? htmt__bus_ranks(bus, slices) : slices;
}

/* 0 or -3: the curve refuses. */
static int look_up(const struct htmt__bus *bus, const struct htmt_curve *curve, uint32_t slices,
                   uint64_t bytes, struct htmt_ratio *value, bool *held)
{
    uint64_t x = argument(bus, curve->by[0], slices, bytes);
    uint64_t y = argument(bus, curve->by[1], slices, bytes);
    return htmt__curve_at(curve, x, y, value, held) ? -3 : 0;
}

/* A time that a curve gives, rounded once. */
static htmt_time time_at(const struct htmt__bus *bus, const struct htmt_curve *curve,
                         uint32_t slices, uint64_t bytes, bool *held)
{
    struct htmt_ratio value;
    if (curve->count == 0)
        return 0;
    return look_up(bus, curve, slices, bytes, &value, held) ? -3 : htmt_charge_time(value, 1);
}

/* The time of a transfer. The bus moves the bytes of many slices side by side, so its rate is that
 * of all together, and it depends on how many there are. Three modes:
 *
 * - parallel: each slice has bytes of its own. T = start(n) + n b / rate(n, b).
 *
 * - broadcast: all have the same bytes. The same form, with curves of its own.
 *
 * - serial: one slice after another. What is asked for is the time of one of them, with its own
 * bytes alone, and the caller adds them up. But the curves are asked for the number that follow
 * each other: the first one takes longer than the next, so many take less than so many times one.
 *
 * By hand, 1 KiB to each of 64 slices, with a start of 4 us. In parallel at 2 GB/s the 65,536 bytes
 * pass in 32.768 us, and the transfer takes 36.768 us. Serially at 0.1 GB/s one slice takes 4 us
 * and 10.24 us, and all of them 64 * 14.24 us = 911.36 us.
 *
 * Beyond its points a curve either holds the value at its end, which *held remembers for a note of
 * the report, or refuses (-3); the file decides which. Nothing is extrapolated. The codes below 0
 * are for the clock. Whoever can ask before a run uses the functions of the next section, which
 * name the key of the file and the range that it has. */
htmt_time htmt__bus_time(const struct htmt__bus *bus, enum htmt__bus_end end,
                         enum htmt__bus_mode mode, enum htmt__bus_way way, uint32_t slices,
                         uint64_t bytes, bool *held)
{
    const struct htmt__bus_transfer *t = &bus->transfer[end][mode][way];
    struct htmt_ratio rate, byte;
    uint64_t all;
    if (t->time.count > 0)
        return time_at(bus, &t->time, slices, bytes, held);
    if (t->rate.count == 0)
        return -2;
    if (look_up(bus, &t->rate, slices, bytes, &rate, held))
        return -3;
    if (__builtin_mul_overflow(bytes, mode == HTMT__SERIAL ? 1 : slices, &all))
        return -1;
    const bool slow = htmt_ratio_div((struct htmt_ratio){HTMT_SECOND, 1}, rate, &byte) != 0;
    htmt_time start = time_at(bus, &t->start, slices, bytes, held), sum;
    htmt_time pass = slow ? -1 : htmt_charge_time(byte, all);
    if (start < 0 || pass < 0)
        return start < 0 ? start : pass;
    return __builtin_add_overflow(start, pass, &sum) ? -1 : sum;
}

/* What the first launch of a run takes besides was measured once a run, not once a launch: hence a
 * curve of its own, which adds to the other one. */
htmt_time htmt__bus_launch(const struct htmt__bus *bus, uint32_t slices, bool first, bool *held)
{
    const htmt_time each = time_at(bus, &bus->launch, slices, 0, held),
                    more = first ? time_at(bus, &bus->first_launch, slices, 0, held) : 0;
    htmt_time sum;
    if (each < 0 || more < 0)
        return each < 0 ? each : more;
    return __builtin_add_overflow(each, more, &sum) ? -1 : sum;
}

/* ---- what it does not have ------------------------------------------------------------------- */

static const char *const mode_names[] = {"serial", "parallel", "broadcast"};
static const char *const way_names[] = {"to", "from"};

static int refuse(const struct htmt_machine *m, struct htmt_fault *fault, const char *key,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* "networks.bus.parallel.to.rate of machine NAME: ..." */
static int refuse(const struct htmt_machine *m, struct htmt_fault *fault, const char *key,
                  const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return htmt_fault_set(fault, HTMT_EUSAGE, "networks.%s of machine %s: %s", key, m->name, text);
}

static int check_curve(const struct htmt_machine *m, const char *key,
                       const struct htmt_curve *curve, uint32_t slices, uint64_t bytes,
                       struct htmt_fault *fault)
{
    const struct htmt__bus *bus = &m->bank_machine->figures;
    uint64_t at[HTMT__CURVE_ARGUMENTS], least, most;
    for (int i = 0; i < HTMT__CURVE_ARGUMENTS; i++)
        at[i] = argument(bus, curve->by[i], slices, bytes);
    int outside = htmt__curve_refuses(curve, at[0], at[1], &least, &most);
    return outside ? refuse(m, fault, key, "found %" PRIu64 " %s, expected %" PRIu64 " to %" PRIu64,
                            at[outside - 1], curve->by[outside - 1], least, most)
                   : 0;
}

int htmt_machine_transfer_check(const struct htmt_machine *m, const struct htmt_bank_transfer *use,
                                struct htmt_fault *fault)
{
    const char *const parts[] = {"start", "rate", "time"};
    if (!m || !m->bank_machine || use->mode >= HTMT__BUS_MODES)
        return 0;
    const struct htmt__bus_transfer *t =
        &m->bank_machine->figures
             .transfer[use->to_scratch ? HTMT__TO_SCRATCH : HTMT__TO_BANK][use->mode]
                      [use->push ? HTMT__TO_SLICES : HTMT__FROM_SLICES];
    const struct htmt_curve *const curves[] = {&t->start, &t->rate, &t->time};
    const bool timed = t->time.count > 0;
    char key[3 * HTMT_NAME_MAX], part[4 * HTMT_NAME_MAX];
    snprintf(key, sizeof key, "%s%s.%s.%s", m->network[m->bank_machine->bus].name,
             use->to_scratch ? ".scratch" : "", mode_names[use->mode],
             way_names[use->push ? HTMT__TO_SLICES : HTMT__FROM_SLICES]);
    if (!timed && t->rate.count == 0)
        return refuse(m, fault, key,
                      "found none, expected 'rate' or 'time': it has no such transfer");
    int rc = 0;
    for (int i = timed ? 2 : 0; i < (timed ? 3 : 2) && !rc; i++) {
        snprintf(part, sizeof part, "%s.%s", key, parts[i]);
        rc = check_curve(m, part, curves[i], use->slices, use->bytes, fault);
    }
    return rc;
}

int htmt_machine_launch_check(const struct htmt_machine *m, uint32_t slices,
                              struct htmt_fault *fault)
{
    char key[2 * HTMT_NAME_MAX];
    if (!m || !m->bank_machine)
        return 0;
    snprintf(key, sizeof key, "%s.launch", m->network[m->bank_machine->bus].name);
    int rc = check_curve(m, key, &m->bank_machine->figures.launch, slices, 0, fault);
    snprintf(key, sizeof key, "%s.first-launch", m->network[m->bank_machine->bus].name);
    return rc ? rc : check_curve(m, key, &m->bank_machine->figures.first_launch, slices, 0, fault);
}

int htmt_machine_copy_check(const struct htmt_machine *m, uint64_t bytes, uint64_t unit,
                            struct htmt_fault *fault)
{
    char key[2 * HTMT_NAME_MAX];
    if (!m || !m->bank_machine)
        return 0;
    const struct htmt__dma_figures *f = &m->bank_machine->engine;
    const char *name = m->network[m->bank_machine->dma].name;
    bool large = f->largest && bytes > f->largest;
    snprintf(key, sizeof key, "%s.%s", name, large ? "largest" : "align");
    if (large)
        return refuse(m, fault, key, "found %" PRIu64 " B, expected at least %" PRIu64 " B",
                      f->largest, bytes);
    return f->align && unit % f->align
               ? refuse(m, fault, key, "found %" PRIu64 " B, expected a divisor of %" PRIu64 " B",
                        f->align, unit)
               : 0;
}

/* Every curve of the bus in turn, NULL behind the last. */
static struct htmt_curve *curve_of(struct htmt__bus *bus, unsigned i)
{
    struct htmt__bus_transfer *all = &bus->transfer[0][0][0];
    unsigned transfers = sizeof bus->transfer / sizeof *all;
    if (i >= 3 * transfers)
        return i == 3 * transfers       ? &bus->launch
               : i == 3 * transfers + 1 ? &bus->first_launch
                                        : NULL;
    struct htmt__bus_transfer *t = &all[i / 3];
    return i % 3 == 0 ? &t->start : i % 3 == 1 ? &t->rate : &t->time;
}

void htmt__bank_machine_destroy(struct htmt__bank_machine **h)
{
    if (!h || !*h)
        return;
    for (unsigned i = 0; curve_of(&(*h)->figures, i); i++)
        htmt__curve_fini(curve_of(&(*h)->figures, i));
    free((*h)->instruction);
    free(*h);
    *h = NULL;
}

int htmt__bank_machine_copy(const struct htmt__bank_machine *h, struct htmt__bank_machine **copy)
{
    size_t bytes = h->instruction_count * sizeof *h->instruction;
    struct htmt__bank_machine *c = malloc(sizeof *c);
    int rc = c ? 0 : HTMT_ENOMEM;
    if (rc)
        return rc;
    *c = *h;
    c->instruction = bytes ? malloc(bytes) : NULL;
    c->instruction_room = h->instruction_count;
    rc = bytes && !c->instruction ? HTMT_ENOMEM : 0;
    if (c->instruction)
        memcpy(c->instruction, h->instruction, bytes);
    for (unsigned i = 0; curve_of(&c->figures, i); i++)
        rc = htmt__curve_copy(curve_of(&c->figures, i)) ? HTMT_ENOMEM : rc;
    if (rc)
        htmt__bank_machine_destroy(&c);
    else
        *copy = c;
    return rc;
}

/* ---- questions of closed forms --------------------------------------------------------------- */

uint32_t htmt_machine_slots(const struct htmt_machine *m)
{
    return m && m->bank_machine ? m->bank_machine->issue.slots : 0;
}

struct htmt_ratio htmt_machine_issue_cycle(const struct htmt_machine *m)
{
    return m && m->bank_machine ? m->bank_machine->issue.cycle : (struct htmt_ratio){0, 1};
}

uint64_t htmt_machine_code_bytes(const struct htmt_machine *m)
{
    return m && m->bank_machine ? m->bank_machine->issue.code : 0;
}

htmt_time htmt_machine_copy_time(const struct htmt_machine *m, uint64_t bytes)
{
    return m && m->bank_machine ? htmt__dma_time(&m->bank_machine->engine, bytes) : -1;
}

struct htmt_ratio htmt_machine_copy_latency(const struct htmt_machine *m, bool write)
{
    if (!m || !m->bank_machine)
        return (struct htmt_ratio){0, 1};
    return write ? m->bank_machine->engine.write : m->bank_machine->engine.read;
}

htmt_time htmt_machine_transfer_time(const struct htmt_machine *m, bool push, bool serial,
                                     uint32_t slices, uint64_t bytes)
{
    bool held = false;
    if (!m || !m->bank_machine)
        return -1;
    htmt_time one = htmt__bus_time(
        &m->bank_machine->figures, HTMT__TO_BANK, serial ? HTMT__SERIAL : HTMT__PARALLEL,
        push ? HTMT__TO_SLICES : HTMT__FROM_SLICES, slices, bytes, &held);
    htmt_time all;
    if (one < 0)
        return one;
    return __builtin_mul_overflow(one, serial ? (htmt_time)slices : 1, &all) ? -1 : all;
}

htmt_time htmt_machine_launch_time(const struct htmt_machine *m, uint32_t slices)
{
    bool held = false;
    return m && m->bank_machine ? htmt__bus_launch(&m->bank_machine->figures, slices, true, &held)
                                : -1;
}
