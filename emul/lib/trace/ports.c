/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/ports.h"
#include "emul/lib/trace/file.h"

#include <inttypes.h>
#include <stdlib.h>

#define PORTS_MOST (UINT32_C(1) << 26)
#define ROW_MOST   70u /* bytes */

const char *htmt__trace_port_state_name(enum htmt__trace_port_state state)
{
    static const char *const names[HTMT__TRACE_PORT_STATES] = {"sends", "blocked", "waits",
                                                               "queued"};
    return state < HTMT__TRACE_PORT_STATES ? names[state] : "?";
}

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

/* A whole number of the array, from 0 to `most`. */
static bool number(const json_t *list, size_t index, uint64_t most, uint64_t *value)
{
    const json_t *at = json_array_get(list, index);
    const json_int_t found = json_integer_value(at);
    *value = (uint64_t)found;
    return json_is_integer(at) && found >= 0 && (uint64_t)found <= most;
}

static bool number_u32(const json_t *list, size_t index, uint64_t most, uint32_t *value)
{
    uint64_t found = 0;
    bool good = number(list, index, most, &found);
    *value = (uint32_t)found;
    return good;
}

static bool key_u32(const json_t *object, const char *key, uint32_t most, uint32_t *value)
{
    const json_t *at = json_object_get(object, key);
    const json_int_t found = json_integer_value(at);
    *value = (uint32_t)found;
    return json_is_integer(at) && found >= 0 && found <= most;
}

static bool read_element(const json_t *row, uint32_t places, struct htmt__trace_element *e)
{
    e->name = json_string_value(json_array_get(row, 0));
    e->slice = UINT32_MAX;
    return e->name && (json_is_null(json_array_get(row, 1)) ||
                       number_u32(row, 1, places ? places - 1 : 0, &e->slice));
}

static bool read_channel(const json_t *row, uint32_t elements, struct htmt__trace_channel *c)
{
    uint64_t wire = 0;
    c->name = json_string_value(json_array_get(row, 0));
    bool good = c->name && elements && number_u32(row, 1, elements - 1, &c->from) &&
                number_u32(row, 2, elements - 1, &c->to) && number(row, 3, INT64_MAX, &wire);
    c->wire = (htmt_time)wire;
    return good;
}

static bool read_elements(const json_t *list, uint32_t places, struct htmt__trace_inside *i)
{
    bool good = json_is_array(list);
    i->elements = (uint32_t)json_array_size(list);
    i->element = calloc((size_t)i->elements + 1, sizeof *i->element);
    for (uint32_t k = 0; good && i->element && k < i->elements; k++)
        good = read_element(json_array_get(list, k), places, &i->element[k]);
    return good && i->element;
}

static bool read_channels(const json_t *list, struct htmt__trace_inside *i)
{
    bool good = json_is_array(list);
    i->channels = (uint32_t)json_array_size(list);
    i->channel = calloc((size_t)i->channels + 1, sizeof *i->channel);
    for (uint32_t k = 0; good && i->channel && k < i->channels; k++)
        good = read_channel(json_array_get(list, k), i->elements, &i->channel[k]);
    return good && i->channel;
}

static bool decimal(const json_t *row, size_t index, htmt_wide *sum)
{
    const char *text = json_string_value(json_array_get(row, index));
    *sum = 0;
    for (const char *c = text; c && *c; c++)
        if (*c < '0' || *c > '9' || __builtin_mul_overflow(*sum, 10, sum) ||
            __builtin_add_overflow(*sum, *c - '0', sum))
            return false;
    return text && *text;
}

static bool read_sum(const json_t *row, struct htmt__trace_inside *i)
{
    uint32_t at;
    const uint32_t ports = i->channels * i->planes;
    if (!ports || !number_u32(row, 0, ports - 1, &at))
        return false;
    struct htmt__trace_port_sums *s = &i->sums[at];
    return decimal(row, 1, &s->busy) && decimal(row, 2, &s->blocked) &&
           decimal(row, 3, &s->waiting) && decimal(row, 4, &s->queued);
}

static bool read_sums(const json_t *list, struct htmt__trace_inside *i)
{
    bool good = json_is_array(list);
    i->sums = calloc((size_t)i->channels * i->planes + 1, sizeof *i->sums);
    for (size_t k = 0; good && i->sums && k < json_array_size(list); k++)
        good = read_sum(json_array_get(list, k), i);
    return good && i->sums;
}

static int read_inside(struct htmt_trace *t, const json_t *object, struct htmt__trace_inside *i,
                       struct htmt_fault *fault)
{
    bool good = t->info.networks && key_u32(object, "network", t->info.networks - 1, &i->network) &&
                key_u32(object, "first", PORTS_MOST, &i->first) &&
                key_u32(object, "planes", 65535, &i->planes) &&
                key_u32(object, "lanes", 255, &i->lanes) && i->planes && i->lanes &&
                i->first == t->ports.ports;
    good = good && read_elements(json_object_get(object, "elements"), t->info.places, i) &&
           read_channels(json_object_get(object, "channels"), i);
    const uint64_t ports = (uint64_t)i->channels * i->planes * i->lanes;
    if (!good || ports > PORTS_MOST - t->ports.ports)
        return refuse(t, "networks", "planes, lanes, elements and channels of a network", fault);
    t->ports.ports += (uint32_t)ports;
    return read_sums(json_object_get(object, "sums"), i)
               ? 0
               : refuse(t, "networks", "sums of ports as decimal digits", fault);
}

