/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader of traces against a writer of its own, and what it refuses.
 */
#include "tests/trace/opened.h"

#include <inttypes.h>
#include <time.h>

/* ---- what is written is read ---------------------------------------------------------------- */

Test(trace, every_interval_and_sample_is_read_as_it_was_written)
{
    struct opened o = open_bytes(model_file(&model_small, false));
    struct htmt_trace_block b = {0};
    struct htmt_fault fault = {0};
    const struct htmt_trace_info *info = htmt_trace_info(o.t);
    cr_assert_eq(info->blocks, 12);
    for (uint64_t i = 0; i < info->blocks; i++) {
        cr_assert_eq(htmt_trace_block_read(o.t, i, &b, &fault), 0, "%s", fault.text);
        cr_expect_eq(b.slice, i / 4);
        cr_expect_eq(b.first, 256 * (i % 4));
        struct htmt_trace_block model = model_block(&model_small, b.slice, b.first);
        cr_assert_eq(b.count, model.count);
        cr_assert_eq(b.samples, model.samples);
        cr_expect(b.from == model.from && b.to == model.to);
        for (uint32_t n = 0; n < b.count; n++) {
            const struct htmt_trace_interval *x = &b.interval[n], *y = &model.interval[n];
            cr_assert(x->end == y->end && x->service == y->service && x->wait == y->wait &&
                          x->serial == y->serial && x->cause == y->cause && x->line == y->line &&
                          x->step == y->step && x->open == y->open,
                      "interval %u of block %d", n, (int)i);
        }
        for (uint32_t n = 0; n < b.samples; n++) {
            const struct htmt_trace_sample *x = &b.sample[n], *y = &model.sample[n];
            cr_assert(x->at == y->at && x->layer == y->layer && x->words == y->words);
        }
        for (uint32_t l = 0; l < MODEL_LAYERS; l++)
            cr_expect_eq(b.level[l], model.level[l]);
        htmt_trace_block_clear(&model);
    }
    htmt_trace_block_clear(&b);
    cr_expect_null(b.interval);
    close_bytes(&o);
}

Test(trace, the_footer_says_what_the_run_was)
{
    struct opened o = open_bytes(model_file(&model_small, false));
    const struct htmt_trace_info *i = htmt_trace_info(o.t);
    cr_expect_eq(i->version, 1);
    cr_expect_eq(i->slices, 3);
    cr_expect_eq(i->played, 3);
    cr_expect_eq(i->stands_for, 1);
    cr_expect_eq(i->intervals, 3000);
    cr_expect(i->bytes > 0 && i->inflated > i->bytes);
    cr_expect_eq(i->end, 1020000000);
    cr_expect_eq(i->history_hash, UINT64_C(0x0123456789abcdef));
    cr_expect(!i->complete && !i->filtered && !i->filter);
    cr_expect_str_eq(i->fault, "interrupted");
    cr_expect_str_eq(i->app, "toy");
    cr_expect_str_eq(i->machine, "small");
    cr_expect_str_eq(i->mode, "model");
    cr_expect_str_eq(i->about, "{\"command\":\"htmt model toy\"}");
    cr_assert_eq(i->open_lines, 1);
    cr_expect_str_eq(i->open[0], "tile 7 waits for room");
    close_bytes(&o);
}

Test(trace, layers_resources_and_steps_are_those_of_the_footer)
{
    struct opened o = open_bytes(model_file(&model_small, false));
    const struct htmt_trace_info *i = htmt_trace_info(o.t);
    cr_assert_eq(i->layers, 2);
    cr_expect_str_eq(i->layer[1].processor, "SPELL");
    cr_expect_eq(i->layer[0].capacity, 4096);
    cr_assert_eq(i->resources, 4);
    cr_expect_str_eq(i->resource[3].name, "rti cram in");
    cr_expect_eq(i->resource[3].kind, HTMT_LINK_IN);
    cr_expect_eq(i->resource[3].network, 0);
    cr_expect_eq(i->resource[1].network, UINT32_MAX);
    cr_expect(i->resource[1].busy > 0 && i->layer[1].stalled > 0);
    cr_assert_eq(i->steps, MODEL_STEPS);
    cr_expect_eq(i->step[1].stage, HTMT_EXECUTE);
    cr_expect_eq(i->step[2].place, HTMT_TRACE_SENT);
    cr_expect_eq(i->step[2].layer, UINT32_MAX);
    cr_expect_eq(i->step[5].place, HTMT_TRACE_SECTION);
    cr_expect_eq(i->step[5].stage, HTMT_STAGES);
    cr_expect_str_eq(i->section[1], "</script>");
    cr_expect_str_eq(i->network[0], "rti");
    cr_expect_str_eq(htmt_trace_place_name(HTMT_TRACE_GATE), "gate");
    cr_expect_str_eq(htmt_trace_place_name(HTMT_TRACE_PLACES), "?");
    close_bytes(&o);
}

