/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reports of programs that drive their emulators themselves.
 *
 * Each of these functions collects everything anew, although it prints a part: the emulator is
 * over, so it costs no more than the report, and the caller keeps nothing between calls.
 */
#include "emul/lib/report/answers.h"
#include "emul/lib/report/json.h"
#include "emul/lib/report/report.h"
#include "emul/report/htmt_report.h"

/* Asks the emulator, prints what `print` makes of the answers, forgets them. */
static int report(const struct htmt_emulator *e, FILE *out,
                  int (*print)(const struct htmt__account *x, FILE *out))
{
    struct htmt__account x;
    int rc = out ? htmt__account_ask(e, &x) : HTMT_EINVAL;
    if (rc)
        return rc;
    rc = print(&x, out);
    htmt__account_clear(&x);
    return rc || !ferror(out) ? rc : HTMT_EIO;
}

static int print_all(const struct htmt__account *x, FILE *out)
{
    int rc = 0;
    if (x->fault.code == HTMT_EDEADLOCK)
        rc = htmt_deadlock_print(x->emulator, out);
    return rc ? rc : htmt__report_account(x, out);
}

static int print_json(const struct htmt__account *x, FILE *out)
{
    return htmt__json_print(htmt__json_account(x), out);
}

static int print_summary(const struct htmt__account *x, FILE *out)
{
    return htmt__summary_print(&x->summary, out);
}

static int print_explanation(const struct htmt__account *x, FILE *out)
{
    return x->explanation.made ? htmt__explanation_print(&x->explanation, out) : HTMT_EINVAL;
}

static int print_lint(const struct htmt__account *x, FILE *out)
{
    return x->lint.made ? htmt__lint_print(&x->lint, out) : HTMT_EINVAL;
}

static int print_bottlenecks(const struct htmt__account *x, FILE *out)
{
    htmt__report_limits(&x->results, out);
    return 0;
}

int htmt_report_print(const struct htmt_emulator *e, FILE *out)
{
    return report(e, out, print_all);
}

int htmt_report_json(const struct htmt_emulator *e, FILE *out)
{
    return report(e, out, print_json);
}

int htmt_report_summary(const struct htmt_emulator *e, FILE *out)
{
    return report(e, out, print_summary);
}

int htmt_report_explanation(const struct htmt_emulator *e, FILE *out)
{
    return report(e, out, print_explanation);
}

int htmt_report_lint(const struct htmt_emulator *e, FILE *out)
{
    return report(e, out, print_lint);
}

int htmt_report_bottlenecks(const struct htmt_emulator *e, FILE *out)
{
    return report(e, out, print_bottlenecks);
}

/* ---- data ------------------------------------------------------------------------------------ */

static int collect(const struct htmt_emulator *e, struct htmt__results *results)
{
    return htmt_emulator_ended(e) ? htmt__results_collect(e, results) : HTMT_EINVAL;
}

uint32_t htmt_limit_count(const struct htmt_emulator *e)
{
    struct htmt__results results;
    if (collect(e, &results))
        return 0;
    uint32_t count = results.limit_count;
    htmt__results_clear(&results);
    return count;
}

int htmt_limit_at(const struct htmt_emulator *e, uint32_t index, struct htmt_limit_report *limit)
{
    struct htmt__results results;
    int rc = limit ? collect(e, &results) : HTMT_EINVAL;
    if (rc)
        return rc;
    if (index < results.limit_count)
        *limit = results.limit[index].report;
    else
        rc = HTMT_EINVAL;
    htmt__results_clear(&results);
    return rc;
}
