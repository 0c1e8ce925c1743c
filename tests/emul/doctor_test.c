/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Findings of `htmt doctor` on hosts that are made up of files, and its warnings of findings that
 * are made up. The self-test is taken in as source, so that its judgement can be looked at.
 */
#include "emul/lib/doctor/self_test.c"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

/* ---- hosts ----------------------------------------------------------------------------------- */

static struct place host(void)
{
    struct place p = place("");
    char command[300];
    snprintf(command, sizeof command,
             "cd %s && mkdir -p proc/self sys/fs/cgroup/cpu/a/b sys/fs/cgroup/memory/a "
             "sys/fs/cgroup/c/d sys/kernel/mm/transparent_hugepage",
             p.folder);
    cr_assert_eq(system(command), 0);
    return p;
}

/* NAN: null. */
static void expect_number(json_t *findings, const char *key, double wanted)
{
    const json_t *value = json_object_get(findings, key);
    cr_assert_not_null(value, "%s", key);
    if (isnan(wanted))
        cr_expect(json_is_null(value), "%s is not null", key);
    else
        cr_expect_eq(json_number_value(value), wanted, "%s: %g", key, json_number_value(value));
}

static void expect_text(json_t *findings, const char *key, const char *wanted)
{
    const char *value = json_string_value(json_object_get(findings, key));
    cr_expect(value && !strcmp(value, wanted), "%s: %s", key, value);
}