Test(trace, blocks_in_any_order_are_found_by_reference)
{
    struct opened o = open_bytes(model_file(&model_small, true));
    struct htmt_trace_block b = {0};
    uint64_t index = 0;
    cr_assert_eq(htmt_trace_block_of(o.t, htmt_trace_ref_of(0, 300), &index), 0);
    cr_expect_eq(index, 9);
    cr_assert_eq(htmt_trace_block_of(o.t, htmt_trace_ref_of(2, 999), &index), 0);
    cr_expect_eq(index, 3);
    cr_expect_eq(htmt_trace_block_of(o.t, htmt_trace_ref_of(2, 1000), &index), HTMT_EINVAL);
    cr_expect_eq(htmt_trace_block_of(o.t, htmt_trace_ref_of(3, 0), &index), HTMT_EINVAL);
    cr_expect_eq(htmt_trace_block_of(o.t, HTMT_TRACE_NONE, &index), HTMT_EINVAL);
    for (uint64_t i = 0; i < 12; i++) {
        cr_assert_eq(htmt_trace_block_sorted(o.t, i, &index), 0);
        cr_assert_eq(htmt_trace_block_at(o.t, index, &b), 0);
        cr_expect(b.slice == i / 4 && b.first == 256 * (i % 4));
    }
    cr_expect_eq(htmt_trace_block_sorted(o.t, 12, &index), HTMT_EINVAL);
    close_bytes(&o);
}

Test(trace, one_block_after_another_uses_the_same_memory)
{
    struct opened o = open_bytes(model_file(&model_small, false));
    struct htmt_trace_block b = {0};
    cr_assert_eq(htmt_trace_block_read(o.t, 0, &b, NULL), 0);
    struct htmt_trace_interval *interval = b.interval;
    for (uint64_t i = 0; i < 12; i++) {
        cr_assert_eq(htmt_trace_block_read(o.t, i, &b, NULL), 0);
        cr_expect_eq(b.interval, interval);
    }
    cr_expect_eq(htmt_trace_block_read(o.t, 12, &b, NULL), HTMT_EINVAL);
    htmt_trace_block_clear(&b);
    close_bytes(&o);
}

Test(trace, a_trace_without_blocks_is_a_trace)
{
    struct model none = {2, 1, 0, 1};
    struct opened o = open_bytes(model_file(&none, false));
    uint64_t index;
    cr_expect_eq(htmt_trace_info(o.t)->blocks, 0);
    cr_expect_eq(htmt_trace_block_of(o.t, 0, &index), HTMT_EINVAL);
    close_bytes(&o);
}

Test(trace, wrong_arguments_are_refused)
{
    struct htmt_fault fault = {0};
    struct htmt_trace *t = NULL;
    cr_expect_eq(htmt_trace_open(NULL, "x", &fault), HTMT_EINVAL);
    cr_expect_eq(htmt_trace_open(&t, NULL, NULL), HTMT_EINVAL);
    cr_expect_null(htmt_trace_info(NULL));
    cr_expect_eq(htmt_trace_block_at(NULL, 0, NULL), HTMT_EINVAL);
    htmt_trace_close(NULL);
    htmt_trace_close(&t);
    htmt_trace_block_clear(NULL);
}

/* ---- what is no trace ----------------------------------------------------------------------- */

