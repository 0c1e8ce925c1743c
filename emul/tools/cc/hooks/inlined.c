/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The hooks that htmt-cc puts in line. clang makes IR of this file, which htmt-cc has in it and
 * links to that of each kernel.
 */
#include "layers/node/tape/tape_hooks.h"

uint64_t *htmt__hook_block(const uint64_t *entry, uint64_t accesses);
uint64_t *htmt__hook_calls(const uint64_t *entry, uint64_t accesses, uint64_t words);
void htmt__hook_load(uint64_t *room, const void *place, uint64_t access, uint64_t bytes);
void htmt__hook_store(uint64_t *room, const void *place, uint64_t access, uint64_t bytes);

uint64_t *htmt__hook_block(const uint64_t *entry, uint64_t accesses)
{
    return htmt__rec_block(entry, accesses);
}

uint64_t *htmt__hook_calls(const uint64_t *entry, uint64_t accesses, uint64_t words)
{
    return htmt__rec_calls(entry, accesses, words);
}

void htmt__hook_load(uint64_t *room, const void *place, uint64_t access, uint64_t bytes)
{
    htmt__rec_access(room, access, place, HTMT__TAPE_LOAD, (unsigned)bytes);
}

void htmt__hook_store(uint64_t *room, const void *place, uint64_t access, uint64_t bytes)
{
    htmt__rec_access(room, access, place, HTMT__TAPE_STORE, (unsigned)bytes);
}
