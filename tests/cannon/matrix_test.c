/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/cannon/io/matrix.h"
#include "runtime/base/whole_file.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

static struct place with_bytes(const char *name, const void *bytes, size_t n)
{
    struct place p = place(name);
    file_write(p.path, bytes, n);
    return p;
}

/* As numpy.save() lays it out: the header padded with blanks to a multiple of 64 bytes. */
static struct place with_npy(int version, const char *dictionary, const double *data, size_t n)
{
    char bytes[1024];
    size_t preamble = version == 1 ? 10 : 12, size = 128 - preamble;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (char)version;
    bytes[7] = 0;
    bytes[8] = (char)size;
    memset(bytes + 9, 0, 3);
    memset(bytes + preamble, ' ', size);
    memcpy(bytes + preamble, dictionary, strlen(dictionary));
    bytes[127] = '\n';
    memcpy(bytes + 128, data, n * sizeof *data);
    return with_bytes("a.npy", bytes, 128 + n * sizeof *data);
}

static const double rows_first[] = {1, 2, 3, 4, 5, 6.5};
static const double columns_first[] = {1, 4, 2, 5, 3, 6.5};

static void expect_example(const struct place *p)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_matrix m;
    cr_assert_eq(htmt__cannon_matrix_read(p->path, &m, &fault), 0, "%s", fault.text);
    cr_expect(m.rows == 2 && m.cols == 3);
    cr_expect_eq(memcmp(m.at, rows_first, sizeof rows_first), 0);
    htmt__cannon_matrix_destroy(&m);
    place_clear(p);
}

/* Status 2 and a line that names the file and says both words. */
static void expect_refused(const struct place *p, int code, const char *found, const char *expected)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_matrix m = {7, 7, NULL};
    cr_expect_eq(htmt__cannon_matrix_read(p->path, &m, &fault), code, "%s", fault.text);
    cr_expect_eq(htmt_exit_status(code), 2);
    cr_expect(strstr(fault.text, p->path) == fault.text && strstr(fault.text, found) &&
                  strstr(fault.text, expected),
              "the line was: %s", fault.text);
    cr_expect(m.rows == 7 && m.at == NULL, "a failed read changed its result");
    place_clear(p);
}

static void expect_text_refused(const char *text, int code, const char *found, const char *expected)
{
    struct place p = with_bytes("a.mtx", text, strlen(text));
    expect_refused(&p, code, found, expected);
}

static void expect_header_refused(const char *dictionary, int code, const char *found,
                                  const char *expected)
{
    struct place p = with_npy(1, dictionary, rows_first, 6);
    expect_refused(&p, code, found, expected);
}

#define C_ORDER "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
#define F_ORDER "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }"

Test(matrix, numpy_files_of_versions_1_to_3_read_back)
{
    for (int version = 1; version <= 3; version++) {
        struct place p = with_npy(version, C_ORDER, rows_first, 6);
        expect_example(&p);
    }
}

Test(matrix, sizes_may_be_long_integers_of_python_2_in_versions_that_it_wrote)
{
    const char *longs = "{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 3L), }";
    for (int version = 1; version <= 2; version++) {
        struct place p = with_npy(version, longs, rows_first, 6);
        expect_example(&p);
    }
    struct place p = with_npy(3, longs, rows_first, 6);
    expect_refused(&p, HTMT_EFORMAT, "\"L, 3L), }", "a comma");
    expect_header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2LL, 3), }",
                          HTMT_EFORMAT, "\"L, 3", "a comma");
}

Test(matrix, a_fortran_file_holds_its_columns_one_after_the_other)
{
    struct place p = with_npy(1, F_ORDER, columns_first, 6);
    expect_example(&p);
}

