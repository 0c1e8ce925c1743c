/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What of the findings would hurt a run, with what to do about it.
 *
 * A warning needs a bound that was passed, and something that can be done about it. What is not
 * known, such as a quota where there are no control groups, warns of nothing.
 */
#include "emul/lib/doctor/doctor.h"

#include "emul/lib/report/fields.h"
#include "runtime/base/jansson.h"

#include <stdarg.h>
#include <string.h>

#define GIB        1073741824.0
#define MIB        1048576.0
#define LEFT_LEAST (1 * GIB)
#define STACK_MIB  8
#define OPEN_LEAST 64

struct warner {
    const json_t *findings;
    json_t *all; /* NULL: memory was short */
};

static void warn(struct warner *w, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void warn(struct warner *w, const char *name, const char *format, ...)
{
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (w->all)
        htmt__fields_append(
            &w->all, json_pack("{s:s,s:o}", "name", name, "message", htmt__json_text(message)));
}

static const json_t *finding(const struct warner *w, const char *section, const char *key)
{
    return json_object_get(json_object_get(w->findings, section), key);
}

/* The number, `none` where there is none: null, not found out. */
static double number(const struct warner *w, const char *section, const char *key, double none)
{
    const json_t *value = finding(w, section, key);
    return json_is_number(value) ? json_number_value(value) : none;
}

static void look_at_cpus(struct warner *w)
{
    double allowed = number(w, "cpus", "allowed", 1), quota = number(w, "cpus", "quota", allowed);
    if (quota < allowed)
        warn(w, "cpu-quota",
             "the control group gives %.2f of %.0f CPUs: more threads than that are held back; use "
             "--threads %.0f",
             quota, allowed, quota < 1 ? 1 : quota);
    if (allowed < 2)
        warn(w, "one-cpu", "one CPU is allowed: the clock and all kernels share it");
    const char *taken = json_string_value(finding(w, "kernels", "taken"));
    if (taken && !strcmp(taken, "baseline"))
        warn(w, "baseline-kernels", "no AVX2 on this CPU or in this build: kernels run slowly");
}

static void look_at_memory(struct warner *w)
{
    double left = number(w, "memory", "left_bytes", LEFT_LEAST);
    const char *bound = json_string_value(finding(w, "memory", "left_bound"));
    const char *huge = json_string_value(finding(w, "memory", "huge_pages"));
    if (left < LEFT_LEAST)
        warn(w, "little-memory", "%.2f GiB of memory are left (%s): large runs are refused",
             left / GIB, bound ? bound : "");
    if (huge && !strcmp(huge, "never"))
        warn(w, "no-huge-pages", "transparent huge pages are off: first touches of data cost more");
}

static void look_at_limits(struct warner *w)
{
    double stack = number(w, "limits", "stack_bytes", STACK_MIB * MIB);
    double files = number(w, "limits", "open_files", OPEN_LEAST);
    double space = number(w, "limits", "address_space_bytes", -1);
    if (stack < STACK_MIB * MIB)
        warn(w, "small-stack",
             "the stack is limited to %.2f MiB: kernels of programs with libhtmt run on it; "
             "ulimit -s 8192",
             stack / MIB);
    if (files < OPEN_LEAST)
        warn(w, "few-files", "%.0f open files are allowed: ulimit -n 1024", files);
    if (space >= 0)
        warn(w, "address-space",
             "the address space is limited to %.2f GiB, and reserved memory counts: ulimit -v "
             "unlimited",
             space / GIB);
}

static void look_at_folders(struct warner *w)
{
    const json_t *folders = json_object_get(w->findings, "folders"), *folder, *file;
    bool found = false;
    size_t i, k;
    json_array_foreach(folders, i, folder)
    {
        const char *kind = json_string_value(json_object_get(folder, "kind"));
        json_array_foreach(json_object_get(folder, "files"), k, file) found |=
            kind && !strcmp(kind, "machine") && !strcmp(json_string_value(file), "htmt-oct98");
    }
    if (!found)
        warn(w, "no-default-machine",
             "htmt-oct98.yaml, the machine without --machine, is in no machine folder: install the "
             "files, or set HTMT_MACHINE_PATH");
}

json_t *htmt__doctor_warnings(const json_t *findings)
{
    struct warner w = {.findings = findings, .all = json_array()};
    const json_t *app;
    size_t i;
    look_at_cpus(&w);
    look_at_memory(&w);
    look_at_limits(&w);
    look_at_folders(&w);
    json_array_foreach(json_object_get(findings, "applications"), i, app)
    {
        const json_t *problem = json_object_get(app, "problem");
        if (json_is_string(problem))
            warn(&w, "application-refused", "%s", json_string_value(problem));
    }
    return w.all;
}
