/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/library.h"

#include <math.h>
#include <string.h>

#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])

struct function {
    const char *name;
    uint8_t operation, like;
};

#define ROW_ONE(operation, name, like, from, to)                                                   \
    {                                                                                              \
#name, HTMT_##operation, HTMT_##like                                                       \
    }
#define ONE(operation, name, like, from, to)         ROW_ONE(operation, name, like, from, to),
#define TWO(operation, name, like, from, to, second) ROW_ONE(operation, name, like, from, to),

static const struct function functions[] = {HTMT__LIBRARY_CODE(ONE, TWO)
                                                HTMT__LIBRARY_SHORT(ONE, TWO)};

/* Functions that take the time of another one, or of an operation. */
static const struct function others[] = {
    {"exp10", HTMT_EXP, 0},       {"sqrt", HTMT_SQRT, 0},       {"fma", HTMT_FMA, 0},
    {"fmod", HTMT_REM, 0},        {"remainder", HTMT_REM, 0},   {"fmin", HTMT_CMP, 0},
    {"fmax", HTMT_CMP, 0},        {"fabs", HTMT_LOGIC, 0},      {"copysign", HTMT_LOGIC, 0},
    {"ceil", HTMT_FLOOR, 0},      {"trunc", HTMT_FLOOR, 0},     {"rint", HTMT_FLOOR, 0},
    {"nearbyint", HTMT_FLOOR, 0}, {"roundeven", HTMT_FLOOR, 0}, {"lrint", HTMT_FLOOR, 0},
    {"llrint", HTMT_FLOOR, 0},    {"lround", HTMT_ROUND, 0},    {"llround", HTMT_ROUND, 0},
    {"scalbn", HTMT_LDEXP, 0},    {"scalbln", HTMT_LDEXP, 0},   {"ilogb", HTMT_LOGB, 0}};

static const struct {
    const char *name;
    uint8_t operation, bytes;
} lengths[] = {
    {"memcpy", HTMT_MEMCPY, HTMT__BYTES_COPY},     {"memmove", HTMT_MEMCPY, HTMT__BYTES_COPY},
    {"memset", HTMT_MEMSET, HTMT__BYTES_SET},      {"strlen", HTMT_STRLEN, HTMT__BYTES_STRING},
    {"strnlen", HTMT_STRLEN, HTMT__BYTES_STRINGN}, {"memchr", HTMT_STRLEN, HTMT__BYTES_BYTE},
    {"strchr", HTMT_STRLEN, HTMT__BYTES_LETTER},   {"memcmp", HTMT_MEMCMP, HTMT__BYTES_COMPARE},
    {"bcmp", HTMT_MEMCMP, HTMT__BYTES_COMPARE},    {"strcmp", HTMT_STRCMP, HTMT__BYTES_ORDER},
    {"strncmp", HTMT_STRCMP, HTMT__BYTES_ORDERN}};

bool htmt__operation_by_length(enum htmt_operation operation)
{
    return operation >= HTMT_MEMCPY && operation <= HTMT_STRCMP;
}

bool htmt__operation_untyped(enum htmt_operation operation)
{
    return operation == HTMT_CONSTANT || operation == HTMT_CALL || operation == HTMT_BRANCH ||
           htmt__operation_by_length(operation);
}

enum htmt_operation htmt__operation_like(enum htmt_operation operation)
{
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        if (functions[i].operation == operation)
            return (enum htmt_operation)functions[i].like;
    switch (operation) {
    case HTMT_MIN:
        return HTMT_CMP;
    case HTMT_SHIFT_ADD:
        return HTMT_ADD;
    case HTMT_SHIFT:
    case HTMT_SELECT:
    case HTMT_SELECT_TWO:
    case HTMT_SHUFFLE:
    case HTMT_GATHERED:
    case HTMT_SCATTERED:
        return HTMT_LOGIC;
    default:
        return htmt__operation_by_length(operation) ? HTMT_CALL : operation;
    }
}

