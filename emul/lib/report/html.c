/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A page of a report is one file that asks for nothing else: no script, no font, no picture from
 * elsewhere, which its security policy forbids, too. It can be mailed, archived and opened in ten
 * years. Charts are SVG in the page; their colours are classes of one style sheet, which has a
 * second set for dark screens. Whatever comes from files passes through htmt__markup(), which
 * escapes it.
 */
#include "emul/lib/report/html.h"

#include "emul/lib/picture/palette.h"
#include "emul/lib/report/charts.h"
#include "emul/lib/report/families.h"
#include "emul/lib/report/markup.h"
#include "emul/lib/report/report.h"
#include "emul/lib/text/format.h"
#include "runtime/base/text_stream.h"

#include <math.h>
#include <stdlib.h>

/* The states of a run have the colours of all pictures. */
static void print_style(FILE *out)
{
    static const enum htmt__palette set = HTMT__PALETTE_DEFAULT;
    const unsigned compute = htmt__state_colour(set, HTMT__COMPUTE),
                   transfer = htmt__state_colour(set, HTMT__TRANSFER),
                   worse = htmt__state_colour(set, HTMT__BLOCKS),
                   bad = htmt__state_colour(set, HTMT__BLOCKED);
    fputs("<style>\n"
          ":root{color-scheme:light dark;--page:#fff;--ink:#1a1a1a;--dim:#595959;--grid:#ddd;"
          "--edge:#4d4d4d}\n"
          "@media(prefers-color-scheme:dark){:root{--page:#161616;--ink:#ececec;--dim:#a6a6a6;"
          "--grid:#383838;--edge:#bdbdbd}}\n"
          "body{background:var(--page);color:var(--ink);font:15px/1.45 system-ui,sans-serif;"
          "margin:0 auto;padding:1em 1.5em;max-width:66em}\n"
          "h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em}h3{font-size:1em}\n"
          ".wide{overflow-x:auto}\n"
          "table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.5em 0}\n"
          "caption{text-align:left;color:var(--dim);padding:.2em 0}\n"
          "th,td{text-align:left;padding:.15em .8em .15em 0;border-bottom:1px solid var(--grid);"
          "vertical-align:top}\n"
          "th{color:var(--dim);font-weight:600;white-space:nowrap}"
          ".n{text-align:right;white-space:nowrap}\n"
          "pre{overflow-x:auto;font-size:13px}\n"
          /* Paper: charts and tables as wide as the page, dark screens in print light. */
          "@page{size:A4;margin:12mm}\n"
          "@media print{:root{color-scheme:light;--page:#fff;--ink:#1a1a1a;--dim:#595959;"
          "--grid:#ddd;--edge:#4d4d4d}body{max-width:none;padding:0;font-size:9pt}"
          ".wide{overflow:visible}svg{max-width:100%;height:auto}"
          "pre{white-space:pre-wrap;font-size:8pt}table{max-width:100%;font-size:8pt}"
          "th{white-space:normal}svg,tr{break-inside:avoid}h2,h3{break-after:avoid}}\n",
          out);
    fprintf(out, ".bad{border-left:.4em solid #%06X;padding-left:.6em;font-weight:600}\n", bad);
    fputs("svg{font-size:12px}svg text{fill:var(--ink)}svg .dim{fill:var(--dim)}"
          "svg .halo{paint-order:stroke;stroke:var(--page);stroke-width:3px}\n",
          out);
    fprintf(out,
            ".grid{stroke:var(--grid)}.bank{stroke:#%06X;stroke-width:2}"
            ".link{stroke:#%06X;stroke-width:2}\n"
            "rect,circle{stroke:var(--edge);stroke-width:.75}\n"
            ".compute{fill:#%06X}.transfer{fill:#%06X}.worse{fill:#%06X}.better{fill:#56B4E9}"
            ".neutral{fill:#8c8c8c}.use{fill:#%06X}\n"
            "@media(prefers-color-scheme:dark){.link{stroke:#56A9DC}}\n"
            "</style>\n",
            compute, transfer, compute, transfer, worse, compute);
}

static void print_title(const struct htmt__document *d, const char *tag, FILE *out)
{
    char text[400];
    snprintf(text, sizeof text, "htmt %s: %s on %s, %s slice%s", d->mode,
             d->app ? d->app : "a program", d->machine, htmt__format_count(d->slices).s,
             d->slices == 1 ? "" : "s");
    fprintf(out, "<%s>", tag);
    htmt__markup_text(out, text);
    fprintf(out, "</%s>\n", tag);
}

