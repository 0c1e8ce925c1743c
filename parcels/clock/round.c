/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/clock/round.h"

#include <stdio.h>
#include <string.h>

#define ABSENT_NAMED 8u

static uint64_t joined(const struct htmt__collective *t, uint32_t slice)
{
    return t->ways->part(t, slice).joined;
}

/* "1, 2 and 30 others": those that joined so often and no more. Returns how many. */
static uint32_t name_absent(const struct htmt__collective *t, uint64_t least, char *text,
                            size_t size)
{
    uint32_t absent = 0;
    size_t at = 0;
    for (uint32_t i = 0; i < t->emulator->played; i++) {
        if (joined(t, i) != least || absent++ >= ABSENT_NAMED)
            continue;
        snprintf(text + at, size - at, "%s%u", absent > 1 ? ", " : "", i);
        at += strlen(text + at);
    }
    if (absent > ABSENT_NAMED)
        snprintf(text + at, size - at, " and %u others", absent - ABSENT_NAMED);
    return absent;
}

void htmt__round_absent(const struct htmt__collective *t, char *text, size_t size)
{
    uint64_t least = UINT64_MAX, most = 0;
    char slices[160];
    for (uint32_t i = 0; i < t->emulator->played; i++) {
        uint64_t n = joined(t, i);
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (least >= most)
        return;
    bool one = name_absent(t, least, slices, sizeof slices) == 1;
    snprintf(text, size, "%s %s waits in round %llu for slice%s %s", t->kind, t->name,
             (unsigned long long)least + 1, one ? "" : "s", slices);
}
