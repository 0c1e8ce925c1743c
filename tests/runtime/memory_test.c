/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/memory.h"
#include "runtime/base/memory_left.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A host of files: 1000 KiB are available. */
static struct place host(void)
{
    struct place p = place("");
    char command[200];
    snprintf(command, sizeof command,
             "cd %s && mkdir -p proc/self sys/fs/cgroup/memory/a/b sys/fs/cgroup/c/d", p.folder);
    cr_assert_eq(system(command), 0);
    return p;
}

static void expect_left(const struct place *host, uint64_t bytes, const char *what)
{
    struct htmt__memory_state left = htmt__memory_left_below(host->folder);
    cr_expect_eq(left.bytes, bytes, "%llu", (unsigned long long)left.bytes);
    cr_expect_str_eq(left.bound, what);
}

Test(memory, what_is_available_is_left_and_not_all_that_the_host_has)
{
    struct place root = host();
    place_put(&root, "proc/meminfo",
              "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:    1000 kB\n");
    expect_left(&root, 1024000, "free memory");
    place_remove(&root);
}

Test(memory, the_narrowest_control_group_on_the_way_up_bounds_it)
{
    struct place root = host();
    place_put(&root, "proc/meminfo", "MemAvailable: 1000 kB\n");
    place_put(&root, "proc/self/cgroup", "2:cpu:/x\n1:cpuset,memory:/a/b\n0::/c/d\n");
    place_put(&root, "sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    place_put(&root, "sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "5000\n");
    expect_left(&root, 1024000, "free memory");
    place_put(&root, "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "90000\n");
    place_put(&root, "sys/fs/cgroup/memory/a/memory.usage_in_bytes", "50000\n");
    expect_left(&root, 40000, "control group");
    place_put(&root, "sys/fs/cgroup/memory/a/memory.stat",
              "inactive_file 1\ntotal_cache 9\ntotal_inactive_file 20000\n");
    expect_left(&root, 60000, "control group");
    place_put(&root, "sys/fs/cgroup/c/d/memory.max", "max\n");
    place_put(&root, "sys/fs/cgroup/c/d/memory.current", "100\n");
    expect_left(&root, 60000, "control group");
    place_put(&root, "sys/fs/cgroup/c/memory.max", "700\n");
    place_put(&root, "sys/fs/cgroup/c/memory.current", "900\n");
    place_put(&root, "sys/fs/cgroup/c/memory.stat", "anon 5\ninactive_file 300\n");
    expect_left(&root, 100, "control group");
    place_remove(&root);
}

Test(memory, limits_of_the_process_bound_it)
{
    char text[HTMT_MEMORY_TEXT];
    cr_expect(htmt_memory_holds(1000, text));
    cr_expect(!htmt_memory_holds(1e18, text));
    cr_expect_eq(strncmp(text, "the host has ", 13), 0, "%s", text);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    struct rlimit was;
    cr_assert_eq(getrlimit(RLIMIT_DATA, &was), 0);
    cr_assert_eq(setrlimit(RLIMIT_DATA, &(struct rlimit){200 << 20, was.rlim_max}), 0);
    struct htmt__memory_state left = htmt__memory_left();
    cr_assert_eq(setrlimit(RLIMIT_DATA, &was), 0);
    cr_expect_str_eq(left.bound, "ulimit -d");
    cr_expect(left.bytes < 200 << 20 && left.bytes > 100 << 20);
    cr_assert_eq(getrlimit(RLIMIT_AS, &was), 0);
    cr_assert_eq(setrlimit(RLIMIT_AS, &(struct rlimit){UINT64_C(4) << 30, was.rlim_max}), 0);
    left = htmt__memory_left();
    cr_assert_eq(setrlimit(RLIMIT_AS, &was), 0);
    cr_expect_str_eq(left.bound, "ulimit -v");
    cr_expect(left.bytes < UINT64_C(4) << 30 && left.bytes > UINT64_C(3) << 30);
#endif
}