static void refuses(const struct bytes *file, const char *text)
{
    char *path = model_save(file);
    struct htmt_trace *t = NULL;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_trace_open(&t, path, &fault), HTMT_EFORMAT, "%s", text);
    cr_expect_null(t);
    cr_expect_eq(strncmp(fault.text, path, strlen(path)), 0, "%s", fault.text);
    cr_expect_not_null(strstr(fault.text, text), "no '%s' in: %s", text, fault.text);
    unlink(path);
    free(path);
}

static void refuses_text(const char *bytes, size_t length, const char *text)
{
    refuses(&(struct bytes){(uint8_t *)(uintptr_t)bytes, length, 0}, text);
}

Test(trace, other_files_are_refused_by_their_first_bytes)
{
    struct htmt_trace *t = NULL;
    struct htmt_fault fault = {0};
    refuses_text("", 0, "byte 0: found an empty file, expected a trace");
    refuses_text("hello world, this is a text\n", 28,
                 "byte 0: found 'hello wo', expected 'HTMTTRC', the beginning of a trace");
    refuses_text("HTMTTRC\3", 8, "byte 7: found version 3 of the format, expected version 1 or 2");
    refuses_text("HTMTTRC\1", 8, "byte 8: found the end of the file, expected at least 56 bytes");
    cr_expect_eq(htmt_trace_open(&t, "/tmp", &fault), HTMT_EFORMAT);
    cr_expect_str_eq(fault.text, "/tmp: found a folder, expected a file");
    cr_expect_eq(htmt_trace_open(&t, "/nowhere/a.trc", NULL), HTMT_ENOENT);
}

/* A refusal at opening, or of each block that is damaged. Returns the number of blocks read. */
static uint64_t read_all(const char *path, int *rc, struct htmt_fault *fault)
{
    struct htmt_trace *t = NULL;
    struct htmt_trace_block b = {0};
    uint64_t n = 0;
    *rc = htmt_trace_open(&t, path, fault);
    while (!*rc && n < htmt_trace_info(t)->blocks) {
        *rc = htmt_trace_block_read(t, n, &b, fault);
        n += !*rc;
    }
    htmt_trace_block_clear(&b);
    htmt_trace_close(&t);
    return n;
}

static void expect_refusal(const struct bytes *file, const char *what, size_t at)
{
    char *path = model_save(file);
    struct htmt_fault fault = {0};
    int rc;
    read_all(path, &rc, &fault);
    cr_expect_eq(rc, HTMT_EFORMAT, "%s at %zu: %d %s", what, at, rc, fault.text);
    cr_expect(strstr(fault.text, "found") && strstr(fault.text, "expected"), "%s", fault.text);
    cr_expect_null(strchr(fault.text, '\n'));
    unlink(path);
    free(path);
}

Test(trace, a_file_cut_off_anywhere_is_refused)
{
    struct bytes file = model_file(&model_small, false), cut = file;
    for (size_t i = 0; i < 300; i++) {
        cut.length = i < 100 ? i : file.length - 1 - (i - 100) * (file.length / 201);
        expect_refusal(&cut, "cut off", cut.length);
    }
    free(file.at);
}

Test(trace, a_flipped_bit_anywhere_is_refused)
{
    struct bytes file = model_file(&model_small, false);
    for (size_t i = 0; i < 400; i++) {
        size_t at = i < 100 ? file.length - 1 - i : i * (file.length / 401);
        file.at[at] ^= (uint8_t)(1u << i % 8);
        expect_refusal(&file, "flipped", at);
        file.at[at] ^= (uint8_t)(1u << i % 8);
    }
    free(file.at);
}

/* ---- hostile files: every CRC is right ------------------------------------------------------ */

static void refuses_footer(const char *footer, const char *text)
{
    struct writer w = writer_begin(MODEL_LAYERS);
    struct bytes file = writer_end(&w, footer);
    refuses(&file, text);
    free(file.at);
}

Test(trace, a_footer_that_is_no_footer_is_refused)
{
    refuses_footer("", "footer: found ");
    refuses_footer("[1]", "footer: found another value");
    refuses_footer("{\"version\":1,", "expected a JSON object");
    refuses_footer("{}", "key 'version': found none, expected a whole number");
}

