/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/app.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *htmt_request_value(const struct htmt_request *r, const char *name)
{
    for (unsigned i = 0; r->rows[i].name; i++)
        if (strcmp(r->rows[i].name, name) == 0)
            return r->values[i];
    return NULL;
}

void htmt_outcome_found(struct htmt_outcome *o, const char *name, double value, const char *unit)
{
    assert(o->found_count < HTMT_FOUND_MAX);
    struct htmt_found *f = &o->found[o->found_count++];
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->unit, sizeof f->unit, "%s", unit);
    f->value = value;
}

/* UTF-8 stays whole: bytes 10xxxxxx continue a character. */
void htmt_outcome_text(struct htmt_outcome *o, const char *name, const char *text)
{
    size_t length = strlen(text), room = sizeof o->found->text - 1;
    const char *from = length > room ? text + length - room : text;
    htmt_outcome_found(o, name, 0, "text");
    while (((unsigned char)*from & 0xc0) == 0x80)
        from++;
    snprintf(o->found[o->found_count - 1].text, room + 1, "%s", from);
}

void htmt_warn(struct htmt_warnings *w, const char *name, const char *format, ...)
{
    assert(w->count < HTMT_WARNINGS_MAX);
    struct htmt_warning *item = &w->item[w->count++];
    va_list more;
    snprintf(item->name, sizeof item->name, "%s", name);
    va_start(more, format);
    vsnprintf(item->text, sizeof item->text, format, more);
    va_end(more);
}

int htmt_warnings_refuse(const struct htmt_warnings *w, struct htmt_fault *fault)
{
    if (w->count == 0)
        return 0;
    if (w->count == 1)
        return htmt_fault_set(fault, HTMT_EFORMAT, "--strict: %s", w->item[0].text);
    return htmt_fault_set(fault, HTMT_EFORMAT, "--strict: %s; %u more", w->item[0].text,
                          w->count - 1);
}
