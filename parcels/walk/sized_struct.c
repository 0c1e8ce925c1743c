/* SPDX-License-Identifier: BSD-3-Clause */
#include "parcels/walk/sized_struct.h"
#include "parcels/walk/permit.h"

#include <string.h>

size_t htmt__sized_bytes(const struct htmt__sized *s, size_t size, struct htmt_fault *fault)
{
    if (!size)
        return s->first;
    if (size > s->known)
        htmt_fault_set(fault, HTMT_EINVAL,
                       "struct %s of %zu bytes, of which this libhtmt knows %zu: the program was "
                       "built for a newer libhtmt, or its size was not set by %s_init()",
                       s->name, size, s->known, s->name);
    else if (size < s->least || size % sizeof(void *))
        htmt_fault_set(fault, HTMT_EINVAL,
                       "struct %s of %zu bytes, expected %zu or another size that a libhtmt had: "
                       "begin with %s_init()",
                       s->name, size, s->known, s->name);
    else
        return size;
    return 0;
}

int htmt__sized_copy(const struct htmt__sized *s, const void *given, void *whole,
                     struct htmt_fault *fault)
{
    size_t size, bytes;
    memcpy(&size, given, sizeof size);
    bytes = htmt__sized_bytes(s, size, fault);
    if (!bytes)
        return HTMT_EINVAL;
    memset(whole, 0, s->known);
    memcpy(whole, given, bytes);
    memcpy(whole, &s->known, sizeof s->known);
    return 0;
}

int htmt__sized_take(struct htmt_emulator *e, const struct htmt__sized *s, const void *given,
                     void *whole, const char *call)
{
    struct htmt_fault fault = {0};
    int rc = htmt__sized_copy(s, given, whole, &fault);
    return rc ? htmt__refuse(e, rc, "%s: %s", call, fault.text) : 0;
}
