/* SPDX-License-Identifier: BSD-3-Clause */
#include "loops.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define X  UINT64_C(0)
#define Y  UINT64_C(0x1000000)
#define Z  UINT64_C(0x2000000)
#define AT HTMT__TAPE_IMAGE

static void code(struct htmt__tape_writer *w, unsigned block, unsigned instructions)
{
    htmt__tape_put(w, htmt__tape_entry(HTMT__TAPE_CODE, instructions, AT + block * 256));
}

static void op(struct htmt__tape_writer *w, enum htmt_operation o, enum htmt_type_of_operand t,
               uint64_t n)
{
    htmt__tape_put(w, htmt__tape_entry(HTMT__TAPE_OP, o, t | n << 8));
}

static void load(struct htmt__tape_writer *w, uint64_t at)
{
    htmt__tape_put(w, htmt__tape_entry(HTMT__TAPE_LOAD, 8, at));
}

static void store(struct htmt__tape_writer *w, uint64_t at)
{
    htmt__tape_put(w, htmt__tape_entry(HTMT__TAPE_STORE, 8, at));
}

/* The end of a turn: counts, compares, branches. */
static void turn(struct htmt__tape_writer *w, unsigned block, bool again)
{
    op(w, HTMT_ADD, HTMT_I64, 1);
    op(w, HTMT_CMP, HTMT_I64, 1);
    htmt__tape_put(w, htmt__tape_entry(HTMT__TAPE_BRANCH, again, AT + block * 256 + 60));
}

static void flops(struct htmt__tape_writer *w, uint64_t mul, uint64_t add)
{
    op(w, HTMT_MUL, HTMT_F64, mul);
    op(w, HTMT_ADD, HTMT_F64, add);
}

/* Arrays of 8192 in rounds over n elements. */
static void write_ddot(struct htmt__tape_writer *w, uint64_t n)
{
    for (uint64_t round = 0; round < 8192 / n; round++)
        for (uint64_t i = 0; i < n; i++) {
            code(w, 0, 7);
            load(w, X + 8 * i);
            load(w, Y + 8 * i);
            flops(w, 1, 1);
            turn(w, 0, i + 1 < n);
        }
}

static void write_ddot4(struct htmt__tape_writer *w, uint64_t n)
{
    for (uint64_t round = 0; round < 8192 / n; round++)
        for (uint64_t i = 0; i < n; i += 4) {
            code(w, 0, 19);
            for (uint64_t k = i; k < i + 4; k++) {
                load(w, X + 8 * k);
                load(w, Y + 8 * k);
            }
            flops(w, 4, 4);
            turn(w, 0, i + 4 < n);
        }
}

static void write_daxpy(struct htmt__tape_writer *w, uint64_t n)
{
    for (uint64_t round = 0; round < 8192 / n; round++)
        for (uint64_t i = 0; i < n; i++) {
            code(w, 0, 8);
            load(w, X + 8 * i);
            load(w, Y + 8 * i);
            flops(w, 1, 1);
            store(w, Y + 8 * i);
            turn(w, 0, i + 1 < n);
        }
}

static void write_triad(struct htmt__tape_writer *w, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        code(w, 0, 8);
        load(w, X + 8 * i);
        load(w, Y + 8 * i);
        flops(w, 1, 1);
        store(w, Z + 8 * i);
        turn(w, 0, i + 1 < n);
    }
}

/* Rows are 4 KiB apart: columns meet in few sets. */
static void write_dgemm(struct htmt__tape_writer *w, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < n; j++) {
            code(w, 0, 3);
            load(w, Z + 4096 * i + 8 * j);
            for (uint64_t k = 0; k < n; k++) {
                code(w, 1, 7);
                load(w, X + 4096 * i + 8 * k);
                load(w, Y + 4096 * k + 8 * j);
                flops(w, 1, 1);
                turn(w, 1, k + 1 < n);
            }
            code(w, 2, 4);
            store(w, Z + 4096 * i + 8 * j);
            turn(w, 2, j + 1 < n);
        }
}

static uint64_t reversed(uint64_t i, uint64_t n)
{
    uint64_t r = 0;
    for (uint64_t bit = 1; bit < n; bit *= 2)
        r = 2 * r + (i & bit ? 1 : 0);
    return r;
}

