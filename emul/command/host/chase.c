/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/command/host/sample.h"

void htmt__host_mix(uint32_t *order, uint64_t count, uint64_t *state)
{
    for (uint64_t i = count; i-- > 1;) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t k = (*state >> 33) % (i + 1);
        const uint32_t kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

void htmt__host_chase(void *user, uint64_t n)
{
    struct htmt__host_chases *c = user;
    void **at = c->at[0];
    for (uint64_t i = 0; i < n; i++)
        at = *at;
    __asm__ volatile("" : "+r"(at));
    c->at[0] = at;
}

void htmt__host_chase_apart(void *user, uint64_t n)
{
    struct htmt__host_chases *c = user;
    void **at[HTMT__HOST_CHASES];
    for (unsigned k = 0; k < HTMT__HOST_CHASES; k++)
        at[k] = c->at[k];
    for (uint64_t i = 0; i < n; i += HTMT__HOST_CHASES)
        for (unsigned k = 0; k < HTMT__HOST_CHASES; k++)
            at[k] = *at[k];
    for (unsigned k = 0; k < HTMT__HOST_CHASES; k++)
        c->at[k] = at[k];
}
