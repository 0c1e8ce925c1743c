/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Warnings of a request, in the order in which they came, each with a name for programs.
 */
#include "apps/lib/warnings.h"

#include "apps/lib/task_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int htmt_warnings_create(struct htmt_warnings **warnings, struct htmt_fault *fault)
{
    *warnings = calloc(1, sizeof **warnings);
    return *warnings ? 0 : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for warnings");
}

void htmt_warnings_destroy(struct htmt_warnings **warnings)
{
    free(*warnings);
    *warnings = NULL;
}

/* The last place counts what finds none. */
void htmt_warn(struct htmt_warnings *w, const char *name, const char *format, ...)
{
    va_list more;
    if (!w)
        return;
    if (w->count >= HTMT__WARNINGS_MAX) {
        struct htmt_warning *last = &w->item[HTMT__WARNINGS_MAX];
        w->count = HTMT__WARNINGS_MAX + 1;
        snprintf(last->name, sizeof last->name, "more");
        snprintf(last->text, sizeof last->text, "%u more warnings, for which there is no room",
                 ++w->left_out);
        return;
    }
    struct htmt_warning *item = &w->item[w->count++];
    snprintf(item->name, sizeof item->name, "%s", name);
    va_start(more, format);
    vsnprintf(item->text, sizeof item->text, format, more);
    va_end(more);
}

void htmt_warnings_add(struct htmt_warnings *w, const struct htmt_warnings *more)
{
    for (unsigned i = 0; more && i < more->count; i++)
        htmt_warn(w, more->item[i].name, "%s", more->item[i].text);
}

unsigned htmt_warnings_count(const struct htmt_warnings *w)
{
    return w->count;
}

const char *htmt_warnings_text(const struct htmt_warnings *w, unsigned index)
{
    return index < w->count ? w->item[index].text : NULL;
}

void htmt__warn_again(struct htmt_warnings *w, const char *name, const char *text)
{
    for (unsigned i = 0; i < w->count; i++)
        if (strcmp(w->item[i].name, name) == 0) {
            snprintf(w->item[i].text, sizeof w->item[i].text, "%s", text);
            return;
        }
    htmt_warn(w, name, "%s", text);
}

int htmt__warnings_refuse(const struct htmt_warnings *w, struct htmt_fault *fault)
{
    unsigned all = w->left_out ? HTMT__WARNINGS_MAX + w->left_out : w->count;
    if (all == 0)
        return 0;
    if (all == 1)
        return htmt_fault_set(fault, HTMT_EFORMAT, "--strict: %s", w->item[0].text);
    return htmt_fault_set(fault, HTMT_EFORMAT, "--strict: %s; %u more", w->item[0].text, all - 1);
}