static void write_swaps(struct htmt__tape_writer *w, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t j = reversed(i, n);
        code(w, 0, 12);
        op(w, HTMT_LOGIC, HTMT_I64, 8);
        htmt__tape_put(w, htmt__tape_entry(HTMT__TAPE_BRANCH, j <= i, AT + 60));
        if (j > i) {
            code(w, 1, 8);
            for (int part = 0; part < 16; part += 8) {
                load(w, X + 16 * i + (uint64_t)part);
                load(w, X + 16 * j + (uint64_t)part);
                store(w, X + 16 * i + (uint64_t)part);
                store(w, X + 16 * j + (uint64_t)part);
            }
        }
        code(w, 2, 3);
        turn(w, 2, i + 1 < n);
    }
}

static void write_butterfly(struct htmt__tape_writer *w, uint64_t u, uint64_t v, uint64_t twiddle)
{
    code(w, 3, 26);
    for (uint64_t part = 0; part < 16; part += 8) {
        load(w, Y + twiddle + part);
        load(w, X + u + part);
        load(w, X + v + part);
    }
    flops(w, 4, 6);
    for (uint64_t part = 0; part < 16; part += 8) {
        store(w, X + u + part);
        store(w, X + v + part);
    }
}

static void write_fft(struct htmt__tape_writer *w, uint64_t n)
{
    write_swaps(w, n);
    for (uint64_t half = 1; half < n; half *= 2)
        for (uint64_t i = 0; i < n; i += 2 * half) {
            code(w, 4, 5);
            for (uint64_t j = 0; j < half; j++) {
                write_butterfly(w, 16 * (i + j), 16 * (i + j + half), 16 * (j * (n / (2 * half))));
                turn(w, 3, j + 1 < half);
            }
            code(w, 5, 3);
            turn(w, 5, i + 2 * half < n);
        }
}

/* n dipoles: positions, polarizations (complex), fields. */
static void write_dipole(struct htmt__tape_writer *w, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        code(w, 0, 6);
        for (uint64_t j = 0; j < n; j++) {
            code(w, 1, 3);
            htmt__tape_put(w, htmt__tape_entry(HTMT__TAPE_BRANCH, i == j, AT + 256 + 8));
            if (i == j)
                continue;
            code(w, 2, 60);
            for (uint64_t k = 0; k < 24; k += 8)
                load(w, X + 24 * j + k);
            for (uint64_t k = 0; k < 48; k += 8)
                load(w, Y + 48 * j + k);
            flops(w, 30, 28);
            op(w, HTMT_SQRT, HTMT_F64, 1);
            op(w, HTMT_SIN, HTMT_F64, 1);
            op(w, HTMT_COS, HTMT_F64, 1);
            op(w, HTMT_DIV, HTMT_F64, 2);
            turn(w, 2, j + 1 < n);
        }
        code(w, 3, 9);
        for (uint64_t k = 0; k < 48; k += 8)
            store(w, Z + 48 * i + k);
        turn(w, 3, i + 1 < n);
    }
}

const struct loop loops[7] = {
    {"ddot", write_ddot, 1024, 0.05},   {"ddot4", write_ddot4, 512, 0.05},
    {"daxpy", write_daxpy, 2048, 0.05}, {"triad", write_triad, 8192, 0.05},
    {"dgemm", write_dgemm, 48, 0.15},   {"fft", write_fft, 2048, 0.15},
    {"dipole", write_dipole, 96, 0.15}};

static void add_region(struct htmt__tape *tape, const char *name, uint64_t at)
{
    struct htmt__tape_region region = {.at = at, .bytes = 0x40000};
    snprintf(region.name, sizeof region.name, "%s", name);
    cr_assert_eq(htmt__tape_add_region(tape, &region), 0);
}

struct htmt__tape *loop_tape(const struct loop *loop)
{
    struct htmt__tape *tape;
    struct htmt__tape_writer w;
    cr_assert_eq(htmt__tape_new(&tape, NULL), 0);
    add_region(tape, "x", X);
    add_region(tape, "y", Y);
    add_region(tape, "z", Z);
    cr_assert_eq(htmt__tape_open(&w, htmt__tape_append, tape), 0);
    loop->write(&w, loop->n);
    htmt__tape_put(&w, htmt__tape_entry(HTMT__TAPE_END, 0, 0));
    cr_assert_eq(htmt__tape_close(&w), 0);
    return tape;
}
