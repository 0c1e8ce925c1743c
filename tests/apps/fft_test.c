/* SPDX-License-Identifier: BSD-3-Clause */
/* Class: unit threads. */
#define _GNU_SOURCE /* M_PIl */
#include "apps/fft/fft.h"
#include "apps/fft/own.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* In [-1, 1), the same on every host. */
static double noise(uint64_t i)
{
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    return (double)(int64_t)(i ^ i >> 27) / 0x1p63;
}

static void fill(double complex *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = noise(2 * i) + I * noise(2 * i + 1);
}

static double complex direct(const double complex *x, unsigned n, unsigned k, int sign)
{
    long double re = 0, im = 0;
    for (unsigned j = 0; j < n; j++) {
        long double phase = sign * 2 * M_PIl * (long double)((uint64_t)j * k % n) / n;
        re += creal(x[j]) * cosl(phase) - cimag(x[j]) * sinl(phase);
        im += creal(x[j]) * sinl(phase) + cimag(x[j]) * cosl(phase);
    }
    return (double)re + I * (double)im;
}

static struct htmt__fft *make(struct htmt__fft_shape shape)
{
    struct htmt_fault fault = {0};
    struct htmt__fft *fft = NULL;
    cr_assert_eq(htmt__fft_create(&shape, &fft, &fault), 0, "%s", fault.text);
    return fft;
}

static void run_once(struct htmt__fft_shape shape, void *x)
{
    struct htmt__fft *fft = make(shape);
    cr_assert_eq(htmt__fft_run(fft, x), 0);
    htmt__fft_destroy(&fft);
    cr_assert_null(fft);
}

