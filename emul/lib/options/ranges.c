/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A list of slices such as "0-3,7" is kept as ranges, not as a bit for each: a machine may
 * have many thousands of slices. Times are quantities with a unit, as in machine files, and exact;
 * what is left below a femtosecond is cut off.
 */
#include "emul/lib/options/ranges.h"

#include "layers/file/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TIME_TEXT = 64 };

/* ---- slices --------------------------------------------------------------------------------- */

/* Reads the digits at *text and advances *text past them. */
static bool take_number(const char **text, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *value = strtoull(*text, &end, 10);
    *text = end;
    return !errno;
}

/* One of a list, such as "0-3". */
static bool take_range(const char **text, uint64_t *first, uint64_t *last)
{
    if (!take_number(text, first))
        return false;
    *last = *first;
    if (**text != '-')
        return true;
    ++*text;
    return take_number(text, last) && *first <= *last;
}

int htmt__options_ranges(const char *name, const char *text, uint32_t slices,
                         struct htmt_slice_range *range, uint32_t *count, struct htmt_fault *fault)
{
    const char *at = text;
    uint32_t found = 0;
    for (bool more = true; more; more = *at++ == ',') {
        uint64_t first, last;
        if (!take_range(&at, &first, &last) || (*at && *at != ','))
            return htmt_fault_set(fault, HTMT_EUSAGE,
                                  "--%s: found '%s', expected slices such as 0-3,7", name, text);
        if (last >= slices)
            return htmt_fault_set(fault, HTMT_ERANGE, "--%s: found slice %llu, expected 0 to %u",
                                  name, (unsigned long long)last, slices ? slices - 1 : 0);
        if (found == HTMT__RANGES_MAX)
            return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: more than %d ranges", name,
                                  HTMT__RANGES_MAX);
        range[found++] = (struct htmt_slice_range){(uint32_t)first, (uint32_t)last};
    }
    *count = found;
    return 0;
}

/* ---- time ----------------------------------------------------------------------------------- */

static int take_time(const char *name, const char *text, size_t length, htmt_time *time,
                     struct htmt_fault *fault)
{
    char copy[TIME_TEXT], why[200];
    struct htmt_quantity q;
    if (length >= sizeof copy)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: found '%s', expected T0..T1", name, text);
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (!strcmp(copy, "0")) {
        *time = 0;
        return 0;
    }
    int rc = htmt_quantity_read(copy, HTMT_UNIT_TIME, NULL, &q, why, sizeof why);
    if (rc)
        return htmt_fault_set(fault, rc, "--%s: %s", name, why);
    if (q.value.num / q.value.den > (uint64_t)HTMT_TIME_MAX)
        return htmt_fault_set(fault, HTMT_ERANGE, "--%s: found '%s', expected less than 9223 s",
                              name, copy);
    *time = (htmt_time)(q.value.num / q.value.den);
    return 0;
}

int htmt__options_window(const char *name, const char *text, htmt_time *from, htmt_time *to,
                         struct htmt_fault *fault)
{
    const char *dots = strstr(text, "..");
    htmt_time begin, end;
    if (!dots)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--%s: found '%s', expected times such as 10us..20us", name, text);
    int rc = take_time(name, text, (size_t)(dots - text), &begin, fault);
    rc = rc ? rc : take_time(name, dots + 2, strlen(dots + 2), &end, fault);
    if (!rc && begin >= end)
        rc = htmt_fault_set(fault, HTMT_ERANGE, "--%s: found '%s', expected the earlier time first",
                            name, text);
    if (rc)
        return rc;
    *from = begin;
    *to = end;
    return 0;
}