/* The footer of a trace without blocks, with one piece replaced. Quotes are single ones here. */
Test(trace, a_footer_with_a_value_that_cannot_be_is_refused)
{
    static const struct {
        const char *piece, *by, *text;
    } wrong[] = {
        {"'version':1", "'version':2", "key 'version': found 2, expected 1"},
        {"'version':1", "'version':1,'version':1", "duplicate object key"},
        {"'about':{", "'about':7,'x':{", "key 'about': found 7, expected an object"},
        {"'machine':'small'", "'machine':null", "key 'machine': found null"},
        {"'mode':'model'", "'mode':'predict'", "key 'mode': found \"predict\""},
        {"'slices':2", "'slices':99999999", "expected a whole number from 0 to 16777216"},
        {"'played':2", "'played':3", "key 'played': found 3"},
        {"'end_fs':20000000", "'end_fs':-1", "key 'end_fs': found -1"},
        {"0123456789abcdef", "0123456789ABCDEF", "16 hexadecimal digits"},
        {"'complete':false", "'complete':true", "key 'fault'"},
        {"'intervals':0", "'intervals':5", "found 0 intervals in the blocks, expected 5"},
        {"'resource':3", "'resource':4",
         "key 'steps[3].resource': found 4, expected a whole number from 0 to 3"},
        {"'resource':2", "'resource':null", "expected the index of a resource"},
        {"'place':'gate'", "'place':'door'", "key 'steps[7].place': found \"door\""},
        {"'stage':'fiber'", "'stage':'nap'", "key 'steps[7].stage': found \"nap\""},
        {"'kind':'in'", "'kind':'through'", "key 'resources[3].kind'"},
        {"'network':0,'count':1}]", "'network':1,'count':1}]", "resources[3].network"},
        {"'name':'dram'", "'name':'a name of more than thirty-one bytes'", "key 'layers[0].name'"},
        {"'servers':2", "'servers':2.5", "key 'layers[0].servers': found 2.5"},
        {"'networks':['rti']", "'networks':[0]", "an array of strings"},
        {"'open':[", "'open':{},'x':[", "key 'open': found {}, expected an array"},
        {"'busy':['0',", "'busy':[", "a sum for each resource"},
        {"'busy':['0'", "'busy':['-1'", "strings of decimal digits"},
        {"'busy':['0'", "'busy':['999999999999999999999999999999999999999999'",
         "strings of decimal digits"}};
    struct model none = {2, 1, 0, 1};
    char *good = model_footer(&none, model_sums(&none), ""), bad[9000];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char piece[100], by[100];
        snprintf(piece, sizeof piece, "%s", wrong[i].piece);
        snprintf(by, sizeof by, "%s", wrong[i].by);
        for (size_t k = 0; k < sizeof piece; k++) {
            piece[k] = piece[k] == '\'' ? '"' : piece[k];
            by[k] = by[k] == '\'' ? '"' : by[k];
        }
        const char *at = strstr(good, piece);
        cr_assert_not_null(at, "no %s", piece);
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(at - good), good, by, at + strlen(piece));
        refuses_footer(bad, wrong[i].text);
    }
    free(good);
}

/* One block, and a footer that agrees with its number of intervals. */
static void refuses_packed(struct packed p, const char *text)
{
    struct model m = {3, 1, 1000, 256};
    struct writer w = writer_begin(MODEL_LAYERS);
    char *footer = model_footer(&m, model_sums(&m), ""), *at = strstr(footer, "\"intervals\":3000");
    struct htmt_fault fault = {0};
    int rc;
    put_packed(&w, &p);
    snprintf(at, 17, "\"intervals\":%4u", p.intervals % 10000);
    at[16] = ',';
    struct bytes file = writer_end(&w, footer);
    char *path = model_save(&file);
    read_all(path, &rc, &fault);
    cr_expect_eq(rc, HTMT_EFORMAT, "%d", rc);
    cr_expect_not_null(strstr(fault.text, text), "no '%s' in: %s", text, fault.text);
    unlink(path);
    free(path);
    free(file.at);
    free(footer);
    free(p.raw.at);
}