Test(matrix, a_wide_fortran_file_is_turned_across_its_strips)
{
    double data[19 * 3];
    for (int k = 0; k < 19 * 3; k++)
        data[k] = 100 * (k % 3) + k / 3;
    struct place p =
        with_npy(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 19), }", data, 19 * 3);
    struct htmt__cannon_matrix m;
    cr_assert_eq(htmt__cannon_matrix_read(p.path, &m, NULL), 0);
    for (uint64_t i = 0; i < 3; i++)
        for (uint64_t j = 0; j < 19; j++)
            cr_expect_eq(m.at[i * 19 + j], (double)(100 * i + j));
    htmt__cannon_matrix_destroy(&m);
    place_clear(&p);
}

Test(matrix, numpy_header_mistakes_are_each_one_line)
{
    expect_header_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                          HTMT_EFORMAT, "'<f4'", "'<f8'");
    expect_header_refused("{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }",
                          HTMT_EFORMAT, "'>f8'", "'<f8'");
    expect_header_refused("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (2, 3), }",
                          HTMT_EFORMAT, "[('x'", "'<f8'");
    expect_header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", HTMT_EFORMAT,
                          "rank 1", "expected rank 2");
    expect_header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }",
                          HTMT_EFORMAT, "rank 3", "expected rank 2");
    expect_header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 3), }",
                          HTMT_EFORMAT, "-2, 3", "sizes such as");
    expect_header_refused("{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 3), }", HTMT_EFORMAT,
                          "0, 'shape'", "True or False");
    expect_header_refused("{'descr': '<f8', 'shape': (2, 3), }", HTMT_EFORMAT, "lacks",
                          "fortran_order");
    expect_header_refused("{'descr': '<f8', 'descr': '<f8', }", HTMT_EFORMAT, "'descr'", "twice");
    expect_header_refused("{'typestr': '<f8', }", HTMT_EFORMAT, "'typestr'", "descr");
    expect_header_refused("not a dictionary", HTMT_EFORMAT, "not a dict", "{");
    expect_header_refused(C_ORDER " or more", HTMT_EFORMAT, "or more", "nothing");
    expect_header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }",
                          HTMT_EFORMAT, "48 bytes", "expected 0");
}

Test(matrix, sizes_that_overflow_are_refused_before_memory_is_taken)
{
    expect_header_refused(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        HTMT_ERANGE, "4294967296", "overflow");
    expect_header_refused(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 3), }",
        HTMT_ERANGE, "99999999999999999999", "64 bits");
    expect_header_refused("{'descr': '<f8', 'fortran_order': False, 'shape': (100000, 1000000), }",
                          HTMT_EFORMAT, "truncated: found 48 bytes", "800000000000");
    expect_text_refused("%%MatrixMarket matrix array real general\n4294967296 4294967296\n",
                        HTMT_ERANGE, ":2:", "64 bits");
}

Test(matrix, a_header_is_not_believed_to_promise_more_entries_than_its_file_has_bytes_for)
{
    expect_text_refused("%%MatrixMarket matrix array real general\n20000 20000\n", HTMT_EFORMAT,
                        "truncated: found 0 bytes", "400000000 entries");
    expect_text_refused("%%MatrixMarket matrix coordinate real general\n9 9 4\n1 1 1\n1 2 1\n",
                        HTMT_EFORMAT, "found 12 bytes", "4 entries of at least 6 bytes");
}

Test(matrix, a_file_is_measured_without_its_elements)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_matrix m;
    struct place p = with_bytes(
        "a.mtx", "%%MatrixMarket matrix coordinate real general\n40000 30000 1\nx y z\n", 67);
    cr_expect_eq(htmt__cannon_matrix_measure(p.path, &m, &fault), 0, "%s", fault.text);
    cr_expect(m.rows == 40000 && m.cols == 30000 && m.at == NULL);
    place_clear(&p);
    p = with_npy(1, C_ORDER, rows_first, 6);
    cr_expect_eq(htmt__cannon_matrix_measure(p.path, &m, &fault), 0, "%s", fault.text);
    cr_expect(m.rows == 2 && m.cols == 3 && m.at == NULL);
    place_clear(&p);
}

