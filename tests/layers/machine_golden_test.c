/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shipped machines hold the figures that the papers print. Each row names the printed figure
 * (H: Hereld et al., A: Amaral et al.; T: table, F: figure) and its value in SI units; what the
 * machine holds is turned into the same unit here, by the definition of the unit.
 */
#include "layers/machine/machine.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define FS 1e-15

struct row {
    const char *id;
    double printed, held;
};

static void expect_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_expect(fabs(rows[i].held - rows[i].printed) <= 1e-9 * fabs(rows[i].printed),
                  "%s: printed %.12g, held %.12g", rows[i].id, rows[i].printed, rows[i].held);
}

#define EXPECT(rows) expect_rows(rows, sizeof(rows) / sizeof(rows)[0])

static const struct htmt_layer *layer(const struct htmt_machine *m, const char *name)
{
    int i = htmt_machine_layer(m, name);
    cr_assert_geq(i, 0, "%s", name);
    return &m->layer[i];
}

static const struct htmt_network *network(const struct htmt_machine *m, const char *name)
{
    int i = htmt_machine_network(m, name);
    cr_assert_geq(i, 0, "%s", name);
    return &m->network[i];
}

static const struct htmt_port *port(const struct htmt_machine *m, const char *net, const char *at)
{
    return &network(m, net)->port[htmt_machine_layer(m, at)];
}

/* Words a second of a time a word. */
static double rate(struct htmt_ratio word)
{
    return 1 / (htmt_ratio_value(word) * FS);
}

static double hertz(const struct htmt_layer *l)
{
    return htmt_ratio_value(l->processor.clock);
}

static double seconds(struct htmt_ratio fs)
{
    return htmt_ratio_value(fs) * FS;
}

Test(machine_golden, htmt_oct98_holds_figure_1_and_table_1)
{
    struct htmt_machine *m = machine_load("htmt-oct98", NULL);
    const struct htmt_layer *spell = layer(m, "SPELL"), *spim = layer(m, "SPIM");
    const struct htmt_layer *dpim = layer(m, "DPIM"), *hram = layer(m, "HRAM");
    const struct row rows[] = {
        {"H.T1.slices", 4096, m->slices},
        {"H.F1.spell.units", 4096, m->slices * spell->processor.count},
        {"H.T1.T_SPELL.par", 1, spell->processor.count},
        {"H.T1.T_SPELL.elem", 2.56e11, hertz(spell)},
        {"H.T1.T_SPELL.flop", 1 / 2.56e11, seconds(spell->processor.time[HTMT_FLOP])},
        {"H.T1.T_SPELL.cycle", 1 / 2.56e11, seconds(spell->processor.time[HTMT_CYCLE])},
        {"H.T1.T_SPIM.par", 64, spim->processor.count},
        {"H.T1.T_SPIM.elem", 1e9, hertz(spim)},
        {"H.T1.T_DPIM.par", 128, dpim->processor.count},
        {"H.T1.T_DPIM.elem", 5e8, hertz(dpim)},
        {"H.T1.T_StoC.elem", 6.41e10, rate(port(m, "rti", "sram")->out_word)},
        {"H.T1.T_StoC.par", 1, port(m, "rti", "sram")->out},
        {"H.T1.T_CtoS.elem", 6.41e10, rate(port(m, "rti", "cram")->out_word)},
        {"H.T1.T_CtoS.par", 1, port(m, "rti", "cram")->out},
        {"H.T1.T_DVtoS.elem", 1e10, rate(port(m, "vortex", "sram")->in_word)},
        {"H.T1.T_DVtoS.par", 4, port(m, "vortex", "sram")->in},
        {"H.T1.T_StoDV.elem", 1e10, rate(port(m, "vortex", "sram")->out_word)},
        {"H.T1.T_StoDV.par", 1, port(m, "vortex", "sram")->out},
        {"H.T1.T_DtoDV.elem", 1e10, rate(port(m, "vortex", "dram")->out_word)},
        {"H.T1.T_DtoDV.par", 1, port(m, "vortex", "dram")->out},
        {"H.T1.T_DVtoD.elem", 1e10, rate(port(m, "vortex", "dram")->in_word)},
        {"H.T1.T_DVtoD.par", 1, port(m, "vortex", "dram")->in},
        {"H.T1.T_HtoD.elem", 5e10, rate(port(m, "hram-channel", "hram")->out_word)},
        {"H.T1.T_DtoH.elem", 1.25e9, rate(port(m, "hram-channel", "dram")->out_word)},
        {"H.T1.M_CRAM", 131072, (double)spell->memory.capacity},
        {"H.T1.M_SRAM", 524288.0 * 64, (double)spim->memory.capacity},
        {"H.T1.M_DRAM", 4194304.0 * 128, (double)dpim->memory.capacity},
        {"H.T1.M_HRAM", 1e9 * 32, (double)hram->memory.capacity},
        {"H.F1.cram (bytes)", 1048576, (double)spell->memory.capacity * HTMT_WORD},
        {"H.F1.spim.mem (bytes)", 4194304.0 * 64, (double)spim->memory.capacity * HTMT_WORD},
        {"H.F1.dpim.mem (bytes)", 33554432.0 * 128, (double)dpim->memory.capacity * HTMT_WORD},
        {"H.F1.label1.lat", 85e-9, (double)network(m, "vortex")->latency * FS},
        {"H.F1.label2.lat", 20e-9, (double)network(m, "rti")->latency * FS},
        {"H.F1.label3.lat", 20e-9, (double)network(m, "cnet")->latency * FS},
        {"H.F1.label3.bw", 64e9, rate(port(m, "cnet", "cram")->out_word) * HTMT_WORD},
    };
    EXPECT(rows);
    cr_expect_eq(port(m, "cnet", "cram")->out, 2, "left and up");
    cr_expect_str_empty(hram->processor.name);
    htmt_machine_destroy(&m);
}

