/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of operations and of the types that they work on.
 */
#include "runtime/base/operation.h"

#include <string.h>

static const char *const operations[HTMT_OPERATIONS] = {
    [HTMT_CONSTANT] = "constant", [HTMT_ADD] = "add",      [HTMT_SUB] = "sub",
    [HTMT_MUL] = "mul",           [HTMT_DIV] = "div",      [HTMT_REM] = "rem",
    [HTMT_LOGIC] = "logic",       [HTMT_CMP] = "cmp",      [HTMT_CONVERT] = "convert",
    [HTMT_FMA] = "fma",           [HTMT_SQRT] = "sqrt",    [HTMT_SIN] = "sin",
    [HTMT_COS] = "cos",           [HTMT_TAN] = "tan",      [HTMT_ATAN] = "atan",
    [HTMT_EXP] = "exp",           [HTMT_LOG] = "log",      [HTMT_POW] = "pow",
    [HTMT_CALL] = "call",         [HTMT_BRANCH] = "branch"};

static const char *const types[HTMT_OPERAND_TYPES] = {
    [HTMT_I32] = "i32", [HTMT_I64] = "i64", [HTMT_F32] = "f32", [HTMT_F64] = "f64"};

const char *htmt_operation_name(enum htmt_operation operation)
{
    return operations[operation];
}

const char *htmt_operand_name(enum htmt_type_of_operand type)
{
    return types[type];
}

static bool untyped(enum htmt_operation operation)
{
    return operation == HTMT_CONSTANT || operation == HTMT_CALL || operation == HTMT_BRANCH;
}

static bool type_of(const char *name, enum htmt_type_of_operand *type)
{
    for (int t = 0; t < HTMT_OPERAND_TYPES; t++)
        if (strcmp(name, types[t]) == 0) {
            *type = (enum htmt_type_of_operand)t;
            return true;
        }
    return false;
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
        if (untyped(*operation) && !name[length])
            return true;
        if (!untyped(*operation) && name[length] == '-' && type_of(name + length + 1, type))
            return true;
    }
    return false;
}
