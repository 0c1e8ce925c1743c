/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processors, memory and limits of the host.
 *
 * Files of proc/ and sys/ are read below a root, so that tests can bring hosts of their own. Limits
 * of control groups hold in every group up to the root: the least one binds.
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "emul/lib/doctor/doctor.h"

#include "runtime/base/memory_left.h"
#include "runtime/base/system_file.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define KIB 1024

static json_t *whole(uint64_t n)
{
    return json_integer((json_int_t)n);
}

/* ---- processors ----------------------------------------------------------------------------- */

/* What is behind "model name : " of the first processor; the caller frees it. */
static char *processor_name(const char *root)
{
    char *text = htmt__system_text(root, "/proc/cpuinfo");
    char *line = text ? strstr(text, "model name") : NULL, *value = line ? strchr(line, ':') : NULL;
    char *name = value ? strndup(value + 2, strcspn(value + 2, "\n")) : NULL;
    free(text);
    return name;
}

json_t *htmt__doctor_cpus(const char *root)
{
    cpu_set_t set;
    int allowed = sched_getaffinity(0, sizeof set, &set) ? 0 : CPU_COUNT(&set);
    const double quota = htmt__system_quota(root);
    char *name = processor_name(root);
    json_t *cpus =
        json_pack("{s:s?,s:o,s:o,s:o}", "model", name, "online",
                  json_integer(sysconf(_SC_NPROCESSORS_ONLN)), "allowed", json_integer(allowed),
                  "quota", isfinite(quota) ? json_real(quota) : json_null());
    free(name);
    return cpus;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* A limit of version 1 that nobody set is about 2^63. */
static void memory_of(const char *root, const char *folder, bool second, void *user)
{
    double *least = user;
    char path[1100];
    uint64_t bytes;
    snprintf(path, sizeof path, "%s/%s", folder, second ? "memory.max" : "memory.limit_in_bytes");
    if (htmt__system_number(root, path, "", &bytes) && bytes < UINT64_C(1) << 62 &&
        (double)bytes < *least)
        *least = (double)bytes;
}

static json_t *kib_of(const char *root, const char *key)
{
    uint64_t kib;
    bool known = htmt__system_number(root, "/proc/meminfo", key, &kib);
    return known ? whole(kib * KIB) : json_null();
}

/* "madvise" of "always [madvise] never"; the caller frees it. */
static char *huge_pages(const char *root)
{
    char *text = htmt__system_text(root, "/sys/kernel/mm/transparent_hugepage/enabled");
    char *word = text ? strchr(text, '[') : NULL;
    char *chosen = word ? strndup(word + 1, strcspn(word + 1, "]")) : NULL;
    free(text);
    return chosen;
}

json_t *htmt__doctor_memory(const char *root)
{
    double group = INFINITY;
    struct htmt__memory_state left = htmt__memory_left_below(root);
    char *huge = huge_pages(root);
    htmt__system_groups(root, "memory", memory_of, &group);
    json_t *memory = json_pack(
        "{s:o,s:o,s:o,s:s,s:o,s:o,s:s?}", "total_bytes", kib_of(root, "MemTotal:"), "free_bytes",
        kib_of(root, "MemAvailable:"), "left_bytes", whole(left.bytes), "left_bound", left.bound,
        "group_limit_bytes", isfinite(group) ? whole((uint64_t)group) : json_null(), "page_bytes",
        json_integer(sysconf(_SC_PAGESIZE)), "huge_pages", huge);
    free(huge);
    return memory;
}

/* ---- limits --------------------------------------------------------------------------------- */

static json_t *limit_of(__rlimit_resource_t resource)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return json_null();
    return whole(limit.rlim_cur);
}

json_t *htmt__doctor_limits(void)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o}", "stack_bytes", limit_of(RLIMIT_STACK),
                     "address_space_bytes", limit_of(RLIMIT_AS), "data_bytes",
                     limit_of(RLIMIT_DATA), "open_files", limit_of(RLIMIT_NOFILE), "threads",
                     limit_of(RLIMIT_NPROC));
}
