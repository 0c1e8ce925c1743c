/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The footer is one JSON object, made when the run is over: what the machine has (layers, networks,
 * resources), what steps and sections mean, how the run ended, its sums, and what was left out. So
 * a reader needs nothing but the file. Sums have up to 128 bits and are strings of decimal digits.
 */
#include "parcels/observe/record_footer.h"
#include "parcels/clock/statistics.h"
#include "parcels/observe/digits.h"
#include "parcels/observe/record_filter.h"
#include "parcels/observe/record_part.h"
#include "parcels/observe/record_ports.h"
#include "parcels/observe/section.h"
#include "parcels/walk/issue.h"
#include "runtime/base/jansson.h"
#include "runtime/base/text_stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Takes the member. *list is NULL from the first lack of memory on. */
static void append(json_t **list, json_t *member)
{
    if (!*list) {
        json_decref(member);
    } else if (json_array_append_new(*list, member)) {
        json_decref(*list);
        *list = NULL;
    }
}

static json_t *or_null(uint32_t index)
{
    return index == UINT32_MAX ? json_null() : json_integer(index);
}

static json_t *decimal(htmt_wide sum)
{
    return json_string(htmt__digits(sum).s);
}

/* ---- the machine ----------------------------------------------------------------------------- */

static json_t *layers(const struct htmt_emulator *e)
{
    json_t *list = json_array();
    for (uint32_t l = 0; l < e->layers; l++) {
        const struct htmt_layer *layer = &e->machine->layer[l];
        append(&list, json_pack("{so so so sI sI}", "name", htmt__json_text(layer->name),
                                "processor", htmt__json_text(layer->processor.name), "memory",
                                htmt__json_text(layer->memory.name), "capacity_words",
                                (json_int_t)e->store_class[l].capacity, "servers",
                                (json_int_t)htmt_machine_servers(e->machine, l)));
    }
    return list;
}

static json_t *networks(const struct htmt_emulator *e)
{
    json_t *list = json_array();
    for (uint32_t n = 0; n < e->networks; n++)
        append(&list, htmt__json_text(e->machine->network[n].name));
    return list;
}

static json_t *resources(const struct htmt_emulator *e)
{
    static const char *const kind[] = {
        [HTMT_BANK] = "bank", [HTMT_LINK_OUT] = "out", [HTMT_LINK_IN] = "in"};
    json_t *list = json_array();
    for (uint32_t i = 0; i < htmt_resource_count(e); i++) {
        struct htmt_resource_report r;
        htmt_resource_at(e, i, &r);
        htmt_time startup = r.kind == HTMT_LINK_OUT ? e->machine->network[r.network].startup : 0;
        char term[HTMT_NAME_MAX + 16];
        htmt__link_term(e, i, term, sizeof term);
        append(&list, json_pack("{so ss sI so sI sI so*}", "name", htmt__json_text(r.name), "kind",
                                kind[r.kind], "layer", (json_int_t)r.layer, "network",
                                or_null(r.kind == HTMT_BANK ? UINT32_MAX : r.network), "count",
                                (json_int_t)r.count, "startup_fs", (json_int_t)startup, "term",
                                *term ? htmt__json_text(term) : NULL));
    }
    return list;
}

/* ---- the run --------------------------------------------------------------------------------- */

static const char *place_name(enum htmt__record_place place)
{
    return place == HTMT__RECORD_SERVED      ? "served"
           : place == HTMT__RECORD_SENT      ? "sent"
           : place == HTMT__RECORD_RECEIVED  ? "received"
           : place == HTMT__RECORD_GATE      ? "gate"
           : place == HTMT__RECORD_PAUSED    ? "paused"
           : place < HTMT__RECORD_ROOM       ? "stalled"
           : place < HTMT__RECORD_AT_SECTION ? "room"
                                             : "section";
}

/* Where threads share an issue port, intervals are longer than the port is busy, and only the
 * account of the stage knows for how long it was. NULL: intervals say it, or the run was cut within
 * a window. */
static json_t *issued(const struct htmt_emulator *e, const struct htmt__record_step *s)
{
    if (!e->banked || e->recorder->cut || !s->stats || s->place != HTMT__RECORD_SERVED ||
        s->stats->resource != e->banked->machine->scratch)
        return NULL;
    return decimal(htmt__stage_stats_sum(s->stats).busy * htmt__stands_for(e));
}

static json_t *steps(const struct htmt_emulator *e)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < e->recorder->steps; i++) {
        const struct htmt__record_step *s = &e->recorder->step[i];
        bool section = s->place == HTMT__RECORD_AT_SECTION;
        const char *type = s->stats ? s->stats->type : section ? "" : HTMT__RECORD_SEND;
        enum htmt_stage_id stage = s->stats ? s->stats->stage : HTMT_PUT;
        append(&list,
               json_pack("{so so ss so so so*}", "type", htmt__json_text(type), "stage",
                         section ? json_null() : json_string(htmt_stage_name(stage)), "place",
                         place_name(s->place), "resource", or_null(htmt__record_resource(s)),
                         "layer", or_null(htmt__record_layer(e, s)), "busy", issued(e, s)));
    }
    return list;
}

