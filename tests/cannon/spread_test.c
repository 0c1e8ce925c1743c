/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrices that are dealt to slices, of which a process has some.
 */
#include "apps/cannon/check.h"
#include "tests/cannon/dealt.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 37, COLS = 29, GRID = 3, BLOCK = 4, SIDE = 16 };

static struct htmt__cannon_spread spread_of(enum htmt__cannon_operand which)
{
    struct htmt__cannon_spread m = {
        .which = which, .rows = ROWS, .cols = COLS, .s = GRID, .b = BLOCK, .side = SIDE};
    cr_assert_eq(htmt__cannon_spread_create(&m, NULL, NULL), 0);
    return m;
}

/* On 2 x 3 slices nothing is skewed: slice (i, j) has rows i, i + 2 ... and columns j, j + 3 ... of
 * subblocks of any operand. */
Test(spread, a_slice_of_a_grid_that_is_not_square_has_subblocks_in_turn)
{
    for (int which = HTMT__A; which <= HTMT__C; which++) {
        struct htmt__cannon_spread m = {.which = (enum htmt__cannon_operand)which,
                                        .rows = ROWS,
                                        .cols = COLS,
                                        .s = 2,
                                        .across = 3,
                                        .b = BLOCK,
                                        .width = BLOCK + 1,
                                        .side = 5 * BLOCK,
                                        .pitch = 2 * (BLOCK + 1)};
        cr_assert_eq(htmt__cannon_spread_create(&m, NULL, NULL), 0);
        for (uint64_t r = 0; r < ROWS; r++)
            for (uint64_t c = 0; c < COLS; c++) {
                double *at = htmt__cannon_spread_at(&m, r, c).at;
                uint64_t share = m.side * m.pitch, slice = (uint64_t)(at - m.room) / share,
                         place = (uint64_t)(at - m.room) % share;
                cr_expect_eq(slice, r / BLOCK % 2 * 3 + c / (BLOCK + 1) % 3);
                uint64_t row = htmt__cannon_spread_row(&m, (uint32_t)slice),
                         col = htmt__cannon_spread_col(&m, (uint32_t)slice);
                cr_expect_eq(htmt__cannon_spread_line(&m, row, place / m.pitch), r);
                cr_expect_eq(htmt__cannon_spread_line_across(&m, col, place % m.pitch), c);
                cr_expect_eq(*at, 0, "two elements in one place");
                *at = 1;
            }
        htmt__cannon_spread_destroy(&m);
    }
}

/* Leave every `parts`-th slice from `part` on to this process. */
static void leave(struct htmt__cannon_spread *m, uint32_t part, uint32_t parts)
{
    for (uint32_t i = 0; i < m->s * m->s; i++)
        if (i % parts != part)
            m->share[i] = NULL;
}

Test(spread, a_slice_has_the_subblocks_that_cannons_skew_gives_it)
{
    for (int which = HTMT__A; which <= HTMT__C; which++) {
        struct htmt__cannon_spread m = spread_of((enum htmt__cannon_operand)which);
        for (uint64_t r = 0; r < ROWS; r++)
            for (uint64_t c = 0; c < COLS; c++) {
                double *at = htmt__cannon_spread_at(&m, r, c).at;
                uint64_t slice = (uint64_t)(at - m.room) / (SIDE * SIDE), i = slice / GRID;
                uint64_t j = slice % GRID, row = r / BLOCK % GRID, col = c / BLOCK % GRID;
                cr_expect_eq(row, which == HTMT__B ? (i + j) % GRID : i);
                cr_expect_eq(col, which == HTMT__A ? (i + j) % GRID : j);
                cr_expect_eq(*at, 0, "two elements in one place");
                *at = 1;
            }
        htmt__cannon_spread_destroy(&m);
    }
}

Test(spread, rows_and_columns_of_a_share_are_those_of_its_elements)
{
    for (int which = HTMT__A; which <= HTMT__C; which++) {
        struct htmt__cannon_spread m = spread_of((enum htmt__cannon_operand)which);
        for (uint32_t slice = 0; slice < GRID * GRID; slice++)
            for (uint64_t k = 0; k < SIDE * SIDE; k++) {
                uint64_t i =
                    htmt__cannon_spread_line(&m, htmt__cannon_spread_row(&m, slice), k / SIDE);
                uint64_t j =
                    htmt__cannon_spread_line(&m, htmt__cannon_spread_col(&m, slice), k % SIDE);
                if (i < ROWS && j < COLS)
                    cr_expect_eq(htmt__cannon_spread_at(&m, i, j).at, m.share[slice] + k);
            }
        htmt__cannon_spread_destroy(&m);
    }
}

/* What the parts of a spread have, each read or made on its own, as one matrix. */
static void collect(const char *path, enum htmt__cannon_operand which, double *whole)
{
    struct htmt_fault fault = {0};
    for (size_t k = 0; k < ROWS * COLS; k++)
        whole[k] = NAN;
    for (uint32_t part = 0; part < 4; part++) {
        struct htmt__cannon_spread m = spread_of(which);
        leave(&m, part, 4);
        if (path)
            cr_assert_eq(htmt__cannon_spread_read(path, &m, &fault), 0, "%s", fault.text);
        else
            htmt__cannon_spread_generate(&m, HTMT__GAUSSIAN, 7, 1);
        deal(&m, whole, COLS, true);
        htmt__cannon_spread_destroy(&m);
    }
}

