/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/pic/io/deck.h"
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_fault fault = {0};
    struct htmt__pic_deck deck;
    const char *path = fuzz_file(".yaml", bytes, size);
    fuzz_judge(htmt__pic_deck_read(path, &deck, &fault), &fault);
    return 0;
}
