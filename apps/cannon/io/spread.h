/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A matrix as the slices of a grid have it: s rows of `across` slices, slice i across + j in row i,
 * column j. The matrix is divided into subblocks of b x width elements, and a slice has a share of
 * them: those of rows i (mod s) and columns j (mod across). On a square grid A and B are skewed:
 *
 *     A   row of subblocks i (mod s), column i + j (mod s)
 *     B   row i + j, column j
 *     C   row i, column j
 *
 * A process makes the shares of the slices that it plays.
 */
#ifndef HTMT_APPS_CANNON_IO_SPREAD_H
#define HTMT_APPS_CANNON_IO_SPREAD_H

#include "apps/cannon/io/matrix.h"

#include <stdbool.h>

struct htmt_emulator;

enum htmt__cannon_operand { HTMT__A, HTMT__B, HTMT__C, HTMT__MATRICES };

struct htmt__cannon_spread {
    enum htmt__cannon_operand which;
    uint64_t rows, cols; /* of the matrix */
    uint64_t s;          /* rows of slices */
    uint64_t b, width;   /* rows and columns of a subblock; width 0: b */
    uint64_t side;       /* rows of a share, a multiple of b */
    uint64_t pitch;      /* its columns, a multiple of the width; 0: side */
    uint64_t across;     /* columns of slices; 0: s */
    /* Of each slice, row after row; zeros beyond the matrix. NULL: another process has it. */
    double **share;
    double *room; /* of all shares that are here */
};

/* From which, rows, cols, s, b, width, side, pitch and across: shares of zeros for the slices that
 * are here; without an emulator for all of them. On success the caller gives *m to
 * htmt__cannon_spread_destroy(). Errors: HTMT_ENOMEM. */
int htmt__cannon_spread_create(struct htmt__cannon_spread *m, const struct htmt_emulator *e,
                               struct htmt_fault *fault);
void htmt__cannon_spread_destroy(struct htmt__cannon_spread *m); /* may be zeros */

/* A whole matrix as the share of one slice; to be forgotten, not destroyed, before it. */
struct htmt__cannon_spread htmt__cannon_spread_whole(struct htmt__cannon_matrix *m);

/* Whether the grid is square and the operand one of those that are skewed. */
static inline bool htmt__cannon_spread_skewed(const struct htmt__cannon_spread *m,
                                              enum htmt__cannon_operand which)
{
    return m->which == which && m->s == m->across;
}

/* Elements (i, j), (i, j + 1) ... that lie side by side. */
struct htmt__cannon_stretch {
    double *at; /* NULL: another process has them */
    uint64_t count;
};

static inline struct htmt__cannon_stretch
htmt__cannon_spread_at(const struct htmt__cannon_spread *m, uint64_t i, uint64_t j)
{
    uint64_t s = m->s, row = i / m->b, col = j / m->width, in_row = j % m->width,
             left = m->cols - j;
    uint64_t down = htmt__cannon_spread_skewed(m, HTMT__B) ? (row + s - col % s) % s : row % s;
    uint64_t right =
        htmt__cannon_spread_skewed(m, HTMT__A) ? (col + s - row % s) % s : col % m->across;
    double *at = m->share[down * m->across + right];
    uint64_t place = (row / s * m->b + i % m->b) * m->pitch + col / m->across * m->width + in_row;
    return (struct htmt__cannon_stretch){at ? at + place : NULL,
                                         m->width - in_row < left ? m->width - in_row : left};
}

/* The first row and column of subblocks of which the slice has a share. */
static inline uint64_t htmt__cannon_spread_row(const struct htmt__cannon_spread *m, uint32_t slice)
{
    uint64_t row = slice / m->across;
    return htmt__cannon_spread_skewed(m, HTMT__B) ? (row + slice) % m->s : row;
}
static inline uint64_t htmt__cannon_spread_col(const struct htmt__cannon_spread *m, uint32_t slice)
{
    uint64_t row = htmt__cannon_spread_skewed(m, HTMT__A) ? slice / m->across : 0;
    return (row + slice) % m->across;
}
/* The row of the matrix of row k of a share whose first one of subblocks it is, and the same of
 * columns. It may lie beyond the matrix. */
static inline uint64_t htmt__cannon_spread_line(const struct htmt__cannon_spread *m, uint64_t first,
                                                uint64_t k)
{
    return (k / m->b * m->s + first) * m->b + k % m->b;
}
static inline uint64_t htmt__cannon_spread_line_across(const struct htmt__cannon_spread *m,
                                                       uint64_t first, uint64_t k)
{
    return (k / m->width * m->across + first) * m->width + k % m->width;
}

/* Generated elements, as htmt__cannon_matrix_generate() has them. */
void htmt__cannon_spread_generate(struct htmt__cannon_spread *m, enum htmt__cannon_entries kind,
                                  uint64_t seed, uint64_t which);

/* Read a file into the shares that are here: of a .npy file in C order only what they need.
 * Errors: those of htmt__cannon_matrix_read(), HTMT_EFORMAT (another size). */
int htmt__cannon_spread_read(const char *path, struct htmt__cannon_spread *m,
                             struct htmt_fault *fault);

#endif
