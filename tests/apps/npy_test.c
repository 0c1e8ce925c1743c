/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/npy.h"
#include "tests/files/place.h"

#include <complex.h>
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define ANY ((1u << HTMT__NPY_TYPES) - 1)

/* The header as numpy.lib.format writes it: blanks up to a multiple of 64 bytes, then a newline. */
static void expect_header(const struct htmt__npy_shape *shape, const char *dictionary)
{
    struct place p = place("a.npy");
    uint64_t bytes = 0;
    size_t length, text = strlen(dictionary), whole = (10 + text + 1 + 63) / 64 * 64;
    cr_assert_eq(htmt__npy_total(shape, &bytes), 0);
    void *elements = calloc(bytes + 1, 1);
    cr_assert_eq(htmt__npy_write(p.path, shape, elements, NULL), 0);
    unsigned char *file = (unsigned char *)file_content(p.path, &length);
    cr_assert_eq(length, whole + bytes);
    cr_expect_eq(memcmp(file, "\x93NUMPY\x01\x00", 8), 0);
    cr_expect_eq(file[8] + 256 * file[9], whole - 10);
    cr_expect_eq(memcmp(file + 10, dictionary, text), 0, "%.100s", (char *)file + 10);
    for (size_t i = 10 + text; i + 1 < whole; i++)
        cr_expect_eq(file[i], ' ');
    cr_expect_eq(file[whole - 1], '\n');
    free(file);
    free(elements);
    place_clear(&p);
}

Test(npy, headers_are_laid_out_as_numpy_lays_them_out)
{
    expect_header(&(struct htmt__npy_shape){HTMT__NPY_F8, 1, {5}},
                  "{'descr': '<f8', 'fortran_order': False, 'shape': (5,), }");
    expect_header(&(struct htmt__npy_shape){HTMT__NPY_F4, 2, {3, 4}},
                  "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }");
    expect_header(&(struct htmt__npy_shape){HTMT__NPY_C16, 3, {2, 3, 4}},
                  "{'descr': '<c16', 'fortran_order': False, 'shape': (2, 3, 4), }");
    expect_header(&(struct htmt__npy_shape){HTMT__NPY_U1, 4, {1, 2, 3, 4}},
                  "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2, 3, 4), }");
    expect_header(&(struct htmt__npy_shape){HTMT__NPY_I2, 2, {0, 4}},
                  "{'descr': '<i2', 'fortran_order': False, 'shape': (0, 4), }");
    expect_header(
        &(struct htmt__npy_shape){HTMT__NPY_U1, 4, {INT64_MAX, 0, 1, 1}},
        "{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807, 0, 1, 1), }");
}

Test(npy, arrays_of_every_type_and_rank_read_back_bit_for_bit)
{
    unsigned char bytes[24 * 16];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7);
    for (unsigned type = 0; type < HTMT__NPY_TYPES; type++)
        for (unsigned rank = 1; rank <= 4; rank++) {
            struct place p = place("a.npy");
            struct htmt_fault fault = {0};
            struct htmt__npy_shape shape = {(enum htmt__npy_type)type, rank, {2, 1, 1, 1}}, back;
            void *elements = NULL;
            shape.size[rank - 1] *= 3;
            cr_assert_eq(htmt__npy_write(p.path, &shape, bytes, &fault), 0, "%s", fault.text);
            cr_assert_eq(htmt__npy_read(p.path, 1u << type, rank, &back, &elements, &fault), 0,
                         "%s", fault.text);
            cr_expect(back.type == shape.type && back.rank == rank);
            cr_expect_eq(memcmp(shape.size, back.size, rank * sizeof *shape.size), 0);
            size_t n = 6 * htmt__npy_bytes(shape.type);
            cr_expect_eq(memcmp(elements, bytes, n), 0);
            free(elements);
            place_clear(&p);
        }
}

Test(npy, rows_written_as_they_come_make_the_same_file_as_all_at_once)
{
    struct place p = place("a.npy"), q = place("b.npy");
    struct htmt__npy_shape shape = {HTMT__NPY_C8, 2, {3, 2}};
    float complex x[6] = {1, 2, 3 + I, 4, 5, -6};
    struct htmt__npy *npy = NULL;
    size_t n, m;
    cr_assert_eq(htmt__npy_write(p.path, &shape, x, NULL), 0);
    cr_assert_eq(htmt__npy_create(q.path, &shape, &npy, NULL), 0);
    for (int row = 0; row < 3; row++)
        cr_assert_eq(htmt__npy_append(npy, x + 2 * row, 2, NULL), 0);
    cr_assert_eq(htmt__npy_finish(&npy, NULL), 0);
    cr_expect_null(npy);
    char *a = file_content(p.path, &n), *b = file_content(q.path, &m);
    cr_expect(n == m && memcmp(a, b, n) == 0);
    free(a);
    free(b);
    place_clear(&p);
    place_clear(&q);
}

