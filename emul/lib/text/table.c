/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/text/table.h"

#include "emul/lib/text/width.h"
#include "emul/lib/text/wrap.h"
#include "runtime/base/printable.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, NARROWEST = 8 };

static int grow(struct htmt__table *table)
{
    unsigned room = table->room ? 2 * table->room : 16;
    void *cell = reallocarray(table->cell, (size_t)room * table->columns, HTMT__TABLE_CELL);
    if (!cell)
        return HTMT_ENOMEM;
    table->cell = cell;
    table->room = room;
    return 0;
}

int htmt__table_row(struct htmt__table *table, const char *const *cells)
{
    if (table->rows == table->room && grow(table))
        return HTMT_ENOMEM;
    for (unsigned i = 0; i < table->columns; i++)
        htmt_printable(cells[i], table->cell[table->rows * table->columns + i], HTMT__TABLE_CELL);
    table->rows++;
    return 0;
}

void htmt__table_clear(struct htmt__table *table)
{
    free(table->cell);
    table->cell = NULL;
    table->rows = table->room = 0;
}

static const char *cell_at(const struct htmt__table *table, unsigned row, unsigned column)
{
    return table->cell[row * table->columns + column];
}

static void widen(unsigned *width, const char *text)
{
    unsigned length = (unsigned)strlen(text);
    if (length > *width)
        *width = length;
}

static unsigned measure(const struct htmt__table *table, unsigned width[])
{
    unsigned total = 0;
    for (unsigned i = 0; i < table->columns; i++) {
        width[i] = 0;
        widen(&width[i], table->head[i]);
        for (unsigned row = 0; row < table->rows; row++)
            widen(&width[i], cell_at(table, row, i));
        total += GAP + width[i];
    }
    return total;
}

static unsigned widest_left(const struct htmt__table *table, const unsigned width[])
{
    unsigned best = table->columns;
    for (unsigned i = 0; i < table->columns; i++)
        if (table->left >> i & 1 && width[i] > NARROWEST &&
            (best == table->columns || width[i] > width[best]))
            best = i;
    return best;
}

static void narrow(const struct htmt__table *table, unsigned width[], unsigned total, unsigned page)
{
    for (; total > page; total--) {
        unsigned column = widest_left(table, width);
        if (column == table->columns)
            return;
        width[column]--;
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

static void print_line(const char *line, size_t length, FILE *out)
{
    while (length && line[length - 1] == ' ')
        length--;
    fprintf(out, "%.*s\n", (int)length, line);
}

/* Blanks at the start of a cell; the next lines of the cell start with the same number. */
static unsigned indent_of(const char *text, unsigned width)
{
    unsigned indent = (unsigned)strspn(text, " ");
    return 2 * indent < width ? indent : 0;
}

/* Prints as many lines as the longest cell needs, and advances text[] to the ends of the cells. */
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
            unsigned next = indent[i] ? indent[i] : indent_of(text[i], width[i]);
            length += put_cell(line + length, table->left >> i & 1, width[i], indent[i], &text[i]);
            indent[i] = next;
            more |= *text[i] != '\0';
        }
        print_line(line, length, out);
    }
}

void htmt__table_print(const struct htmt__table *table, FILE *out)
{
    unsigned width[HTMT__TABLE_COLUMNS];
    const char *text[HTMT__TABLE_COLUMNS];
    narrow(table, width, measure(table, width), (unsigned)htmt__text_width_of(out));
    memcpy(text, table->head, sizeof text);
    print_row(table, width, text, out);
    for (unsigned row = 0; row < table->rows; row++) {
        for (unsigned i = 0; i < table->columns; i++)
            text[i] = cell_at(table, row, i);
        print_row(table, width, text, out);
    }
}