bool htmt__operation_of_library(enum htmt_operation operation)
{
    const enum htmt_operation like = htmt__operation_like(operation);
    return (like >= HTMT_SIN && like <= HTMT_POW) || htmt__operation_by_length(operation);
}

bool htmt__operation_is_function(enum htmt_operation operation)
{
    bool is = operation == HTMT_REM || htmt__operation_by_length(operation);
    for (size_t i = 0; i < COUNT_OF(functions); i++)
        is |= functions[i].operation == operation;
    return is;
}

static const double from[HTMT__LIBRARY_RANGES + 1] = {
    0, 0.125, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 6, 8, 16, 32, HUGE_VAL};

double htmt__library_range_from(unsigned range)
{
    return from[range];
}

unsigned htmt__library_range(double x)
{
    unsigned range = 0;
    while (range + 1 < HTMT__LIBRARY_RANGES && fabs(x) >= from[range + 1])
        range++;
    return range;
}

bool htmt__library_has_range(enum htmt_operation operation, enum htmt_type_of_operand type)
{
    return (type == HTMT_F32 || type == HTMT_F64) && htmt__operation_is_function(operation) &&
           !htmt__operation_by_length(operation);
}

static bool find(const char *name, size_t n, enum htmt_operation *operation)
{
    const struct {
        const struct function *row;
        size_t count;
    } tables[] = {{functions, COUNT_OF(functions)}, {others, COUNT_OF(others)}};
    for (size_t t = 0; t < COUNT_OF(tables); t++)
        for (size_t i = 0; i < tables[t].count; i++) {
            const struct function *f = &tables[t].row[i];
            if (strlen(f->name) == n && strncmp(f->name, name, n) == 0) {
                *operation = (enum htmt_operation)f->operation;
                return true;
            }
        }
    return false;
}

bool htmt__library_operation(const char *name, enum htmt_operation *operation,
                             enum htmt_type_of_operand *type)
{
    const size_t n = strlen(name);
    *type = HTMT_F64;
    if (find(name, n, operation))
        return true;
    *type = HTMT_F32;
    return n > 1 && name[n - 1] == 'f' && find(name, n - 1, operation);
}

bool htmt__library_length(const char *name, enum htmt_operation *operation,
                          enum htmt__library_bytes *bytes)
{
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        if (strcmp(lengths[i].name, name) == 0) {
            *operation = (enum htmt_operation)lengths[i].operation;
            *bytes = (enum htmt__library_bytes)lengths[i].bytes;
            return true;
        }
    return false;
}

/* Up to the first byte that differs, or the end of both strings. */
static uint64_t common(const char *a, const char *b, uint64_t most, bool strings)
{
    uint64_t n = 0;
    while (n < most && a[n] == b[n] && !(strings && !a[n]))
        n++;
    return n < most ? n + 1 : most;
}

static uint64_t up_to(const void *first, const void *found, uint64_t otherwise)
{
    return found ? (uint64_t)((const char *)found - (const char *)first) + 1 : otherwise;
}

uint64_t htmt__library_reach(enum htmt__library_bytes bytes, const void *first, uint64_t second,
                             uint64_t most)
{
    const char *other = (const char *)(uintptr_t)second;
    switch (bytes) {
    case HTMT__BYTES_STRING:
        return strlen(first) + 1;
    case HTMT__BYTES_STRINGN:
        return up_to(first, memchr(first, 0, most), most);
    case HTMT__BYTES_BYTE:
        return up_to(first, memchr(first, (int)second, most), most);
    case HTMT__BYTES_LETTER:
        return up_to(first, strchr(first, (int)second), strlen(first) + 1);
    case HTMT__BYTES_COMPARE:
        return common(first, other, most, false);
    case HTMT__BYTES_ORDER:
        return common(first, other, UINT64_MAX, true);
    case HTMT__BYTES_ORDERN:
        return common(first, other, most, true);
    default:
        return most;
    }
}
