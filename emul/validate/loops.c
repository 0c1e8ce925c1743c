/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/loops.h"

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

static const char *constant_of(const char *row)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!strcmp(constants[i].row, row))
            return constants[i].key;
    return NULL;
}

/* ---- a loop ------------------------------------------------------------------------------------
 */

static double per_cell(const struct htmt__bound_loop *loop, enum htmt__nest_class class)
{
    return htmt__nest_value(loop->run->plan->ops[class]);
}

static double measure(const struct htmt__bound_loop *loop, const char *what)
{
    const double bytes = (double)loop->traffic[0].bytes;
    const struct {
        const char *what;
        double value;
    } all[] = {{"add", per_cell(loop, HTMT__NEST_ADD)},
               {"mul", per_cell(loop, HTMT__NEST_MUL)},
               {"div", per_cell(loop, HTMT__NEST_DIV)},
               {"exp", per_cell(loop, HTMT__NEST_FUNCTION)},
               {"ws", (double)loop->working.words * (double)loop->run->plan->unit / 1024},
               {"words", bytes / 8 / (double)loop->cells},
               {"fp", htmt__nest_value(loop->work) / 1e9},
               {"bf", htmt__bound_ratio(loop->traffic[0].bytes, loop->work)},
               {"mem", bytes / 0x1p30},
               {"time", (double)loop->fs / 1e12}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].what, what))
            return all[i].value;
    return -1;
}

/* "418.words", "ctoprim85.add": the line of the loop, and what of it. */
static int find_measure(const struct htmt__bounds *bound, const char *id, double *value,
                        struct htmt_fault *fault)
{
    const char *digits = id + strcspn(id, "0123456789"), *what = strrchr(id, '.');
    uint64_t line = strtoull(digits, NULL, 10);
    *value = -1;
    for (unsigned i = 0; i < bound->loops; i++)
        if (bound->loop[i].run->plan->nest->source_line == line)
            *value = measure(&bound->loop[i], what ? what + 1 : "");
    return *value >= 0 ? 0 : htmt_fault_set(fault, HTMT_EINVAL, "no shipped loop answers '%s'", id);
}

static int bound_file(const struct htmt__nest_file *file, const struct htmt__bound_rates *rates,
                      const char *id, double *value, struct htmt_fault *fault)
{
    static const struct htmt__bound_request request = {.block = {16, 16}, .capacity = -1};
    struct htmt__nest_program *program = NULL;
    struct htmt__bounds bound;
    int rc = htmt__nest_program_make(file, NULL, 0, rates->line, &program, fault);
    if (!rc)
        rc = htmt__bound_make(program, rates, &request, &bound, fault);
    if (!rc) {
        rc = find_measure(&bound, id, value, fault);
        htmt__bound_clear(&bound);
    }
    htmt__nest_program_destroy(&program);
    return rc;
}

static int read_loop(const struct htmt__bound_rates *rates, const char *id, double *value,
                     struct htmt_fault *fault)
{
    struct htmt__nest_file *file = NULL;
    char path[HTMT_PATH_MAX];
    int rc = htmt_search_path(&htmt__bound_search, "exasat-table1", NULL, path, fault);
    if (!rc)
        rc = htmt__nest_file_read(path, &file, fault);
    if (!rc)
        rc = bound_file(file, rates, id, value, fault);
    htmt__nest_file_destroy(&file);
    return rc;
}

/* ---- Listing 1 ---------------------------------------------------------------------------------
 */

static int read_listing(const struct htmt__bound_rates *r, const char *id, double *value,
                        struct htmt_fault *fault)
{
    const struct {
        const char *row;
        double value;
    } all[] = {{"E.L1.cores", r->processors},
               {"E.L1.gflops", 1e15 / htmt_ratio_value(r->flop)},
               {"E.L1.cache", (double)r->link[0].capacity * 8 / 1024 / r->processors},
               {"E.L1.div", (double)r->divide},
               {"E.L1.trans", (double)r->function},
               {"E.L1.nic", 8e6 / htmt_ratio_value(r->message_word)}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].row, id)) {
            *value = all[i].value;
            return 0;
        }
    return htmt_fault_set(fault, HTMT_EINVAL, "no file answers '%s'", id);
}

int htmt__loops_value(const struct htmt__golden_row *row, double *value, struct htmt_fault *fault)
{
    const char *key = constant_of(row->id);
    struct htmt__constants where = {.costs = "exasat"};
    struct htmt_machine *machine = NULL;
    struct htmt__bound_rates rates;
    if (key)
        return htmt__constant(&where, key, value, fault);
    int rc = htmt_machine_load("exasat-listing1", NULL, 0, &machine, fault);
    if (!rc)
        rc = htmt__bound_rates_read(machine, &rates, fault);
    if (!rc && !strncmp(row->id, LOOPS, strlen(LOOPS)))
        rc = read_loop(&rates, row->id + strlen(LOOPS), value, fault);
    else if (!rc)
        rc = read_listing(&rates, row->id, value, fault);
    htmt_machine_destroy(&machine);
    return rc;
}
