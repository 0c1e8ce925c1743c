/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/verbs/doctor.h"

#include "emul/lib/doctor/doctor.h"
#include "emul/lib/options/options.h"
#include "emul/lib/report/json.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"

#include <string.h>

const struct htmt_app_option htmt__doctor_rows[] = {
    {"json", "FILE|-", NULL, "everything as one JSON object; - replaces the report"},
    {NULL, NULL, NULL, NULL},
};

static bool replaces_report(const char *json)
{
    return json && !strcmp(json, "-");
}

/* Checks before the work starts that the file can be written. */
static int read_words(const char **json, int argc, char **argv, struct htmt_fault *fault)
{
    static const struct htmt_app_verb verb = {.name = "doctor", .options = htmt__doctor_rows};
    struct htmt__options options;
    int rc = htmt__options_parse_verb(NULL, &verb, argc - 1, argv + 1, &options, fault);
    rc = rc ? rc : htmt__output_claim_streams(fault);
    if (rc)
        return rc;
    *json = options.own[0];
    return *json && !replaces_report(*json) ? htmt_output_claim("--json", *json, fault) : 0;
}

static int examine(const struct htmt__applications *apps, const char *json,
                   struct htmt_fault *fault)
{
    int tested;
    json_t *findings = htmt__doctor_examine(apps, &tested);
    if (!findings)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s", htmt_strerror(HTMT_ENOMEM));
    if (!replaces_report(json))
        htmt__doctor_print(findings, stdout);
    int rc = json ? htmt__json_write(json_incref(findings), json, fault) : 0;
    json_decref(findings);
    return rc || !tested ? rc : htmt_fault_set(fault, tested, "the self-test failed");
}

int htmt__verb_doctor(struct htmt__command *program, int argc, char **argv)
{
    const struct htmt_app *const *apps;
    const char *json = NULL;
    struct htmt_fault fault = {0};
    int rc = read_words(&json, argc, argv, &fault);
    rc = rc ? rc : htmt__application_all(&program->apps, &apps, &fault);
    rc = rc ? rc : examine(&program->apps, json, &fault);
    return rc ? htmt__complain("doctor", &fault) : 0;
}