static void print_fact(FILE *out, const char *name, const char *text)
{
    htmt__markup(out, "<tr><th>%s</th><td>%s</td></tr>\n", name, text);
}

static void print_facts(const struct htmt__document *d, FILE *out)
{
    char text[200];
    fputs("<table><tbody>\n", out);
    if (d->problem)
        print_fact(out, "problem", d->problem);
    snprintf(text, sizeof text, "%s (%s fs)", htmt__format_fs(d->results.predicted).s,
             htmt__format_count((uint64_t)d->results.predicted).s);
    print_fact(out, "predicted time", text);
    if (d->closed_form_s > 0)
        print_fact(out, "closed form", htmt__format_si(d->closed_form_s, "s").s);
    if (!d->program && d->correct < 0) {
        print_fact(out, "result", d->unchecked ? d->unchecked : "not checked");
    } else if (!d->program) {
        snprintf(text, sizeof text, "%s: %.100s gives %.3g, tolerance %.3g",
                 d->correct ? "correct" : "WRONG", d->check_name, d->check_value,
                 d->check_tolerance);
        print_fact(out, "result", text);
    }
    if (d->results.limit_count)
        print_fact(out, "bottleneck", d->results.limit[0].report.name);
    for (unsigned i = 0; i < d->warnings.count; i++)
        print_fact(out, "warning", d->warnings.pair[i].value);
    for (unsigned i = 0; i < d->notes.count; i++)
        print_fact(out, "note", d->notes.pair[i].value);
    for (unsigned i = 0; i < d->outputs.count; i++)
        print_fact(out, d->outputs.pair[i].name, d->outputs.pair[i].value);
    fputs("</tbody></table>\n", out);
}

static int print_phases(const struct htmt__results *r, FILE *out)
{
    static const char *const heads[] = {"type",     "stage",     "resource",  "parcels",
                                        "quantity", "mean time", "mean wait", "used"};
    struct htmt__family *all;
    unsigned count, left_out;
    int rc = htmt__families_make(r, &all, &count, &left_out);
    if (rc)
        return rc;
    htmt__markup_table(out, "Phases (virtual clock)", 3, 8, heads);
    for (unsigned i = 0; i < count; i++) {
        const struct htmt__stage *p = &all[i].sum;
        htmt__markup_row(
            out, 3, 8,
            (const char *const[]){
                p->type, p->stage, p->resource, htmt__format_count(p->parcels).s,
                htmt__format_si(p->quantity, p->unit).s, htmt__format_si(p->mean_s, "s").s,
                htmt__format_si(p->mean_wait_s, "s").s, htmt__format_share(p->utilization).s});
    }
    htmt__markup_table_end(out);
    for (unsigned i = 0; i < count; i++)
        if (all[i].members > 1)
            htmt__markup(out, "<p>%s %s on %s: %s types; the busiest, %s, has %s.</p>\n",
                         all[i].sum.type, all[i].sum.stage, all[i].sum.resource,
                         htmt__format_count(all[i].members).s, all[i].busiest->type,
                         htmt__format_share(all[i].busiest->utilization).s);
    if (left_out)
        htmt__markup(out, "<p>And %s phases more, none of a greater share.</p>\n",
                     htmt__format_count(left_out).s);
    free(all);
    return 0;
}

static void print_resources(const struct htmt__results *r, FILE *out)
{
    static const char *const heads[] = {"resource", "count",     "served",        "busy",
                                        "used",     "mean wait", "longest queue", "paused"};
    const unsigned columns = 7 + htmt__results_pause(r);
    htmt__markup_table(out, "Resources (virtual clock, all slices)", 1, columns, heads);
    for (unsigned i = 0; i < r->resource_count; i++) {
        const struct htmt__resource *p = &r->resource[i];
        if (p->served)
            htmt__markup_row(
                out, 1, columns,
                (const char *const[]){
                    p->name, htmt__format_count(p->count).s, htmt__format_count(p->served).s,
                    htmt__format_si(p->busy_s, "s").s, htmt__format_share(p->utilization).s,
                    htmt__format_si(p->mean_wait_s, "s").s, htmt__format_count(p->max_queue).s,
                    htmt__format_share(htmt__results_paused(r, p)).s});
    }
    htmt__markup_table_end(out);
}

