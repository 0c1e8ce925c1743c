/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A curve: a figure that depends on one or two whole numbers, as a bandwidth depends on processors
 * and bytes. Its points are exact. Between points it is linear, first along the second argument at
 * the two nearest values of the first, then along the first. A plain value is a curve without
 * arguments.
 *
 *     rate: {value: {1: 0.54 GB/s, 8: 4.52 GB/s}, by: processors, beyond: refuse, source: ...}
 *     rate: {value: {1: {64: 1 MB/s, 1024: 9 MB/s}}, by: [processors, bytes], source: ...}
 *
 * In a file's figures each point is a figure of its own, `KEY.value.X` or `KEY.value.X.Y`, beside
 * the names `KEY.by` (and `KEY.by-next`) and `KEY.beyond`.
 */
#ifndef HTMT_LAYERS_FILE_CURVE_H
#define HTMT_LAYERS_FILE_CURVE_H

#include "layers/file/figures.h"

#define HTMT__CURVE_ARGUMENTS 2
#define HTMT__CURVE_OUTSIDE   (-1)

struct htmt_curve_point {
    uint64_t x, y; /* y is 0 in a curve of one argument */
    struct htmt_ratio value;
};

struct htmt_curve {
    uint32_t arguments; /* 0: the one point is the value everywhere */
    uint32_t count;     /* points, ascending by x, then by y; 0: not modelled */
    bool hold;          /* outside, the value at the nearest end; else refused */
    char by[HTMT__CURVE_ARGUMENTS][HTMT_NAME_MAX];
    struct htmt_curve_point *point; /* owned */
    size_t room;                    /* points that fit without growing */
};

/* The value at (x, y); arguments that the curve does not have are passed over. *held becomes true
 * when an argument lies outside and the curve holds, else it stays as it is; NULL is accepted. The
 * value is exact where 64-bit numerator and denominator hold it, else within 2^-62 of it.
 * Returns 0 or HTMT__CURVE_OUTSIDE: the curve has no such point, and refuses. */
int htmt__curve_at(const struct htmt_curve *curve, uint64_t x, uint64_t y, struct htmt_ratio *value,
                   bool *held);

/* Whether the curve refuses the point: 0: no; 1, 2: the first or second argument lies outside of
 * *least .. *most. */
int htmt__curve_refuses(const struct htmt_curve *curve, uint64_t x, uint64_t y, uint64_t *least,
                        uint64_t *most);

/* Free the points; the curve is empty afterwards. */
void htmt__curve_fini(struct htmt_curve *curve);

/* Points of its own for a copied struct. Errors: HTMT_ENOMEM; the copy is then empty. */
int htmt__curve_copy(struct htmt_curve *copy);

/* Read what stands under `key`, a figure or a curve, into figures. Errors: HTMT_EFORMAT (a source
 * missing, points that do not ascend, more than two arguments...), HTMT_ENOMEM. */
int htmt__curve_read(struct htmt__figures *figures, const struct htmt_yaml *node, const char *key,
                     struct htmt_fault *fault);

/* Make the curve of figures' `key`, whose values are quantities as the row says. `keep` hears of
 * each figure that was used, in order, with its exact value; NULL for a name. A key without a
 * figure makes an empty curve. Errors: HTMT_EFORMAT, HTMT_EUNIT, HTMT_ERANGE, HTMT_ENOMEM. */
typedef void htmt__curve_keep(void *with, const struct htmt_figure *figure,
                              const struct htmt_ratio *value);
int htmt__curve_build(const struct htmt__figures *figures, const char *key,
                      const struct htmt_schema_row *row, htmt__curve_keep *keep, void *with,
                      struct htmt_curve *curve, struct htmt_fault *fault);

#endif
