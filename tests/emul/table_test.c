/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/text/page.h"
#include "emul/lib/text/table.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

/* The caller frees it. */
static char *print(struct htmt__table *table)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    cr_assert_not_null(out);
    htmt__table_print(table, out);
    fclose(out);
    htmt__table_clear(table);
    return text;
}

Test(table, columns_are_aligned_to_their_side)
{
    struct htmt__table t = {.columns = 3, .head = {"name", "n", "note"}, .left = 0x5};
    cr_assert_eq(htmt__table_row(&t, (const char *const[]){"a", "12345", "x"}), 0);
    cr_assert_eq(htmt__table_row(&t, (const char *const[]){"longer", "7", "yy"}), 0);
    char *text = print(&t);
    cr_assert_str_eq(text, "  name        n  note\n"
                           "  a       12345  x\n"
                           "  longer      7  yy\n");
    free(text);
}

Test(table, no_line_is_wider_than_a_page)
{
    char wide[HTMT__TABLE_CELL];
    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    struct htmt__table t = {.columns = 3, .head = {"first", "second", "third"}, .left = 0x3};
    cr_assert_eq(htmt__table_row(&t, (const char *const[]){wide, wide, "123456"}), 0);
    char *text = print(&t);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        cr_assert_leq(strlen(line), HTMT__TEXT_WIDTH);
    free(text);
}

/* Without its blanks and line ends the text is as it was given. */
Test(table, wide_cells_go_on_in_the_next_line_and_numbers_are_never_cut)
{
    static const char note[] = "one two three four five six seven eight nine ten eleven twelve "
                               "thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
    struct htmt__table t = {.columns = 3, .head = {"name", "n", "note"}, .left = 0x5};
    char joined[HTMT__TABLE_CELL] = "";
    cr_assert_eq(htmt__table_row(&t, (const char *const[]){"a", "1234567890", note}), 0);
    char *text = print(&t), *line = strtok(text, "\n");
    cr_assert_not_null(line);
    line = strtok(NULL, "\n");
    cr_assert_eq(strncmp(line, "  a     1234567890  one two", 27), 0, "%s", line);
    strcpy(joined, line + 20);
    while ((line = strtok(NULL, "\n"))) {
        cr_assert_eq(strspn(line, " "), 20, "%s", line);
        strcat(strcat(joined, " "), line + 20);
    }
    cr_assert_str_eq(joined, note);
    free(text);
}

Test(table, a_cell_keeps_its_depth_in_further_lines)
{
    char deep[HTMT__TABLE_CELL] = "    deep";
    for (int i = 0; i < 15; i++)
        strcat(deep, " and more");
    struct htmt__table t = {.columns = 1, .head = {"name"}, .left = 0x1};
    cr_assert_eq(htmt__table_row(&t, (const char *const[]){deep}), 0);
    char *text = print(&t), *line = strtok(text, "\n");
    cr_assert_not_null(line);
    unsigned lines = 0;
    for (; (line = strtok(NULL, "\n")); lines++)
        cr_assert_eq(strspn(line, " "), 6, "%s", line);
    cr_assert_eq(lines, 2);
    free(text);
}

Test(table, rows_are_kept_beyond_the_first_room)
{
    struct htmt__table t = {.columns = 1, .head = {"n"}};
    for (int i = 0; i < 100; i++) {
        char cell[16];
        snprintf(cell, sizeof cell, "%d", i);
        cr_assert_eq(htmt__table_row(&t, (const char *const[]){cell}), 0);
    }
    char *text = print(&t);
    unsigned lines = 0;
    for (const char *p = text; (p = strchr(p, '\n')); p++)
        lines++;
    cr_assert_eq(lines, 101);
    cr_assert_not_null(strstr(text, "\n  42\n"));
    free(text);
}
