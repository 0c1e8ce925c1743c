/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cells of text in CSV files: quotes by RFC 4180, and no formula for a spreadsheet.
 */
#include "runtime/base/csv_cell.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(csv_cell, is_quoted_where_needed_and_never_a_formula)
{
    static const struct {
        const char *text;
        bool quoted;
        const char *cell;
    } rows[] = {
        {"plain", false, "plain"},
        {"plain", true, "\"plain\""},
        {"", false, ""},
        {"a,b", false, "\"a,b\""},
        {"say \"a\"", false, "\"say \"\"a\"\"\""},
        {"a\nb", false, "\"a\nb\""},
        {"=HYPERLINK(\"http://x\")", false, "\"'=HYPERLINK(\"\"http://x\"\")\""},
        {"=1+1", true, "\"'=1+1\""},
        {"+cmd|' /C calc'!A0", false, "'+cmd|' /C calc'!A0"},
        {"-1+1", false, "'-1+1"},
        {"@SUM(A1)", false, "'@SUM(A1)"},
        {"\t=1", false, "'\t=1"},
        {"\r=1", false, "\"'\r=1\""},
        {"-0.5", false, "-0.5"},
        {"+1e9", false, "+1e9"},
        {"a=b", false, "a=b"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char cell[HTMT__CSV_CELL(40)], *printed = NULL;
        size_t length = htmt__csv_cell(rows[i].text, rows[i].quoted, cell), size = 0;
        FILE *out = open_memstream(&printed, &size);
        cr_assert_not_null(out);
        htmt__csv_put(out, rows[i].text, rows[i].quoted);
        fclose(out);
        cr_expect_str_eq(cell, rows[i].cell);
        cr_expect_eq(length, strlen(cell));
        cr_expect_str_eq(printed, rows[i].cell);
        free(printed);
    }
}

Test(csv_cell, a_long_text_is_printed_as_it_is_written)
{
    char text[701], cell[HTMT__CSV_CELL(700)], *printed = NULL;
    size_t size = 0;
    for (size_t i = 0; i < 700; i++)
        text[i] = i % 5 && i % 256 != 255 ? 'a' : '"';
    text[700] = '\0';
    FILE *out = open_memstream(&printed, &size);
    cr_assert_not_null(out);
    htmt__csv_put(out, text, false);
    fclose(out);
    cr_expect_eq(htmt__csv_cell(text, false, cell), size);
    cr_expect_str_eq(printed, cell);
    free(printed);
}