Test(matrix, missing_and_truncated_files_are_refused)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_matrix m;
    cr_expect_eq(htmt__cannon_matrix_read("/tmp/no/such.npy", &m, &fault), HTMT_ENOENT);
    cr_expect(strstr(fault.text, "/tmp/no/such.npy: cannot open"), "%s", fault.text);
    cr_expect_eq(htmt__cannon_matrix_read("/tmp", &m, NULL), HTMT_EFORMAT);
    struct place p = with_npy(1, C_ORDER, rows_first, 5);
    expect_refused(&p, HTMT_EFORMAT, "truncated: found 40 bytes", "expected 48");
    p = with_npy(1, C_ORDER, (double[7]){0}, 7);
    expect_refused(&p, HTMT_EFORMAT, "too long: found 56 bytes", "expected 48");
    p = with_bytes("a.npy", "\x93NUMPY\x01\x00\x76\x00{'descr'", 18);
    expect_refused(&p, HTMT_EFORMAT, "truncated: found 8 bytes of the header", "118");
    p = with_bytes("a.npy", "\x93NUMPY\x04\x00\x76\x00", 10);
    expect_refused(&p, HTMT_EFORMAT, "version 4.0", "1.0, 2.0 or 3.0");
    p = with_bytes("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\0 2\n", 49);
    expect_refused(&p, HTMT_EFORMAT, ":3:", "zero bytes");
    p = with_bytes("a.npy", "", 0);
    expect_refused(&p, HTMT_EFORMAT, "neither", "NUMPY");
}

Test(matrix, what_is_no_finite_number_is_named_with_its_row_and_column)
{
    double data[6] = {1, 2, 3, 4, NAN, 6};
    struct place p = with_npy(1, C_ORDER, data, 6);
    expect_refused(&p, HTMT_EFORMAT, "nan in row 1, column 1", "finite");
    data[4] = 5;
    data[2] = -INFINITY;
    p = with_npy(1, C_ORDER, data, 6);
    expect_refused(&p, HTMT_EFORMAT, "-inf in row 0, column 2", "finite");
}

static struct htmt__cannon_matrix read_text(const char *text)
{
    struct htmt_fault fault = {0};
    struct place p = with_bytes("a.mtx", text, strlen(text));
    struct htmt__cannon_matrix m;
    cr_assert_eq(htmt__cannon_matrix_read(p.path, &m, &fault), 0, "%s", fault.text);
    place_clear(&p);
    return m;
}

static void expect_text(const char *text, uint64_t rows, uint64_t cols, const double *want)
{
    struct htmt__cannon_matrix m = read_text(text);
    cr_expect(m.rows == rows && m.cols == cols);
    cr_expect_eq(memcmp(m.at, want, rows * cols * sizeof *want), 0, "%s", text);
    htmt__cannon_matrix_destroy(&m);
}

Test(matrix, matrix_market_files_of_every_kind_become_their_dense_matrices)
{
    expect_text(
        "%%MatrixMarket matrix array real general\n% a comment\n\n2 3\n1\n4\n2\n5\n3\n6.5\n", 2, 3,
        rows_first);
    expect_text("%%MatrixMarket MATRIX coordinate real general\n2 3 2\n2 1 4e0\n 1 3  -.5 \n", 2, 3,
                (double[]){0, 0, -.5, 4, 0, 0});
    expect_text("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n", 2, 2,
                (double[]){1, 2, 2, 3});
    expect_text("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", 3, 3,
                (double[]){0, -1, -2, 1, 0, -3, 2, 3, 0});
    expect_text("%%MatrixMarket matrix coordinate integer symmetric\r\n2 2 2\r\n1 1 7\r\n2 1 5\r\n",
                2, 2, (double[]){7, 5, 5, 0});
    expect_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", 2, 2,
                (double[]){1, 1, 1, 0});
    expect_text("%%MatrixMarket matrix coordinate integer symmetric\r2 2 2\r1 1 7\r2 1 5\r", 2, 2,
                (double[]){7, 5, 5, 0}); /* a CR alone ends a line, too */
    expect_text("%%MatrixMarket matrix array real general\r% c\r\r\n2 1\n\r3\r\n4", 2, 1,
                (double[]){3, 4});
    expect_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5", 2, 2,
                (double[]){0, -5, 5, 0});
}