/* NULL: the machine has none. */
static json_t *host(const struct htmt_emulator *e)
{
    if (!e->banked)
        return NULL;
    const struct htmt__bank_machine *b = e->banked->machine;
    return json_pack("{sI sI sI sI}", "slice", (json_int_t)e->controller, "layer",
                     (json_int_t)b->controller, "network", (json_int_t)b->bus, "threads",
                     (json_int_t)b->scratch);
}

static json_t *sections(const struct htmt_emulator *e)
{
    json_t *list = json_array();
    const char *name;
    for (uint32_t i = 0; (name = htmt__section_name(e, i)); i++)
        append(&list, htmt__json_text(name));
    return list;
}

static json_t *decimals(const htmt_wide *sums, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        append(&list, decimal(sums[i]));
    return list;
}

/* A service holds its thread from ready to done, which is what its interval has, while the issue
 * port, whose time is `busy`, serves all threads. NULL: no processor has threads. */
static json_t *inside(const struct htmt_emulator *e, const struct htmt__record_sums *sums)
{
    htmt_wide all = 0;
    if (!e->banked)
        return NULL;
    for (uint32_t i = 0; i < e->controller; i++)
        all += htmt__issuing_at(e, i)->inside * htmt__stands_for(e);
    return decimal(e->recorder->cut ? sums->busy[e->banked->machine->scratch] : all);
}

/* Those of the report; where a slice has failed within a window, others have gone on. */
static json_t *sums(const struct htmt_emulator *e)
{
    struct htmt__record_sums sums = {0};
    const uint32_t resources = htmt_resource_count(e);
    json_t *all = NULL;
    int rc = htmt__record_sums_init(&sums, resources);
    if (!rc && e->recorder->cut)
        htmt__record_sum_up(e, &sums);
    for (uint32_t i = 0; i < resources && !rc && !e->recorder->cut; i++) {
        struct htmt_resource_report r;
        htmt_resource_at(e, i, &r);
        sums.busy[i] = r.busy;
        sums.paused[i] = htmt__paused_sum(e, i);
        sums.waited[i] = r.waited;
    }
    for (uint32_t l = 0; l < e->layers && !rc && !e->recorder->cut; l++) {
        struct htmt_memory_report m;
        htmt_memory_at(e, l, &m);
        sums.stalled[l] = m.stalled;
    }
    if (!rc)
        all = json_pack("{so so so so*}", "busy", decimals(sums.busy, resources), "waited",
                        decimals(sums.waited, resources), "stalled",
                        decimals(sums.stalled, e->layers), "inside", inside(e, &sums));
    bool pauses = false;
    for (uint32_t i = 0; i < resources && sums.paused; i++)
        pauses = pauses || sums.paused[i];
    if (all && pauses && json_object_set_new(all, "paused", decimals(sums.paused, resources))) {
        json_decref(all);
        all = NULL;
    }
    htmt__record_sums_fini(&sums);
    return all;
}