/* Figures of the index, and the columns, do not agree with each other. */
Test(trace, a_block_that_is_not_as_the_index_says_is_refused)
{
    static const struct {
        struct { /* added to what the index says */
            int64_t slice, first, intervals, samples, from, to, bytes;
        } by;
        const char *text;
    } wrong[] = {
        {{.intervals = 65537 - 256}, "expected at most 65536 and 1048576"},
        {{.samples = UINT32_MAX - 64}, "expected at most 65536 and 1048576"},
        {{.slice = 3}, "expected a slice below 3"},
        {{.first = (INT64_C(1) << 40) - 255}, "numbers below 2^40"},
        {{.first = 1}, "found interval 1 of slice 0 first in block 0, expected interval 0"},
        {{.from = INT64_MIN}, "expected 0 <= from <= to"},
        {{.to = 1}, "found other times in block 0"},
        {{.intervals = 1}, "found another value in column 'step' of block 0, interval 256"},
        {{.samples = 1}, "found another value in column 'sample_when' of block 0, sample 64"},
        {{.intervals = -1}, "behind the last value of column"},
        {{.bytes = -1}, "found a wrong length of column 'sample_what'"},
        {{.bytes = 1}, "found 1 bytes behind the columns of block 0"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct htmt_trace_block b = model_block(&model_small, 0, 0);
        struct packed p = pack(&b, MODEL_LAYERS);
        htmt_trace_block_clear(&b);
        cr_assert(p.intervals == 256 && p.samples == 64);
        p.slice += (uint32_t)wrong[i].by.slice;
        p.first += (uint64_t)wrong[i].by.first;
        p.intervals += (uint32_t)wrong[i].by.intervals;
        p.samples += (uint32_t)wrong[i].by.samples;
        p.from += wrong[i].by.from;
        p.to += wrong[i].by.to;
        put_varint(&p.raw, 0);
        p.raw.length += (size_t)(wrong[i].by.bytes - 1);
        refuses_packed(p, wrong[i].text);
    }
}

Test(trace, a_block_that_inflates_to_more_than_its_columns_need_is_refused)
{
    struct packed p = {0, 0, 1, 0, 0, 0, {0}};
    p.raw.length = p.raw.room = 50 << 20;
    p.raw.at = calloc(p.raw.length, 1);
    refuses_packed(p, "bytes in block 0 inflated, expected at most 230 for its intervals");
}

/* One block of one interval of step 0 that ends at 1, with other codes in one column. */
static struct packed with_column(unsigned column, size_t count, const uint64_t *codes)
{
    static const uint64_t good[10][2] = {{0}, {2}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0, 0}};
    static const size_t lengths[10] = {1, 1, 1, 1, 1, 1, 0, 0, 0, 2};
    struct packed p = {0, 0, 1, 0, 1, 1, {0}};
    for (unsigned c = 0; c < 10; c++) {
        struct bytes b = {0};
        for (size_t i = 0; i < (c == column ? count : lengths[c]); i++)
            put_varint(&b, c == column ? codes[i] : good[c][i]);
        put_varint(&p.raw, b.length);
        put(&p.raw, b.at, b.length);
        free(b.at);
    }
    return p;
}

