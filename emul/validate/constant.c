/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Constants of papers, as formulas of keys of machine and cost files.
 *
 * A machine file states figures of a layer ("layers.sram.processor.count"); papers print them a
 * slice, a node or a PIM. A formula of the keys gives the printed figure, so that a changed file
 * shows as a row that no file holds. Values of keys are converted to s, words, words a second, Hz
 * or plain numbers by whatever unit they are written in, golden values by the unit of their row.
 */
#include "emul/validate/constant.h"

#include "emul/validate/expression.h"
#include "layers/file/costs.h"
#include "layers/file/units.h"

#include <math.h>
#include <string.h>

double htmt__unit_size(const char *unit)
{
    static const struct {
        const char *unit;
        double size;
    } known[] = {{"ms", 1e-3},      {"us", 1e-6},       {"ns", 1e-9},         {"ps", 1e-12},
                 {"fs", 1e-15},     {"ns/word", 1e-9},  {"ps/word", 1e-12},   {"%", 0.01},
                 {"PFLOPS", 1e15},  {"bytes", 1.0 / 8}, {"bytes/s", 1.0 / 8}, {"GB/s", 1e9 / 8},
                 {"GB", 0x1p30 / 8}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].unit, unit))
            return known[i].size;
    return 1;
}

/* ---- a figure of a file --------------------------------------------------------------------- */

#define FS 1e-15

/* The unit of a figure determines its dimension: all are tried. */
static int read_figure(const struct htmt_figure *figure, double *value, struct htmt_fault *fault)
{
    static const struct {
        enum htmt_dimension dimension;
        const char *noun;
    } ways[] = {
        {HTMT_UNIT_SHARE, NULL},        {HTMT_UNIT_FREQUENCY, NULL},   {HTMT_UNIT_SIZE, NULL},
        {HTMT_UNIT_RATE, NULL},         {HTMT_UNIT_TIME, NULL},        {HTMT_UNIT_CYCLES, NULL},
        {HTMT_UNIT_OPERATIONS, "flop"}, {HTMT_UNIT_OPERATIONS, "iop"}, {HTMT_UNIT_OPERATIONS, "op"},
        {HTMT_UNIT_ACCESS, NULL},       {HTMT_UNIT_OPERATION, "flop"}, {HTMT_UNIT_OPERATION, "iop"},
        {HTMT_UNIT_OPERATION, "word"}};
    char why[200];
    struct htmt_quantity q;
    size_t i = 0;
    while (i < sizeof ways / sizeof *ways &&
           htmt_quantity_read(figure->value, ways[i].dimension, ways[i].noun, &q, why, sizeof why))
        i++;
    if (i == sizeof ways / sizeof *ways)
        return htmt_fault_set(fault, HTMT_EUNIT, "%s: found '%s', expected a quantity", figure->key,
                              figure->value);
    /* From the unit of the dimension in layers/file/units.h. */
    *value = htmt_ratio_value(q.value);
    switch (ways[i].dimension) {
    case HTMT_UNIT_TIME:
    case HTMT_UNIT_ACCESS:
    case HTMT_UNIT_OPERATION:
        *value *= FS;
        break;
    case HTMT_UNIT_RATE:
        *value = 1 / (*value * FS);
        break;
    default:
        break;
    }
    return 0;
}

/* ---- formulas ------------------------------------------------------------------------------- */

static int read_name(void *user, const char *name, double *value, struct htmt_fault *fault)
{
    const struct htmt__constants *where = user;
    const struct htmt_machine *m = where->machine;
    struct htmt_figure held;
    if (*name == '@') {
        const struct htmt__golden_row *row = htmt__golden_find(where->golden, name + 1);
        if (!row)
            return htmt_fault_set(fault, HTMT_EINVAL, "no golden table has a row '%s'", name + 1);
        *value = htmt__golden_value(row) * htmt__unit_size(row->unit);
        return 0;
    }
    for (uint32_t i = 0; m && i < m->figure_count; i++)
        if (!strcmp(m->figure[i].key, name))
            return read_figure(&m->figure[i], value, fault);
    if (!where->costs)
        return htmt_fault_set(fault, HTMT_EINVAL, "no file has the key '%s'", name);
    int rc = htmt_costs_figure(where->costs, name, &held, fault);
    return rc ? rc : read_figure(&held, value, fault);
}

int htmt__constant(const struct htmt__constants *where, const char *formula, double *value,
                   struct htmt_fault *fault)
{
    struct htmt__constants names = *where;
    return htmt__expression(formula, read_name, &names, value, fault);
}

/* ---- machine files -------------------------------------------------------------------------- */

#define PER_DPIM      " / layers.dram.processor.count"
#define PER_SPIM      " / layers.sram.processor.count"
#define PER_SPELL     " / layers.cram.processor.count"
#define DPIMS         "layers.dram.processor.count"
#define SPIMS         "layers.sram.processor.count"
#define SPELLS        "layers.cram.processor.count"
#define OUT(net, at)  "networks." net ".ports." at ".out"
#define IN(net, at)   "networks." net ".ports." at ".in"
#define RATE(net, at) OUT(net, at) "-rate"

