/* SPDX-License-Identifier: BSD-3-Clause
 *
 * "Did you mean": of the words that are allowed, the nearest to what was found, if it is near
 * enough to be a slip. Near is the number of letters to change, insert or leave out (Levenshtein):
 * "scedule" is 1 from "schedule".
 */
#include "runtime/base/suggest.h"

#include <stdio.h>
#include <string.h>

#define NEAR     2  /* a word with at most so many wrong letters is taken for a slip */
#define WORD_MAX 63 /* longer words are never near */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* One row of the table at a time: row[j] is the distance of the letters of `a` read so far from the
 * first j of `b`. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[WORD_MAX + 1];
    unsigned length = (unsigned)strlen(b);
    for (unsigned j = 0; j <= length; j++)
        row[j] = j;
    for (unsigned i = 1; *a; i++, a++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= length; j++) {
            unsigned swapped = diagonal + (*a != b[j - 1]);
            diagonal = row[j];
            row[j] = least(swapped, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[length];
}

const char *htmt__suggest_near(const char *found, const char *const *allowed, unsigned count)
{
    const char *best = NULL;
    unsigned least_wrong = NEAR + 1;
    for (unsigned i = 0; i < count; i++) {
        if (strlen(allowed[i]) > WORD_MAX || strlen(allowed[i]) <= NEAR)
            continue;
        unsigned wrong = distance(found, allowed[i]);
        if (wrong < least_wrong) {
            least_wrong = wrong;
            best = allowed[i];
        }
    }
    return best;
}

bool htmt__suggest(const char *found, const char *const *allowed, unsigned count, char *text,
                   size_t room)
{
    const char *near = htmt__suggest_near(found, allowed, count);
    if (near) {
        snprintf(text, room, "did you mean '%s'?", near);
        return true;
    }
    size_t used = (size_t)snprintf(text, room, "expected%s", count > 1 ? " one of" : "");
    for (unsigned i = 0; i < count && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s '%s'", i > 0 ? "," : "", allowed[i]);
    return false;
}

int htmt__suggest_refuse(const char *kind, const char *found, const char *const *allowed,
                         unsigned count, const char *list, struct htmt_fault *fault)
{
    const char *near = htmt__suggest_near(found, allowed, count);
    if (near)
        return htmt_fault_set(fault, HTMT_EUSAGE, "unknown %s '%s', did you mean '%s'?", kind,
                              found, near);
    return htmt_fault_set(fault, HTMT_EUSAGE, "unknown %s '%s'; %s lists them", kind, found, list);
}
