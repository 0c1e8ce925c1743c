/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/observe/channel_number.h"

/* Beyond the first of each link, of one slice. */
static size_t more_channels(const struct htmt_emulator *e)
{
    size_t n = 0;
    for (uint32_t l = 0; l < e->links; l++)
        n += htmt__link_at(e, 0, l)->channels - 1;
    return n;
}

size_t htmt__channel_count(const struct htmt_emulator *e)
{
    return e->played * (e->links + more_channels(e));
}

size_t htmt__channel_of(const struct htmt_emulator *e, struct htmt__link *l)
{
    const size_t at = (size_t)((const char *)l - e->block), slice = at / e->stride;
    const struct htmt__link *first = htmt__link_at(e, (uint32_t)slice, 0);
    size_t number = slice * e->links + (size_t)(l - first);
    ptrdiff_t more = first->more - e->channels; /* of all slices before */
    number += (size_t)more;
    if (l->channels == 1)
        return number;
    const htmt_time *channel = htmt__link_channel(l);
    return channel == &l->free ? number
                               : slice * e->links + e->links + (size_t)(channel - e->channels);
}