Test(trace, values_that_no_interval_can_have_are_refused)
{
    static const char times[] = "expected times that begin at 0 or later";
    static const char distance[] = "expected 0, 1, or twice the distance";
    static const struct {
        unsigned column;
        uint64_t code;
        const char *text;
    } wrong[] = {{0, 2 * MODEL_STEPS, "expected the index of a step"},
                 {0, UINT64_MAX, "expected the index of a step"},
                 {1, 1, times},
                 {1, UINT64_MAX, times},
                 {2, 4, times},
                 {2, UINT64_MAX - 1, times},
                 {3, 6, times},
                 {5, 2, distance},
                 {5, 3, distance},
                 {5, 1, "column 'foreign'"},
                 {7, 9, "behind the last value of column 'foreign'"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuses_packed(with_column(wrong[i].column, 1, &wrong[i].code), wrong[i].text);
    refuses_packed(with_column(9, 3, (uint64_t[]){0, 0, 1}), "behind the last value");
}

Test(trace, a_varint_beyond_64_bits_is_refused)
{
    struct packed p = {0, 0, 1, 0, 1, 1, {0}};
    put(&p.raw, "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00",
        20);
    refuses_packed(p, "expected a varint of at most 64 bits");
}

Test(trace, a_lone_interval_of_the_hostile_tests_is_a_good_one)
{
    struct packed p = with_column(0, 1, &(uint64_t){0});
    struct model one = {1, 1, 1, 1};
    struct writer w = writer_begin(MODEL_LAYERS);
    char *footer = model_footer(&one, model_sums(&one), "");
    put_packed(&w, &p);
    struct opened o = open_bytes(writer_end(&w, footer));
    struct htmt_trace_block b = {0};
    cr_assert_eq(htmt_trace_block_read(o.t, 0, &b, NULL), 0);
    cr_expect(b.interval[0].end == 1 && b.interval[0].cause == HTMT_TRACE_NONE);
    htmt_trace_block_clear(&b);
    close_bytes(&o);
    free(footer);
    free(p.raw.at);
}

/* ---- blocks that lie over each other -------------------------------------------------------- */

/* Changes a word of the index and mends the CRC. */
static void with_index(struct bytes *file, size_t block, size_t offset, uint64_t value,
                       const char *text)
{
    uint64_t index, blocks;
    memcpy(&index, file->at + file->length - 48, 8);
    memcpy(&blocks, file->at + file->length - 40, 8);
    uint8_t *at = file->at + index + 64 * block + offset, was[8];
    memcpy(was, at, 8);
    memcpy(at, &value, 8);
    uint32_t crc = crc_of(file->at + index, 64 * blocks);
    memcpy(file->at + file->length - 16, &crc, 4);
    refuses(file, text);
    memcpy(at, was, 8);
}

Test(trace, blocks_that_lie_over_each_other_or_elsewhere_are_refused)
{
    struct bytes file = model_file(&model_small, false);
    with_index(&file, 1, 0, 8, "found block 1 at 8 with");
    with_index(&file, 3, 0, UINT64_MAX - 5, "found block 3 at 18446744073709551610");
    with_index(&file, 11, 8, UINT32_MAX, "and before the index");
    with_index(&file, 11, 8, UINT64_C(100) << 32 | 1, "found bytes of no block");
    with_index(&file, 2, 24, 0,
               "found interval 0 of slice 0 first in block 2, expected interval 256");
    with_index(&file, 2, 56, 7, "found 7 in block 2, expected 0");
    free(file.at);
}

/* ---- trailers, which no CRC covers ---------------------------------------------------------- */

Test(trace, a_trailer_whose_parts_do_not_fill_the_file_is_refused)
{
    static const struct {
        size_t offset, size;
        uint64_t value;
        const char *text;
    } wrong[] = {{0, 8, UINT64_MAX, "expected them to fill the file up to here"},
                 {0, 8, 0, "expected them to fill the file up to here"},
                 {8, 8, UINT64_MAX / 64 + 13, "found an index of 288230376151711756 blocks"},
                 {8, 8, 11, "found an index of 11 blocks"},
                 {16, 8, UINT64_MAX - 100, "expected them to fill the file up to here"},
                 {24, 4, 1, "a footer of 1 bytes"},
                 {28, 4, UINT32_MAX,
                  "found a footer of 4294967295 bytes inflated, expected at most 16777216"},
                 {28, 4, 100, "found more bytes, expected a zlib stream"},
                 {28, 4, 100000, "found another length, expected a zlib stream"},
                 {32, 4, 1, "expected 00000001: the file is damaged"},
                 {36, 4, 1, "expected 00000001: the file is damaged"},
                 {47, 1, 2, "found version 2 of the format"}};
    struct bytes file = model_file(&model_small, false);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t *at = file.at + file.length - 48 + wrong[i].offset, was[8];
        memcpy(was, at, wrong[i].size);
        memcpy(at, &wrong[i].value, wrong[i].size);
        refuses(&file, wrong[i].text);
        memcpy(at, was, wrong[i].size);
    }
    free(file.at);
}