#define MM "%%MatrixMarket matrix "

Test(matrix, matrix_market_mistakes_are_named_with_their_line)
{
    expect_text_refused(MM "array complex general\n", HTMT_EFORMAT, ":1: found \"complex\"",
                        "real");
    expect_text_refused(MM "array pattern general\n", HTMT_EFORMAT, "pattern", "integer");
    expect_text_refused(MM "coordinate pattern skew-symmetric\n", HTMT_EFORMAT, "skew",
                        "symmetric");
    expect_text_refused(MM "coordinate pattern general\n2 2 1\n1 2 3\n", HTMT_EFORMAT,
                        ":3:", "end of the line");
    expect_text_refused(MM "array real hermitian\n", HTMT_EFORMAT, "hermitian", "skew-symmetric");
    expect_text_refused(MM "sparse real general\n", HTMT_EFORMAT, "sparse", "coordinate");
    expect_text_refused(MM "array real\n", HTMT_EFORMAT, ":1:", "SYMMETRY");
    expect_text_refused(MM "array real general\n", HTMT_EFORMAT, "truncated", "no sizes");
    char line[70001] = MM "array real general\n%";
    memset(line + strlen(line), 'x', sizeof line - 1 - strlen(line));
    expect_text_refused(line, HTMT_EFORMAT, ":2:", "lines shorter than 65536 characters");
    expect_text_refused(MM "array real general\n2 2 4\n", HTMT_EFORMAT, ":2:", "end of the line");
    expect_text_refused(MM "array real general\n2 -2\n", HTMT_EFORMAT, ":2:", "sizes");
    expect_text_refused(MM "array real symmetric\n2 3\n", HTMT_EFORMAT, ":2:", "as many rows");
    expect_text_refused(MM "array real general\n0 3\n", HTMT_ERANGE, "0 x 3", "no elements");
    expect_text_refused(MM "array real general\n1 2\n1.00\n", HTMT_EFORMAT, "found 1",
                        "expected 2");
    expect_text_refused(MM "array real general\n1 1\n1\n2\n", HTMT_EFORMAT, ":4:", "nothing");
    expect_text_refused(MM "array real general\n1 1\none\n", HTMT_EFORMAT, ":3: found \"one\"",
                        "a number");
    expect_text_refused(MM "array real general\n1 1\nnan\n", HTMT_EFORMAT, ":3:", "finite");
    expect_text_refused(MM "array integer general\n1 1\n1.5\n", HTMT_EFORMAT, "1.5", "integer");
    expect_text_refused(MM "array integer general\n1 1\n9007199254740994\n", HTMT_EFORMAT,
                        ":3:", "2^53");
    expect_text_refused(MM "coordinate real general\n% c\n2 2 1\n3 1 1\n", HTMT_EFORMAT,
                        ":4:", "inside the matrix");
    expect_text_refused(MM "coordinate real general\n2 2 1\n0 1 1\n", HTMT_EFORMAT,
                        ":3:", "from 1");
    expect_text_refused(MM "coordinate real general\n2 2 2\n1 1 1\n1 1 2\n", HTMT_EFORMAT,
                        ":4:", "once");
    expect_text_refused(MM "coordinate real symmetric\n2 2 1\n1 2 1\n", HTMT_EFORMAT,
                        ":3:", "lower triangle");
    expect_text_refused(MM "coordinate real skew-symmetric\n2 2 1\n1 1 1\n", HTMT_EFORMAT,
                        ":3:", "lower triangle");
    expect_text_refused("hello, world\n", HTMT_EFORMAT, "neither", "MatrixMarket");
}