/* A string for each line of the report of a deadlock. */
static json_t *open_waits(const struct htmt_emulator *e)
{
    struct htmt__text all;
    json_t *list = json_array();
    if (e->fault.code != HTMT_EDEADLOCK)
        return list;
    FILE *out = htmt__text_open(&all);
    int rc = out ? htmt_deadlock_print(e, out) : 0;
    if (htmt__text_close(out, &all) || rc) {
        json_decref(list);
        list = NULL;
    }
    char *rest = NULL;
    for (char *line = list ? strtok_r(all.at, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        append(&list, htmt__json_text(line));
    free(all.at);
    return list;
}

/* ---- what was left out ----------------------------------------------------------------------- */

static json_t *filter(const struct htmt_emulator *e, const struct htmt_recording *o)
{
    if (!htmt__record_filtered(o))
        return json_null();
    json_t *slices = json_array(), *layers = json_array(), *types = json_array();
    for (uint32_t i = 0; i < o->slice_ranges; i++)
        append(&slices,
               json_pack("[I,I]", (json_int_t)o->slices[i].first, (json_int_t)o->slices[i].last));
    for (uint32_t l = 0; l < e->layers; l++)
        if (o->layers >> l & 1)
            append(&layers, htmt__json_text(e->machine->layer[l].name));
    for (uint32_t i = 0; i < o->type_count; i++)
        append(&types, htmt__json_text(o->types[i]));
    return json_pack("{so so so sI so}", "slices", slices, "layers", layers, "types", types,
                     "from_fs", (json_int_t)o->from, "to_fs",
                     o->to ? json_integer(o->to) : json_null());
}

/* ---- ports inside networks ------------------------------------------------------------------- */

/* Of a network: elements [name, slice or null], channels [name of the port, from, to, time on the
 * wire], and of the ports that did anything [number, sums]. */
static json_t *inside_of(const struct htmt_emulator *e, uint32_t index)
{
    const struct htmt__fabric_net *n = e->net[index].fabric;
    const struct htmt__topology *t = n->topology;
    const uint32_t lanes = htmt__recorded_ports(n) / htmt__fabric_ports(n);
    json_t *elements = json_array(), *channels = json_array(), *sums = json_array();
    char name[96];
    for (uint32_t i = 0; i < t->ends + t->switches; i++) {
        const bool end = i < t->ends && t->slice_of[i] != UINT32_MAX;
        htmt__topology_name(t, i, name, sizeof name);
        append(&elements, json_pack("[o,o]", htmt__json_text(name),
                                    end ? json_integer(t->slice_of[i]) : json_null()));
    }
    for (uint32_t i = 0; i < t->channels; i++) {
        const struct htmt__wire *w = htmt__wire(t, i);
        htmt__topology_port_name(t, i, name, sizeof name);
        append(&channels, json_pack("[o,I,I,I]", htmt__json_text(name), (json_int_t)w->from,
                                    (json_int_t)w->to, (json_int_t)w->wire));
    }
    for (uint32_t i = 0; n->account && (i = htmt__port_used(n, i)) < htmt__fabric_ports(n); i++) {
        const struct htmt__port_account *a = &n->account[i];
        if (a->busy || a->blocked || a->waiting || a->queued)
            append(&sums,
                   json_pack("[I,o,o,o,o]", (json_int_t)i, decimal(a->busy), decimal(a->blocked),
                             decimal(a->waiting), decimal((htmt_wide)a->queued)));
    }
    return json_pack("{sI sI sI sI so so so}", "network", (json_int_t)index, "first",
                     (json_int_t)e->recorder->ports->first[index], "planes",
                     (json_int_t)htmt__fabric_planes(n), "lanes", (json_int_t)lanes, "elements",
                     elements, "channels", channels, "sums", sums);
}

/* NULL: no network has any inside. */
static json_t *ports(const struct htmt_emulator *e)
{
    const struct htmt__record_ports *r = e->recorder->ports;
    if (!r)
        return NULL;
    json_t *runs = json_array(), *networks = json_array();
    for (uint32_t s = 0; s < r->writers; s++)
        for (uint32_t i = 0; i < r->writer[s].runs; i++) {
            const struct htmt__port_run *run = &r->writer[s].run[i];
            append(&runs, json_pack("[I,I,I,I,I]", (json_int_t)run->slice, (json_int_t)run->bytes,
                                    (json_int_t)run->raw_bytes, (json_int_t)run->crc,
                                    (json_int_t)run->count));
        }
    for (uint32_t n = 0; n < e->networks; n++)
        if (e->net[n].fabric)
            append(&networks, inside_of(e, n));
    return json_pack("{sI so so}", "at", (json_int_t)r->at, "runs", runs, "networks", networks);
}

/* ---- the whole ------------------------------------------------------------------------------- */

int htmt__record_footer_about(const char *given)
{
    json_t *about;
    int rc = htmt__json_read(given, strlen(given), JSON_DECODE_ANY, &about, NULL);
    if (rc != HTMT_ENOMEM)
        rc = json_is_object(about) ? 0 : HTMT_EINVAL;
    json_decref(about);
    return rc;
}

char *htmt__record_footer(const struct htmt_emulator *e)
{
    const struct htmt__recorder *r = e->recorder;
    const char *given = r->options.about;
    const uint64_t number = (UINT64_C(1) << HTMT__RECORD_NUMBER_BITS) - 1;
    char hash[20], *all = NULL;
    json_t *about, *first = NULL;
    json_t *rest =
        json_pack("{so so so so so so so so* so*}", "layers", layers(e), "resources", resources(e),
                  "networks", networks(e), "steps", steps(e), "sections", sections(e), "open",
                  open_waits(e), "sums", sums(e), "host", host(e), "ports", ports(e));
    snprintf(hash, sizeof hash, "%016" PRIx64, htmt_history_hash(e));
    if (!htmt__json_read(given, strlen(given), 0, &about, NULL)) {
        const char *app = json_string_value(json_object_get(about, "app"));
        first = json_pack(
            "{sI sO so so ss sI sI sI sb so sI ss sI so so}", "version",
            (json_int_t)(r->ports ? 2 : 1), "about", about, "machine",
            htmt__json_text(e->machine->name), "app", app ? htmt__json_text(app) : json_null(),
            "mode", e->options.mode == HTMT_RUN ? "run" : "model", "slices", (json_int_t)e->slices,
            "played", (json_int_t)e->played, "stands_for", (json_int_t)htmt__stands_for(e),
            "complete", e->fault.code == 0, "fault",
            e->fault.code ? htmt__json_text(e->fault.text) : json_null(), "end_fs",
            (json_int_t)e->now, "history_hash", hash, "intervals",
            (json_int_t)htmt__record_file_intervals(r->file), "last",
            r->last ? json_pack("[I,I]", (json_int_t)(r->last >> HTMT__RECORD_NUMBER_BITS),
                                (json_int_t)((r->last & number) - 1))
                    : json_null(),
            "filter", filter(e, &r->options));
    }
    if (first && rest && json_object_update(first, rest) == 0)
        all = json_dumps(first, JSON_COMPACT);
    json_decref(rest);
    json_decref(first);
    json_decref(about);
    return all;
}
