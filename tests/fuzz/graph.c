/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/network/switch_graph.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__switch_graph *graph = NULL;
    const char *path = fuzz_file(".yaml", bytes, size);
    fuzz_judge(htmt__topology_graph_load(path, NULL, &graph, &fault), &fault);
    htmt__topology_graph_destroy(&graph);
    return 0;
}
