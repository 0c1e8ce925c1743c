/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/traffic_messages.h"

#include "layers/machine/way.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- hearing --------------------------------------------------------------------------------- */

static bool has_room(struct htmt__sent_messages *m)
{
    if (m->count < m->room)
        return true;
    size_t room = m->room ? 2 * m->room : 1024;
    struct htmt__sent_message *more = realloc(m->at, room * sizeof *more);
    if (!more) {
        m->failed = true;
        return false;
    }
    m->at = more;
    m->room = room;
    return true;
}

void htmt__sent_messages_hear(struct htmt__sent_messages *m, const struct htmt_event *event)
{
    if (event->target == event->slice || !event->words || !has_room(m))
        return;
    m->at[m->count] = (struct htmt__sent_message){.at = event->time,
                                                  .words = event->words,
                                                  .number = m->count,
                                                  .source = event->slice,
                                                  .target = event->target,
                                                  .resource = event->resource};
    m->count++;
}

void htmt__sent_messages_clear(struct htmt__sent_messages *m)
{
    free(m->at);
    *m = (struct htmt__sent_messages){.count = 0};
}

/* ---- when it was sent ------------------------------------------------------------------------ */

/* What it takes alone before it came; what it waited for counts as computing. */
static htmt_time length_of(const struct htmt_emulator *e, const struct htmt__sent_message *m,
                           const struct htmt_resource_report *r)
{
    const struct htmt_machine *machine = htmt_emulator_machine(e);
    htmt_time out = htmt_machine_out_time(machine, r->network, r->layer, r->layer, m->words, 1, 1);
    htmt_time way = htmt_machine_alone(machine, r->network, m->source, m->target, 8 * m->words);
    return out < 0 || way < 0 ? 0 : out + way;
}

/* Over the network, if one is asked for: then `at` is when it was sent. */
static bool take(const struct htmt_emulator *e, uint32_t network, struct htmt__sent_message *m)
{
    struct htmt_resource_report r;
    if (htmt_resource_at(e, m->resource, &r) || r.kind != HTMT_LINK_OUT ||
        (network != UINT32_MAX && r.network != network))
        return false;
    htmt_time length = length_of(e, m, &r);
    m->at = m->at > length ? m->at - length : 0;
    return true;
}

static int by_source(const void *a, const void *b)
{
    const struct htmt__sent_message *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void keep_taken(struct htmt__sent_messages *m, const struct htmt_emulator *e,
                       uint32_t network)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->count; i++)
        if (take(e, network, &m->at[i]))
            m->at[kept++] = m->at[i];
    m->count = kept;
    if (kept)
        qsort(m->at, kept, sizeof *m->at, by_source);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Its messages from `first` on; returns the first one of another node. */
static size_t write_node(FILE *out, const struct htmt__sent_messages *m, uint32_t node,
                         size_t first)
{
    htmt_time since = 0;
    size_t i = first;
    bool sends = first < m->count && m->at[first].source == node;
    fprintf(out, sends ? "  - program:\n" : "  - {}\n");
    for (; i < m->count && m->at[i].source == node; i++) {
        if (m->at[i].at > since)
            fprintf(out, "      - {compute: %" PRId64 " fs}\n", m->at[i].at - since);
        fprintf(out, "      - {asend: %" PRIu32 ", bytes: %" PRIu64 "}\n", m->at[i].target,
                m->at[i].words * 8);
        since = m->at[i].at;
    }
    return i;
}

static void write_table(FILE *out, const struct htmt__sent_messages *m, uint32_t nodes,
                        const char *about)
{
    size_t next = 0;
    fprintf(out, "htmt-traffic: 1\nabout: \"%s\"\nnodes:\n", about);
    for (uint32_t node = 0; node < nodes; node++)
        next = write_node(out, m, node, next);
}

int htmt__sent_messages_write(struct htmt__sent_messages *m, const struct htmt_emulator *e,
                              uint32_t network, const char *about, const char *path,
                              uint64_t *written, struct htmt_fault *fault)
{
    struct htmt_whole_file *f = NULL;
    if (m->failed)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the messages of a run");
    keep_taken(m, e, network);
    int rc = htmt_whole_file_open(path, &f, fault);
    if (rc)
        return rc;
    write_table(htmt_whole_file_stream(f), m, htmt_emulator_slices(e), about);
    *written = m->count;
    return htmt_whole_file_commit(&f, fault);
}