/* The same rule as in the report of a terminal. */
static void print_spread(const struct htmt__results *r, FILE *out)
{
    static const char *const heads[] = {
        "resource or memory", "mean", "busiest", "slice", "idle slices",
        "longest mean queue", "slice"};
    bool any = false;
    for (unsigned i = 0; i < r->spread_count; i++) {
        const struct htmt__spread *s = &r->spread[i];
        const bool memory = !isfinite(s->busiest_share);
        if (!htmt__results_uneven(s))
            continue;
        if (!any)
            htmt__markup_table(out, "Slices that differ (virtual clock)", 1, 7, heads);
        any = true;
        htmt__markup_row(out, 1, 7,
                         (const char *const[]){
                             s->name, memory ? "-" : htmt__format_share(s->mean_share).s,
                             memory ? "-" : htmt__format_share(s->busiest_share).s,
                             memory ? "-" : htmt__format_count(s->busiest).s,
                             htmt__format_count(s->idle).s, htmt__format_si(s->most_queue, "").s,
                             s->most_queue > 0 ? htmt__format_count(s->queued).s : "-"});
    }
    if (any)
        htmt__markup_table_end(out);
}

static void print_memories(const struct htmt__results *r, FILE *out)
{
    static const char *const heads[] = {"memory", "capacity", "peak", "stall", "longest queue"};
    htmt__markup_table(out, "Memories (a slice; peak of the fullest, stall of all)", 1, 5, heads);
    for (unsigned i = 0; i < r->memory_count; i++) {
        const struct htmt__memory *p = &r->memory[i];
        htmt__markup_row(
            out, 1, 5,
            (const char *const[]){p->name, htmt__format_si((double)p->capacity_words, "words").s,
                                  htmt__format_si((double)p->peak_words, "words").s,
                                  htmt__format_si(p->stall_s, "s").s,
                                  htmt__format_count(p->max_queue).s});
    }
    htmt__markup_table_end(out);
}

static void print_causes(const struct htmt__explanation *x, FILE *out)
{
    static const char *const heads[] = {"cause",     "of",   "went by in", "using",
                                        "intervals", "time", "share"};
    if (!x->made)
        return;
    htmt__markup_table(out, "Critical path (virtual clock)", 4, 7, heads);
    struct htmt__cause c;
    for (unsigned i = 0; htmt__explanation_next(x, &i, &c);) {
        char what[160];
        double share = x->predicted ? (double)c.time / (double)x->predicted : 0;
        snprintf(what, sizeof what, "%s %s", c.type, c.stage);
        htmt__markup_row(
            out, 4, 7,
            (const char *const[]){c.cause, c.of, what, c.used, htmt__format_count(c.intervals).s,
                                  htmt__format_fs(c.time).s, htmt__format_share(share).s});
    }
    htmt__markup_table_end(out);
}

/* The same text as in a terminal. */
static int print_text(const struct htmt__document *d, FILE *out)
{
    struct htmt__text text;
    FILE *to = htmt__text_open(&text);
    int rc = to ? htmt__report_document(d, to) : 0;
    int kept = htmt__text_close(to, &text);
    if (!rc)
        rc = kept;
    if (!rc) {
        fputs("<h2>The whole report</h2>\n<details><summary>as text</summary><pre>", out);
        htmt__markup_lines(out, text.at);
        fputs("</pre></details>\n", out);
    }
    free(text.at);
    return rc;
}

int htmt__html_print(const struct htmt__document *d, int (*over_time)(const void *user, FILE *out),
                     const void *user, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" "
          "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
          out);
    print_title(d, "title", out);
    print_style(out);
    fputs("</head>\n<body>\n", out);
    print_title(d, "h1", out);
    if (d->fault.code)
        htmt__markup(out, "<p class=\"bad\">INCOMPLETE: %s; all figures are up to there</p>\n",
                     d->fault.text);
    print_facts(d, out);
    int rc = htmt__chart_equilibrium(d, out);
    htmt__chart_waterfall(d, out);
    rc = rc ? rc : htmt__chart_rooflines(d, out);
    if (!rc) {
        fputs("<h2>Use over time (virtual clock)</h2>\n", out);
        if (over_time)
            rc = over_time(user, out);
        else
            fputs("<p>Left out: it needs the trace of the run (<code>--trace</code>).</p>\n", out);
    }
    fputs("<h2>Tables</h2>\n", out);
    rc = rc ? rc : print_phases(&d->results, out);
    print_resources(&d->results, out);
    print_memories(&d->results, out);
    print_spread(&d->results, out);
    print_causes(&d->explanation, out);
    rc = rc ? rc : print_text(d, out);
    fputs("</body>\n</html>\n", out);
    return rc;
}
