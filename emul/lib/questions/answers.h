/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/lib/questions: computes answers as plain data; of emul it includes options and text.
 *
 * The answers of `htmt predict`.
 */
#ifndef HTMT_EMUL_LIB_QUESTIONS_ANSWERS_H
#define HTMT_EMUL_LIB_QUESTIONS_ANSWERS_H

#include "emul/lib/questions/largest.h"
#include "emul/lib/questions/origin.h"

struct htmt__answers {
    struct htmt_prediction prediction;
    struct htmt__largest *largest; /* NULL: not asked for */
    unsigned largest_count;
    const char *term; /* NULL: the figures of no term were asked for */
    struct htmt__origin *origin;
    unsigned origin_count;
};

#endif
