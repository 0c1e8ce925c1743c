/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt timeline`: a trace as a page for a browser, as pictures of a window, as a Gantt chart.
 */
#include "emul/command/command.h"

#include "emul/lib/options/options.h"
#include "emul/lib/picture/picture_files.h"
#include "emul/lib/text/format.h"
#include "emul/lib/trace/ports.h"
#include "emul/view/page/page.h"
#include "emul/view/picture/gantt.h"
#include "emul/view/picture/timeline.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"
#include "runtime/base/whole_file.h"

#include <stdlib.h>
#include <string.h>

enum row { OUT, WINDOW, SLICES, GANTT, ROWS, SHARES, DETAIL_CAP, SVG, PNG, PDF };

static const struct htmt_app_option rows[] = {
    [OUT] = {"out", "FILE.html", NULL,
             "the page to write; -o FILE is the same; with --gantt also FILE.svg, .png, .pdf"},
    [WINDOW] = {"window", "T0..T1", NULL, "every interval of that time alone, such as 10us..20us"},
    [SLICES] = {"slices", "LIST", NULL, "every interval of those slices alone, such as 0-3,7"},
    [GANTT] = {"gantt", NULL, NULL,
               "yellow, blue, green, orange and red; -o FILE.svg: a Gantt chart with ports"},
    [ROWS] = {"rows", "LIST", NULL,
              "of the Gantt chart: some of source, out, in, ports, queues, nodes"},
    [SHARES] = {"json", "FILE", NULL, "what share of the time its rows spend in each state"},
    [DETAIL_CAP] = {"detail-cap", "BYTES", "70MiB",
                    "of the page, for single intervals; slices beyond have sums alone"},
    [SVG] = {"svg", "FILE", NULL, "a drawing of the window, with the page's rows and lanes"},
    [PNG] = {"png", "FILE", NULL, "the same as pixels"},
    [PDF] = {"pdf", "FILE", NULL, "the same on a page"},
    {NULL, NULL, NULL, NULL}};

/* What the command line asks for. */
struct timeline_request {
    const char *trace;
    struct htmt__options options;
    struct htmt_slice_range range[HTMT__RANGES_MAX];
    struct htmt__page_options page;
    struct htmt__picture_files pictures;
    struct htmt__picture_files chart; /* -o of a Gantt chart */
    unsigned rows;                    /* of it */
};

/* ---- the command line ----------------------------------------------------------------------- */

static int claim_outputs(struct timeline_request *r, struct htmt_fault *fault)
{
    const char **own = r->options.own, *out = own[OUT], *end = out ? strrchr(out, '.') : NULL;
    r->pictures = (struct htmt__picture_files){own[SVG], own[PNG], own[PDF]};
    /* What the end of -o's name says: a chart; then there is no page. */
    if (own[GANTT] && end) {
        r->chart.svg = strcmp(end, ".svg") ? NULL : out;
        r->chart.png = strcmp(end, ".png") ? NULL : out;
        r->chart.pdf = strcmp(end, ".pdf") ? NULL : out;
    }
    const bool chart = htmt__picture_files_any(&r->chart);
    if (chart)
        own[OUT] = NULL;
    if (!own[OUT] && !chart && !htmt__picture_files_any(&r->pictures))
        return htmt_fault_set(fault, HTMT_EUSAGE, "-o: the page to write is missing");
    if ((own[ROWS] || own[SHARES]) && !chart)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--%s: expected a Gantt chart, --gantt -o FILE.svg, .png or .pdf",
                              own[ROWS] ? "rows" : "json");
    int rc = own[ROWS] ? htmt__gantt_rows_read(own[ROWS], &r->rows, fault) : 0;
    if (!rc && own[OUT])
        rc = htmt_output_claim("-o", own[OUT], fault);
    if (!rc && own[SHARES])
        rc = htmt_output_claim("--json", own[SHARES], fault);
    rc = rc ? rc : htmt__picture_files_claim(&r->chart, fault);
    return rc ? rc : htmt__picture_files_claim(&r->pictures, fault);
}

/* The trace, which may stand behind --gantt. */
static int read_words(struct timeline_request *r, int argc, char **argv, struct htmt_fault *fault)
{
    static const struct htmt_app_verb verb = {.name = "timeline", .options = rows};
    if (argc > 2 && !strcmp(argv[1], "--gantt")) {
        char *trace = argv[2];
        argv[2] = argv[1];
        argv[1] = trace;
    }
    if (argc < 2 || argv[1][0] == '-')
        return htmt_fault_set(fault, HTMT_EUSAGE, "expected the FILE of a trace first");
    r->trace = argv[1];
    char **word = calloc((size_t)argc, sizeof *word);
    if (!word)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s", htmt_strerror(HTMT_ENOMEM));
    for (int i = 2; i < argc; i++)
        word[i - 2] = strcmp(argv[i], "-o") ? argv[i] : "--out";
    int rc = htmt__options_parse_verb(NULL, &verb, argc - 2, word, &r->options, fault);
    free(word);
    rc = rc ? rc : htmt__output_claim_streams(fault);
    return rc ? rc : claim_outputs(r, fault);
}

/* ---- the trace ------------------------------------------------------------------------------- */

/* What depends on the trace. */
static int resolve(struct timeline_request *r, const struct htmt_trace_info *info,
                   struct htmt_fault *fault)
{
    const char *const *own = r->options.own;
    struct htmt__page_options *p = &r->page;
    p->slices = r->range;
    p->gantt = own[GANTT] != NULL;
    p->windowed = own[WINDOW] != NULL;
    int rc = htmt__options_bytes("detail-cap", own[DETAIL_CAP], &p->detail_cap, fault);
    if (!rc && own[WINDOW])
        rc = htmt__options_window("window", own[WINDOW], &p->from, &p->to, fault);
    if (!rc && own[WINDOW] && p->from > info->end)
        rc = htmt_fault_set(fault, HTMT_ERANGE, "--window: found '%s', but the trace ends at %s",
                            own[WINDOW], htmt__format_fs(info->end).s);
    if (!rc && own[SLICES])
        rc = htmt__options_ranges("slices", own[SLICES], info->played, r->range, &p->slice_ranges,
                                  fault);
    return rc;
}

/* The Gantt chart, and what its rows spend in each state. */
static int draw_chart(struct htmt_trace *t, const struct timeline_request *r,
                      struct htmt_fault *fault)
{
    const struct htmt__page_options *o = &r->page;
    const struct htmt__gantt_request request = {.rows = r->rows,
                                                .slices = o->slices,
                                                .slice_ranges = o->slice_ranges,
                                                .from = o->windowed ? o->from : 0,
                                                .to = o->windowed ? o->to : 0};
    const char *shares = r->options.own[SHARES];
    struct htmt__sheet sheet = {0};
    struct htmt_whole_file *f = NULL;
    int rc = htmt__gantt_draw(t, &request, &sheet, fault);
    if (!rc)
        rc = htmt__picture_files_write(&r->chart, &sheet, fault);
    if (!rc && shares && !(rc = htmt_whole_file_open(shares, &f, fault))) {
        rc = htmt__gantt_shares(t, &request, htmt_whole_file_stream(f), fault);
        if (rc)
            htmt_whole_file_abandon(&f);
        else
            rc = htmt_whole_file_commit(&f, fault);
    }
    htmt__sheet_clear(&sheet);
    return rc;
}

/* Pictures first: a page is the longest of them, and a fault in a picture is told before it. */
static int timeline(struct timeline_request *r, struct htmt_fault *fault)
{
    const char *page = r->options.own[OUT];
    struct htmt_trace *t = NULL;
    struct htmt_whole_file *f = NULL;
    struct htmt__page_summary s;
    int rc = htmt_trace_open(&t, r->trace, fault);
    rc = rc ? rc : resolve(r, htmt_trace_info(t), fault);
    if (!rc && htmt__picture_files_any(&r->pictures)) {
        const struct htmt__page_options *o = &r->page;
        struct htmt__timeline_request request = {o->slices, o->slice_ranges,
                                                 o->windowed ? o->from : 0, o->windowed ? o->to : 0,
                                                 o->gantt};
        struct htmt__sheet sheet = {0};
        rc = htmt__timeline_draw(t, &request, &sheet, fault);
        if (!rc)
            rc = htmt__picture_files_write(&r->pictures, &sheet, fault);
        htmt__sheet_clear(&sheet);
    }
    if (!rc && htmt__picture_files_any(&r->chart))
        rc = draw_chart(t, r, fault);
    if (!rc && page && !(rc = htmt_whole_file_open(page, &f, fault))) {
        rc = htmt__page_write(t, &r->page, htmt_whole_file_stream(f), &s, fault);
        if (rc)
            htmt_whole_file_abandon(&f);
        else
            rc = htmt_whole_file_commit(&f, fault);
    }
    const bool ports = t && htmt__trace_ports(t)->intervals;
    const char *part = t && htmt_trace_info(t)->filtered ? "; FILTERED: of a part of the run" : "";
    htmt_trace_close(&t);
    if (rc || !page)
        return rc;
    printf("%s: %s intervals of %u slice%s", page, htmt__format_count(s.intervals).s, s.slices,
           s.slices == 1 ? "" : "s");
    if (s.detailed == s.intervals)
        printf(", each in full%s\n", part);
    else
        printf(", %s of %u in full, the others as sums%s%s\n", htmt__format_count(s.detailed).s,
               s.detailed_slices,
               s.capped ? "; --window, --slices or a larger --detail-cap shows others" : "", part);
    if (ports)
        printf("%s: without ports inside networks; --gantt -o FILE.svg draws these\n", page);
    return 0;
}

static int verb_timeline(struct htmt__command *program, int argc, char **argv)
{
    struct timeline_request r = {.trace = NULL};
    struct htmt_fault fault = {0};
    (void)program;
    int rc = read_words(&r, argc, argv, &fault);
    rc = rc ? rc : timeline(&r, &fault);
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain("timeline", &fault) : 0;
}

const struct htmt__verb htmt__verb_row_timeline = {
    "timeline",
    "FILE -o out.html [--window T0..T1] [--slices LIST] [--gantt] [--detail-cap BYTES] "
    "[--rows LIST] [--json FILE] "
    "[--svg FILE] [--png FILE] [--pdf FILE]",
    "show a trace in a browser: one page, with all it needs",
    verb_timeline,
    rows,
    NULL};
