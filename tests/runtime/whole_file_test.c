/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/base/temporary.h"
#include "runtime/base/whole_file.h"
#include "runtime/base/whole_file_nowhere.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_content(const struct place *p, const char *want)
{
    char *text = file_content(p->path, NULL);
    cr_expect_str_eq(text, want);
    free(text);
}

Test(whole_file, a_file_is_not_there_before_it_is_committed_and_whole_then)
{
    struct place p = place("out");
    struct htmt_whole_file *f = NULL;
    cr_assert_eq(htmt_whole_file_open(p.path, &f, NULL), 0);
    fputs("all", htmt_whole_file_stream(f));
    fflush(htmt_whole_file_stream(f));
    cr_expect_eq(access(p.path, F_OK), -1);
    cr_assert_eq(htmt_whole_file_commit(&f, NULL), 0);
    cr_expect_null(f);
    expect_content(&p, "all");
    place_clear(&p);
}

Test(whole_file, what_goes_nowhere_touches_no_file_and_needs_no_folder)
{
    struct place p = place("out");
    cr_assert_eq(htmt_whole_file_write(p.path, "older", 5, NULL), 0);
    htmt__whole_files_nowhere(true);
    cr_expect_eq(htmt_whole_file_write(p.path, "newer", 5, NULL), 0);
    cr_expect_eq(htmt_whole_file_check("/no/such/folder/out", NULL), 0);
    cr_expect_eq(htmt_whole_file_write("/no/such/folder/out", "lost", 4, NULL), 0);
    htmt__whole_files_nowhere(false);
    expect_content(&p, "older");
    place_clear(&p);
}

Test(whole_file, an_abandoned_file_leaves_the_older_one_and_nothing_else)
{
    struct place p = place("out");
    struct htmt_whole_file *f = NULL;
    cr_assert_eq(htmt_whole_file_write(p.path, "old", 3, NULL), 0);
    cr_assert_eq(htmt_whole_file_open(p.path, &f, NULL), 0);
    fputs("new", htmt_whole_file_stream(f));
    htmt_whole_file_abandon(&f);
    cr_expect_null(f);
    htmt_whole_file_abandon(&f);
    htmt_whole_file_abandon(NULL);
    expect_content(&p, "old");
    place_clear(&p);
}

Test(whole_file, two_writers_of_one_name_do_not_meet)
{
    struct place p = place("out");
    struct htmt_whole_file *a = NULL, *b = NULL;
    cr_assert_eq(htmt_whole_file_open(p.path, &a, NULL), 0);
    cr_assert_eq(htmt_whole_file_open(p.path, &b, NULL), 0);
    fputs("first", htmt_whole_file_stream(a));
    fputs("second", htmt_whole_file_stream(b));
    cr_assert_eq(htmt_whole_file_commit(&b, NULL), 0);
    cr_assert_eq(htmt_whole_file_commit(&a, NULL), 0);
    expect_content(&p, "first");
    place_clear(&p);
}

Test(whole_file, the_mask_decides_who_may_read)
{
    struct place p = place("out");
    struct stat at;
    umask(027);
    cr_assert_eq(htmt_whole_file_write(p.path, "x", 1, NULL), 0);
    cr_assert_eq(stat(p.path, &at), 0);
    cr_expect_eq(at.st_mode & 0777, 0640);
    place_clear(&p);
}

Test(whole_file, an_older_file_keeps_its_mode)
{
    struct place p = place("out");
    struct stat at;
    cr_assert_eq(htmt_whole_file_write(p.path, "old", 3, NULL), 0);
    cr_assert_eq(chmod(p.path, 0604), 0);
    cr_assert_eq(htmt_whole_file_write(p.path, "new", 3, NULL), 0);
    cr_assert_eq(stat(p.path, &at), 0);
    cr_expect_eq(at.st_mode & 07777, 0604);
    expect_content(&p, "new");
    place_clear(&p);
}

static void expect_written_through(const struct place *p, const char *link)
{
    struct stat at;
    cr_assert_eq(htmt_whole_file_write(link, "new", 3, NULL), 0);
    cr_assert_eq(lstat(link, &at), 0);
    cr_expect(S_ISLNK(at.st_mode), "%s is no link any more", link);
    expect_content(p, "new");
    unlink(p->path);
}

