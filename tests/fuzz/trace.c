/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first byte says what the others are: a file; the columns of a block, behind its counts; a
 * footer; an index. All but the file get what they lack, with the right CRC.
 */
#include "emul/lib/trace/check.h"
#include "emul/lib/trace/digest.h"
#include "emul/lib/trace/export/export.h"
#include "emul/lib/trace/path_report.h"
#include "emul/view/page/page.h"
#include "tests/fuzz/input.h"
#include "tests/trace/model.h"

enum kind { WHOLE, COLUMNS, FOOTER, INDEX, KINDS };

static const struct model model = {3, 1, 1000, 256};

static char *footer_of(uint64_t intervals)
{
    static const char was[] = "\"intervals\":3000,";
    char *text = model_footer(&model, model_sums(&model), ""), by[sizeof was];
    snprintf(by, sizeof by, "\"intervals\":%-4u,", (unsigned)(intervals % 10000));
    memcpy(strstr(text, was), by, sizeof was - 1);
    return text;
}

/* Two bytes of intervals, two of samples, one that the slice and the times come from. */
static struct bytes with_columns(const uint8_t *bytes, size_t size)
{
    struct packed p = {0, 0, 0, 0, 0, 0, {0}};
    uint8_t head[5] = {0};
    memcpy(head, bytes, size < sizeof head ? size : sizeof head);
    size_t used = size < sizeof head ? size : sizeof head;
    p.intervals = (uint32_t)(head[0] | head[1] << 8);
    p.samples = (uint32_t)(head[2] | head[3] << 8);
    p.slice = head[4] & 3;
    p.to = head[4] >> 2;
    put(&p.raw, bytes + used, size - used);
    struct writer w = writer_begin(MODEL_LAYERS);
    char *footer = footer_of(p.intervals);
    put_packed(&w, &p);
    struct bytes file = writer_end(&w, footer);
    free(footer);
    free(p.raw.at);
    return file;
}

static struct bytes with_footer(const uint8_t *bytes, size_t size)
{
    struct writer w = writer_begin(MODEL_LAYERS);
    char *footer = fuzz_text(bytes, size);
    struct bytes file = writer_end(&w, footer);
    free(footer);
    return file;
}

/* A block, and an index that says anything of it. */
static struct bytes with_index(const uint8_t *bytes, size_t size)
{
    struct writer w = writer_begin(MODEL_LAYERS);
    struct htmt_trace_block b = model_block(&model, 0, 0);
    put_block(&w, &b);
    memcpy(w.index.at, bytes, size < 64 ? size : 64);
    if (size > 64)
        put(&w.index, bytes + 64, (size - 64) / 64 * 64);
    w.blocks = w.index.length / 64;
    char *footer = footer_of(256);
    struct bytes file = writer_end(&w, footer);
    free(footer);
    htmt_trace_block_clear(&b);
    return file;
}

static struct bytes make(enum kind kind, const uint8_t *bytes, size_t size)
{
    struct bytes file = {0};
    if (kind == COLUMNS)
        return with_columns(bytes, size);
    if (kind == FOOTER)
        return with_footer(bytes, size);
    if (kind == INDEX)
        return with_index(bytes, size);
    put(&file, bytes, size);
    return file;
}

static void judge_blocks(struct htmt_trace *t)
{
    struct htmt_trace_block b = {0};
    for (uint64_t i = 0; i < htmt_trace_info(t)->blocks; i++) {
        struct htmt_fault fault = {0};
        int rc = htmt_trace_block_read(t, i, &b, &fault);
        fuzz_judge(rc, &fault);
        if (rc ? b.count || b.samples : b.count > HTMT_TRACE_INTERVALS_MAX)
            abort();
    }
    htmt_trace_block_clear(&b);
}

/* A page of a part of it, too: the window is in the middle. */
static void judge_page(struct htmt_trace *t)
{
    char *page = NULL;
    size_t length = 0;
    struct htmt__page_summary summary;
    struct htmt_fault fault = {0};
    htmt_time end = htmt_trace_info(t)->end;
    struct htmt__page_options o = {
        .detail_cap = 4096, .windowed = end & 1, .from = end / 4, .to = end / 2 + 1};
    FILE *out = open_memstream(&page, &length);
    if (!out)
        return;
    int rc = htmt__page_write(t, &o, out, &summary, &fault);
    fclose(out);
    free(page);
    fuzz_judge(rc, &fault);
}

static void judge_path(struct htmt_trace *t)
{
    struct htmt__path_report r;
    struct htmt_fault fault = {0};
    fuzz_judge(htmt__path_report_make(t, &r, &fault), &fault);
    htmt__path_report_clear(&r);
}

static void judge_exports(struct htmt_trace *t)
{
    struct htmt_fault csv = {0}, perfetto = {0}, paje = {0};
    fuzz_judge(htmt__export_csv(t, "/dev/null", HTMT__EXPORT_PS, &csv), &csv);
    fuzz_judge(htmt__export_perfetto(t, "/dev/null", HTMT__EXPORT_FS, &perfetto), &perfetto);
    fuzz_judge(htmt__export_paje(t, "/dev/null", HTMT__EXPORT_FS, &paje), &paje);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct htmt_trace *t = NULL;
    struct htmt_fault fault = {0}, checked = {0}, digested = {0};
    uint64_t digest;
    if (size == 0)
        return 0;
    struct bytes file = make((enum kind)(bytes[0] % KINDS), bytes + 1, size - 1);
    int rc = htmt_trace_open(&t, fuzz_file(".trace", file.at, file.length), &fault);
    free(file.at);
    fuzz_judge(rc, &fault);
    if (rc)
        return 0;
    judge_blocks(t);
    rc = htmt__trace_check(t, &checked);
    fuzz_judge(rc == HTMT_EWRONG ? 0 : rc, &checked);
    fuzz_judge(htmt__trace_digest(t, &digest, &digested), &digested);
    judge_page(t);
    judge_path(t);
    judge_exports(t);
    htmt_trace_close(&t);
    return 0;
}
