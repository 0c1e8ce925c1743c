/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Quantities of a finished emulation by name.
 *
 * A paper's figure is a formula over such names ("busy Push execute / makespan"), so the rows of a
 * new application need no code here. A name is the quantity, a blank, and what it is of; the rest
 * of the name may hold blanks. Phases are found by type and stage: the engine keeps one sum for
 * each type, stage and resource, over all slices. Papers speak of one slice, so sums and counts are
 * divided by the number of slices; of a slice's n services the period is over its n - 1 gaps.
 */
#include "emul/validate/measure.h"

#include "emul/lib/questions/origin.h"
#include "emul/validate/constant.h"

#include <stdio.h>
#include <string.h>

static double seconds(htmt_wide fs)
{
    return (double)fs / (double)HTMT_SECOND;
}

static int unknown(const char *what, const char *name, struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EINVAL, "the run has no %s '%s'", what, name);
}

/* ---- stages of parcel types ----------------------------------------------------------------- */

/* `name`: "TYPE STAGE" or "TYPE STAGE on RESOURCE"; the first of several resources without. */
static int of_phase(const struct htmt__shown *run, const char *what, const char *name,
                    double *value, struct htmt_fault *fault)
{
    const struct htmt_emulator *e = run->outcome->emulator;
    struct htmt_phase_report r;
    bool found = false;
    for (uint32_t i = 0; !found && htmt_phase_at(e, i, &r) == 0; i++) {
        char full[64 + 32 + sizeof((struct htmt_resource_report){0}.name)];
        struct htmt_resource_report resource = {0};
        if (!r.count)
            continue;
        snprintf(full, sizeof full, "%s %s", r.type, htmt_stage_name(r.stage));
        found = !strcmp(full, name);
        htmt_resource_at(e, r.resource, &resource);
        snprintf(full, sizeof full, "%s %s on %s", r.type, htmt_stage_name(r.stage), resource.name);
        found = found || !strcmp(full, name);
    }
    if (!found)
        return unknown("stage", name, fault);
    double slices = htmt_emulator_slices(e), count = (double)r.count;
    const struct {
        const char *what;
        double value;
    } known[] = {
        {"mean", seconds(r.busy) / count},
        {"longest", seconds(r.longest)},
        {"busy", seconds(r.busy) / slices},
        {"count", count / slices},
        {"words", (double)r.words / count},
        {"first", seconds(r.first)},
        {"last", seconds(r.last)},
        {"period", seconds(r.last - r.first) / (count / slices - 1)},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].what, what)) {
            *value = known[i].value;
            return 0;
        }
    return unknown("quantity", what, fault);
}

/* ---- resources, memories, terms ------------------------------------------------------------- */

static int of_resource(const struct htmt__shown *run, const char *what, const char *name,
                       double *value, struct htmt_fault *fault)
{
    const struct htmt_emulator *e = run->outcome->emulator;
    struct htmt_resource_report r;
    for (uint32_t i = 0; htmt_resource_at(e, i, &r) == 0; i++)
        if (!strcmp(r.name, name)) {
            *value = !strcmp(what, "used") ? seconds(r.busy) / htmt_resource_places(e, i)
                                           : (double)r.count;
            return 0;
        }
    return unknown("resource", name, fault);
}

static int of_memory(const struct htmt__shown *run, const char *what, const char *name,
                     double *value, struct htmt_fault *fault)
{
    const struct htmt_emulator *e = run->outcome->emulator;
    struct htmt_memory_report r;
    for (uint32_t i = 0; htmt_memory_at(e, i, &r) == 0; i++)
        if (!strcmp(r.name, name)) {
            *value = (double)(!strcmp(what, "peak") ? r.peak : r.capacity);
            return 0;
        }
    return unknown("memory", name, fault);
}

int htmt__term(void *user, const char *name, double *value, struct htmt_fault *fault)
{
    const struct htmt__shown *shown = user;
    const struct htmt_prediction *p = shown->prediction;
    const struct htmt_term *term = p ? htmt__term_find(p, name) : NULL;
    if (term) {
        *value = term->value * htmt__unit_size(term->unit);
        return 0;
    }
    return htmt_fault_set(fault, HTMT_EINVAL, "there is no term '%s'", name);
}

/* `name`: "NETWORK PORT". Planes have a port of this name each; their contentions are added. */
static int of_port(const struct htmt__shown *run, const char *what, const char *name, double *value,
                   struct htmt_fault *fault)
{
    const struct htmt_emulator *e = run->outcome->emulator;
    size_t first = strcspn(name, " ");
    char network[HTMT_NAME_MAX];
    struct htmt_port_report r;
    bool known = false;
    snprintf(network, sizeof network, "%.*s", (int)first, name);
    int n = name[first] ? htmt_machine_network(htmt_emulator_machine(e), network) : -1;
    *value = 0;
    for (uint32_t i = 0; n >= 0 && htmt_port_at(e, (uint32_t)n, i, &r) == 0; i++)
        if (!strcmp(r.name, name + first + 1)) {
            *value += (double)r.contentions;
            known = true;
        }
    return known ? 0 : unknown(what, name, fault);
}

static int of_found(const struct htmt__shown *run, const char *what, const char *name,
                    double *value, struct htmt_fault *fault)
{
    const struct htmt_outcome *o = run->outcome;
    for (unsigned i = 0; i < o->found_count; i++)
        if (!strcmp(o->found[i].name, name)) {
            *value = o->found[i].value;
            return 0;
        }
    return unknown(what, name, fault);
}

/* ---- all ------------------------------------------------------------------------------------ */

static const struct {
    const char *what;
    int (*read)(const struct htmt__shown *run, const char *what, const char *name, double *value,
                struct htmt_fault *fault);
} quantities[] = {{"mean", of_phase},  {"longest", of_phase},   {"busy", of_phase},
                  {"count", of_phase}, {"words", of_phase},     {"first", of_phase},
                  {"last", of_phase},  {"period", of_phase},    {"used", of_resource},
                  {"peak", of_memory}, {"capacity", of_memory}, {"servers", of_resource},
                  {"found", of_found}, {"contentions", of_port}};

int htmt__measure(void *user, const char *name, double *value, struct htmt_fault *fault)
{
    const struct htmt__shown *run = user;
    const struct htmt_emulator *e = run->outcome->emulator;
    const size_t first = strcspn(name, " ");
    if (!strcmp(name, "makespan"))
        *value = seconds(htmt_predicted(e));
    else if (!strcmp(name, "flop"))
        *value = run->outcome->flops;
    else if (!strcmp(name, "slices"))
        *value = htmt_emulator_slices(e);
    else if (!strncmp(name, "term ", 5))
        return htmt__term(user, name + 5, value, fault);
    else {
        for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
            if (strlen(quantities[i].what) == first && !strncmp(quantities[i].what, name, first) &&
                name[first])
                return quantities[i].read(run, quantities[i].what, name + first + 1, value, fault);
        return unknown("quantity", name, fault);
    }
    return 0;
}
