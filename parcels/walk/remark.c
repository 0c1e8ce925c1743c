/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Remarks of a run, in the order in which they were made: a run has few.
 */
#include "parcels/walk/remark.h"

#include <stdio.h>
#include <stdlib.h>

struct htmt__note {
    struct htmt__note *next;
    char text[400];
};

const char *htmt__note_add(struct htmt_emulator *e, const char *format, va_list args)
{
    struct htmt__note *n = calloc(1, sizeof *n), **last = &e->notes;
    if (!n) {
        htmt__fail(e, HTMT_ENOMEM, "no host memory for a note");
        return NULL;
    }
    vsnprintf(n->text, sizeof n->text, format, args);
    while (*last)
        last = &(*last)->next;
    *last = n;
    return n->text;
}

void htmt__note(struct htmt_emulator *e, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    htmt__note_add(e, format, args);
    va_end(args);
}

void htmt__notes_destroy(struct htmt_emulator *e)
{
    while (e->notes) {
        struct htmt__note *next = e->notes->next;
        free(e->notes);
        e->notes = next;
    }
}

uint32_t htmt_note_count(const struct htmt_emulator *e)
{
    uint32_t count = 0;
    for (const struct htmt__note *n = e ? e->notes : NULL; n; n = n->next)
        count++;
    return count;
}

const char *htmt_note_at(const struct htmt_emulator *e, uint32_t index)
{
    const struct htmt__note *n = e ? e->notes : NULL;
    for (; n && index; index--)
        n = n->next;
    return n ? n->text : NULL;
}
