/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/verbs/doctor.h"

#include "emul/doctor/doctor.h"
#include "emul/report/json.h"
#include "runtime/base/output.h"
#include "runtime/base/output_claims.h"
#include "runtime/base/suggest.h"

#include <string.h>

const struct htmt_app_option htmt__doctor_rows[] = {
    {"json", "FILE|-", NULL, "everything as one JSON object; - replaces the report"},
    {NULL, NULL, NULL, NULL},
};

static int refuse_word(const char *word, struct htmt_fault *fault)
{
    static const char *const known[] = {"--json"};
    if (word[0] != '-')
        return htmt_fault_set(fault, HTMT_EUSAGE, "found '%s', expected an option", word);
    return htmt__suggest_refuse("option", word, known, 1, "'htmt help doctor'", fault);
}

/* "--json FILE" or "--json=FILE"; advances *i if the value is the next word. */
static int take_option(const char **json, int argc, char **argv, int *i, struct htmt_fault *fault)
{
    const char *word = argv[*i];
    size_t length = strlen("--json");
    if (strncmp(word, "--json", length) != 0 || (word[length] && word[length] != '='))
        return refuse_word(word, fault);
    if (*json)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--json: given twice");
    *json = word[length] ? word + length + 1 : *i + 1 < argc ? argv[++*i] : "";
    if (!**json)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--json: the value is missing, expected FILE");
    return 0;
}

static bool replaces_report(const char *json)
{
    return json && !strcmp(json, "-");
}

/* Checks before the work starts that the file can be written. */
static int read_words(const char **json, int argc, char **argv, struct htmt_fault *fault)
{
    int rc = 0;
    for (int i = 1; i < argc && !rc; i++)
        rc = take_option(json, argc, argv, &i, fault);
    rc = rc ? rc : htmt__output_claim_streams(fault);
    if (!rc && *json && !replaces_report(*json))
        rc = htmt_output_claim("--json", *json, fault);
    return rc;
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
