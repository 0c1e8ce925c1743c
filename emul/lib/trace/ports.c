/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The footer of a trace says which ports the networks have inside, and what each did in sum. What
 * they did one after another lies between the blocks and the index, in runs: each run is a zlib
 * stream of intervals of one slice, in LEB128 numbers, of which begin and serial are differences to
 * the interval before.
 *
 * Ports of all networks are numbered through, by plane, channel and lane, so an interval names its
 * port by one number. A network with 48 channels in 2 planes, a lane each, has ports 0 to 95: 53 is
 * channel 5 of plane 1. The next network begins at 96.
 *
 * The file may be anybody's, and a few packed bytes can promise gigabytes. So the footer's counts
 * are limited before anything is allocated (PORTS_MOST), and a run must inflate to ROW_LEAST to
 * ROW_MOST bytes for each interval that it promises: an interval is seven numbers of 1 to 10 bytes.
 */
#include "emul/lib/trace/ports.h"
#include "emul/lib/trace/file.h"
#include "runtime/base/leb128.h"

#include <inttypes.h>
#include <stdlib.h>

#define PORTS_MOST (UINT32_C(1) << 26)
#define ROW_LEAST  7u /* bytes of an interval */
#define ROW_MOST   70u

const struct htmt__trace_ports *htmt__trace_ports(const struct htmt_trace *t)
{
    return &t->ports;
}

const struct htmt__trace_inside *htmt__trace_inside_of(const struct htmt_trace *t, uint32_t port)
{
    const struct htmt__trace_inside *i = t->ports.inside;
    while (i + 1 < t->ports.inside + t->ports.insides && i[1].first <= port)
        i++;
    return i;
}

/* ---- the footer ------------------------------------------------------------------------------ */

static int refuse(const struct htmt_trace *t, const char *key, const char *expected,
                  struct htmt_fault *fault)
{
    return htmt__trace_refuse(t, t->trailer.footer, fault,
                              "footer, key 'ports.%s': found another value, expected %s", key,
                              expected);
}

/* A whole number from 0 to `most`. */
static bool number(const json_t *at, uint64_t most, uint64_t *value)
{
    const json_int_t found = json_integer_value(at);
    *value = (uint64_t)found;
    return json_is_integer(at) && found >= 0 && (uint64_t)found <= most;
}

static bool number_u32(const json_t *at, uint64_t most, uint32_t *value)
{
    uint64_t found = 0;
    bool good = number(at, most, &found);
    *value = (uint32_t)found;
    return good;
}

/* Rows [name, slice or null]. */
static bool read_elements(const json_t *list, uint32_t places, struct htmt__trace_inside *i)
{
    bool good = json_is_array(list);
    i->elements = (uint32_t)json_array_size(list);
    i->element = calloc((size_t)i->elements + 1, sizeof *i->element);
    for (uint32_t k = 0; good && i->element && k < i->elements; k++) {
        const json_t *row = json_array_get(list, k), *slice = json_array_get(row, 1);
        struct htmt__trace_element *e = &i->element[k];
        e->name = json_string_value(json_array_get(row, 0));
        e->slice = UINT32_MAX;
        good = e->name &&
               (json_is_null(slice) || number_u32(slice, places ? places - 1 : 0, &e->slice));
    }
    return good && i->element;
}

/* Rows [name, from, to, femtoseconds of the wire]. */
static bool read_channels(const json_t *list, struct htmt__trace_inside *i)
{
    bool good = json_is_array(list);
    i->channels = (uint32_t)json_array_size(list);
    i->channel = calloc((size_t)i->channels + 1, sizeof *i->channel);
    for (uint32_t k = 0; good && i->channel && k < i->channels; k++) {
        const json_t *row = json_array_get(list, k);
        struct htmt__trace_channel *c = &i->channel[k];
        uint64_t wire = 0;
        c->name = json_string_value(json_array_get(row, 0));
        good = c->name && i->elements &&
               number_u32(json_array_get(row, 1), i->elements - 1, &c->from) &&
               number_u32(json_array_get(row, 2), i->elements - 1, &c->to) &&
               number(json_array_get(row, 3), INT64_MAX, &wire);
        c->wire = (htmt_time)wire;
    }
    return good && i->channel;
}