Test(matrix, what_is_written_reads_back_bit_for_bit_and_is_laid_out_as_numpy_does)
{
    struct place p = place("c.npy");
    struct htmt_fault fault = {0};
    struct htmt__cannon_matrix m, back;
    cr_assert_eq(htmt__cannon_matrix_generate(&m, 5, 9, HTMT__GAUSSIAN, 3, 0, &fault), 0);
    cr_assert_eq(htmt__cannon_matrix_write(p.path, &m, &fault), 0, "%s", fault.text);
    cr_assert_eq(htmt__cannon_matrix_read(p.path, &back, &fault), 0, "%s", fault.text);
    cr_expect(back.rows == 5 && back.cols == 9);
    cr_expect_eq(memcmp(m.at, back.at, 45 * sizeof *m.at), 0);
    char *head = file_content(p.path, NULL);
    cr_expect_eq(memcmp(head,
                        "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape'"
                        ": (5, 9), }",
                        69),
                 0);
    cr_expect_eq(head[127], '\n');
    free(head);
    htmt__cannon_matrix_destroy(&m);
    htmt__cannon_matrix_destroy(&back);
    place_clear(&p);
}

Test(matrix, an_existing_output_is_replaced_and_nothing_else_is_left)
{
    struct place p = with_bytes("c.npy", "old", 3);
    struct htmt__cannon_matrix m, back;
    cr_assert_eq(htmt__cannon_matrix_generate(&m, 2, 2, HTMT__INTEGERS, 1, 0, NULL), 0);
    cr_assert_eq(htmt__cannon_matrix_write(p.path, &m, NULL), 0);
    cr_assert_eq(htmt__cannon_matrix_read(p.path, &back, NULL), 0);
    cr_expect_eq(memcmp(m.at, back.at, 4 * sizeof *m.at), 0);
    htmt__cannon_matrix_destroy(&m);
    htmt__cannon_matrix_destroy(&back);
    place_clear(&p);
}

/* A limit on the length of files stands for the full disk: write() fails part of the way. */
Test(matrix, a_disk_that_fills_up_leaves_the_old_file_and_nothing_else)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_matrix m;
    struct place p = with_bytes("c.npy", "old", 3);
    cr_assert_eq(htmt__cannon_matrix_generate(&m, 100, 100, HTMT__INTEGERS, 1, 0, NULL), 0);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000}), 0);
    cr_expect_eq(htmt__cannon_matrix_write(p.path, &m, &fault), HTMT_EIO);
    cr_expect(strstr(fault.text, "cannot write"), "%s", fault.text);
    char *old = file_content(p.path, NULL);
    cr_expect_str_eq(old, "old");
    free(old);
    htmt__cannon_matrix_destroy(&m);
    place_clear(&p);
}

Test(matrix, an_output_that_cannot_be_written_is_known_beforehand)
{
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_whole_file_check("/tmp/no/such/c.npy", &fault), HTMT_ENOENT);
    cr_expect(strstr(fault.text, "/tmp/no/such/c.npy: there is no folder '/tmp/no/such'"), "%s",
              fault.text);
    cr_expect_eq(htmt_whole_file_check("/tmp", NULL), HTMT_EINVAL);
    cr_expect_eq(htmt_whole_file_check("/tmp/", NULL), HTMT_EINVAL);
    cr_expect_eq(htmt_whole_file_check("", NULL), HTMT_EINVAL);
    cr_expect_eq(htmt_whole_file_check("/dev/null/c.npy", NULL), HTMT_ENOENT);
    cr_expect_eq(htmt_whole_file_check("c.npy", NULL), 0);
}