Test(doctor, the_quota_is_the_narrowest_control_group_on_the_way_up)
{
    struct place root = host();
    place_put(&root, "proc/self/cgroup", "3:cpu,cpuacct:/a/b\n0::/c/d\n");
    place_put(&root, "sys/fs/cgroup/c/d/cpu.max", "max 100000\n");
    json_t *cpus = htmt__doctor_cpus(root.folder);
    expect_number(cpus, "quota", NAN);
    json_decref(cpus);
    place_put(&root, "sys/fs/cgroup/c/cpu.max", "250000 100000\n");
    cpus = htmt__doctor_cpus(root.folder);
    expect_number(cpus, "quota", 2.5);
    json_decref(cpus);
    place_put(&root, "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "150000\n");
    place_put(&root, "sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    place_put(&root, "sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
    place_put(&root, "sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
    cpus = htmt__doctor_cpus(root.folder);
    expect_number(cpus, "quota", 1.5);
    json_decref(cpus);
    place_put(&root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "120000\n");
    place_put(&root, "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    cpus = htmt__doctor_cpus(root.folder);
    expect_number(cpus, "quota", 1.2);
    json_decref(cpus);
    place_remove(&root);
}

Test(doctor, the_model_of_the_first_processor_is_named)
{
    struct place root = host();
    place_put(&root, "proc/cpuinfo", "processor\t: 0\nmodel name\t: A 1\nmodel name\t: B\n");
    json_t *cpus = htmt__doctor_cpus(root.folder);
    expect_text(cpus, "model", "A 1");
    json_decref(cpus);
    place_remove(&root);
}

Test(doctor, memory_is_what_the_files_of_the_host_say)
{
    struct place root = host();
    place_put(&root, "proc/meminfo",
              "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:    1000 kB\n");
    place_put(&root, "proc/self/cgroup", "1:memory:/a\n0::/c/d\n");
    place_put(&root, "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    place_put(&root, "sys/fs/cgroup/c/memory.max", "max\n");
    place_put(&root, "sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    json_t *memory = htmt__doctor_memory(root.folder);
    expect_number(memory, "total_bytes", 9000 * 1024);
    expect_number(memory, "free_bytes", 1000 * 1024);
    expect_number(memory, "left_bytes", 1000 * 1024);
    expect_text(memory, "left_bound", "free memory");
    expect_text(memory, "huge_pages", "never");
    expect_number(memory, "group_limit_bytes", NAN);
    json_decref(memory);
    place_put(&root, "sys/fs/cgroup/c/memory.max", "4096000\n");
    memory = htmt__doctor_memory(root.folder);
    expect_number(memory, "group_limit_bytes", 4096000);
    json_decref(memory);
    place_remove(&root);
}

Test(doctor, a_host_that_tells_nothing_is_null)
{
    struct place root = host();
    json_t *memory = htmt__doctor_memory(root.folder), *cpus = htmt__doctor_cpus(root.folder);
    expect_number(memory, "total_bytes", NAN);
    expect_number(memory, "huge_pages", NAN);
    expect_number(cpus, "model", NAN);
    expect_number(cpus, "quota", NAN);
    json_decref(memory);
    json_decref(cpus);
    place_remove(&root);
}

/* ---- warnings -------------------------------------------------------------------------------- */

/* A host on which nothing is wrong, but for the value of one key. */
static json_t *warnings_of(const char *section, const char *key, json_t *value)
{
    json_t *all =
        json_pack("{s:{s:s},s:{s:i,s:n},s:{s:I,s:s,s:s},s:{s:I,s:i,s:n},s:[{s:s,s:[s]}]}",
                  "kernels", "taken", "AVX2", "cpus", "allowed", 4, "quota", "memory", "left_bytes",
                  (json_int_t)1 << 33, "left_bound", "free memory", "huge_pages", "madvise",
                  "limits", "stack_bytes", (json_int_t)8 << 20, "open_files", 1024,
                  "address_space_bytes", "folders", "kind", "machine", "files", "htmt-oct98");
    cr_assert_not_null(all);
    if (section)
        json_object_set_new(json_object_get(all, section), key, value);
    json_t *warnings = htmt__doctor_warnings(all);
    json_decref(all);
    return warnings;
}

static void warns(const char *name, const char *part, const char *section, const char *key,
                  json_t *value)
{
    json_t *warnings = warnings_of(section, key, value);
    cr_assert_eq(json_array_size(warnings), 1, "%s: %zu warnings", name, json_array_size(warnings));
    expect_text(json_array_get(warnings, 0), "name", name);
    const char *message =
        json_string_value(json_object_get(json_array_get(warnings, 0), "message"));
    cr_expect(strstr(message, part), "%s", message);
    json_decref(warnings);
}

Test(doctor, a_host_without_a_fault_has_no_warning)
{
    json_t *warnings = warnings_of(NULL, NULL, NULL);
    cr_expect_eq(json_array_size(warnings), 0);
    json_decref(warnings);
}

Test(doctor, what_would_hurt_has_a_warning_each)
{
    warns("cpu-quota", "--threads 2", "cpus", "quota", json_real(2.5));
    warns("cpu-quota", "--threads 1", "cpus", "quota", json_real(0.5));
    warns("one-cpu", "one CPU", "cpus", "allowed", json_integer(1));
    warns("baseline-kernels", "AVX2", "kernels", "taken", json_string("baseline"));
    warns("little-memory", "0.50 GiB of memory are left (free memory)", "memory", "left_bytes",
          json_integer(1 << 29));
    warns("no-huge-pages", "first touches", "memory", "huge_pages", json_string("never"));
    warns("small-stack", "4.00 MiB", "limits", "stack_bytes", json_integer(4 << 20));
    warns("few-files", "40 open files", "limits", "open_files", json_integer(40));
    warns("address-space", "2.00 GiB", "limits", "address_space_bytes",
          json_integer((json_int_t)1 << 31));
}

Test(doctor, a_plug_in_that_is_refused_is_a_row_and_a_warning)
{
    struct htmt__application bad = {.word = (char[]){"bad"},
                                    .fault = {.code = HTMT_EFORMAT, .text = "bad.so: no ELF"}};
    struct htmt__application *loaded[] = {&bad};
    const struct htmt__applications apps = {.count = 1, .loaded = loaded};
    json_t *rows = htmt__doctor_applications(&apps);
    expect_text(json_array_get(rows, 0), "name", "bad");
    expect_text(json_array_get(rows, 0), "problem", "bad.so: no ELF");
    json_t *all = json_pack("{s:o}", "applications", rows), *warnings = htmt__doctor_warnings(all);
    json_t *last = json_array_get(warnings, json_array_size(warnings) - 1);
    expect_text(last, "name", "application-refused");
    expect_text(last, "message", "bad.so: no ELF");
    json_decref(warnings);
    json_decref(all);
}

/* ---- the self-test --------------------------------------------------------------------------- */

Test(doctor, the_self_test_passes)
{
    int code = -1;
    json_t *test = htmt__doctor_self_test(&code);
    cr_expect_eq(code, 0);
    cr_expect(json_is_true(json_object_get(test, "passed")));
    expect_number(test, "predicted_fs", KNOWN_FS);
    json_decref(test);
}

static int judged(struct outcome o)
{
    judge(&o, 3);
    cr_expect_eq(!o.code, !*o.problem);
    return o.code;
}

Test(doctor, another_time_history_or_result_is_wrong)
{
    cr_expect_eq(judged((struct outcome){.fs = KNOWN_FS, .hash = KNOWN_HASH, .right = true}), 0);
    cr_expect_eq(judged((struct outcome){.fs = KNOWN_FS + 1, .hash = KNOWN_HASH, .right = true}),
                 HTMT_EWRONG);
    cr_expect_eq(judged((struct outcome){.fs = KNOWN_FS, .hash = KNOWN_HASH ^ 1, .right = true}),
                 HTMT_EWRONG);
    cr_expect_eq(judged((struct outcome){.fs = KNOWN_FS, .hash = KNOWN_HASH}), HTMT_EWRONG);
    cr_expect_eq(htmt_exit_status(HTMT_EWRONG), 1);
}

/* ---- the object ------------------------------------------------------------------------------ */

static void expect_documented(const char *text, const char *key)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "`%s`", key);
    cr_expect(strstr(text, quoted), "%s is not in docs/json.md", quoted);
}

static void expect_all_documented(const char *text, json_t *value)
{
    const char *key;
    json_t *part;
    size_t i;
    if (json_is_object(value))
        json_object_foreach(value, key, part)
        {
            expect_documented(text, key);
            expect_all_documented(text, part);
        }
    json_array_foreach(value, i, part) expect_all_documented(text, part);
}

Test(doctor, every_key_is_documented)
{
    static const struct htmt_app *const linked[] = {NULL};
    const struct htmt__applications none = {.linked = linked};
    int code = -1;
    char *text = file_content("docs/json.md", NULL), *own = strstr(text, "## Of doctor");
    json_t *all = htmt__doctor_examine(&none, &code);
    cr_assert(all && own);
    cr_expect_eq(code, 0);
    expect_all_documented(own, all);
    json_decref(all);
    free(text);
}

Test(doctor, the_report_begins_with_the_verdict_and_has_every_section)
{
    static const struct htmt_app *const linked[] = {NULL};
    const struct htmt__applications none = {.linked = linked};
    static const char *const sections[] = {
        "\nPROGRAM\n",  "\nLIBRARIES\n", "\nAPPLICATIONS\n  none\n",
        "\nKERNELS\n",  "\nCPUS\n",      "\nMEMORY\n",
        "\nLIMITS\n",   "\nFOLDERS\n",   "\nWARNINGS\n",
        "\nSELF TEST\n"};
    int code = -1;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    json_t *all = htmt__doctor_examine(&none, &code);
    cr_assert(out && all);
    htmt__doctor_print(all, out);
    fclose(out);
    cr_expect_eq(strncmp(text, "htmt doctor: pass\n", 18), 0);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        cr_expect(strstr(text, sections[i]), "%s", sections[i]);
    json_object_set_new(json_object_get(all, "self_test"), "passed", json_false());
    free(text);
    out = open_memstream(&text, &length);
    htmt__doctor_print(all, out);
    fclose(out);
    cr_expect_eq(strncmp(text, "htmt doctor: FAIL\n", 18), 0);
    free(text);
    json_decref(all);
}