/* Two links, the first in another folder, both relative, to a file that is there and is not. */
Test(whole_file, symbolic_links_stay_and_their_end_is_written)
{
    struct place p = place("out");
    char folder[96], first[128], second[128];
    snprintf(folder, sizeof folder, "%s/sub", p.folder);
    snprintf(first, sizeof first, "%s/sub/link", p.folder);
    snprintf(second, sizeof second, "%s/link", p.folder);
    cr_assert_eq(mkdir(folder, 0700) | symlink("../link", first) | symlink("out", second), 0);
    expect_written_through(&p, first);
    cr_assert_eq(htmt_whole_file_write(p.path, "old", 3, NULL), 0);
    expect_written_through(&p, first);
    expect_written_through(&p, second);
    unlink(first);
    unlink(second);
    cr_expect_eq(rmdir(folder), 0);
    place_clear(&p);
}

Test(whole_file, links_in_a_circle_are_refused)
{
    struct place p = place("out");
    struct htmt_fault fault = {0};
    cr_assert_eq(symlink("out", p.path), 0);
    cr_expect_eq(htmt_whole_file_check(p.path, &fault), HTMT_EINVAL);
    cr_expect(strstr(fault.text, "circle"), "%s", fault.text);
    place_clear(&p);
}

/* The longest name that is allowed can be written, one byte more is refused beforehand. */
Test(whole_file, a_name_leaves_room_for_that_of_its_temporary_file)
{
    struct place p = place("out");
    char path[400];
    int folder = snprintf(path, sizeof path, "%s/", p.folder), most = 235;
    memset(path + folder, 'x', (size_t)most + 1);
    path[folder + most + 1] = '\0';
    cr_expect_eq(htmt_whole_file_check(path, NULL), HTMT_EINVAL);
    path[folder + most] = '\0';
    cr_expect_eq(htmt_whole_file_check(path, NULL), 0);
    cr_expect_eq(htmt_whole_file_write(path, "x", 1, NULL), 0);
    unlink(path);
    place_clear(&p);
}

Test(whole_file, removing_the_temporary_files_leaves_none)
{
    struct place p = place("out");
    struct htmt_whole_file *a = NULL, *b = NULL, *c = NULL;
    cr_assert_eq(htmt_whole_file_open(p.path, &a, NULL), 0);
    cr_assert_eq(htmt_whole_file_open(p.path, &b, NULL), 0);
    cr_assert_eq(htmt_whole_file_open(p.path, &c, NULL), 0);
    cr_expect(htmt__temporary_is_listed(p.path));
    cr_expect_not(htmt__temporary_is_listed("/nowhere/at all"));
    htmt_whole_file_abandon(&b);
    htmt__temporaries_remove();
    place_clear(&p);
}

/* A limit on the length of files stands for the full disk. */
Test(whole_file, a_disk_that_fills_up_leaves_the_older_file_and_nothing_else)
{
    static char many[100000];
    struct place p = place("out");
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_whole_file_write(p.path, "old", 3, NULL), 0);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000}), 0);
    cr_expect_eq(htmt_whole_file_write(p.path, many, sizeof many, &fault), HTMT_EIO);
    cr_expect(strstr(fault.text, p.path) == fault.text && strstr(fault.text, "cannot write"), "%s",
              fault.text);
    expect_content(&p, "old");
    place_clear(&p);
}

Test(whole_file, a_device_is_written_in_place_and_its_failures_are_found)
{
    struct htmt_fault fault = {0};
    struct stat at;
    cr_expect_eq(htmt_whole_file_check("/dev/null", NULL), 0);
    cr_expect_eq(htmt_whole_file_write("/dev/null", "x", 1, NULL), 0);
    cr_expect_eq(htmt_whole_file_write("/dev/full", "x", 1, &fault), HTMT_EIO);
    cr_expect(strstr(fault.text, "/dev/full: cannot write"), "%s", fault.text);
    cr_assert_eq(stat("/dev/null", &at), 0);
    cr_expect(S_ISCHR(at.st_mode));
}

Test(whole_file, what_cannot_be_written_is_known_beforehand)
{
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_whole_file_check("/tmp/no/such/out", &fault), HTMT_ENOENT);
    cr_expect_str_eq(fault.text, "/tmp/no/such/out: there is no folder '/tmp/no/such'");
    cr_expect_eq(htmt_whole_file_check("/tmp", NULL), HTMT_EINVAL);
    cr_expect_eq(htmt_whole_file_check("/tmp/", NULL), HTMT_EINVAL);
    cr_expect_eq(htmt_whole_file_check("", NULL), HTMT_EINVAL);
    cr_expect_eq(htmt_whole_file_check("/dev/null/out", NULL), HTMT_ENOENT);
    cr_expect_eq(htmt_whole_file_check("out", NULL), 0);
    cr_expect_eq(htmt_whole_file_write("/tmp/no/such/out", "x", 1, NULL), HTMT_ENOENT);
}
