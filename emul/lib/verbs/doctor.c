/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt doctor`: what this host and this installation have, and whether they work. The exit status
 * is 1 if the self-test has another result than the known one.
 */
#include "emul/lib/doctor/doctor.h"
#include "emul/lib/options/options.h"
#include "emul/lib/report/json.h"
#include "emul/lib/verbs/verb.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"

#include <string.h>

static const struct htmt_app_option rows[] = {
    {"json", "FILE|-", NULL, "everything as one JSON object; - replaces the report"},
    {NULL, NULL, NULL, NULL},
};

static int examine(const struct htmt__applications *apps, const char *json,
                   struct htmt_fault *fault)
{
    int tested, rc = 0;
    json_t *findings = htmt__doctor_examine(apps, &tested);
    if (!findings)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s", htmt_strerror(HTMT_ENOMEM));
    if (!json || strcmp(json, "-") != 0)
        htmt__doctor_print(findings, stdout);
    if (json)
        rc = htmt__json_write(json_incref(findings), json, fault);
    json_decref(findings);
    return rc || !tested ? rc : htmt_fault_set(fault, tested, "the self-test failed");
}

/* Checks before the work starts that the file can be written. */
static int run(struct htmt__command *program, int argc, char **argv)
{
    static const struct htmt_app_verb verb = {.name = "doctor", .options = rows};
    struct htmt__options options;
    const struct htmt_app *const *apps;
    const char *json = NULL;
    struct htmt_fault fault = {0};
    int rc = htmt__options_parse_verb(NULL, &verb, argc - 1, argv + 1, &options, &fault);
    rc = rc ? rc : htmt__output_claim_streams(&fault);
    if (!rc)
        json = options.own[0];
    if (json && strcmp(json, "-") != 0)
        rc = htmt_output_claim("--json", json, &fault);
    rc = rc ? rc : htmt__application_all(&program->apps, &apps, &fault);
    rc = rc ? rc : examine(&program->apps, json, &fault);
    return rc ? htmt__complain("doctor", &fault) : 0;
}

const struct htmt__verb htmt__verb_row_doctor = {
    .name = "doctor",
    .usage = "[--json FILE|-]",
    .summary = "tell what this host and this installation have, and test them",
    .run = run,
    .options = rows};
