/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/ops_time_json.h"
#include "runtime/base/json_text.h"

#define SCHEMA "htmt-ops-time-1"

static json_t *whole(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *parts(const htmt_time *p)
{
    return json_pack(
        "{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "issue", (json_int_t)p[HTMT__NODE_ISSUE], "units",
        (json_int_t)p[HTMT__NODE_UNITS], "chain", (json_int_t)p[HTMT__NODE_CHAIN], "l1",
        (json_int_t)p[HTMT__NODE_L1], "l2", (json_int_t)p[HTMT__NODE_L2], "bus",
        (json_int_t)p[HTMT__NODE_BUS], "pages", (json_int_t)p[HTMT__NODE_PAGES], "refresh",
        (json_int_t)p[HTMT__NODE_REFRESH], "branches", (json_int_t)p[HTMT__NODE_BRANCHES]);
}

static json_t *counts(const struct htmt__node_account *a)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "instructions",
                     whole(a->instructions), "loads", whole(a->loads), "stores", whole(a->stores),
                     "l1_misses", whole(a->l1_misses), "l1_code_misses", whole(a->l1_code_misses),
                     "l2_misses", whole(a->l2_misses), "write_backs", whole(a->write_backs),
                     "page_hits", whole(a->page_hits), "page_misses", whole(a->page_misses),
                     "refreshes", whole(a->refreshes), "branches_missed",
                     whole(a->branches_missed));
}

/* An object for each region with misses. */
static json_t *misses(const struct htmt__ops_timed *t)
{
    const struct htmt__tape_region *regions;
    size_t count = htmt__tape_regions(t->tape, &regions);
    json_t *all = json_array();
    for (size_t i = 0; i <= count && all; i++) {
        if (!t->replay->misses[i])
            continue;
        json_t *one = json_pack("{s:o,s:o}", "region",
                                htmt__json_text(i < count ? regions[i].name : "elsewhere"),
                                "misses", whole(t->replay->misses[i]));
        if (json_array_append_new(all, one)) {
            json_decref(all);
            all = NULL;
        }
    }
    return all;
}

json_t *htmt__ops_time_json(const struct htmt__ops_timed *t)
{
    const struct htmt_layer *layer = &t->machine->layer[t->layer];
    const struct htmt__replay *r = t->replay;
    return json_pack(
        "{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:s,s:I,s:I,s:I,s:o,s:o,s:o}", "schema", SCHEMA, "tape",
        htmt__json_text(t->path), "machine", htmt__json_text(t->machine->name), "layer",
        htmt__json_text(layer->name), "processor", htmt__json_text(layer->processor.name),
        "services", whole(r->services), "processors", whole(t->options->processors), "caches",
        t->options->warm ? "warm" : "cold", "time_fs", (json_int_t)r->time, "longest_fs",
        (json_int_t)r->longest, "services_fs", (json_int_t)r->sum, "parts_fs",
        parts(r->account.part), "counts", counts(&r->account), "misses", misses(t));
}
