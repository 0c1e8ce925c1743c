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
#include <stdint.h>

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
    HTMT_LOGIC, /* and, or, xor; selections of reals and of vectors */
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
    HTMT_MIN,      /* the smaller or the larger one of two */
    HTMT_SHUFFLE,  /* moves of elements of a vector */
    HTMT_GATHERED, /* beside the accesses of its lanes */
    HTMT_SCATTERED,
    /* further functions of the mathematical library */
    HTMT_ASIN,
    HTMT_ACOS,
    HTMT_ATAN2,
    HTMT_SINH,
    HTMT_COSH,
    HTMT_TANH,
    HTMT_ASINH,
    HTMT_ACOSH,
    HTMT_ATANH,
    HTMT_EXP2,
    HTMT_EXPM1,
    HTMT_LOG2,
    HTMT_LOG10,
    HTMT_LOG1P,
    HTMT_CBRT,
    HTMT_ERF,
    HTMT_ERFC,
    HTMT_LGAMMA,
    HTMT_TGAMMA,
    HTMT_HYPOT,
    HTMT_FLOOR, /* ceil, trunc, rint and the like */
    HTMT_ROUND,
    HTMT_FDIM,
    HTMT_LDEXP,
    HTMT_LOGB,
    HTMT_NEXTAFTER,
    /* functions by length: a time for each call and one for each 16 bytes */
    HTMT_MEMCPY,
    HTMT_MEMSET,
    HTMT_STRLEN,
    HTMT_MEMCMP,
    HTMT_STRCMP,
    HTMT_SHIFT,      /* of all bits of a number, or of each element */
    HTMT_SHIFT_ADD,  /* an addition of a number that is shifted by one to three places on its way */
    HTMT_SELECT,     /* one of two numbers, by a condition */
    HTMT_SELECT_TWO, /* by a condition of two flags, as above and below or equal are on x86-64 */
    HTMT_OPERATIONS
};

/* Vectors have 2, 4, 8 or 16 lanes of these; integers of less than 32 bits are I32. */
enum htmt_type_of_operand {
    HTMT_I32,
    HTMT_I64,
    HTMT_F32,
    HTMT_F64,
    HTMT_I32X2,
    HTMT_I64X2,
    HTMT_F32X2,
    HTMT_F64X2,
    HTMT_I32X4,
    HTMT_I64X4,
    HTMT_F32X4,
    HTMT_F64X4,
    HTMT_I32X8,
    HTMT_I64X8,
    HTMT_F32X8,
    HTMT_F64X8,
    HTMT_I32X16,
    HTMT_I64X16,
    HTMT_F32X16,
    HTMT_F64X16,
    HTMT_OPERAND_TYPES
};
#define HTMT_LANES_MAX 16u

/* "add", "f64", "f64x4". */
const char *htmt_operation_name(enum htmt_operation operation);
const char *htmt_operand_name(enum htmt_type_of_operand type);
/* Of one lane, and the number of lanes; and the vector of so many lanes, 1 to HTMT_LANES_MAX, or
 * the next larger one. */
enum htmt_type_of_operand htmt_operand_lane(enum htmt_type_of_operand type);
uint32_t htmt_operand_lanes(enum htmt_type_of_operand type);
enum htmt_type_of_operand htmt_operand_vector(enum htmt_type_of_operand lane, uint32_t lanes);
/* "add-f64" into both; false: no such name. Branch, call, constant and functions by length carry no
 * type: HTMT_I64. */
bool htmt_operation_of(const char *name, enum htmt_operation *operation,
                       enum htmt_type_of_operand *type);

#ifdef __cplusplus
}
#endif

#endif
