/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of operations and of the types that they work on.
 */
#include "runtime/base/operation.h"

#include "runtime/base/library.h"

#include <string.h>

#define ONE(operation, name, like, from, to)         [HTMT_##operation] = #name,
#define TWO(operation, name, like, from, to, second) [HTMT_##operation] = #name,
#define LENGTH(operation, name)                      [HTMT_##operation] = #name,
static const char *const operations[HTMT_OPERATIONS] = {
    [HTMT_CONSTANT] = "constant",
    [HTMT_ADD] = "add",
    [HTMT_SUB] = "sub",
    [HTMT_MUL] = "mul",
    [HTMT_DIV] = "div",
    [HTMT_REM] = "rem",
    [HTMT_LOGIC] = "logic",
    [HTMT_CMP] = "cmp",
    [HTMT_CONVERT] = "convert",
    [HTMT_FMA] = "fma",
    [HTMT_SQRT] = "sqrt",
    [HTMT_CALL] = "call",
    [HTMT_BRANCH] = "branch",
    [HTMT_MIN] = "min",
    [HTMT_SHUFFLE] = "shuffle",
    [HTMT_GATHERED] = "gather",
    [HTMT_SCATTERED] = "scatter",
    [HTMT_SHIFT] = "shift",
    [HTMT_SHIFT_ADD] = "shift-add",
    [HTMT_SELECT] = "select",
    [HTMT_SELECT_TWO] = "select-two",
    HTMT__LIBRARY_CODE(ONE, TWO) HTMT__LIBRARY_SHORT(ONE, TWO) HTMT__LIBRARY_LENGTHS(LENGTH)};

static const char *const types[HTMT_OPERAND_TYPES] = {
    [HTMT_I32] = "i32",       [HTMT_I64] = "i64",       [HTMT_F32] = "f32",
    [HTMT_F64] = "f64",       [HTMT_I32X2] = "i32x2",   [HTMT_I64X2] = "i64x2",
    [HTMT_F32X2] = "f32x2",   [HTMT_F64X2] = "f64x2",   [HTMT_I32X4] = "i32x4",
    [HTMT_I64X4] = "i64x4",   [HTMT_F32X4] = "f32x4",   [HTMT_F64X4] = "f64x4",
    [HTMT_I32X8] = "i32x8",   [HTMT_I64X8] = "i64x8",   [HTMT_F32X8] = "f32x8",
    [HTMT_F64X8] = "f64x8",   [HTMT_I32X16] = "i32x16", [HTMT_I64X16] = "i64x16",
    [HTMT_F32X16] = "f32x16", [HTMT_F64X16] = "f64x16"};
#define LANE_TYPES (HTMT_F64 + 1)

const char *htmt_operation_name(enum htmt_operation operation)
{
    return operations[operation];
}

const char *htmt_operand_name(enum htmt_type_of_operand type)
{
    return types[type];
}

enum htmt_type_of_operand htmt_operand_lane(enum htmt_type_of_operand type)
{
    return (enum htmt_type_of_operand)((unsigned)type % LANE_TYPES);
}

uint32_t htmt_operand_lanes(enum htmt_type_of_operand type)
{
    return 1u << (unsigned)type / LANE_TYPES;
}

enum htmt_type_of_operand htmt_operand_vector(enum htmt_type_of_operand lane, uint32_t lanes)
{
    unsigned type = lane;
    for (uint32_t n = 1; n < lanes && n < HTMT_LANES_MAX; n *= 2)
        type += LANE_TYPES;
    return (enum htmt_type_of_operand)type;
}

bool htmt_operation_of(const char *name, enum htmt_operation *operation,
                       enum htmt_type_of_operand *type)
{
    for (int o = 0; o < HTMT_OPERATIONS; o++) {
        const size_t length = strlen(operations[o]);
        if (strncmp(name, operations[o], length) != 0)
            continue;
        *operation = (enum htmt_operation)o;
        *type = HTMT_I64;
        if (htmt__operation_untyped(*operation) && !name[length])
            return true;
        for (int t = 0; t < HTMT_OPERAND_TYPES; t++)
            if (!htmt__operation_untyped(*operation) && name[length] == '-' &&
                strcmp(name + length + 1, types[t]) == 0) {
                *type = (enum htmt_type_of_operand)t;
                return true;
            }
    }
    return false;
}
