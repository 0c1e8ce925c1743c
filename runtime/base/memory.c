/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much memory the process may still take: the least of what the computer has free, what each
 * control group above the process leaves, and what its own limits leave. A container sees the
 * computer's memory, not its own share, so that the groups must be asked.
 */
#include "runtime/base/memory.h"

#include "runtime/base/memory_left.h"
#include "runtime/base/system_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define ROOM 1024 /* of a path */

static void bound(struct htmt__memory_state *m, uint64_t bytes, const char *what)
{
    if (bytes < m->bytes)
        *m = (struct htmt__memory_state){bytes, what};
}

static uint64_t difference(uint64_t all, uint64_t used)
{
    return all > used ? all - used : 0;
}

/* ---- control groups ------------------------------------------------------------------------- */

static const struct version {
    const char *limit, *usage, *cache; /* cache: part of the usage, given back at need */
} versions[] = {
    {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "},
    {"memory.max", "memory.current", "inactive_file "},
};

static void bound_by_group(const char *root, const char *folder, bool second, void *state)
{
    const struct version *v = &versions[second];
    const struct {
        const char *name, *key;
        bool needed;
    } wanted[] = {{v->limit, "", true}, {v->usage, "", true}, {"memory.stat", v->cache, false}};
    uint64_t number[3] = {0}; /* limit, usage, cache */
    char path[ROOM];
    for (int i = 0; i < 3; i++) {
        const bool fits = snprintf(path, sizeof path, "%s/%s", folder, wanted[i].name) < ROOM;
        if (!(fits && htmt__system_number(root, path, wanted[i].key, &number[i])) &&
            wanted[i].needed)
            return;
    }
    bound(state, difference(number[0], difference(number[1], number[2])), "control group");
}

/* ---- the host and the process --------------------------------------------------------------- */

static void bound_by_limit(struct htmt__memory_state *m, int resource, uint64_t used,
                           const char *what)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        bound(m, difference(limit.rlim_cur, used), what);
}

/* /proc/self/statm: pages of all, resident, shared, code, 0, data and stack. */
struct htmt__memory_state htmt__memory_left_below(const char *root)
{
    struct htmt__memory_state m = {UINT64_MAX, ""};
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t kib, all = 0, data = 0;
    if (htmt__system_number(root, "/proc/meminfo", "MemAvailable:", &kib))
        bound(&m, kib * 1024, "free memory");
    else
        bound(&m, (uint64_t)sysconf(_SC_PHYS_PAGES) * page, "memory");
    htmt__system_groups(root, "memory", bound_by_group, &m);
    char *text = htmt__system_text(root, "/proc/self/statm");
    if (text && sscanf(text, "%" SCNu64 " %*u %*u %*u %*u %" SCNu64, &all, &data) == 2) {
        bound_by_limit(&m, RLIMIT_AS, all * page, "ulimit -v");
        bound_by_limit(&m, RLIMIT_DATA, data * page, "ulimit -d");
    }
    free(text);
    return m;
}

struct htmt__memory_state htmt__memory_left(void)
{
    return htmt__memory_left_below("");
}

bool htmt_memory_holds(double bytes, char text[HTMT_MEMORY_TEXT])
{
    struct htmt__memory_state left = htmt__memory_left();
    snprintf(text, HTMT_MEMORY_TEXT, "the host has %.2f GiB left (%s)",
             (double)left.bytes / (1024.0 * 1024 * 1024), left.bound);
    return bytes <= (double)left.bytes;
}
