/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which nests read and write which arrays, in the language of dot.
 */
#include "emul/loops/bound/report.h"

static void put_edges(const struct htmt__bound_report *r, unsigned row, FILE *out)
{
    const struct htmt__nest_row *at = &r->occupancy->row[row];
    for (unsigned i = 0; i < r->occupancy->runs; i++) {
        enum htmt__nest_mark mark = at->mark[i];
        if (mark == HTMT__NEST_R || mark == HTMT__NEST_RW)
            fprintf(out, "  a%u -> l%u;\n", row, i);
        if (mark >= HTMT__NEST_W)
            fprintf(out, "  l%u -> a%u;\n", i, row);
    }
}

void htmt__bound_graph(const struct htmt__bound_report *report, FILE *out)
{
    const struct htmt__nest_program *p = report->bound->program;
    char name[100];
    fprintf(out, "digraph nests {\n");
    for (unsigned i = 0; i < p->runs; i++)
        fprintf(out, "  l%u [shape=oval, label=\"%s\"];\n", i, p->run[i].name);
    for (unsigned i = 0; i < report->occupancy->rows; i++) {
        htmt__bound_row_name(report, &report->occupancy->row[i], name, sizeof name);
        fprintf(out, "  a%u [shape=box, label=\"%s\"];\n", i, name);
        put_edges(report, i, out);
    }
    fprintf(out, "}\n");
}
