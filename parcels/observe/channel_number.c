/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first channel of a link lies in the link's own record, the others in one array of all slices.
 * The numbers of a slice: first channels in the order of the links, then the others in the order of
 * that array.
 */
#include "parcels/observe/channel_number.h"

size_t htmt__channel_count(const struct htmt_emulator *e)
{
    size_t of_slice = 0;
    for (uint32_t l = 0; l < e->links; l++)
        of_slice += htmt__link_at(e, 0, l)->channels;
    return e->played * of_slice;
}

size_t htmt__channel_of(const struct htmt_emulator *e, struct htmt__link *l, uint32_t of_link)
{
    const size_t at = (size_t)((const char *)l - e->block), slice = at / e->stride;
    const struct htmt__link *first = htmt__link_at(e, (uint32_t)slice, 0);
    size_t number = slice * e->links + (size_t)(l - first);
    ptrdiff_t more = first->more - e->channels; /* of all slices before */
    number += (size_t)more;
    if (l->channels == 1 || !of_link)
        return number;
    const htmt_time *channel =
        of_link == HTMT__FIRST_FREE ? htmt__link_channel(l) : &l->more[of_link - 1];
    return channel == &l->free ? number
                               : slice * e->links + e->links + (size_t)(channel - e->channels);
}