/* Rows [port, busy, blocked, waiting, queued]; those that did nothing are left out. */
static bool read_sums(const json_t *list, struct htmt__trace_inside *i)
{
    const uint32_t ports = i->channels * i->planes;
    bool good = json_is_array(list);
    i->sums = calloc((size_t)ports + 1, sizeof *i->sums);
    for (size_t k = 0; good && i->sums && k < json_array_size(list); k++) {
        const json_t *row = json_array_get(list, k);
        uint32_t at;
        good = ports && number_u32(json_array_get(row, 0), ports - 1, &at);
        if (!good)
            break;
        htmt_wide *const sum[] = {&i->sums[at].busy, &i->sums[at].blocked, &i->sums[at].waiting,
                                  &i->sums[at].queued};
        for (size_t n = 0; good && n < sizeof sum / sizeof *sum; n++)
            good = htmt__trace_sum_read(json_array_get(row, n + 1), sum[n]);
    }
    return good && i->sums;
}

static int read_inside(struct htmt_trace *t, const json_t *object, struct htmt__trace_inside *i,
                       struct htmt_fault *fault)
{
    const uint32_t networks = t->info.networks;
    bool good = networks &&
                number_u32(json_object_get(object, "network"), networks - 1, &i->network) &&
                number_u32(json_object_get(object, "first"), PORTS_MOST, &i->first) &&
                number_u32(json_object_get(object, "planes"), 65535, &i->planes) &&
                number_u32(json_object_get(object, "lanes"), 255, &i->lanes) && i->planes &&
                i->lanes && i->first == t->ports.ports &&
                read_elements(json_object_get(object, "elements"), t->info.places, i) &&
                read_channels(json_object_get(object, "channels"), i);
    const uint64_t ports = (uint64_t)i->channels * i->planes * i->lanes;
    if (!good || ports > PORTS_MOST - t->ports.ports)
        return refuse(t, "networks", "planes, lanes, elements and channels of a network", fault);
    t->ports.ports += (uint32_t)ports;
    return read_sums(json_object_get(object, "sums"), i)
               ? 0
               : refuse(t, "networks", "sums of ports as decimal digits", fault);
}

/* Rows [slice, bytes, bytes inflated, CRC, count]. */
static int read_runs(struct htmt_trace *t, const json_t *list, struct htmt_fault *fault)
{
    struct htmt__trace_ports *p = &t->ports;
    int rc = json_is_array(list) ? 0 : refuse(t, "runs", "an array", fault);
    p->run = calloc(json_array_size(list) + 1, sizeof *p->run);
    if (!p->run)
        return htmt__trace_out_of_memory(t, fault);
    for (size_t k = 0; k < json_array_size(list) && !rc; k++) {
        const json_t *row = json_array_get(list, k);
        struct htmt__trace_port_run *r = &p->run[p->runs++];
        bool good = t->info.places &&
                    number_u32(json_array_get(row, 0), t->info.places - 1, &r->slice) &&
                    number_u32(json_array_get(row, 1), UINT32_MAX, &r->bytes) &&
                    number_u32(json_array_get(row, 2), UINT32_MAX, &r->raw) &&
                    number_u32(json_array_get(row, 3), UINT32_MAX, &r->crc) &&
                    number_u32(json_array_get(row, 4), r->raw / ROW_LEAST, &r->count) &&
                    r->raw <= (uint64_t)ROW_MOST * r->count;
        if (!good)
            rc = refuse(t, "runs", "slice, bytes, bytes inflated, CRC and count of a run", fault);
        r->offset = p->at + p->bytes;
        p->bytes += r->bytes;
        p->intervals += r->count;
    }
    return rc;
}

