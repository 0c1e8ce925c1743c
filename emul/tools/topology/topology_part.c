/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/host/topology.h"

#include <hwloc.h>
#include <stdio.h>

static struct htmt__host_cache cache_of(const struct hwloc_obj *object)
{
    const struct hwloc_cache_attr_s *c = &object->attr->cache;
    return (struct htmt__host_cache){c->size, c->linesize,
                                     c->associativity > 0 ? (uint32_t)c->associativity : 0};
}

static void find(hwloc_topology_t h, struct htmt__host_topology *t)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(h, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    int cores = hwloc_get_nbobjs_by_type(h, HWLOC_OBJ_CORE);
    snprintf(t->processor, sizeof t->processor, "%s", model ? model : "processor");
    t->cores = cores > 0 ? (uint32_t)cores : 1;
    t->memory = hwloc_get_root_obj(h)->total_memory;
    /* The caches above a core, from its own to those that it shares. */
    for (hwloc_obj_t at = hwloc_get_obj_by_type(h, HWLOC_OBJ_PU, 0); at; at = at->parent)
        if (at->type == HWLOC_OBJ_L1ICACHE)
            t->code = cache_of(at);
        else if (hwloc_obj_type_is_dcache(at->type) && t->caches < HTMT__HOST_CACHES) {
            const int processors = hwloc_bitmap_weight(at->cpuset);
            t->cache[t->caches++] = cache_of(at);
            t->sharing = processors > 0 ? (uint32_t)processors : 1;
        }
}

static int find_topology(struct htmt__host_topology *out, struct htmt_fault *fault)
{
    hwloc_topology_t h;
    struct htmt__host_topology t = {.caches = 0};
    if (hwloc_topology_init(&h))
        return htmt_fault_set(fault, HTMT_ENOMEM, "hwloc cannot start");
    int failed = hwloc_topology_set_icache_types_filter(h, HWLOC_TYPE_FILTER_KEEP_ALL) ||
                 hwloc_topology_load(h);
    if (!failed)
        find(h, &t);
    hwloc_topology_destroy(h);
    if (failed || !t.caches)
        return htmt_fault_set(fault, HTMT_ESYSTEM, "hwloc finds no cache of this host");
    *out = t;
    return 0;
}

const struct htmt__host_part htmt_topology = {find_topology};