Test(matrix, shapes_that_do_not_match_are_refused)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_matrix a = {2, 3, NULL}, b = {4, 5, NULL};
    cr_expect_eq(htmt__cannon_matrix_can_multiply(&a, &b, &fault), HTMT_EINVAL);
    cr_expect(strstr(fault.text, "2 x 3") && strstr(fault.text, "4 x 5"), "%s", fault.text);
    b.rows = 3;
    cr_expect_eq(htmt__cannon_matrix_can_multiply(&a, &b, NULL), 0);
}

/* The reference sequence of SplitMix64 from state 0 (Vigna's splitmix64.c). */
Test(matrix, the_generator_is_splitmix64)
{
    uint64_t first = UINT64_C(0xe220a8397b1dcdaf);
    cr_expect_eq(htmt__cannon_matrix_bits(0, first, first, first), first);
}

Test(matrix, any_element_can_be_made_alone)
{
    struct htmt__cannon_matrix m;
    cr_assert_eq(htmt__cannon_matrix_generate(&m, 31, 17, HTMT__UNIFORM, 42, 1, NULL), 0);
    for (uint64_t i = 31; i-- > 0;)
        for (uint64_t j = 17; j-- > 0;)
            cr_expect_eq(m.at[i * 17 + j], htmt__cannon_matrix_entry(HTMT__UNIFORM, 42, 1, i, j));
    cr_expect_neq(m.at[1], m.at[17], "rows and columns must not be interchangeable");
    cr_expect_neq(m.at[0], htmt__cannon_matrix_entry(HTMT__UNIFORM, 42, 0, 0, 0));
    cr_expect_neq(m.at[0], htmt__cannon_matrix_entry(HTMT__UNIFORM, 43, 1, 0, 0));
    htmt__cannon_matrix_destroy(&m);
}

struct moments {
    double mean, variance, least, most;
};

static struct moments moments(enum htmt__cannon_entries kind, uint64_t n)
{
    double sum = 0, squares = 0, least = INFINITY, most = -INFINITY;
    for (uint64_t k = 0; k < n; k++) {
        double x = htmt__cannon_matrix_entry(kind, 7, 0, k / 300, k % 300);
        sum += x;
        squares += x * x;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    double mean = sum / (double)n;
    return (struct moments){mean, squares / (double)n - mean * mean, least, most};
}

/* Five standard errors of mean and variance for 90,000 elements. */
Test(matrix, generated_entries_have_the_mean_and_variance_of_their_distribution)
{
    struct moments u = moments(HTMT__UNIFORM, 90000), g = moments(HTMT__GAUSSIAN, 90000),
                   k = moments(HTMT__INTEGERS, 90000);
    cr_expect(fabs(u.mean) < 0.0097 && fabs(u.variance - 1.0 / 3) < 0.005 && u.least >= -1 &&
              u.most < 1);
    cr_expect(fabs(g.mean) < 0.017 && fabs(g.variance - 1) < 0.024 && g.most > 3 && g.least < -3);
    cr_expect(fabs(k.mean) < 0.082 && fabs(k.variance - 24) < 0.36);
    cr_expect(k.least == -8 && k.most == 8);
}

Test(matrix, a_matrix_beyond_the_host_is_refused_with_both_figures)
{
    struct htmt_fault fault = {0};
    struct htmt__cannon_matrix m;
    cr_expect_eq(htmt__cannon_matrix_create(&m, 1 << 24, 1 << 24, &fault), HTMT_EHOSTFIT);
    cr_expect(strstr(fault.text, "2251799813685248 bytes"), "%s", fault.text);
    cr_expect_eq(htmt__cannon_matrix_create(&m, UINT64_C(1) << 40, 1 << 24, NULL), HTMT_ERANGE);
    cr_expect_eq(htmt__cannon_matrix_create(&m, 0, 1, NULL), HTMT_ERANGE);
}
