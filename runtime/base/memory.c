/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/memory.h"

#include "runtime/base/memory_left.h"

#include "runtime/base/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* ---- files of the kernel -------------------------------------------------------------------- */

/* The caller frees it; NULL: no such file. */
static char *read_file(const char *root, const char *folder, const char *name)
{
    char path[ROOM], *text = NULL;
    size_t length;
    if (snprintf(path, sizeof path, "%s%s%s", root, folder, name) >= ROOM ||
        htmt_input_read(path, HTMT_INPUT_TEXT, &text, &length, NULL))
        return NULL;
    return text;
}

/* The number behind `key` at the start of a line; "": the first number. */
static bool find_number(const char *text, const char *key, uint64_t *number)
{
    size_t length = strlen(key);
    for (const char *at = text; at && *at; at = strchr(at, '\n'), at += at != NULL)
        if (strncmp(at, key, length) == 0)
            return sscanf(at + length, "%" SCNu64, number) == 1;
    return false;
}

static bool read_number(const char *root, const char *folder, const char *name, const char *key,
                        uint64_t *number)
{
    char *text = read_file(root, folder, name);
    bool found = text && find_number(text, key, number);
    free(text);
    return found;
}

/* ---- control groups ------------------------------------------------------------------------- */

static const struct version {
    const char *mount, *limit, *usage, *cache; /* cache: part of the usage, given back at need */
} versions[] = {
    {"/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes",
     "total_inactive_file "},
    {"/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file "},
};

static void bound_by_group(struct htmt__memory_state *m, const char *root, const struct version *v,
                           const char *group)
{
    char folder[ROOM];
    uint64_t limit, usage, cache = 0;
    if (snprintf(folder, sizeof folder, "%s%s", v->mount, group) >= ROOM ||
        !read_number(root, folder, v->limit, "", &limit) ||
        !read_number(root, folder, v->usage, "", &usage))
        return;
    read_number(root, folder, "/memory.stat", v->cache, &cache);
    bound(m, difference(limit, difference(usage, cache)), "control group");
}

/* A group and those above it. */
static void bound_by_groups(struct htmt__memory_state *m, const char *root, const struct version *v,
                            char *group)
{
    for (char *slash = strrchr(group, '/'); slash; slash = strrchr(group, '/')) {
        bound_by_group(m, root, v, group);
        *slash = '\0';
    }
    bound_by_group(m, root, v, "");
}

static bool has_memory(const char *controllers)
{
    char list[ROOM];
    return snprintf(list, sizeof list, ",%s,", controllers) < ROOM && strstr(list, ",memory,");
}

/* A line "4:cpu,memory:/group" of version 1, "0::/group" of version 2. */
static void bound_by_line(struct htmt__memory_state *m, const char *root, char *line)
{
    char *controllers = strchr(line, ':'),
         *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return;
    *group++ = '\0';
    if (!controllers[1])
        bound_by_groups(m, root, &versions[1], group);
    else if (has_memory(controllers + 1))
        bound_by_groups(m, root, &versions[0], group);
}

static void bound_by_control(struct htmt__memory_state *m, const char *root)
{
    char *text = read_file(root, "/proc/self", "/cgroup"), *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        bound_by_line(m, root, line);
    free(text);
}

/* ---- the host and the process --------------------------------------------------------------- */

static void bound_by_host(struct htmt__memory_state *m, const char *root)
{
    uint64_t kib;
    if (read_number(root, "/proc", "/meminfo", "MemAvailable:", &kib))
        bound(m, kib * 1024, "free memory");
    else
        bound(m, (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE), "memory");
}

static void bound_by_limit(struct htmt__memory_state *m, int resource, uint64_t used,
                           const char *what)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        bound(m, difference(limit.rlim_cur, used), what);
}

/* /proc/self/statm: pages of all, resident, shared, code, 0, data and stack. */
static void bound_by_limits(struct htmt__memory_state *m, const char *root)
{
    uint64_t all = 0, data = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
    char *text = read_file(root, "/proc/self", "/statm");
    if (text && sscanf(text, "%" SCNu64 " %*u %*u %*u %*u %" SCNu64, &all, &data) == 2) {
        bound_by_limit(m, RLIMIT_AS, all * page, "ulimit -v");
        bound_by_limit(m, RLIMIT_DATA, data * page, "ulimit -d");
    }
    free(text);
}

struct htmt__memory_state htmt__memory_left_below(const char *root)
{
    struct htmt__memory_state m = {UINT64_MAX, ""};
    bound_by_host(&m, root);
    bound_by_control(&m, root);
    bound_by_limits(&m, root);
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
