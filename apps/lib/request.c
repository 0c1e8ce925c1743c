/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a command line asks for. Options come as texts beside the application's rows; each of the
 * readers refuses a wrong one in one line and leaves *value as it was, so that a default stands.
 */
#include "apps/lib/request.h"

#include "apps/lib/task_parts.h"
#include "runtime/base/suggest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGITS_MOST 19

const struct htmt_machine *htmt_request_machine(const struct htmt_request *r)
{
    return r->machine;
}

uint32_t htmt_request_slices(const struct htmt_request *r)
{
    if (r->emulator.slices)
        return r->emulator.slices;
    return r->machine ? r->machine->slices : 0;
}

enum htmt_mode htmt_request_mode(const struct htmt_request *r)
{
    return r->emulator.mode;
}

enum htmt_symmetry htmt_request_symmetry(const struct htmt_request *r)
{
    return r->emulator.symmetry;
}

uint64_t htmt_request_seed(const struct htmt_request *r)
{
    return r->seed;
}

uint32_t htmt_request_threads(const struct htmt_request *r)
{
    return r->emulator.threads;
}

uint32_t htmt_request_ranks(const struct htmt_request *r)
{
    return r->emulator.ranks ? r->emulator.ranks->count : 1;
}

const char *htmt_request_costs(const struct htmt_request *r)
{
    return r->costs;
}

const char *const *htmt_request_cost_set(const struct htmt_request *r, unsigned *count)
{
    *count = r->cost_set_count;
    return r->cost_set;
}

bool htmt_request_plan_only(const struct htmt_request *r)
{
    return r->plan_only;
}

bool htmt_request_strict(const struct htmt_request *r)
{
    return r->strict;
}

bool htmt_request_sections(const struct htmt_request *r)
{
    return r->sections;
}

bool htmt_request_progress(const struct htmt_request *r)
{
    return r->emulator.progress;
}

/* ---- options -------------------------------------------------------------------------------- */

const char *htmt_request_value(const struct htmt_request *r, const char *name)
{
    for (unsigned i = 0; r->rows && r->rows[i].name; i++)
        if (strcmp(r->rows[i].name, name) == 0)
            return r->values[i];
    return NULL;
}

/* A program that asks for an option that it does not have is wrong. */
static int check_known(const struct htmt_request *r, const char *name, struct htmt_fault *fault)
{
    for (unsigned i = 0; r->rows && r->rows[i].name; i++)
        if (strcmp(r->rows[i].name, name) == 0)
            return 0;
    return htmt_fault_set(fault, HTMT_EINVAL,
                          "it asks for an option '--%s', which its struct htmt_app does not have",
                          name);
}

int htmt_request_whole(const struct htmt_request *r, const char *name, uint64_t least,
                       uint64_t most, uint64_t *value, struct htmt_fault *fault)
{
    const char *text = htmt_request_value(r, name);
    if (!text)
        return check_known(r, name, fault);
    size_t digits = strspn(text, "0123456789");
    if (!digits || text[digits])
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: found '%s', expected a whole number", name,
                              text);
    uint64_t n = digits > DIGITS_MOST ? UINT64_MAX : strtoull(text, NULL, 10);
    if (n < least || n > most)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--%s: found %s, expected %" PRIu64 " to %" PRIu64, name, text, least,
                              most);
    *value = n;
    return 0;
}

int htmt_request_whole32(const struct htmt_request *r, const char *name, uint32_t least,
                         uint32_t most, uint32_t *value, struct htmt_fault *fault)
{
    uint64_t wide = *value;
    int rc = htmt_request_whole(r, name, least, most, &wide, fault);
    if (!rc)
        *value = (uint32_t)wide;
    return rc;
}

int htmt_request_reals(const struct htmt_request *r, const char *name, unsigned count,
                       double *values, struct htmt_fault *fault)
{
    const char *text = htmt_request_value(r, name), *at = text;
    for (unsigned i = 0; text && i < count; i++) {
        char *end = NULL;
        double found = strtod(at, &end);
        bool good = end != at && isfinite(found) && *end == (i + 1 < count ? ',' : '\0');
        if (!good && count == 1)
            return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: found '%s', expected a number", name,
                                  text);
        if (!good)
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--%s: found '%s', expected %u numbers with commas between them",
                                  name, text, count);
        values[i] = found;
        at = end + 1;
    }
    return 0;
}

int htmt_request_real(const struct htmt_request *r, const char *name, double least, double most,
                      double *value, struct htmt_fault *fault)
{
    double found = *value;
    int rc = htmt_request_reals(r, name, 1, &found, fault);
    if (rc || !htmt_request_value(r, name))
        return rc;
    if (found < least || found > most)
        return htmt_fault_set(fault, HTMT_ERANGE, "--%s: found %s, expected %g to %g", name,
                              htmt_request_value(r, name), least, most);
    *value = found;
    return 0;
}

int htmt_request_choice(const struct htmt_request *r, const char *name, const char *const *words,
                        unsigned *value, struct htmt_fault *fault)
{
    const char *text = htmt_request_value(r, name);
    char hint[200];
    unsigned count = 0;
    for (; text && words[count]; count++)
        if (!strcmp(text, words[count])) {
            *value = count;
            return 0;
        }
    if (!text)
        return check_known(r, name, fault);
    htmt__suggest(text, words, count, hint, sizeof hint);
    return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: found '%s', %s", name, text, hint);
}

int htmt_request_suffix(const struct htmt_request *r, const char *name, const char *suffix,
                        struct htmt_fault *fault)
{
    const char *path = htmt_request_value(r, name), *slash = path ? strrchr(path, '/') : NULL;
    const char *file = slash ? slash + 1 : path, *dot = path ? strrchr(file, '.') : NULL;
    if (!dot || dot == file || !strcasecmp(dot, suffix))
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: found '%s', expected a name that ends in %s",
                          name, path, suffix);
}
