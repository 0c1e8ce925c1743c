/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Machines made by hand, so that the tests of plan and closed form need no file. Figures: Amaral et
 * al., Table 2, and Hereld et al., Figure 1 and Table 1.
 */
#ifndef HTMT_TESTS_CANNON_MACHINES_H
#define HTMT_TESTS_CANNON_MACHINES_H

#include "layers/machine/machine.h"

#include <stdio.h>

enum { T_HRAM, T_DRAM, T_SRAM, T_CRAM };
enum { T_VORTEX, T_RTI, T_CNET };

#define T_NS(x) ((struct htmt_ratio){(uint64_t)((x)*1e6 + 0.5), 1}) /* fs */

static inline void t_memory(struct htmt_machine *m, int layer, const char *name, uint64_t capacity,
                            uint64_t reserve_bytes, struct htmt_ratio access)
{
    struct htmt_memory *memory = &m->layer[layer].memory;
    memory->capacity = capacity;
    memory->reserve = reserve_bytes / HTMT_WORD;
    memory->access = access;
    memory->access_words = 1;
    snprintf(memory->name, sizeof memory->name, "%s", name);
    snprintf(m->layer[layer].name, sizeof m->layer[layer].name, "%s", name);
}

static inline void t_processor(struct htmt_machine *m, int layer, const char *name, uint32_t count)
{
    struct htmt_processor *processor = &m->layer[layer].processor;
    snprintf(processor->name, sizeof processor->name, "%s", name);
    processor->count = count;
}

static inline void t_network(struct htmt_machine *m, int network, bool machine_wide, int from,
                             int to, struct htmt_ratio word)
{
    struct htmt_network *n = &m->network[network];
    n->machine_wide = machine_wide;
    n->port[from] = n->port[to] = (struct htmt_port){1, 1, word, word};
}

static inline struct htmt_machine t_htmt_2007(uint32_t slices)
{
    struct htmt_machine m = {
        .name = "htmt-2007", .slices = slices, .layer_count = 4, .network_count = 3};
    struct htmt_ratio off = {0, 1};
    t_memory(&m, T_HRAM, "HRAM", UINT64_C(32000000000), 0, off);
    t_memory(&m, T_DRAM, "DRAM", 512 << 20, 0, T_NS(0.97));
    t_memory(&m, T_SRAM, "SRAM", 32 << 20, 4 << 20, T_NS(0.42));
    t_memory(&m, T_CRAM, "CRAM", 128 << 10, 173576, T_NS(0.03));
    m.layer[T_DRAM].memory.ports = 1;
    m.layer[T_SRAM].memory.ports = 1;
    t_processor(&m, T_DRAM, "DPIM", 128);
    t_processor(&m, T_SRAM, "SPIM", 64);
    t_processor(&m, T_CRAM, "SPELL", 1);
    m.layer[T_DRAM].processor.time[HTMT_LOAD] = T_NS(0.97);
    m.layer[T_DRAM].processor.time[HTMT_STORE] = T_NS(0.97);
    m.layer[T_CRAM].processor.time[HTMT_FLOP] = (struct htmt_ratio){3000, 1};
    for (int k = 0; k < 4; k++) {
        m.layer[k].processor.lambda = off;
        for (int c = 0; c < HTMT_OP_CLASSES; c++)
            if (m.layer[k].processor.time[c].den == 0)
                m.layer[k].processor.time[c] = off;
    }
    for (int n = 0; n < 3; n++)
        for (int k = 0; k < 4; k++)
            m.network[n].port[k] = (struct htmt_port){0, 0, off, off};
    t_network(&m, T_VORTEX, true, T_DRAM, T_SRAM, (struct htmt_ratio){100000, 1});
    t_network(&m, T_RTI, false, T_SRAM, T_CRAM, (struct htmt_ratio){15625, 1});
    t_network(&m, T_CNET, true, T_CRAM, T_CRAM, (struct htmt_ratio){10000000, 167});
    return m;
}

/* hereld-tables: decimal capacities, links instead of access times, 256 GHz. */
static inline struct htmt_machine t_hereld_tables(uint32_t slices)
{
    struct htmt_machine m = t_htmt_2007(slices);
    struct htmt_ratio off = {0, 1}, dpim = {2000000, 1};
    t_memory(&m, T_DRAM, "DRAM", 512000000, 0, off);
    t_memory(&m, T_SRAM, "SRAM", 32000000, 0, off);
    t_memory(&m, T_CRAM, "CRAM", 128000, 0, off);
    m.layer[T_DRAM].memory.ports = m.layer[T_SRAM].memory.ports = 0;
    m.layer[T_DRAM].processor.time[HTMT_LOAD] = m.layer[T_DRAM].processor.time[HTMT_STORE] = dpim;
    m.layer[T_CRAM].processor.time[HTMT_FLOP] = (struct htmt_ratio){15625, 4};
    return m;
}

#endif
