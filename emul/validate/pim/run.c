/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/pim/run.h"

#include "emul/lib/questions/quiet_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- programs ------------------------------------------------------------------------------- */

struct program {
    const char *name, *key;
    const char *operations; /* of its elements, in all passes */
};

static const struct program programs[] = {
    {"VA", "va", "load add-i32 store branch"},
    {"GEMV", "gemv", "load mul-i32 add-i32 branch"},
    {"RED", "red", "load add-i64 branch"},
    {"SEL", "sel", "load logic-i64 compare-i64 store branch"},
    {"UNI", "uni", "load compare-i64 store branch"},
    {"SCAN-SSA", "scan-ssa", "load add-i64 store branch"},
    {"SCAN-RSS", "scan-rss", "load add-i64 store branch"},
    {"HST-S", "hst-s", "load logic-i32 add-i32 store branch"}};

#define PROGRAMS ((int)(sizeof programs / sizeof *programs))

#define CONSTANTS(program)                                                                         \
    {.key = program ".instructions", .kind = HTMT_UNIT_SHARE, .least = 0, .above_least = true},    \
    {                                                                                              \
        .key = program ".start", .kind = HTMT_UNIT_TIME                                            \
    }

const struct htmt_schema_row htmt__pim_cost_rows[] = {
    CONSTANTS("va"),       CONSTANTS("gemv"),  CONSTANTS("red"),
    CONSTANTS("sel"),      CONSTANTS("uni"),   CONSTANTS("scan-ssa"),
    CONSTANTS("scan-rss"), CONSTANTS("hst-s"), {.key = NULL}};

int htmt__pim_program(const char *name)
{
    for (int i = 0; i < PROGRAMS; i++)
        if (strcmp(programs[i].name, name) == 0)
            return i;
    return -1;
}

const char *htmt__pim_program_name(int program)
{
    return program >= 0 && program < PROGRAMS ? programs[program].name : NULL;
}

const char *htmt__pim_key(int program)
{
    return programs[program].key;
}

int htmt__pim_check_operations(const struct htmt_machine *m, struct htmt_fault *fault)
{
    for (int i = 0; i < PROGRAMS; i++) {
        char text[120], *rest = text, *operation;
        struct htmt_ratio count;
        snprintf(text, sizeof text, "%s", programs[i].operations);
        while ((operation = strsep(&rest, " ")))
            if (htmt_machine_instructions(m, operation, &count))
                return htmt_fault_set(fault, HTMT_EFORMAT,
                                      "machine %s: found no row '%s' in its table of instructions, "
                                      "which %s needs",
                                      m->name, operation, programs[i].key);
    }
    return 0;
}

bool htmt__pim_counts(const char *operation)
{
    const size_t length = strlen(operation);
    for (int i = 0; i < PROGRAMS; i++)
        for (const char *at = programs[i].operations; *at; at += strspn(at, " ")) {
            const size_t here = strcspn(at, " ");
            if (here == length && strncmp(at, operation, length) == 0)
                return true;
            at += here;
        }
    return false;
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* Of the PrIM runs; inferred, as their blocks of 1 KiB are. A machine with fewer threads has all.
 */
#define TASKLETS 16
#define COLUMNS  64 /* of gemv: with more, its transfers would pass what the bus can do */

int htmt__pim_application(const struct htmt_app *const *apps, const char *name,
                          const struct htmt_app **app, struct htmt_fault *fault)
{
    while (*apps && strcmp((*apps)->name, name) != 0)
        apps++;
    *app = *apps;
    return *app ? 0 : htmt_fault_set(fault, HTMT_ENOENT, "no application '%s'", name);
}

static double found(const struct htmt_outcome *o, const char *name)
{
    for (unsigned i = 0; i < o->found_count; i++)
        if (!strcmp(o->found[i].name, name))
            return o->found[i].value;
    return 0;
}

/* What a command line of the application finds. */
static int emulate(const struct htmt_app *app, const struct htmt_machine *machine,
                   const char *options, const struct htmt__pim_command *c,
                   struct htmt__pim_times *times, struct htmt_fault *fault)
{
    struct htmt__quiet_run *run = calloc(1, sizeof *run);
    if (!run)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    int rc = htmt__quiet_run_prepare_on(app, options, machine, run, fault);
    run->request.cost_set = c ? c->set : NULL;
    run->request.cost_set_count = c ? c->set_count : 0;
    rc = rc ? rc : htmt__quiet_run_emulate(run, fault);
    if (!rc)
        *times = (struct htmt__pim_times){.kernel = found(&run->outcome, "kernel"),
                                          .launch = found(&run->outcome, "launch"),
                                          .to_slices = found(&run->outcome, "to_slices"),
                                          .from_slices = found(&run->outcome, "from_slices"),
                                          .between_slices = found(&run->outcome, "between_slices"),
                                          .held = found(&run->outcome, "bus_held") > 0};
    htmt__quiet_run_clear(run);
    free(run);
    return rc;
}

int htmt__pim_run(const struct htmt_app *app, const struct htmt__pim_command *c,
                  struct htmt__pim_times *times, struct htmt_fault *fault)
{
    const uint32_t threads = htmt_machine_threads(c->machine, c->machine->layer_count - 1);
    char options[400], costs[200] = "", columns[40] = "", folded[420];
    struct htmt_fault refused = {0};
    if (c->costs)
        snprintf(costs, sizeof costs, " --costs %s", c->costs);
    if (!strcmp(c->program, "gemv"))
        snprintf(columns, sizeof columns, " --columns %d", COLUMNS);
    snprintf(options, sizeof options, "--program %s --dpus %u --tasklets %u --size %llu%s%s",
             c->program, c->dpus, threads < TASKLETS ? threads : TASKLETS,
             (unsigned long long)c->size, columns, costs);
    snprintf(folded, sizeof folded, "%s --fold", options);
    if (c->size % c->dpus == 0 && !emulate(app, c->machine, folded, c, times, &refused))
        return 0;
    return emulate(app, c->machine, options, c, times, fault);
}

int htmt__pim_micro(const struct htmt_app *app, const struct htmt_machine *machine, uint32_t dpus,
                    const char *options, struct htmt__pim_times *times, struct htmt_fault *fault)
{
    char all[300];
    snprintf(all, sizeof all, "%s --dpus %u --fold", options, dpus);
    return emulate(app, machine, all, NULL, times, fault);
}