Test(npy, too_many_or_too_few_elements_leave_no_file)
{
    struct place p = place("a.npy");
    struct htmt_fault many = {0}, few = {0};
    struct htmt__npy_shape shape = {HTMT__NPY_I4, 1, {3}};
    int32_t x[4] = {1, 2, 3, 4};
    struct htmt__npy *npy = NULL;
    cr_assert_eq(htmt__npy_create(p.path, &shape, &npy, NULL), 0);
    cr_assert_eq(htmt__npy_append(npy, x, 2, NULL), 0);
    cr_expect_eq(htmt__npy_append(npy, x, 2, &many), HTMT_EINVAL);
    cr_expect(strstr(many.text, "2 more elements, its shape has room for 1"), "%s", many.text);
    cr_expect_eq(htmt__npy_finish(&npy, &few), HTMT_EINVAL);
    cr_expect(strstr(few.text, "1 elements of its shape are missing"), "%s", few.text);
    cr_expect_null(npy);
    htmt__npy_abandon(&npy);
    cr_expect_eq(access(p.path, F_OK), -1);
    place_clear(&p);
}

Test(npy, a_full_disk_and_sizes_beyond_64_bits_leave_no_file)
{
    static double x[10000];
    struct place p = place("a.npy");
    struct htmt_fault fault = {0};
    struct htmt__npy_shape shape = {HTMT__NPY_F8, 1, {10000}},
                           huge = {HTMT__NPY_F8, 2, {1ull << 32, 1ull << 32}};
    cr_expect_eq(htmt__npy_write(p.path, &huge, x, NULL), HTMT_ERANGE);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){5000, 5000}), 0);
    cr_expect_eq(htmt__npy_write(p.path, &shape, x, &fault), HTMT_EIO);
    cr_expect(strstr(fault.text, "cannot write"), "%s", fault.text);
    cr_expect_eq(access(p.path, F_OK), -1);
    place_clear(&p);
}

static void expect_refused(unsigned types, unsigned rank, const char *part)
{
    struct place p = place("a.npy");
    struct htmt_fault fault = {0};
    struct htmt__npy_shape shape = {HTMT__NPY_F4, 2, {1, 2}}, back = {.rank = 77};
    void *elements = NULL;
    cr_assert_eq(htmt__npy_write(p.path, &shape, (float[]){1, 2}, NULL), 0);
    cr_expect_eq(htmt__npy_read(p.path, types, rank, &back, &elements, &fault), HTMT_EFORMAT);
    cr_expect(strstr(fault.text, part), "%s", fault.text);
    cr_expect(back.rank == 77 && !elements);
    place_clear(&p);
}

Test(npy, an_array_of_another_type_or_rank_is_refused)
{
    expect_refused(1u << HTMT__NPY_F8, 2, "found dtype '<f4', expected '<f8' (float64)");
    expect_refused(1u << HTMT__NPY_U1 | 1u << HTMT__NPY_I2, 2,
                   "expected '|u1' (uint8) or '<i2' (int16)");
    expect_refused(ANY, 3, "found an array of rank 2, expected rank 3");
}

/* A header of 128 bytes and one element. */
static void expect_file_refused(const char *rest, const char *part)
{
    struct place p = place("a.npy");
    struct htmt_fault fault = {0};
    struct htmt__npy_shape shape;
    void *elements = NULL;
    FILE *out = fopen(p.path, "wb");
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, out);
    fprintf(out, "{'descr': '<f8', 'fortran_order': %-83s\n12345678", rest);
    fclose(out);
    cr_expect_eq(htmt__npy_read(p.path, ANY, 0, &shape, &elements, &fault), HTMT_EFORMAT);
    cr_expect(strstr(fault.text, part), "%s", fault.text);
    place_clear(&p);
}

Test(npy, files_that_numpy_would_not_have_written_are_refused)
{
    struct htmt_fault fault = {0}, other = {0};
    struct htmt__npy_shape shape;
    void *elements;
    expect_file_refused("False, 'shape': (2,), }",
                        "truncated: found 8 bytes of elements, expected 16 (2 x 8)");
    expect_file_refused("False, 'shape': (), }", "a single number");
    expect_file_refused("True, 'shape': (1, 1), }", "Fortran order");
    expect_file_refused("True, 'shape': (1,1,1,1,1), }", "at most four sizes");
    expect_file_refused("True, 'shape': (1 1), }", "a comma or the end");
    cr_expect_eq(htmt__npy_read("/tmp/no/such.npy", ANY, 0, &shape, &elements, &fault),
                 HTMT_ENOENT);
    cr_expect(strstr(fault.text, "cannot open"), "%s", fault.text);
    cr_expect_eq(htmt__npy_read("Makefile", ANY, 0, &shape, &elements, &other), HTMT_EFORMAT);
    cr_expect(strstr(other.text, "expected a NumPy file"), "%s", other.text);
}
