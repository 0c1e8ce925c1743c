/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of the paper on ExaSAT, by the id of their golden row.
 *
 * Table 1 lists loops of a combustion code by their line in its source, with operations and words a
 * cell, the working set, and the bound of time. The shipped nest file has the same loops under the
 * same lines, so "E.T1.418.words" is found by the number in it: line 418, what is behind the last
 * dot. The bound is by the authors' rule, of blocks of 16 x 16 cells and the capacity of the
 * machine's cache, as in the paper. Listing 1 is the machine, and what the paper states besides
 * stands in costs/exasat.yaml.
 */
#include "emul/validate/loops.h"

#include "emul/loops/bound/exasat.h"
#include "emul/loops/bound/outputs.h"
#include "emul/validate/constant.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "E."
#define LOOPS  "E.T1."

static const struct {
    const char *row, *key; /* of costs/exasat.yaml */
} constants[] = {
    {"E.L1.bw", "listing.bandwidth"},
    {"E.T1.1529.bf", "loop-1529.bytes-a-flop"},
    {"E.T2.div.fast", "fast.division"},
    {"E.T2.exp.fast", "fast.exponential"},
    {"E.arrays", "box.arrays"},
    {"E.arrays.ghost", "box.ghosts"},
    {"E.F11.LiDryer.species", "mechanism.lidryer-species"},
    {"E.F11.LiDryer.reactions", "mechanism.lidryer-reactions"},
    {"E.F11.Drm19.species", "mechanism.drm19-species"},
    {"E.F11.Drm19.reactions", "mechanism.drm19-reactions"},
    {"E.F11.Grimech30.species", "mechanism.grimech30-species"},
    {"E.F11.Grimech30.reactions", "mechanism.grimech30-reactions"},
    {"E.F11.Hai.species", "mechanism.hai-species"},
    {"E.F11.Hai.reactions", "mechanism.hai-reactions"},
    {"E.F11.Prf_ethanol.species", "mechanism.prf-ethanol-species"},
    {"E.F11.Prf_ethanol.reactions", "mechanism.prf-ethanol-reactions"},
};

bool htmt__loops_answer(const struct htmt__golden_row *row)
{
    return !strncmp(row->id, PREFIX, strlen(PREFIX)) &&
           (row->use == HTMT__PREDICT || row->use == HTMT__INPUT);
}

/* ---- a loop ------------------------------------------------------------------------------------
 */

static double per_cell(const struct htmt__exasat_loop *loop, enum htmt__nest_class class)
{
    return htmt__nest_value(loop->run->plan->ops[class]);
}

/* A quantity of a loop in the paper's unit; -1: it has no such column. Words are of 8 bytes, "ws"
 * is in KiB, "mem" in GiB, "fp" in GFLOP, "time" in ms (from fs: 1e-12). */
static double measure(const struct htmt__exasat_loop *loop, const struct htmt__exasat_bound *b,
                      const char *what)
{
    const double bytes = htmt__nest_value(b->bytes), work = htmt__nest_value(b->work);
    const struct {
        const char *what;
        double value;
    } all[] = {{"add", per_cell(loop, HTMT__NEST_ADD)},
               {"mul", per_cell(loop, HTMT__NEST_MUL)},
               {"div", per_cell(loop, HTMT__NEST_DIV)},
               {"exp", per_cell(loop, HTMT__NEST_FUNCTION)},
               {"ws", (double)b->working / 1024},
               {"words", bytes / 8 / (double)loop->run->plan->count},
               {"fp", work / 1e9},
               {"bf", work > 0 ? bytes / work : 0},
               {"mem", bytes / 0x1p30},
               {"time", (double)b->fs / 1e12}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].what, what))
            return all[i].value;
    return -1;
}

/* `id`: "418.words", "ctoprim85.add": the line of the loop, and what of it. */
static int read_loop(const struct htmt__bound_rates *rates, const char *id, double *value,
                     struct htmt_fault *fault)
{
    const char *what = strrchr(id, '.');
    const uint64_t line = strtoull(id + strcspn(id, "0123456789"), NULL, 10);
    struct htmt__nest_file *file = NULL;
    struct htmt__nest_program *program = NULL;
    struct htmt__exasat_request request;
    struct htmt__exasat rule = {0};
    char path[HTMT_PATH_MAX];
    htmt__exasat_request_of(rates, &request);
    request.block[HTMT__EXASAT_X] = request.block[HTMT__EXASAT_Y] = 16;
    int rc = htmt_search_path(&htmt__bound_search, "exasat-table1", NULL, path, fault);
    if (!rc)
        rc = htmt__nest_file_read(path, &file, fault);
    if (!rc)
        rc = htmt__nest_program_make(file, NULL, 0, 1, &program, fault);
    if (!rc)
        rc = htmt__exasat_make(program, &rule, fault);
    *value = -1;
    for (unsigned i = 0; !rc && i < rule.loops; i++) {
        struct htmt__exasat_bound b;
        if (rule.loop[i].run->plan->nest->source_line != line)
            continue;
        rc = htmt__exasat_bound(&rule, &rule.loop[i], &request, &b);
        if (!rc)
            *value = measure(&rule.loop[i], &b, what ? what + 1 : "");
        else
            htmt_fault_set(fault, rc, "%s", htmt_strerror(rc));
    }
    if (!rc && *value < 0)
        rc = htmt_fault_set(fault, HTMT_EINVAL, "no shipped loop answers '%s'", id);
    htmt__exasat_clear(&rule);
    htmt__nest_program_destroy(&program);
    htmt__nest_file_destroy(&file);
    return rc;
}

int htmt__loops_value(struct htmt__sheets *sheets, const struct htmt__golden_table *table,
                      const struct htmt__golden_row *row, double *value, struct htmt_fault *fault)
{
    const struct htmt__constants where = {.costs = "exasat"};
    struct htmt_machine *machine = NULL;
    struct htmt__bound_rates r;
    if (htmt__sheets_answer(row))
        return htmt__sheets_value(sheets, table, row, value, fault);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!strcmp(constants[i].row, row->id))
            return htmt__constant(&where, constants[i].key, value, fault);
    int rc = htmt_machine_load("exasat-listing1", NULL, 0, &machine, fault);
    if (!rc)
        rc = htmt__bound_rates_read(machine, &r, fault);
    if (!rc && !strncmp(row->id, LOOPS, strlen(LOOPS))) {
        rc = read_loop(&r, row->id + strlen(LOOPS), value, fault);
    } else if (!rc) { /* the machine of Listing 1: rates are times of an operation or a byte, fs */
        const struct {
            const char *row;
            double value;
        } listing[] = {{"E.L1.cores", r.processors},
                       {"E.L1.gflops", 1e15 / htmt_ratio_value(r.flop)},
                       {"E.L1.cache", (double)r.link[0].capacity * 8 / 1024 / r.processors},
                       {"E.L1.div", (double)r.divide},
                       {"E.L1.trans", (double)r.function},
                       {"E.L1.nic", 8e6 / htmt_ratio_value(r.message_word)}};
        size_t i = 0, rows = sizeof listing / sizeof *listing;
        while (i < rows && strcmp(listing[i].row, row->id) != 0)
            i++;
        if (i < rows)
            *value = listing[i].value;
        else
            rc = htmt_fault_set(fault, HTMT_EINVAL, "no file answers '%s'", row->id);
    }
    htmt_machine_destroy(&machine);
    return rc;
}
