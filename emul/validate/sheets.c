/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An id says what is asked: E.S.FAMILY.LINE.QUANTITY is a loop by its line in the source, or the
 * only one of a file (E.S.chem.NAME., E.S.micro.NAME.), E.S.FAMILY.total. and .comm. are sums and
 * messages, E.S.F13.53.simd2 is a point of a figure. The settings are the row's own
 * (sheet_settings.h). Nothing else of the row is read: no number of it is an answer.
 */
#include "emul/validate/sheets.h"

#include "emul/validate/sheet_figures.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "E.S."

bool htmt__sheets_answer(const struct htmt__golden_row *row)
{
    return !strncmp(row->id, PREFIX, strlen(PREFIX)) && row->use == HTMT__PREDICT;
}

static int ask_messages(const struct htmt__sheet_question *q, const struct htmt__exasat *rule,
                        double *value)
{
    struct htmt__exasat_request r;
    htmt__sheet_request(q, &r);
    if (!strcmp(q->word[2], "time"))
        return htmt__sheet_message_ms(q, rule, &r, value);
    *value = (double)rule->message_bytes;
    return strcmp(q->word[2], "mem") ? htmt__sheet_unknown(q) : 0;
}

/* "smc.43.mem", "smc.total.mem", "smc.comm.mem" */
static int ask_family(struct htmt__sheet_question *q, double *value)
{
    const struct htmt__exasat *rule;
    if (q->words < 3)
        return htmt__sheet_unknown(q);
    int rc = strpbrk(q->word[0], "0123456789") ? htmt__sheet_named(q, q->word[0], &rule)
                                               : htmt__sheet_family(q, q->word[0], &rule);
    if (rc)
        return rc;
    return !strcmp(q->word[1], "total")  ? htmt__sheet_sum(q, rule, q->word[2], value)
           : !strcmp(q->word[1], "comm") ? ask_messages(q, rule, value)
                                         : htmt__sheet_loop(q, rule, q->word[1], 2, value);
}

/* "chem.lidryer.mem", "micro.lap.mem" */
static int ask_file(struct htmt__sheet_question *q, double *value)
{
    const struct htmt__exasat *rule;
    int rc = q->words < 3 ? htmt__sheet_unknown(q) : htmt__sheet_named(q, q->word[1], &rule);
    return rc ? rc : htmt__sheet_loop(q, rule, NULL, 2, value);
}

int htmt__sheets_value(struct htmt__sheets *sheets, const struct htmt__golden_table *table,
                       const struct htmt__golden_row *row, double *value, struct htmt_fault *fault)
{
    struct htmt__sheet_question q = {.sheets = sheets, .row = row, .fault = fault};
    const char *at = row->id + strlen(PREFIX);
    for (; q.words < HTMT__SHEET_WORDS; at++) {
        const size_t length = strcspn(at, ".");
        snprintf(q.word[q.words++], HTMT__SHEET_WORD, "%.*s", (int)length, at);
        at += length;
        if (!*at)
            break;
    }
    htmt__sheet_settings(table, (unsigned)(row - table->row), &q.set);
    int rc = htmt__sheet_chip(&q);
    if (rc)
        return rc;
    if (!strcmp(q.word[0], "chem") || !strcmp(q.word[0], "micro"))
        return ask_file(&q, value);
    return *q.word[0] == 'F' ? htmt__sheet_figure(&q, value) : ask_family(&q, value);
}
