/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/machine/parts.h"

#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])
#define GROUP(table)                                                                               \
    {                                                                                              \
        table, COUNT_OF(table)                                                                     \
    }
#define SLICES_MAX         1048576
#define WORDS_MAX          (UINT64_C(1) << 60) /* their bytes fit 63 bits */
#define TIME_MOST          (HTMT_TIME_MAX / 4) /* a message that takes longer ends no run */
#define AT(type, member)   offsetof(struct htmt_##type, member)
#define TIME_OF(operation) (AT(processor, time) + (operation) * sizeof(struct htmt_ratio))

enum { ZERO = HTMT__MAY_BE_ZERO, ABSENT = HTMT__MAY_BE_ABSENT };

static const struct htmt__row machine_rows[] = {
    {"slices", HTMT__STORE_U32, AT(machine, slices), HTMT__COUNT, NULL, 0, SLICES_MAX, 0}};

static const struct htmt__row processor_rows[] = {
    {"name", HTMT__STORE_NAME, AT(processor, name), 0, NULL, 0, 0, 0},
    {"count", HTMT__STORE_U32, AT(processor, count), HTMT__COUNT, NULL, 0, UINT32_MAX, 0},
    {"clock", HTMT__STORE_RATIO, AT(processor, clock), HTMT__FREQUENCY, NULL, 0, 0, 0},
    {"flop", HTMT__STORE_RATIO, TIME_OF(HTMT_FLOP), HTMT__OPERATION, "flop", ABSENT, 0, 0},
    {"iop", HTMT__STORE_RATIO, TIME_OF(HTMT_IOP), HTMT__OPERATION, "iop", ABSENT, 0, 0},
    {"load", HTMT__STORE_RATIO, TIME_OF(HTMT_LOAD), HTMT__OPERATION, "word", ABSENT, 0, 0},
    {"store", HTMT__STORE_RATIO, TIME_OF(HTMT_STORE), HTMT__OPERATION, "word", ABSENT, 0, 0},
    {"lambda", HTMT__STORE_RATIO, AT(processor, lambda), HTMT__SHARE, NULL, ZERO | ABSENT, 1, 0}};

static const struct htmt__row memory_rows[] = {
    {"name", HTMT__STORE_NAME, AT(memory, name), 0, NULL, 0, 0, 0},
    {"capacity", HTMT__STORE_U64, AT(memory, capacity), HTMT__SIZE, NULL, 0, WORDS_MAX, 0},
    {"reserve", HTMT__STORE_U64, AT(memory, reserve), HTMT__SIZE, NULL, ZERO | ABSENT, WORDS_MAX,
     0},
    {"access-words", HTMT__STORE_U64, AT(memory, access_words), HTMT__COUNT, NULL, ABSENT,
     UINT32_MAX, 1},
    {"access", HTMT__STORE_RATIO, AT(memory, access), HTMT__ACCESS, NULL, ABSENT, 0, 0},
    {"ports", HTMT__STORE_U32, AT(memory, ports), HTMT__COUNT, NULL, ABSENT, UINT32_MAX, 0}};

static const struct htmt__row network_rows[] = {
    {"scope", HTMT__STORE_SCOPE, AT(network, machine_wide), 0, NULL, 0, 0, 0},
    {"startup", HTMT__STORE_TIME, AT(network, startup), HTMT__TIME, NULL, ZERO | ABSENT, TIME_MOST,
     0},
    {"latency", HTMT__STORE_TIME, AT(network, latency), HTMT__TIME, NULL, ZERO | ABSENT, TIME_MOST,
     0}};

static const struct htmt__row port_rows[] = {
    {"out", HTMT__STORE_U32, AT(port, out), HTMT__COUNT, NULL, ZERO, HTMT_CHANNELS_MAX, 0},
    {"out-rate", HTMT__STORE_RATIO, AT(port, out_word), HTMT__RATE, NULL, ABSENT, 0, 0},
    {"in", HTMT__STORE_U32, AT(port, in), HTMT__COUNT, NULL, ABSENT, HTMT_CHANNELS_MAX, 0},
    {"in-rate", HTMT__STORE_RATIO, AT(port, in_word), HTMT__RATE, NULL, ABSENT, 0, 0}};

const struct htmt__group htmt__machine_rows = GROUP(machine_rows);
const struct htmt__group htmt__processor_rows = GROUP(processor_rows);
const struct htmt__group htmt__memory_rows = GROUP(memory_rows);
const struct htmt__group htmt__network_rows = GROUP(network_rows);
const struct htmt__group htmt__port_rows = GROUP(port_rows);
