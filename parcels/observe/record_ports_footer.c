/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/record_ports_parts.h"
#include "runtime/base/digits.h"
#include "runtime/base/json_text.h"

#define NAME 96 /* bytes */

static json_t *finish(json_t *list, bool enough)
{
    if (enough)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *decimal(htmt_uwide sum)
{
    return json_string(htmt__digits((htmt_wide)sum).s);
}

/* ---- a network ------------------------------------------------------------------------------- */

/* Name, and its slice: of a switch null. */
static json_t *elements(const struct htmt__topology *t)
{
    json_t *list = json_array();
    bool enough = list != NULL;
    char name[NAME];
    for (uint32_t i = 0; i < t->ends + t->switches && enough; i++) {
        const bool end = i < t->ends && t->slice_of[i] != UINT32_MAX;
        htmt__topology_name(t, i, name, sizeof name);
        enough = !json_array_append_new(
            list, json_pack("[o,o]", htmt__json_text(name),
                            end ? json_integer(t->slice_of[i]) : json_null()));
    }
    return finish(list, enough);
}

/* Name of its port, elements, time on its wire. */
static json_t *channels(const struct htmt__topology *t)
{
    json_t *list = json_array();
    bool enough = list != NULL;
    char name[NAME];
    for (uint32_t i = 0; i < t->channels && enough; i++) {
        const struct htmt__wire *w = &t->wire[i];
        htmt__topology_port_name(t, i, name, sizeof name);
        enough = !json_array_append_new(list, json_pack("[o,I,I,I]", htmt__json_text(name),
                                                        (json_int_t)w->from, (json_int_t)w->to,
                                                        (json_int_t)w->wire));
    }
    return finish(list, enough);
}

/* Of those that did anything. */
static json_t *sums(const struct htmt__fabric_net *n)
{
    json_t *list = json_array();
    bool enough = list != NULL;
    for (uint32_t i = 0; n->account && i < htmt__fabric_ports(n) && enough; i++) {
        const struct htmt__port_account *a = &n->account[i];
        if (a->busy || a->blocked || a->waiting || a->queued)
            enough = !json_array_append_new(
                list, json_pack("[I,o,o,o,o]", (json_int_t)i, decimal((htmt_uwide)a->busy),
                                decimal((htmt_uwide)a->blocked), decimal((htmt_uwide)a->waiting),
                                decimal(a->queued)));
    }
    return finish(list, enough);
}

static json_t *network(const struct htmt_emulator *e, uint32_t index)
{
    const struct htmt__fabric_net *n = e->net[index].fabric;
    const uint32_t lanes = htmt__recorded_ports(n) / htmt__fabric_ports(n);
    return json_pack("{sI sI sI sI so so so}", "network", (json_int_t)index, "first",
                     (json_int_t)e->recorder->ports->first[index], "planes",
                     (json_int_t)htmt__fabric_planes(n), "lanes", (json_int_t)lanes, "elements",
                     elements(n->topology), "channels", channels(n->topology), "sums", sums(n));
}

static json_t *networks(const struct htmt_emulator *e)
{
    json_t *list = json_array();
    bool enough = list != NULL;
    for (uint32_t n = 0; n < e->networks && enough; n++)
        if (e->net[n].fabric)
            enough = !json_array_append_new(list, network(e, n));
    return finish(list, enough);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static json_t *runs(const struct htmt__record_ports *r)
{
    json_t *list = json_array();
    bool enough = list != NULL;
    for (uint32_t s = 0; s < r->writers; s++)
        for (uint32_t i = 0; i < r->writer[s].runs && enough; i++) {
            const struct htmt__port_run *run = &r->writer[s].run[i];
            enough = !json_array_append_new(
                list, json_pack("[I,I,I,I,I]", (json_int_t)run->slice, (json_int_t)run->bytes,
                                (json_int_t)run->raw_bytes, (json_int_t)run->crc,
                                (json_int_t)run->count));
        }
    return finish(list, enough);
}

json_t *htmt__record_ports_footer(const struct htmt_emulator *e)
{
    const struct htmt__record_ports *r = e->recorder->ports;
    return json_pack("{sI so so}", "at", (json_int_t)r->at, "runs", runs(r), "networks",
                     networks(e));
}