Test(fft, every_length_and_direction_agrees_with_the_sum_that_defines_it)
{
    static const unsigned lengths[] = {1, 2, 3, 7, 16, 30, 97, 128, 211, 360};
    double complex x[360], y[360];
    for (unsigned l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (int backward = 0; backward < 2; backward++) {
            unsigned n = lengths[l];
            fill(x, n);
            memcpy(y, x, n * sizeof *x);
            run_once((struct htmt__fft_shape){.length = n, .backward = backward}, y);
            for (unsigned k = 0; k < n; k++)
                cr_expect_lt(cabs(y[k] - direct(x, n, k, backward ? 1 : -1)), 1e-13 * n, "%u", n);
        }
}

Test(fft, columns_of_an_array_are_transformed_and_their_neighbours_left_alone)
{
    enum { ROWS = 24, COLS = 10, FIRST = 3, MANY = 4 };
    double complex x[ROWS * COLS], y[ROWS * COLS], column[ROWS];
    fill(x, ROWS * COLS);
    memcpy(y, x, sizeof x);
    run_once((struct htmt__fft_shape){.length = ROWS, .count = MANY, .stride = COLS, .distance = 1},
             y + FIRST);
    for (unsigned c = 0; c < COLS; c++)
        for (unsigned k = 0; k < ROWS; k++) {
            for (unsigned j = 0; j < ROWS; j++)
                column[j] = x[j * COLS + c];
            bool inside = c >= FIRST && c < FIRST + MANY;
            double complex want = inside ? direct(column, ROWS, k, -1) : x[k * COLS + c];
            cr_expect_leq(cabs(y[k * COLS + c] - want), inside ? 1e-13 : 0);
        }
}

Test(fft, single_precision_agrees_with_double_to_its_own)
{
    enum { N = 1000 };
    float complex *x = malloc(N * sizeof *x);
    double complex *y = malloc(N * sizeof *y);
    fill(y, N);
    for (int i = 0; i < N; i++)
        y[i] = x[i] = (float complex)y[i];
    run_once((struct htmt__fft_shape){.length = N, .single = true}, x);
    run_once((struct htmt__fft_shape){.length = N}, y);
    for (int i = 0; i < N; i++)
        cr_expect_lt(cabs(x[i] - y[i]), 2e-4 * sqrt(N) / 31);
    free(x);
    free(y);
}

/* The transforms of recorded kernels, beside the library's: any length, rows and columns, both ways
 * and precisions. */
static void expect_own(struct htmt__fft_shape s, size_t elements)
{
    const size_t bytes = elements * sizeof(double complex);
    double complex *want = htmt__fft_alloc(bytes), *found = htmt__fft_alloc(bytes);
    struct htmt__fft_own *own = htmt__fft_alloc(htmt__fft_own_bytes(&s));
    fill(want, elements);
    for (size_t i = 0; i < elements && s.single; i++)
        ((float complex *)want)[i] = (float complex)want[i];
    memcpy(found, want, bytes);
    run_once(s, want);
    htmt__fft_own_make(&s, own);
    htmt__fft_own_run(own, found);
    for (size_t i = 0; i < elements; i++) {
        const double complex a = s.single ? (double complex)((float complex *)want)[i] : want[i];
        const double complex b = s.single ? (double complex)((float complex *)found)[i] : found[i];
        cr_expect_lt(cabs(a - b), (s.single ? 1e-6 : 2e-15) * s.length, "length %u", s.length);
    }
    free(own);
    free(found);
    free(want);
}

Test(fft, transforms_of_recorded_kernels_agree_with_those_of_the_library)
{
    static const uint32_t lengths[] = {64, 105, 211, 1024, 2000};
    for (uint32_t i = 1; i < 45; i++) {
        const uint32_t n = i < 40 ? i : lengths[i - 40];
        for (int kind = 0; kind < 4; kind++) {
            struct htmt__fft_shape s = {.length = n,
                                        .count = 3,
                                        .stride = 1,
                                        .distance = n + 1,
                                        .backward = kind % 2 != 0,
                                        .single = kind > 1};
            expect_own(s, 3 * (n + 1));
            s.stride = 4;
            s.distance = 1;
            expect_own(s, 4 * n);
        }
    }
}

/* At offsets of 0 to 7 elements into a block of 64 bytes, one transform and several columns. */
static void expect_same_anywhere(struct htmt__fft_shape shape, size_t elements, size_t element,
                                 size_t step)
{
    struct htmt__fft *fft = make(shape);
    size_t bytes = elements * element;
    char *first = malloc(bytes);
    float *in = malloc(bytes);
    for (size_t i = 0; i < bytes / sizeof *in; i++)
        in[i] = shape.single ? (float)noise(i) : 0;
    if (!shape.single)
        fill((double complex *)in, elements);
    for (size_t offset = 0; offset < 64; offset += step) {
        char *room = aligned_alloc(64, (bytes + 127) / 64 * 64), *at = room + offset;
        memcpy(at, in, bytes);
        cr_assert_eq(htmt__fft_run(fft, at), 0);
        if (!offset)
            memcpy(first, at, bytes);
        cr_expect_eq(memcmp(first, at, bytes), 0, "offset %zu", offset);
        free(room);
    }
    free(in);
    free(first);
    htmt__fft_destroy(&fft);
}

Test(fft, the_bits_do_not_depend_on_where_the_elements_lie)
{
    expect_same_anywhere((struct htmt__fft_shape){.length = 1000}, 1000, 16, 8);
    expect_same_anywhere((struct htmt__fft_shape){.length = 1000, .single = true}, 1000, 8, 8);
    expect_same_anywhere(
        (struct htmt__fft_shape){
            .length = 90, .count = 3, .stride = 11, .distance = 1, .single = true},
        90 * 11, 8, 8);
    expect_same_anywhere((struct htmt__fft_shape){.length = 77, .count = 5, .single = true}, 77 * 5,
                         8, 8);
}

enum { THREADS = 4, LENGTH = 2310 };

struct job {
    const struct htmt__fft *shared;
    unsigned number;
    double complex x[LENGTH];
};

/* Plans of its own go on beside the runs of the shared one. */
static void *work(void *argument)
{
    struct job *job = argument;
    for (unsigned i = 0; i < 10; i++) {
        fill(job->x, LENGTH);
        run_once((struct htmt__fft_shape){.length = 64 + 7 * job->number + i}, job->x);
        fill(job->x, LENGTH);
        cr_assert_eq(htmt__fft_run(job->shared, job->x), 0);
    }
    return NULL;
}

Test(fft, threads_that_plan_and_run_at_once_get_the_bits_of_one_alone)
{
    struct htmt__fft *shared = make((struct htmt__fft_shape){.length = LENGTH}), *later;
    struct job *job = calloc(THREADS, sizeof *job);
    double complex *alone = malloc(LENGTH * sizeof *alone);
    pthread_t thread[THREADS];
    fill(alone, LENGTH);
    cr_assert_eq(htmt__fft_run(shared, alone), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        job[i].shared = shared;
        job[i].number = i;
        cr_assert_eq(pthread_create(&thread[i], NULL, work, &job[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        cr_expect_eq(memcmp(job[i].x, alone, sizeof job[i].x), 0);
    }
    later = make((struct htmt__fft_shape){.length = LENGTH});
    fill(job[0].x, LENGTH);
    cr_assert_eq(htmt__fft_run(later, job[0].x), 0);
    cr_expect_eq(memcmp(job[0].x, alone, sizeof job[0].x), 0,
                 "a plan depends on the plans before it");
    htmt__fft_destroy(&shared);
    htmt__fft_destroy(&later);
    free(job);
    free(alone);
}

Test(fft, a_wave_in_a_cube_is_one_line_of_its_spectrum_and_comes_back)
{
    static const uint32_t size[3] = {6, 10, 9};
    enum { N = 6 * 10 * 9, HALF = 5, M = 6 * 10 * HALF };
    double *real = malloc(N * sizeof *real);
    double complex *spectrum = malloc(M * sizeof *spectrum);
    struct htmt__fft_cube *cube = NULL;
    cr_assert_eq(htmt__fft_cube_create(size, &cube, NULL), 0);
    for (int i = 0; i < N; i++) {
        int x = i % 9, y = i / 9 % 10, z = i / 90;
        real[i] = cos(2 * M_PI * (2 * x / 9.0 + 3 * y / 10.0 + 1 * z / 6.0));
    }
    htmt__fft_cube_forward(cube, real, spectrum);
    for (int i = 0; i < M; i++) {
        bool line = i == (1 * 10 + 3) * HALF + 2;
        cr_expect_lt(cabs(spectrum[i] - (line ? N / 2.0 : 0)), 1e-12 * N, "%d", i);
    }
    htmt__fft_cube_backward(cube, spectrum, real);
    cr_expect_float_eq(real[0] / N, 1, 1e-14);
    htmt__fft_cube_destroy(&cube);
    htmt__fft_cube_destroy(NULL);
    free(real);
    free(spectrum);
}

Test(fft, fast_lengths_have_no_prime_factor_above_7_and_none_is_left_out)
{
    uint32_t next = 0;
    for (uint32_t n = 3000; n >= 1; n--) {
        uint32_t rest = n;
        for (uint32_t p = 2; p <= 7; p++)
            while (rest % p == 0)
                rest /= p;
        next = rest == 1 ? n : next;
        if (next)
            cr_expect_eq(htmt__fft_fast_length(n), next);
    }
    cr_expect_eq(htmt__fft_fast_length(0), 1);
    cr_expect_eq(htmt__fft_fast_length(UINT32_MAX), 0);
}

Test(fft, impossible_lengths_are_refused_and_the_library_has_a_name)
{
    struct htmt_fault fault = {0};
    struct htmt__fft *fft = NULL;
    char name[64];
    cr_expect_eq(htmt__fft_create(&(struct htmt__fft_shape){.length = 0}, &fft, &fault),
                 HTMT_ERANGE);
    cr_expect(strstr(fault.text, "length 0"), "%s", fault.text);
    cr_expect_eq(htmt__fft_create(&(struct htmt__fft_shape){.length = 1u << 31}, &fft, NULL),
                 HTMT_ERANGE);
    cr_expect_null(fft);
    htmt__fft_name(name, sizeof name);
    cr_expect_eq(strncmp(name, "FFTW 3.", 7), 0, "%s", name);
    cr_expect_null(strchr(name, '-'));
}