static void expect_parts(const char *path, const struct htmt__cannon_matrix *m)
{
    double *whole = calloc(ROWS * COLS, sizeof *whole);
    for (int which = HTMT__A; which <= HTMT__C; which++) {
        collect(path, (enum htmt__cannon_operand)which, whole);
        cr_expect_eq(memcmp(whole, m->at, ROWS * COLS * sizeof *whole), 0, "%s, %c",
                     path ? path : "generated", "ABC"[which]);
    }
    free(whole);
}

/* A file of `head`, then the elements column by column, in bytes or in words. */
static void write_columns(const char *path, const struct htmt__cannon_matrix *m, bool words)
{
    char head[129];
    FILE *f = fopen(path, "w");
    if (words)
        fprintf(f, "%%%%MatrixMarket matrix array real general\n%d %d\n", ROWS, COLS);
    else {
        snprintf(head, sizeof head, "%-*s", 128, "");
        memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
        char text[] = "{'descr': '<f8', 'fortran_order': True, 'shape': (37, 29), }";
        memcpy(head + 10, text, sizeof text - 1);
        head[127] = '\n';
        fwrite(head, 1, 128, f);
    }
    for (uint64_t j = 0; j < COLS; j++)
        for (uint64_t i = 0; i < ROWS; i++)
            if (words)
                fprintf(f, "%.17g\n", m->at[i * COLS + j]);
            else
                fwrite(&m->at[i * COLS + j], sizeof(double), 1, f);
    fclose(f);
}

Test(spread, each_process_reads_or_makes_what_its_slices_have_of_every_kind_of_input)
{
    struct place p = place("m");
    struct htmt__cannon_matrix m;
    cr_assert_eq(htmt__cannon_matrix_generate(&m, ROWS, COLS, HTMT__GAUSSIAN, 7, 1, NULL), 0);
    expect_parts(NULL, &m);
    cr_assert_eq(htmt__cannon_matrix_write(p.path, &m, NULL), 0);
    expect_parts(p.path, &m);
    write_columns(p.path, &m, false);
    expect_parts(p.path, &m);
    write_columns(p.path, &m, true);
    expect_parts(p.path, &m);
    place_clear(&p);
    htmt__cannon_matrix_destroy(&m);
}

Test(spread, a_file_of_another_size_is_refused)
{
    char path[] = "/tmp/htmt-spread-XXXXXX";
    struct htmt__cannon_spread m = spread_of(HTMT__A);
    struct htmt__cannon_matrix other;
    struct htmt_fault fault = {0};
    close(mkstemp(path));
    cr_assert_eq(htmt__cannon_matrix_generate(&other, ROWS, 3, HTMT__INTEGERS, 1, 0, NULL), 0);
    cr_assert_eq(htmt__cannon_matrix_write(path, &other, NULL), 0);
    cr_expect_eq(htmt__cannon_spread_read(path, &m, &fault), HTMT_EFORMAT);
    cr_expect(strstr(fault.text, ": found 37 x 3 elements, expected 37 x 29 as a moment ago"), "%s",
              fault.text);
    unlink(path);
    htmt__cannon_spread_destroy(&m);
    htmt__cannon_matrix_destroy(&other);
}

/* A (37 x 29) times B (29 x 37), dealt to a grid of so many rows and columns, at least two each. */
static void make_product(struct htmt__cannon_spread m[HTMT__MATRICES], uint64_t down,
                         uint64_t across)
{
    struct htmt__cannon_matrix a, b, c;
    cr_assert_eq(htmt__cannon_matrix_generate(&a, ROWS, COLS, HTMT__INTEGERS, 3, 0, NULL), 0);
    cr_assert_eq(htmt__cannon_matrix_generate(&b, COLS, ROWS, HTMT__INTEGERS, 3, 1, NULL), 0);
    cr_assert_eq(htmt__cannon_reference_product(&a, &b, &c, NULL), 0);
    struct htmt__cannon_matrix *of[] = {&a, &b, &c};
    for (int i = 0; i < HTMT__MATRICES; i++) {
        m[i] = (struct htmt__cannon_spread){.which = (enum htmt__cannon_operand)i,
                                            .rows = of[i]->rows,
                                            .cols = of[i]->cols,
                                            .s = down,
                                            .across = across,
                                            .b = BLOCK,
                                            .side = 2 * SIDE};
        cr_assert_eq(htmt__cannon_spread_create(&m[i], NULL, NULL), 0);
        deal(&m[i], of[i]->at, of[i]->cols, false);
        htmt__cannon_matrix_destroy(of[i]);
    }
}

static void find_each_wrong_element(uint64_t down, uint64_t across)
{
    struct htmt__cannon_spread m[HTMT__MATRICES];
    struct htmt__cannon_check check;
    make_product(m, down, across);
    for (int exact = 0; exact < 2; exact++) {
        cr_assert_eq(
            htmt__cannon_check_freivalds(NULL, &m[0], &m[1], &m[2], 1, exact, &check, NULL), 0);
        cr_expect(check.pass && check.value == 0);
        for (uint64_t i = 0; i < ROWS; i++) {
            double *at = htmt__cannon_spread_at(&m[2], i, i * 5 % ROWS).at;
            *at += 1;
            cr_assert_eq(
                htmt__cannon_check_freivalds(NULL, &m[0], &m[1], &m[2], 1, exact, &check, NULL), 0);
            cr_expect(!check.pass && check.row == i, "row %d", (int)i);
            *at -= 1;
        }
    }
    for (int i = 0; i < HTMT__MATRICES; i++)
        htmt__cannon_spread_destroy(&m[i]);
}

Test(spread, freivalds_finds_each_wrong_element_of_a_dealt_product)
{
    find_each_wrong_element(GRID, GRID);
    find_each_wrong_element(2, 3);
    find_each_wrong_element(5, 2);
}
