#include "layers/node/machine.h"
static struct htmt__node_figures fake;
const struct htmt__node_figures *htmt__machine_node(const struct htmt_machine *m, uint32_t layer)
{
    (void)m;
    (void)layer;
    const struct htmt_ratio ns = {1000000, 1};
    fake.issue = ns;
    fake.overlap = (struct htmt_ratio){0, 1};
    fake.branch = ns;
    for (int o = 0; o < HTMT_OPERATIONS; o++)
        for (int t = 0; t < HTMT_OPERAND_TYPES; t++)
            fake.unit[o][t] = (struct htmt__node_unit){true, ns, ns};
    fake.l1 = (struct htmt__node_cache){
        .kind = HTMT__NODE_CACHE, .size = 32768, .line = 64, .ways = 8, .hit = ns, .every = ns};
    fake.dram = (struct htmt__node_dram){.given = true,
                                         .banks = 1,
                                         .page = 4096,
                                         .hit = {50000000, 1},
                                         .miss = {90000000, 1},
                                         .refresh = {0, 1},
                                         .busy = {0, 1}};
    fake.load = fake.store = ns;
    return &fake;
}
