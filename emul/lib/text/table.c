/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Layout: every column is first as wide as its widest cell. If the line is then wider than the
 * page, the widest left-aligned column gives up one character, and again, until the line fits or no
 * such column is wider than NARROWEST. Numbers, which are aligned to the right, are never broken; a
 * text that does not fit is broken (htmt__text_line()) and continues in its own column:
 *
 *       figure                 half  stands in
 *       layers.cram.clock  +98.14 %  share/htmt/
 *                                    machines/htmt-oct98.yaml:56
 */
#include "emul/lib/text/table.h"

#include "emul/lib/text/page.h"
#include "runtime/base/array.h"
#include "runtime/base/printable.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, NARROWEST = 8 };

int htmt__table_row(struct htmt__table *table, const char *const *cells)
{
    const size_t used = (size_t)table->rows * table->columns;
    if (!htmt__array_fits(&table->cell, &table->room, used + table->columns, sizeof *table->cell))
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < table->columns; i++)
        htmt_printable(cells[i], table->cell[used + i], HTMT__TABLE_CELL);
    table->rows++;
    return 0;
}

void htmt__table_clear(struct htmt__table *table)
{
    free(table->cell);
    table->cell = NULL;
    table->rows = 0;
    table->room = 0;
}

int htmt__table_end(struct htmt__table *table, int rc, const char *title, FILE *out)
{
    if (!rc && table->rows) {
        fprintf(out, "\n%s\n", title);
        htmt__table_print(table, out);
    }
    htmt__table_clear(table);
    return rc;
}

static void lay_out(const struct htmt__table *table, unsigned page, unsigned width[])
{
    unsigned total = 0;
    for (unsigned i = 0; i < table->columns; i++) {
        width[i] = (unsigned)strlen(table->head[i]);
        for (unsigned row = 0; row < table->rows; row++) {
            unsigned length = (unsigned)strlen(table->cell[row * table->columns + i]);
            width[i] = length > width[i] ? length : width[i];
        }
        total += GAP + width[i];
    }
    for (; total > page; total--) {
        unsigned widest = table->columns;
        for (unsigned i = 0; i < table->columns; i++)
            if (table->left >> i & 1 && width[i] > NARROWEST &&
                (widest == table->columns || width[i] > width[widest]))
                widest = i;
        if (widest == table->columns)
            return;
        width[widest]--;
    }
}

/* Appends `indent` blanks and as much of *rest as fits; *rest then points to the remaining text. */
static size_t put_cell(char *line, bool left, unsigned width, unsigned indent, const char **rest)
{
    size_t length = left ? htmt__text_line(*rest, width - indent) : strlen(*rest);
    int pad = length + indent < width ? (int)(width - indent - length) : 0;
    int put = sprintf(line, "%*s%*s%.*s%*s", GAP + (int)indent, "", left ? 0 : pad, "", (int)length,
                      *rest, left ? pad : 0, "");
    *rest += length;
    *rest += strspn(*rest, " ");
    return (size_t)put;
}

/* Prints as many lines as the longest cell needs, and advances text[] to the ends of the cells.
 * Blanks at the start of a cell are an indentation, which its next lines keep. */
static void print_row(const struct htmt__table *table, const unsigned width[], const char *text[],
                      FILE *out)
{
    char line[HTMT__TABLE_COLUMNS * (GAP + 2 * HTMT__TABLE_CELL) + 1];
    unsigned indent[HTMT__TABLE_COLUMNS] = {0};
    bool more = true;
    while (more) {
        size_t length = 0;
        more = false;
        for (unsigned i = 0; i < table->columns; i++) {
            unsigned blanks = (unsigned)strspn(text[i], " ");
            unsigned next = indent[i] ? indent[i] : 2 * blanks < width[i] ? blanks : 0;
            length += put_cell(line + length, table->left >> i & 1, width[i], indent[i], &text[i]);
            indent[i] = next;
            more |= *text[i] != '\0';
        }
        while (length && line[length - 1] == ' ')
            length--;
        fprintf(out, "%.*s\n", (int)length, line);
    }
}

void htmt__table_print(const struct htmt__table *table, FILE *out)
{
    unsigned width[HTMT__TABLE_COLUMNS];
    const char *text[HTMT__TABLE_COLUMNS];
    lay_out(table, (unsigned)htmt__text_width_of(out), width);
    memcpy(text, table->head, sizeof text);
    print_row(table, width, text, out);
    for (unsigned row = 0; row < table->rows; row++) {
        for (unsigned i = 0; i < table->columns; i++)
            text[i] = table->cell[row * table->columns + i];
        print_row(table, width, text, out);
    }
}
