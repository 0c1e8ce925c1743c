/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/input.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file of zero bytes that takes no room on the disk. */
static void make_long(const struct place *p, off_t bytes)
{
    FILE *f = fopen(p->path, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(ftruncate(fileno(f), bytes), 0);
    fclose(f);
}

static void expect_refusal(const char *path, enum htmt_input_kind kind, int code, const char *want)
{
    struct htmt_fault fault = {0};
    char *text = NULL;
    size_t length = 7;
    FILE *in = NULL;
    cr_expect_eq(htmt_input_read(path, kind, &text, &length, &fault), code, "%s", fault.text);
    cr_expect(strstr(fault.text, want), "'%s' is not in '%s'", want, fault.text);
    cr_expect_eq(strncmp(fault.text, path, strlen(path)), 0, "%s", fault.text);
    cr_expect(!text && length == 7);
    cr_expect_eq(htmt_input_stream(path, kind, &in, NULL), code);
    cr_expect_null(in);
}

Test(input, a_file_is_read_whole_with_a_zero_byte_behind_it)
{
    struct place p = place("in");
    FILE *f = fopen(p.path, "wb");
    cr_assert_not_null(f);
    for (int i = 0; i < 10000; i++)
        fputc("ab\n"[i % 3], f);
    fclose(f);
    char *text = NULL;
    size_t length = 0;
    cr_assert_eq(htmt_input_read(p.path, HTMT_INPUT_TEXT, &text, &length, NULL), 0);
    cr_expect_eq(length, 10000);
    cr_expect_eq(text[9999], 'a');
    cr_expect_eq(text[10000], '\0');
    free(text);
    place_clear(&p);
}

Test(input, a_file_that_does_not_tell_its_length_is_read_whole)
{
    char *text = NULL;
    size_t length = 0;
    cr_assert_eq(htmt_input_read("/proc/self/maps", HTMT_INPUT_TEXT, &text, &length, NULL), 0);
    cr_expect_gt(length, 4096);
    cr_expect_eq(strlen(text), length);
    free(text);
}

Test(input, what_is_no_file_is_refused_without_waiting, .timeout = 10)
{
    struct place p = place("in");
    cr_assert_eq(mkfifo(p.path, 0600), 0);
    for (enum htmt_input_kind kind = 0; kind <= HTMT_INPUT_DATA; kind++) {
        expect_refusal(p.path, kind, HTMT_EFORMAT, "found a pipe, expected a file");
        expect_refusal(p.folder, kind, HTMT_EFORMAT, "found a folder, expected a file");
        expect_refusal("/dev/zero", kind, HTMT_EFORMAT, "found a device, expected a file");
    }
    place_clear(&p);
}

Test(input, a_file_may_be_as_large_as_its_kind_and_no_larger)
{
    struct place p = place("in");
    int fd = -1;
    make_long(&p, 1 << 20);
    cr_assert_eq(htmt_input_open(p.path, HTMT_INPUT_TEXT, &fd, NULL), 0);
    close(fd);
    make_long(&p, (1 << 20) + 1);
    expect_refusal(p.path, HTMT_INPUT_TEXT, HTMT_EFORMAT,
                   "found 1048577 bytes, expected at most 1 MiB in a description");
    make_long(&p, (1 << 26) + 1);
    expect_refusal(p.path, HTMT_INPUT_LIST, HTMT_EFORMAT,
                   "expected at most 64 MiB in a list of numbers");
    cr_assert_eq(htmt_input_open(p.path, HTMT_INPUT_DATA, &fd, NULL), 0);
    close(fd);
    place_clear(&p);
}

Test(input, a_wrong_name_is_the_users_fault)
{
    struct place p = place("in");
    char below[sizeof p.path + 2];
    expect_refusal(p.path, HTMT_INPUT_TEXT, HTMT_ENOENT, "cannot open: No such file");
    make_long(&p, 1);
    snprintf(below, sizeof below, "%s/x", p.path);
    expect_refusal(below, HTMT_INPUT_TEXT, HTMT_ENOENT, "cannot open: Not a directory");
    place_clear(&p);
}

Test(input, a_failing_host_is_not_the_users_fault)
{
    char *text = NULL;
    size_t length;
    struct htmt_fault read = {0}, open = {0};
    /* Nothing is mapped at address 0. */
    cr_expect_eq(htmt_input_read("/proc/self/mem", HTMT_INPUT_TEXT, &text, &length, &read),
                 HTMT_EIO, "%s", read.text);
    cr_expect_str_eq(read.text, "/proc/self/mem: cannot read: Input/output error");
    struct rlimit was;
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &was), 0);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, was.rlim_max}), 0);
    int rc = htmt_input_read("/proc/self/maps", HTMT_INPUT_TEXT, &text, &length, &open);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &was), 0);
    cr_expect_eq(rc, HTMT_ESYSTEM, "%s", open.text);
    cr_expect_eq(htmt_exit_status(rc), 4);
    cr_expect_str_eq(open.text, "/proc/self/maps: cannot open: Too many open files");
}
