/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt traffic export`: the tables that the LANais of a Myrinet would be loaded with. A LANai is
 * the processor of a node's interface; for each block it knows start, size, peer, index and ports.
 * A line of node 0 that sends 4000 bytes to node 1 through ports 2 and 5:
 *
 *    0  transmit           0       4000      1      0  2,5
 */
#include "apps/traffic/derived.h"
#include "apps/traffic/io/table_file.h"
#include "apps/traffic/settings.h"
#include "runtime/base/output.h"
#include "runtime/base/whole_file.h"

#include <inttypes.h>

static const struct htmt_app_option options[] = {
    {"table", "NAME|FILE", NULL, "the table to export; required"},
    {"order", "KIND", "listed", "listed, or rotated: each source begins one further"},
    {"out", "FILE", NULL, "write to this file instead of standard output"},
    {NULL, NULL, NULL, NULL}};

static void print(FILE *out, const struct htmt__traffic_table *t)
{
    fprintf(out, "# tables of the LANais, of table %s\n", t->name);
    fprintf(out, "# node  table        start       size   peer  index  ports\n");
    for (uint32_t node = 0; node < t->nodes; node++) {
        const struct htmt__traffic_node *n = &t->node[node];
        for (uint32_t i = n->first; i < n->first + n->count; i++) {
            const struct htmt__traffic_op *op = &t->op[i];
            if (op->kind != HTMT__TRAFFIC_SEND && op->kind != HTMT__TRAFFIC_ASEND)
                continue;
            const struct htmt__traffic_message *m = &t->message[op->message];
            fprintf(out,
                    "%4" PRIu32 "  transmit  %10" PRIu64 " %10" PRIu64 " %6" PRIu32 " %6" PRIu32
                    "  ",
                    node, m->from, m->bytes, m->target, m->index);
            for (uint32_t port = 0; port < m->ports; port++)
                fprintf(out, "%s%u", port ? "," : "", t->port[m->route + port]);
            fprintf(out, "%s\n", m->ports ? "" : "-");
        }
        for (uint32_t i = 0; i < n->hears; i++) {
            const struct htmt__traffic_message *m = &t->message[t->in[n->first_in + i]];
            fprintf(out,
                    "%4" PRIu32 "  receive   %10" PRIu64 " %10" PRIu64 " %6" PRIu32 " %6" PRIu32
                    "  -\n",
                    node, m->to, m->bytes, m->source, i);
        }
    }
}

static int export(const struct htmt_request *r, FILE *out, struct htmt_fault *fault)
{
    static const char *const orders[] = {"listed", "rotated", NULL};
    const struct htmt__traffic_changes changes = {.rotates = true};
    const char *name = htmt_request_value(r, "table"), *file = htmt_request_value(r, "out");
    struct htmt__traffic_table t = {.nodes = 0}, rotated = {.nodes = 0};
    struct htmt_whole_file *f = NULL;
    char path[HTMT__TRAFFIC_PATH];
    unsigned order = 0;
    int rc = name ? htmt_request_choice(r, "order", orders, &order, fault)
                  : htmt_fault_set(fault, HTMT_EUSAGE, "--table NAME is missing");
    if (!rc && file)
        rc = htmt_output_claim("--out", file, fault);
    if (!rc)
        rc = htmt__traffic_table_path(name, path, fault);
    if (!rc)
        rc = htmt__traffic_table_read(path, &t, fault);
    if (!rc)
        rc = htmt__traffic_complete(&t, fault);
    if (!rc && order)
        rc = htmt__traffic_adjust(&t, &changes, &rotated, fault);
    if (!rc && file)
        rc = htmt_whole_file_open(file, &f, fault);
    if (!rc)
        print(f ? htmt_whole_file_stream(f) : out, order ? &rotated : &t);
    if (!rc && f)
        rc = htmt_whole_file_commit(&f, fault);
    htmt__traffic_clear(&t);
    htmt__traffic_clear(&rotated);
    return rc;
}

const struct htmt_app_verb htmt__traffic_verbs[] = {
    {.name = "export",
     .summary = "the tables of the LANais: start, size, ports and index of each block",
     .options = options,
     .run = export},
    {.name = NULL},
};