static int read_insides(struct htmt_trace *t, const json_t *list, struct htmt_fault *fault)
{
    struct htmt__trace_ports *p = &t->ports;
    int rc = json_is_array(list) ? 0 : refuse(t, "networks", "an array", fault);
    p->inside = calloc(json_array_size(list) + 1, sizeof *p->inside);
    if (!p->inside)
        return htmt__trace_out_of_memory(t, fault);
    for (size_t k = 0; k < json_array_size(list) && !rc; k++)
        rc = read_inside(t, json_array_get(list, k), &p->inside[p->insides++], fault);
    return rc;
}

static bool read_run(const struct htmt_trace *t, const json_t *row, struct htmt__trace_port_run *r)
{
    return t->info.places && number_u32(row, 0, t->info.places - 1, &r->slice) &&
           number_u32(row, 1, UINT32_MAX, &r->bytes) && number_u32(row, 2, UINT32_MAX, &r->raw) &&
           number_u32(row, 3, UINT32_MAX, &r->crc) && number_u32(row, 4, r->raw / 7, &r->count) &&
           r->raw <= (uint64_t)ROW_MOST * r->count;
}

static int read_runs(struct htmt_trace *t, const json_t *list, struct htmt_fault *fault)
{
    struct htmt__trace_ports *p = &t->ports;
    int rc = json_is_array(list) ? 0 : refuse(t, "runs", "an array", fault);
    p->run = calloc(json_array_size(list) + 1, sizeof *p->run);
    if (!p->run)
        return htmt__trace_out_of_memory(t, fault);
    for (size_t k = 0; k < json_array_size(list) && !rc; k++) {
        struct htmt__trace_port_run *r = &p->run[p->runs++];
        if (!read_run(t, json_array_get(list, k), r))
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
    const json_t *at = json_object_get(top, "at");
    p->at = t->trailer.index;
    if (t->info.version < 2)
        return 0;
    if (!json_is_integer(at) || json_integer_value(at) < HTMT__TRACE_MAGIC)
        return refuse(t, "at", "where the blocks end", fault);
    p->at = (uint64_t)json_integer_value(at);
    int rc = read_insides(t, json_object_get(top, "networks"), fault);
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

struct cursor {
    const uint8_t *at, *end;
    uint64_t begin, serial;
};

static bool take(struct cursor *c, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; c->at < c->end && shift < 70; shift += 7) {
        const uint8_t byte = *c->at++;
        *value |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
        if (byte < 128)
            return true;
    }
    return false;
}

static uint64_t signed_of(uint64_t zigzag)
{
    return zigzag >> 1 ^ (0 - (zigzag & 1));
}

static bool take_u32(struct cursor *c, uint64_t most, uint32_t *value)
{
    uint64_t found;
    bool good = take(c, &found) && found <= most;
    *value = (uint32_t)found;
    return good;
}

static bool take_packet(const struct htmt_trace *t, struct cursor *c,
                        struct htmt__trace_port_interval *i)
{
    uint64_t by;
    if (!take(c, &by))
        return false;
    i->serial = c->serial += signed_of(by);
    return take_u32(c, UINT32_MAX, &i->number) && take_u32(c, t->info.places - 1, &i->source) &&
           take_u32(c, t->info.places - 1, &i->target);
}

static bool take_interval(const struct htmt_trace *t, struct cursor *c,
                          struct htmt__trace_port_interval *i)
{
    uint64_t what, by, length;
    if (!take(c, &what) || !take(c, &by) || !take(c, &length) || what >> 3 >= t->ports.ports)
        return false;
    i->port = (uint32_t)(what >> 3);
    i->state = (enum htmt__trace_port_state)(what & 3);
    i->open = what >> 2 & 1;
    c->begin += signed_of(by);
    i->begin = (htmt_time)c->begin;
    return i->begin >= 0 && length <= INT64_MAX &&
           !__builtin_add_overflow(i->begin, (htmt_time)length, &i->end) && take_packet(t, c, i);
}

static int read_intervals(struct htmt_trace *t, const struct htmt__trace_port_run *r,
                          struct htmt__trace_port_interval *into, struct htmt_fault *fault)
{
    int rc = htmt__trace_inflate(t, r->offset, r->bytes, r->crc, r->raw, fault);
    if (rc)
        return rc;
    struct cursor c = {.at = t->raw.at, .end = t->raw.at + r->raw};
    uint32_t good = 0;
    while (good < r->count && take_interval(t, &c, &into[good]))
        good++;
    if (good == r->count && c.at == c.end)
        return 0;
    return htmt__trace_refuse(t, r->offset, fault,
                              "found another value in interval %" PRIu32
                              " of ports, expected %" PRIu32 " intervals of ports of the run",
                              good, r->count);
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
        rc = read_intervals(t, &p->run[i], *all + done, fault);
        done += p->run[i].count;
    }
    if (rc) {
        free(*all);
        *all = NULL;
    }
    return rc;
}
