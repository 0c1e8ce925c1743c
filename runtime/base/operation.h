/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations of a kernel, one by one, and the types that they work on: after Table 1 of the Mermaid
 * paper (memory, arithmetic, instruction), with functions of the mathematical library as
 * operations.
 */
#ifndef HTMT_RUNTIME_OPERATION_H
#define HTMT_RUNTIME_OPERATION_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Loads and stores are accesses of a tape, with an address. */
enum htmt_operation {
    HTMT_CONSTANT, /* load constant: an operand that the code carries */
    HTMT_ADD,
    HTMT_SUB,
    HTMT_MUL,
    HTMT_DIV,
    HTMT_REM,
    HTMT_LOGIC, /* and, or, xor, shifts, selections */
    HTMT_CMP,
    HTMT_CONVERT,
    HTMT_FMA,
    HTMT_SQRT,
    HTMT_SIN,
    HTMT_COS,
    HTMT_TAN,
    HTMT_ATAN,
    HTMT_EXP,
    HTMT_LOG,
    HTMT_POW,
    HTMT_CALL,
    HTMT_BRANCH,
    HTMT_OPERATIONS
};

enum htmt_type_of_operand { HTMT_I32, HTMT_I64, HTMT_F32, HTMT_F64, HTMT_OPERAND_TYPES };

/* "add", "f64". */
const char *htmt_operation_name(enum htmt_operation operation);
const char *htmt_operand_name(enum htmt_type_of_operand type);
/* "add-f64" into both; false: no such name. Branch, call and constant carry no type: HTMT_I64. */
bool htmt_operation_of(const char *name, enum htmt_operation *operation,
                       enum htmt_type_of_operand *type);

#ifdef __cplusplus
}
#endif

#endif
