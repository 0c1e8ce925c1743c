/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt trace` as a person meets it.
 */
#include "tests/emul/capture.h"
#include "tests/files/place.h"
#include "tests/trace/model.h"

#define TRACE(c, ...) CAPTURE((c), NULL, "trace", __VA_ARGS__)

static char *save(struct bytes file)
{
    char *path = model_save(&file);
    free(file.at);
    return path;
}

static void drop(char *path)
{
    unlink(path);
    free(path);
}

static void prints(const struct captured *c, const char *text)
{
    cr_expect_not_null(strstr(c->out, text), "no '%s' in:\n%s%s", text, c->out, c->err);
}

static void complains(const struct captured *c, int status, const char *text)
{
    const char *end = strchr(c->err, '\n');
    cr_expect_eq(c->status, status, "%d: %s", c->status, c->err);
    cr_expect_not_null(strstr(c->err, text), "no '%s' in:\n%s", text, c->err);
    cr_expect(end && end[1] == '\0', "one line: %s", c->err);
    cr_expect_eq(strncmp(c->err, "htmt trace: ", 12), 0, "%s", c->err);
}

Test(trace_verb, info_tells_of_what_run_the_trace_is)
{
    char *path = save(model_file(&model_small, false));
    struct captured c;
    TRACE(&c, "info", path);
    cr_expect_eq(c.status, 0, "%s", c.err);
    prints(&c, "version 1\n");
    prints(&c, "model of toy on machine small\n");
    prints(&c, "INCOMPLETE     interrupted\n");
    prints(&c, "open           tile 7 waits for room\n");
    prints(&c, "3,000 intervals, 750 changes of memories, 12 blocks, 8 steps\n");
    prints(&c, " bytes in the file, ");
    prints(&c, "cram: SPELL, 1 server; CRAM, 1,000 words\n");
    drop(path);
}

Test(trace_verb, info_of_a_folded_run_says_what_its_slice_stands_for)
{
    struct model folded = {1, 4096, 10, 10};
    char *path = save(model_file(&folded, false));
    struct captured c;
    TRACE(&c, "info", path);
    prints(&c, "1 played of 4,096; each stands for 4,096\n");
    TRACE(&c, "check", path);
    prints(&c, "good: 10 intervals in 1 block; their sums are the run's, to the femtosecond\n");
    drop(path);
}

Test(trace_verb, info_does_not_obey_names)
{
    struct model none = {1, 1, 0, 1};
    char *footer = model_footer(&none, model_sums(&none), ""), *at = strstr(footer, "toy\",\"mode");
    struct writer w = writer_begin(MODEL_LAYERS);
    memcpy(at, "\\u001b[2J", 9); /* over `toy","mo` */
    char whole[9000];
    snprintf(whole, sizeof whole, "%.*s\",\"mo%s", (int)(at + 9 - footer), footer, at + 8);
    struct captured c;
    free(footer);
    char *path = save(writer_end(&w, whole));
    TRACE(&c, "info", path);
    cr_expect_null(strchr(c.out, '\x1b'), "%s", c.out);
    drop(path);
}

Test(trace_verb, check_proves_the_sums_of_a_good_trace)
{
    char *path = save(model_file(&model_small, true));
    struct captured c;
    TRACE(&c, "check", path);
    cr_expect_eq(c.status, 0, "%s", c.err);
    prints(&c, "good: 3,000 intervals in 12 blocks; their sums are the run's");
    drop(path);
}

/* The small model, whose footer has one figure changed. */
static char *save_with(const char *piece, const char *by)
{
    struct writer w = model_blocks(&model_small, false);
    char *footer = model_footer(&model_small, model_sums(&model_small), ""), changed[9000];
    const char *at = strstr(footer, piece);
    cr_assert_not_null(at, "no %s", piece);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - footer), footer, by,
             at + strlen(piece));
    free(footer);
    return save(writer_end(&w, changed));
}

static void differs(const char *piece, const char *by, const char *text)
{
    char *path = save_with(piece, by);
    struct captured c;
    TRACE(&c, "check", path);
    complains(&c, 1, text);
    drop(path);
}

Test(trace_verb, check_finds_one_femtosecond_too_many)
{
    struct htmt_trace *t = NULL;
    char *path = save(model_file(&model_small, false)), piece[100], by[100];
    cr_assert_eq(htmt_trace_open(&t, path, NULL), 0);
    long long busy = (long long)htmt_trace_info(t)->resource[1].busy;
    snprintf(piece, sizeof piece, "\"%lld\"", busy);
    snprintf(by, sizeof by, "\"%lld\"", busy + 1);
    differs(piece, by, "busy time of SPELL: the intervals have ");
    long long stalled = (long long)htmt_trace_info(t)->layer[1].stalled;
    snprintf(piece, sizeof piece, "\"%lld\"", stalled);
    snprintf(by, sizeof by, "\"%lld\"", stalled - 1);
    differs(piece, by, "time stalled of CRAM: the intervals have ");
    htmt_trace_close(&t);
    drop(path);
}

/* The last slice of the small model is a host's place; of SPELL, services hold threads. */
static char *with_host(const char *place, long long more_inside, long long more_busy)
{
    struct model m = model_small;
    char sums[1100], whole[9000], busy[100], inside[200];
    struct writer w = model_blocks(&m, false);
    const char *all = model_sums(&m), *second = strchr(all, ',') + 2, *rest = strchr(second, '"');
    long long of_intervals = strtoll(second, NULL, 10);
    snprintf(inside, sizeof inside, "\"sums\":{\"inside\":\"%lld\",", of_intervals + more_inside);
    snprintf(busy, sizeof busy, "%lld", of_intervals + more_busy);
    snprintf(sums, sizeof sums, "%s%.*s%s%s", inside, (int)(second - strchr(all, '{') - 1),
             strchr(all, '{') + 1, busy, rest);
    char *footer = model_footer(&m, sums, place);
    char *slices = strstr(footer, "\"slices\":3");
    cr_assert_not_null(slices);
    slices[9] = '2';
    snprintf(whole, sizeof whole, "%s", footer);
    free(footer);
    return save(writer_end(&w, whole));
}

static const char host_place[] = "\"host\":{\"slice\":2,\"layer\":0,\"network\":0,\"threads\":1},";

Test(trace_verb, check_compares_what_threads_hold_and_what_their_port_issues)
{
    const struct {
        long long inside, busy;
        const char *text;
    } wrong[] = {{1, 0, "busy time of SPELL: the intervals have "},
                 {0, 1, "busy time of SPELL: found "}};
    struct captured c;
    char *path = with_host(host_place, 0, -1000);
    TRACE(&c, "check", path);
    cr_expect_eq(c.status, 0, "%s", c.err);
    TRACE(&c, "info", path);
    prints(&c, "2, and the host\n");
    drop(path);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        path = with_host(host_place, wrong[i].inside, wrong[i].busy);
        TRACE(&c, "check", path);
        complains(&c, 1, wrong[i].text);
        drop(path);
    }
}

Test(trace_verb, a_host_that_cannot_be_is_refused)
{
    const char *const wrong[][2] = {
        {"\"host\":{\"slice\":3,\"layer\":0,\"network\":0,\"threads\":1},", "key 'slice'"},
        {"\"host\":{\"slice\":2,\"layer\":2,\"network\":0,\"threads\":1},", "key 'layer'"},
        {"\"host\":{\"slice\":2,\"layer\":0,\"network\":1,\"threads\":1},", "key 'network'"},
        {"\"host\":{\"slice\":2,\"layer\":0,\"network\":0,\"threads\":4},", "key 'threads'"},
        {"\"host\":2,", "key 'host'"},
        {"", "key 'played'"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *path = with_host(wrong[i][0], 0, 0);
        struct captured c;
        TRACE(&c, "info", path);
        complains(&c, 2, wrong[i][1]);
        drop(path);
    }
}

Test(trace_verb, check_finds_memories_sections_and_ends_that_cannot_be)
{
    differs("\"capacity_words\":1000", "\"capacity_words\":999",
            "words in CRAM, expected at most 999");
    differs("\"first\",\"</script>\",\"third\"", "\"first\"", "found section ");
    differs("\"complete\":false,\"fault\":\"interrupted\",\"end_fs\":1020000000",
            "\"complete\":true,\"fault\":null,\"end_fs\":1000000000",
            "expected none after the run's end at 1000000000 fs");
    differs("\"last\":null", "\"last\":[2,1000]", "the last interval is 1000 of slice 2");
}

/* One block of three intervals, the second one changed. */
static void differs_with(struct htmt_trace_interval changed, uint64_t level, const char *text)
{
    struct model m = {1, 1, 3, 3};
    struct writer w = writer_begin(MODEL_LAYERS);
    struct htmt_trace_block b = model_block(&m, 0, 0), second = {.count = 0};
    changed.end = b.interval[0].end;
    b.interval[1] = changed;
    model_range(&b);
    put_block(&w, &b);
    second.level = (uint64_t[]){level, 0};
    second.first = 3;
    put_block(&w, &second);
    char *footer = model_footer(&m, model_sums(&m), "");
    char *path = save(writer_end(&w, footer));
    struct captured c;
    TRACE(&c, "check", path);
    complains(&c, 1, text);
    drop(path);
    free(footer);
    htmt_trace_block_clear(&b);
}

Test(trace_verb, check_finds_references_and_levels_that_lead_nowhere)
{
    const htmt_trace_ref none = HTMT_TRACE_NONE;
    const struct {
        htmt_trace_ref cause;
        uint64_t level;
        const char *text;
    } wrong[] = {{htmt_trace_ref_of(0, 3), 0,
                  "its cause is interval 3 of slice 0, expected another interval"},
                 {htmt_trace_ref_of(0, 1), 0,
                  "its cause is interval 1 of slice 0, expected another interval"},
                 {htmt_trace_ref_of(0, 2), 0, "its cause, interval 2, ends at "},
                 {none, 1, "DRAM begins with 1 words, expected "}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        differs_with((struct htmt_trace_interval){.step = 7, .cause = wrong[i].cause, .line = none},
                     wrong[i].level, wrong[i].text);
}

Test(trace_verb, sort_restores_the_order_and_the_bytes)
{
    struct bytes sorted = model_file(&model_small, false);
    char *path = save(model_file(&model_small, true)), out[100];
    size_t length;
    struct captured c;
    snprintf(out, sizeof out, "%s.sorted", path);
    TRACE(&c, "sort", path, "-o", out);
    cr_expect_eq(c.status, 0, "%s", c.err);
    char *found = file_content(out, &length);
    cr_expect(length == sorted.length && memcmp(found, sorted.at, length) == 0);
    free(found);
    free(sorted.at);
    unlink(out);
    drop(path);
}

Test(trace_verb, digest_is_the_same_for_other_orders_and_lengths_of_blocks)
{
    struct model shorter = model_small, other = model_small;
    shorter.block = 100;
    other.each--;
    char *path[] = {save(model_file(&model_small, false)), save(model_file(&model_small, true)),
                    save(model_file(&shorter, true)), save(model_file(&other, false))};
    char digits[4][17];
    for (int i = 0; i < 4; i++) {
        struct captured c;
        TRACE(&c, "digest", path[i]);
        cr_assert_eq(c.status, 0, "%s", c.err);
        cr_assert_eq(strlen(c.out), 17, "%s", c.out);
        snprintf(digits[i], sizeof digits[i], "%.16s", c.out);
    }
    cr_expect_str_eq(digits[1], digits[0]);
    cr_expect_str_eq(digits[2], digits[0]);
    cr_expect_str_neq(digits[3], digits[0]);
    for (int i = 0; i < 4; i++)
        drop(path[i]);
}

Test(trace_verb, wrong_usage_and_wrong_files_are_one_line_and_status_2)
{
    struct bytes half = model_file(&model_small, false);
    half.length /= 2;
    char *path = save(half), out[100];
    struct captured c;
    TRACE(&c, "check", path);
    complains(&c, 2, "the file is cut off or was never finished");
    snprintf(out, sizeof out, "%s.sorted", path);
    TRACE(&c, "sort", path, "-o", out);
    complains(&c, 2, "the file is cut off");
    cr_expect_neq(access(out, F_OK), 0);
    TRACE(&c, "sort", path, "-o", path);
    complains(&c, 2, "-o");
    TRACE(&c, "sort", path);
    complains(&c, 2, "an option is missing; usage: htmt trace info FILE");
    TRACE(&c, "info", path, path);
    complains(&c, 2, "more than one file");
    TRACE(&c, "info", path, "-o", "x");
    complains(&c, 2, "unknown option");
    TRACE(&c, "digset", path);
    complains(&c, 2, "did you mean 'digest'?");
    TRACE(&c, "info", "/nowhere/a");
    complains(&c, 2, "/nowhere/a: cannot open: No such file or directory");
    drop(path);
}