/* Runs fill the file between the blocks and the index. */
int htmt__trace_ports_open(struct htmt_trace *t, struct htmt_fault *fault)
{
    struct htmt__trace_ports *p = &t->ports;
    const json_t *top = json_object_get(t->footer, "ports");
    const json_t *at = json_object_get(top, "at"), *list = json_object_get(top, "networks");
    p->at = t->trailer.index;
    if (t->info.version < 2)
        return 0;
    if (!json_is_integer(at) || json_integer_value(at) < HTMT__TRACE_MAGIC)
        return refuse(t, "at", "where the blocks end", fault);
    p->at = (uint64_t)json_integer_value(at);
    int rc = json_is_array(list) ? 0 : refuse(t, "networks", "an array", fault);
    p->inside = calloc(json_array_size(list) + 1, sizeof *p->inside);
    if (!p->inside)
        return htmt__trace_out_of_memory(t, fault);
    for (size_t k = 0; k < json_array_size(list) && !rc; k++)
        rc = read_inside(t, json_array_get(list, k), &p->inside[p->insides++], fault);
    rc = rc ? rc : read_runs(t, json_object_get(top, "runs"), fault);
    if (!rc && (p->at > t->trailer.index || p->bytes != t->trailer.index - p->at))
        rc = refuse(t, "runs", "runs that fill the file up to the index", fault);
    return rc;
}

void htmt__trace_ports_close(struct htmt_trace *t)
{
    struct htmt__trace_ports *p = &t->ports;
    for (uint32_t i = 0; i < p->insides; i++) {
        free(p->inside[i].element);
        free(p->inside[i].channel);
        free(p->inside[i].sums);
    }
    free(p->inside);
    free(p->run);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* What is read of a run, and the values of the interval before. */
struct cursor {
    const uint8_t *at, *end;
    uint64_t begin, serial;
};

static bool take(struct cursor *c, uint64_t most, uint64_t *value)
{
    return htmt__leb128_take(&c->at, c->end, value) && *value <= most;
}

static bool take_u32(struct cursor *c, uint64_t most, uint32_t *value)
{
    uint64_t found = 0;
    bool good = take(c, most, &found);
    *value = (uint32_t)found;
    return good;
}

static bool take_interval(const struct htmt_trace *t, struct cursor *c,
                          struct htmt__trace_port_interval *i)
{
    uint64_t what, by, length;
    if (!take(c, UINT64_MAX, &what) || !take(c, UINT64_MAX, &by) || !take(c, INT64_MAX, &length) ||
        what >> 3 >= t->ports.ports)
        return false;
    i->port = (uint32_t)(what >> 3);
    i->state = (enum htmt__trace_port_state)(what & 3);
    i->open = what >> 2 & 1;
    c->begin += htmt__unzigzag(by);
    i->begin = (htmt_time)c->begin;
    if (i->begin < 0 || __builtin_add_overflow(i->begin, (htmt_time)length, &i->end) ||
        !take(c, UINT64_MAX, &by))
        return false;
    i->serial = c->serial += htmt__unzigzag(by);
    return take_u32(c, UINT32_MAX, &i->number) && take_u32(c, t->info.places - 1, &i->source) &&
           take_u32(c, t->info.places - 1, &i->target);
}

int htmt__trace_ports_read(struct htmt_trace *t, struct htmt__trace_port_interval **all,
                           struct htmt_fault *fault)
{
    const struct htmt__trace_ports *p = &t->ports;
    uint64_t done = 0;
    int rc = 0;
    *all = calloc((size_t)p->intervals + 1, sizeof **all);
    if (!*all)
        return htmt__trace_out_of_memory(t, fault);
    for (uint32_t i = 0; i < p->runs && !rc; i++) {
        const struct htmt__trace_port_run *r = &p->run[i];
        rc = htmt__trace_inflate(t, r->offset, r->bytes, r->crc, r->raw, fault);
        if (rc)
            break;
        struct cursor c = {.at = t->raw.at, .end = t->raw.at + r->raw};
        uint32_t good = 0;
        while (good < r->count && take_interval(t, &c, &(*all)[done + good]))
            good++;
        if (good < r->count || c.at != c.end)
            rc = htmt__trace_refuse(t, r->offset, fault,
                                    "found another value in interval %" PRIu32
                                    " of ports, expected %" PRIu32 " intervals of ports of the run",
                                    good, r->count);
        done += r->count;
    }
    if (rc) {
        free(*all);
        *all = NULL;
    }
    return rc;
}
