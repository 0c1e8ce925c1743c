/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How clang optimizes code that is recorded, by the name of the tape: what htmt-cc gives it, and
 * what a clock of the same code does.
 */
#ifndef HTMT_LAYERS_NODE_TAPE_TAPE_FLAGS_H
#define HTMT_LAYERS_NODE_TAPE_TAPE_FLAGS_H

#ifndef HTMT_CLANG
#define HTMT_CLANG "clang-14"
#endif

/* Words of an array, without NULL. */
#define HTMT__TAPE_FLAGS_O2 "-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"
#define HTMT__TAPE_FLAGS_O3 "-O3"

#endif