Test(machine_golden, hereld_tables_holds_the_decimal_capacities_and_no_latency)
{
    struct htmt_machine *m = machine_load("hereld-tables", NULL);
    const struct row rows[] = {
        {"H.T1.den.CRAM", 128e3, (double)layer(m, "cram")->memory.capacity},
        {"H.T1.den.SRAM", 32e6, (double)layer(m, "sram")->memory.capacity},
        {"H.T1.den.DRAM", 512e6, (double)layer(m, "dram")->memory.capacity},
        {"HRAM", 3.2e10, (double)layer(m, "hram")->memory.capacity},
        {"vortex", 0, (double)network(m, "vortex")->latency},
        {"rti", 0, (double)network(m, "rti")->latency},
        {"cnet", 0, (double)network(m, "cnet")->latency},
        {"hram-channel", 0, (double)network(m, "hram-channel")->latency},
    };
    EXPECT(rows);
    htmt_machine_destroy(&m);
}

Test(machine_golden, htmt_2007_holds_table_2_of_amaral)
{
    struct htmt_machine *m = machine_load("htmt-2007", NULL);
    const struct htmt_layer *dram = layer(m, "dram"), *sram = layer(m, "sram");
    const struct htmt_layer *cram = layer(m, "cram");
    const struct row rows[] = {
        {"A.T2.spells", 4096, m->slices * cram->processor.count},
        {"A.T2.CRAM", 131072, (double)cram->memory.capacity},
        {"A.T2.SRAM", 33554432, (double)sram->memory.capacity},
        {"A.T2.DRAM", 536870912, (double)dram->memory.capacity},
        {"A.T2.DRAM_at", 0.97e-9, seconds(dram->memory.access)},
        {"A.T2.DRAM_at (load)", 0.97e-9, seconds(dram->processor.time[HTMT_LOAD])},
        {"A.T2.DRAM_at (store)", 0.97e-9, seconds(dram->processor.time[HTMT_STORE])},
        {"A.T2.SRAM_at", 0.42e-9, seconds(sram->memory.access)},
        {"A.T2.CRAM_at", 30e-12, seconds(cram->memory.access)},
        {"A.T2.SF_t / A.T2.FPU", 15e-12 / 5, seconds(cram->processor.time[HTMT_FLOP])},
        {"A.T2.vortex", 10e9, rate(port(m, "vortex", "dram")->out_word)},
        {"A.T2.vortex", 10e9, rate(port(m, "vortex", "sram")->out_word)},
        {"A.T2.rti", 64e9, rate(port(m, "rti", "sram")->out_word)},
        {"A.T2.rti", 64e9, rate(port(m, "rti", "cram")->out_word)},
        {"A.T2.cnet", 16.7e9, rate(port(m, "cnet", "cram")->out_word)},
        {"A.eq3.clock", 450e6, hertz(dram)},
        {"A.b_c.room", 173576, (double)cram->memory.reserve * HTMT_WORD},
        {"A.sram_code", 4194304, (double)sram->memory.reserve * HTMT_WORD},
        {"one DRAM port", 1, dram->memory.ports},
        {"one SRAM port", 1, sram->memory.ports},
        {"vortex latency", 0, (double)network(m, "vortex")->latency},
    };
    EXPECT(rows);
    htmt_machine_destroy(&m);
}