static const struct {
    const char *row, *formula;
} rows[] = {
    {"H.F1.dpim.per_slice", DPIMS},
    {"H.F1.dpim.clock", "layers.dram.processor.clock"},
    {"H.F1.dpim.mem", "layers.dram.memory.capacity" PER_DPIM},
    {"H.F1.spim.per_slice", SPIMS},
    {"H.F1.spim.clock", "layers.sram.processor.clock"},
    {"H.F1.spim.mem", "layers.sram.memory.capacity" PER_SPIM},
    {"H.F1.spell.units", "slices * " SPELLS},
    {"H.F1.spell.per_slice", SPELLS},
    {"H.F1.spell.clock", "layers.cram.processor.clock"},
    {"H.F1.cram", "layers.cram.memory.capacity" PER_SPELL},
    {"H.F1.vortex.D_to_DV", RATE("vortex", "dram") " * " OUT("vortex", "dram")},
    {"H.F1.label1.lat", "networks.vortex.latency"},
    {"H.F1.label2.lat", "networks.rti.latency"},
    {"H.F1.label3.bw", RATE("cnet", "cram")},
    {"H.F1.label3.lat", "networks.cnet.latency"},
    {"H.T1.slices", "slices"},
    {"H.T1.T_SPELL.elem", "layers.cram.processor.clock"},
    {"H.T1.T_SPELL.par", SPELLS},
    {"H.T1.T_SPIM.elem", "layers.sram.processor.clock"},
    {"H.T1.T_SPIM.par", SPIMS},
    {"H.T1.T_DPIM.elem", "layers.dram.processor.clock"},
    {"H.T1.T_DPIM.par", DPIMS},
    {"H.T1.T_StoC.elem", RATE("rti", "sram")},
    {"H.T1.T_StoC.par", OUT("rti", "sram")},
    {"H.T1.T_CtoS.elem", RATE("rti", "cram")},
    {"H.T1.T_CtoS.par", OUT("rti", "cram")},
    {"H.T1.T_DVtoS.elem", IN("vortex", "sram") "-rate"},
    {"H.T1.T_DVtoS.par", IN("vortex", "sram")},
    {"H.T1.T_StoDV.elem", RATE("vortex", "sram")},
    {"H.T1.T_StoDV.par", OUT("vortex", "sram")},
    {"H.T1.T_DtoDV.elem", RATE("vortex", "dram")},
    {"H.T1.T_DtoDV.par", OUT("vortex", "dram")},
    {"H.T1.T_DVtoD.elem", IN("vortex", "dram") "-rate"},
    {"H.T1.T_DVtoD.par", IN("vortex", "dram")},
    {"H.T1.T_HtoD.elem", RATE("hram-channel", "hram")},
    {"H.T1.T_HtoD.par", OUT("hram-channel", "hram")},
    {"H.T1.T_DtoH.elem", RATE("hram-channel", "dram")},
    {"H.T1.T_DtoH.par", OUT("hram-channel", "dram")},
    {"H.T1.M_CRAM.elem", "layers.cram.memory.capacity" PER_SPELL},
    {"H.T1.M_CRAM.par", SPELLS},
    {"H.T1.M_SRAM.elem", "layers.sram.memory.capacity" PER_SPIM},
    {"H.T1.M_SRAM.par", SPIMS},
    {"H.T1.M_DRAM.elem", "layers.dram.memory.capacity" PER_DPIM},
    {"H.T1.M_DRAM.par", DPIMS},
    /* HRAM has no processors: the file holds the product */
    {"H.T1.M_HRAM.elem", "layers.hram.memory.capacity / @H.T1.M_HRAM.par"},
    {"H.T1.M_HRAM.par", "layers.hram.memory.capacity / @H.T1.M_HRAM.elem"},
    {"H.T1.den.CRAM", "layers.cram.memory.capacity"},
    {"H.T1.den.SRAM", "layers.sram.memory.capacity"},
    {"H.T1.den.DRAM", "layers.dram.memory.capacity"},
    {"H.T6.assembly.par", DPIMS},
    {"H.T6.dv.par", OUT("vortex", "dram")},
    {"H.T6.dispatch.par", SPIMS},
    {"H.T6.rti.par", OUT("rti", "sram")},
    {"H.T6.spell.par", SPELLS},
    {"H.T8.assemble.par", DPIMS},
    {"H.T8.gather.par", OUT("vortex", "dram")},
    {"H.T8.dispatch.par", SPIMS},
    {"H.T8.inject.par", OUT("rti", "sram")},
    {"H.T8.spell.par", SPELLS},
    {"H.T8.eject.par", OUT("rti", "cram")},
    {"H.T8.retire.par", SPIMS},
    {"H.T8.scatter.par", OUT("vortex", "sram")},
    {"H.X.fibers.dpim_out", OUT("vortex", "dram")},
    {"H.X.fibers.dpim_in", IN("vortex", "dram")},
    {"H.X.fibers.spim_out", OUT("vortex", "sram")},
    {"H.X.fibers.spim_in", IN("vortex", "sram")},
    {"H.X.fiber", RATE("vortex", "dram")},
    {"A.b_c.room", "layers.cram.memory.reserve"},
    {"A.sram_code", "layers.sram.memory.reserve"},
    {"A.eq3.clock", "layers.dram.processor.clock"},
    {"A.T2.CRAM", "layers.cram.memory.capacity"},
    {"A.T2.SRAM", "layers.sram.memory.capacity"},
    {"A.T2.DRAM", "layers.dram.memory.capacity"},
    {"A.T2.DRAM_at", "layers.dram.memory.access"},
    {"A.T2.SRAM_at", "layers.sram.memory.access"},
    {"A.T2.CRAM_at", "layers.cram.memory.access"},
    /* the file holds the time of a flop on all FPUs together */
    {"A.T2.FPU", "@A.T2.SF_t / layers.cram.processor.flop"},
    {"A.T2.SF_t", "layers.cram.processor.flop * @A.T2.FPU"},
    {"A.T2.vortex", RATE("vortex", "dram")},
    {"A.T2.rti", RATE("rti", "sram")},
    {"A.T2.cnet", RATE("cnet", "cram")},
    {"A.T2.spells", "slices * " SPELLS},
};

const char *htmt__machine_constant(const char *row)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].row, row))
            return rows[i].formula;
    return NULL;
}
