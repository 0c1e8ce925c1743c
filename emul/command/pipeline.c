/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt pipeline`: the stages of the first parcels of a type over virtual time, out of a trace.
 */
#include "emul/command/command.h"

#include "emul/lib/options/options.h"
#include "emul/lib/picture/picture_files.h"
#include "emul/view/picture/pipeline.h"

#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"

#include <stdio.h>
#include <string.h>

enum row { TYPE, SLICE, PARCELS, CSV, SVG, PNG, PDF };

static const struct htmt_app_option rows[] = {
    [TYPE] = {"type", "NAME", NULL,
              "the type of parcels; without it, that of the slice with most stages"},
    [SLICE] = {"slice", "S", "0", "the slice whose parcels are shown"},
    [PARCELS] = {"parcels", "K", "12", "how many of them, the first ones"},
    [CSV] = {"csv", "FILE", NULL, "a line for each stage of a parcel, in femtoseconds"},
    [SVG] = {"svg", "FILE", NULL, "a drawing, as Figure 4 of Hereld et al. has it"},
    [PNG] = {"png", "FILE", NULL, "the same as pixels"},
    [PDF] = {"pdf", "FILE", NULL, "the same on a page"},
    {NULL, NULL, NULL, NULL}};

struct pipeline_command {
    const char *trace, *csv;
    struct htmt__picture_files pictures;
    struct htmt__pipeline_request request;
};

static int read_words(struct pipeline_command *c, int argc, char **argv, struct htmt_fault *fault)
{
    static const struct htmt_app_verb verb = {.name = "pipeline", .options = rows};
    struct htmt__options o;
    uint64_t slice = 0, parcels = 0;
    if (argc < 2 || (argv[1][0] == '-' && argv[1][1]))
        return htmt_fault_set(fault, HTMT_EUSAGE, "expected the TRACE first, a file of --trace");
    int rc = htmt__options_parse_verb(NULL, &verb, argc - 2, argv + 2, &o, fault);
    if (!rc)
        rc = htmt__options_number("--slice", o.own[SLICE], 0, UINT32_MAX - 1, &slice, fault);
    if (!rc)
        rc = htmt__options_number("--parcels", o.own[PARCELS], 1, HTMT__PIPELINE_PARCELS_MAX,
                                  &parcels, fault);
    if (rc)
        return rc;
    *c = (struct pipeline_command){.trace = argv[1],
                                   .csv = o.own[CSV],
                                   .pictures = {o.own[SVG], o.own[PNG], o.own[PDF]},
                                   .request = {o.own[TYPE], (uint32_t)slice, (uint32_t)parcels}};
    rc = htmt__output_claim_streams(fault);
    if (!rc && c->csv)
        rc = htmt_output_claim("--csv", c->csv, fault);
    return rc ? rc : htmt__picture_files_claim(&c->pictures, fault);
}

static int read_and_tell(const struct pipeline_command *c, struct htmt_fault *fault)
{
    const bool pictures = htmt__picture_files_any(&c->pictures);
    struct htmt_trace *trace = NULL;
    struct htmt__sheet sheet = {0};
    struct htmt__pipeline p;
    int rc = htmt_trace_open(&trace, c->trace, fault);
    if (rc)
        return rc;
    rc = htmt__pipeline_read(trace, &c->request, &p, fault);
    if (rc)
        goto close;
    if (c->csv)
        rc = htmt__pipeline_csv(&p, c->csv, fault);
    if (!rc && pictures)
        rc = htmt__pipeline_draw(&p, &sheet);
    if (!rc && pictures)
        rc = htmt__picture_files_write(&c->pictures, &sheet, fault);
    if (!rc && !c->csv && !pictures)
        rc = htmt__pipeline_print(&p, stdout);
    htmt__sheet_clear(&sheet);
    htmt__pipeline_clear(&p);
close:
    htmt_trace_close(&trace);
    return rc;
}

static int run(struct htmt__command *program, int argc, char **argv)
{
    struct pipeline_command c = {0};
    struct htmt_fault fault = {0};
    (void)program;
    int rc = read_words(&c, argc, argv, &fault);
    if (!rc)
        rc = read_and_tell(&c, &fault);
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain("pipeline", &fault) : 0;
}

const struct htmt__verb htmt__verb_row_pipeline = {
    "pipeline",
    "TRACE [--type NAME] [--slice S] [--parcels K] [--csv FILE] [--svg FILE] [--png FILE] "
    "[--pdf FILE]",
    "show the stages of the first parcels over virtual time",
    run,
    rows,
    NULL};