/* Service times of the papers' tables, whose arithmetic stands in the comments. */
Test(machine_golden, moves_and_work_take_the_papers_times)
{
    struct htmt_machine *m = machine_load("htmt-2007", NULL);
    uint32_t dram = (uint32_t)htmt_machine_layer(m, "dram");
    uint32_t sram = (uint32_t)htmt_machine_layer(m, "sram");
    uint32_t cram = (uint32_t)htmt_machine_layer(m, "cram");
    uint32_t vortex = (uint32_t)htmt_machine_network(m, "vortex");
    uint32_t rti = (uint32_t)htmt_machine_network(m, "rti");
    uint32_t cnet = (uint32_t)htmt_machine_network(m, "cnet");
    uint64_t subblock = 125 * 125, block = 26 * 26 * subblock;
    struct htmt_ops product = {.n = {[HTMT_FLOP] = 2 * 125 * subblock}};
    struct htmt_ops transform = {.n = {[HTMT_LOAD] = 65 * block, [HTMT_STORE] = 65 * block}};

    /* IP_DS: 10,562,500 words at 0.97 ns */
    cr_expect_eq(htmt_machine_out_time(m, vortex, dram, sram, block, 1, 1), 10245625000000);
    cr_expect_eq(htmt_machine_out_time(m, vortex, sram, dram, block, 1, 1), 10245625000000);
    /* IP_SC, OP_CS: 15,625 words at 0.42 ns */
    cr_expect_eq(htmt_machine_out_time(m, rti, sram, cram, subblock, 1, 1), 6562500000);
    cr_expect_eq(htmt_machine_out_time(m, rti, cram, sram, subblock, 1, 1), 6562500000);
    /* D_S: 15,625 words at 16.7 Gword/s are 935,628,742.5 fs */
    cr_expect_eq(htmt_machine_out_time(m, cnet, cram, cram, subblock, 1, 1), 935628743);
    /* M_S: 3,906,250 flop at 3 ps */
    cr_expect_eq(htmt_machine_work(m, cram, &product), 11718750000);
    /* D_t: 2 (t b_c)^2 (s + 1) accesses at 0.97 ns */
    cr_expect_eq(htmt_machine_work(m, dram, &transform), 1331931250000000);
    htmt_machine_destroy(&m);
}

Test(machine_golden, every_figure_of_the_papers_machines_has_a_source)
{
    static const char *const names[] = {"htmt-oct98", "hereld-tables", "htmt-2007"};
    for (int i = 0; i < 3; i++) {
        struct htmt_machine *m = machine_load(names[i], NULL);
        for (uint32_t j = 0; j < m->figure_count; j++) {
            const struct htmt_figure *f = &m->figure[j];
            const char *last = strrchr(f->key, '.');
            bool name = last && (!strcmp(last, ".name") || !strcmp(last, ".scope") ||
                                 !strcmp(last, ".processor"));
            cr_expect_eq(*f->source == '\0', name, "%s", f->key);
            cr_expect_gt(f->line, 0, "%s", f->key);
        }
        htmt_machine_destroy(&m);
    }
}
