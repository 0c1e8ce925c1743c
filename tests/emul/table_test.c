/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/table.h"

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
        cr_assert_leq(strlen(line), HTMT__TABLE_WIDTH);
    free(text);
}

Test(table, cut_cells_say_so_and_numbers_are_never_cut)
{
    char wide[HTMT__TABLE_CELL];
    memset(wide, 'w', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    struct htmt__table t = {.columns = 2, .head = {"name", "n"}, .left = 0x1};
    cr_assert_eq(htmt__table_row(&t, (const char *const[]){wide, "1234567890"}), 0);
    char *text = print(&t);
    cr_assert_not_null(strstr(text, "w..  1234567890\n"));
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
