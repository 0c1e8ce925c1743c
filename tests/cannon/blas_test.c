/* SPDX-License-Identifier: BSD-3-Clause
 *
 * htmt__cannon_blas_choose() starts the process again, so these tests run this program as a child,
 * `blas_test --child SET`, which prints the kernel set that it ends up with, and a better one for
 * this CPU if there is one, or the refusal.
 */
#include "apps/cannon/blas.h"

#include <cblas.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int child(char **argv)
{
    struct htmt_fault fault = {0};
    int rc = htmt__cannon_blas_choose(argv[2], argv, &fault);
    struct htmt__cannon_kernel_set set;
    htmt__cannon_blas_kernel_set(&set);
    if (rc)
        puts(fault.text);
    else
        printf("%s%s%s\n", set.name, set.older ? ", better " : "", set.older ? set.better : "");
    return htmt_exit_status(rc);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--child"))
        return child(argv);
    struct criterion_test_set *tests = criterion_initialize();
    int ok = !criterion_handle_args(argc, argv, true) || criterion_run_all_tests(tests);
    criterion_finalize(tests);
    return !ok;
}

/* The child's status; its line goes to `line`. `environment` as for env(1). */
static int run(const char *environment, const char *set, char line[400])
{
    char self[200] = {0}, command[500];
    cr_assert(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(command, sizeof command, "env -i %s '%s' --child '%s'", environment, self, set);
    FILE *f = popen(command, "r");
    cr_assert_not_null(f);
    line[0] = '\0';
    cr_expect_not_null(fgets(line, 400, f));
    line[strcspn(line, "\n")] = '\0';
    return pclose(f) / 256;
}

Test(blas, the_process_starts_again_with_the_chosen_kernel_set)
{
    char line[400];
    cr_expect_eq(run("", "Prescott", line), 0);
    cr_expect_eq(strncmp(line, "Prescott", 8), 0, "%s", line);
    cr_expect_eq(run("OPENBLAS_CORETYPE=Prescott", "Nehalem", line), 0);
    cr_expect_eq(strncmp(line, "Nehalem", 7), 0, "%s", line);
    cr_expect_eq(run("OPENBLAS_CORETYPE=Prescott", "prescott", line), 0);
    cr_expect_eq(strncmp(line, "Prescott", 8), 0, "%s", line);
}

Test(blas, a_kernel_set_that_nobody_has_is_refused_with_the_list)
{
    char line[400];
    cr_expect_eq(run("", "Pentium9", line), 2);
    cr_expect(strstr(line, "Pentium9") && strstr(line, "Prescott, Core2") &&
                  strstr(line, "SkylakeX"),
              "%s", line);
}

/* Debian's OpenBLAS takes the oldest set on a processor that it does not know. */
Test(blas, a_set_older_than_the_processor_is_reported_with_a_better_one)
{
    char line[400];
    __builtin_cpu_init();
    cr_assert_eq(run("OPENBLAS_CORETYPE=Prescott", "Prescott", line), 0);
    cr_expect_eq(strstr(line, "better") != NULL, __builtin_cpu_supports("avx") != 0, "%s", line);
    char *better = strstr(line, "better ");
    if (!better)
        return;
    char again[400];
    cr_expect_eq(run("OPENBLAS_CORETYPE=Prescott", better + 7, again), 0, "%s", again);
    cr_expect_str_eq(again, better + 7);
}

Test(blas, no_choice_changes_nothing)
{
    cr_expect_eq(htmt__cannon_blas_choose(NULL, NULL, NULL), 0);
    cr_expect_eq(htmt__cannon_blas_choose(openblas_get_corename(), NULL, NULL), 0);
}

Test(blas, the_set_that_runs_is_the_librarys_own_word)
{
    struct htmt__cannon_kernel_set set;
    htmt__cannon_blas_kernel_set(&set);
    cr_expect_str_eq(set.name, openblas_get_corename());
    cr_expect(strstr(set.config, set.name), "%s", set.config);
    cr_expect_eq(set.older, set.better != NULL);
}

Test(blas, one_thread_computes)
{
    openblas_set_num_threads(2);
    htmt__cannon_blas_one_thread();
    cr_expect_eq(openblas_get_num_threads(), 1);
}
