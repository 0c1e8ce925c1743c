/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads names of a formula from the values that a term lists, "b_c = 125; M_S = 7/2 fs;".
 */
#ifndef HTMT_TESTS_APPS_LISTED_H
#define HTMT_TESTS_APPS_LISTED_H

#include "apps/lib/formula.h"

#include <stdio.h>
#include <string.h>

static inline const char *t_read_whole(const char *at, htmt_wide *n)
{
    htmt_wide sign = *at == '-' ? -1 : 1;
    *n = 0;
    for (at += *at == '-'; *at >= '0' && *at <= '9'; at++)
        *n = *n * 10 + sign * (*at - '0');
    return at;
}

/* user: the list. */
static inline int t_read_listed(void *user, const char *name, struct htmt_exact *value,
                                struct htmt_fault *fault)
{
    const char *list = (const char *)user;
    char entry[HTMT__FORMULA_NAME + 4];
    snprintf(entry, sizeof entry, "%s = ", name);
    for (const char *at = list; (at = strstr(at, entry)); at++)
        if (at == list || at[-1] == ' ') {
            *value = htmt_exact_whole(0);
            at = t_read_whole(at + strlen(entry), &value->num);
            if (*at == '/')
                t_read_whole(at + 1, &value->den);
            return 0;
        }
    return htmt_fault_set(fault, HTMT_EINVAL, "'%s' is not listed in '%s'", name, list);
}

#endif
