/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/trace/file.h"
#include "emul/lib/trace/ports.h"
#include "runtime/base/digits.h"

#include <stdlib.h>

/* By plane and channel of all insides, one behind another: lanes of a port are one. */
static struct htmt__trace_port_sums *add_up(const struct htmt_trace *t,
                                            const struct htmt__trace_port_interval *all)
{
    struct htmt__trace_port_sums *sums = calloc((size_t)t->ports.ports + 1, sizeof *sums);
    for (uint64_t i = 0; sums && i < t->ports.intervals; i++) {
        const struct htmt__trace_inside *in = htmt__trace_inside_of(t, all[i].port);
        struct htmt__trace_port_sums *s = &sums[in->first + (all[i].port - in->first) / in->lanes];
        htmt_wide *const of[] = {&s->busy, &s->blocked, &s->waiting, &s->queued};
        *of[all[i].state] += all[i].end - all[i].begin;
    }
    return sums;
}

static int compare(const struct htmt_trace *t, const char *port, const char *what, htmt_wide found,
                   htmt_wide expected, struct htmt_fault *fault)
{
    if (found == expected)
        return 0;
    return htmt_fault_set(fault, HTMT_EWRONG,
                          "%s: time %s of port %s: the intervals have %s fs, expected %s fs as the "
                          "footer says",
                          t->path, what, port, htmt__digits(found).s, htmt__digits(expected).s);
}

static int compare_port(const struct htmt_trace *t, const struct htmt__trace_inside *in,
                        uint32_t port, const struct htmt__trace_port_sums *found,
                        struct htmt_fault *fault)
{
    const struct htmt__trace_port_sums *sums = &in->sums[port];
    const char *name = in->channel[port % in->channels].name;
    /* Lanes share a wire, which is busy for their work: some goes on while one is blocked. */
    const bool shared = in->lanes > 1 && found->busy + found->blocked >= sums->busy;
    int rc = shared ? 0 : compare(t, name, "busy", found->busy, sums->busy, fault);
    rc = rc ? rc : compare(t, name, "blocked", found->blocked, sums->blocked, fault);
    rc = rc ? rc : compare(t, name, "waiting", found->waiting, sums->waiting, fault);
    return rc ? rc : compare(t, name, "queued", found->queued, sums->queued, fault);
}

int htmt__trace_ports_check(struct htmt_trace *t, struct htmt_fault *fault)
{
    struct htmt__trace_port_interval *all = NULL;
    struct htmt__trace_port_sums *sums = NULL;
    int rc = htmt__trace_ports_read(t, &all, fault);
    if (!rc && !(sums = add_up(t, all)))
        rc = htmt__trace_out_of_memory(t, fault);
    for (uint32_t n = 0; n < t->ports.insides && !rc && !t->info.filtered; n++) {
        const struct htmt__trace_inside *in = &t->ports.inside[n];
        for (uint32_t i = 0; i < in->channels * in->planes && !rc; i++)
            rc = compare_port(t, in, i, &sums[in->first + i], fault);
    }
    free(sums);
    free(all);
    return rc;
}
