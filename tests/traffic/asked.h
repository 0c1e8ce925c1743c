/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests to traffic as its tests make them, and tables that they write.
 */
#ifndef HTMT_TESTS_TRAFFIC_ASKED_H
#define HTMT_TESTS_TRAFFIC_ASKED_H

#include "tests/apps/asked.h"
#include "tests/apps/table.h"

#include <stdio.h>
#include <unistd.h>

/* Of small-htmt: 1 ns a word, 100 ns from port to port. */
#define NS INT64_C(1000000)

#define ask(a, machine, slices, mode, given)                                                       \
    ask_app(a, &htmt_app_traffic, machine, slices, mode, NULL, given)

/* Runs, and models, on small-htmt; both take the same time. Returns it. */
static inline htmt_time time_of(uint32_t slices, const char *const *given)
{
    htmt_time time[2];
    for (enum htmt_mode mode = HTMT_RUN; mode <= HTMT_MODEL; mode++) {
        struct asked a;
        ask(&a, "small-htmt", slices, mode, given);
        cr_assert_eq(run(&a), 0, "%s", a.fault.text);
        cr_assert_eq(a.outcome.correct, mode == HTMT_RUN ? 1 : -1);
        time[mode] = htmt_predicted(a.outcome.emulator);
        done(&a);
    }
    cr_assert_eq(time[HTMT_RUN], time[HTMT_MODEL]);
    return time[HTMT_RUN];
}

static inline double found(const struct asked *a, const char *name)
{
    for (unsigned i = 0; i < a->outcome.found_count; i++)
        if (strcmp(a->outcome.found[i].name, name) == 0)
            return a->outcome.found[i].value;
    cr_assert_fail("%s was not found", name);
    return 0;
}

/* A table file of this text; to be removed. */
static inline void write_table(char path[static 64], const char *nodes)
{
    snprintf(path, 64, "/tmp/htmt-traffic-XXXXXX.yaml");
    int fd = mkstemps(path, 5);
    cr_assert_geq(fd, 0);
    FILE *out = fdopen(fd, "w");
    fprintf(out, "htmt-traffic: 1\nnodes:\n%s", nodes);
    fclose(out);
}

static inline htmt_time time_of_table(uint32_t slices, const char *nodes, const char *iterations)
{
    char path[64];
    write_table(path, nodes);
    htmt_time t = time_of(slices, GIVEN("table", path, "iterations", iterations));
    unlink(path);
    return t;
}

#endif
