/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/table.h"

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
        snprintf(table->cell[table->rows * table->columns + i], HTMT__TABLE_CELL, "%s", cells[i]);
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

static void narrow(const struct htmt__table *table, unsigned width[], unsigned total)
{
    for (; total > HTMT__TABLE_WIDTH; total--) {
        unsigned column = widest_left(table, width);
        if (column == table->columns)
            return;
        width[column]--;
    }
}

static void print_cell(const struct htmt__table *table, unsigned column, unsigned width,
                       const char *text, FILE *out)
{
    int w = (int)width;
    if (strlen(text) > width)
        fprintf(out, "%*s%.*s..", GAP, "", w - 2, text);
    else if (!(table->left >> column & 1))
        fprintf(out, "%*s%*s", GAP, "", w, text);
    else if (column + 1 == table->columns)
        fprintf(out, "%*s%s", GAP, "", text);
    else
        fprintf(out, "%*s%-*s", GAP, "", w, text);
}

void htmt__table_print(const struct htmt__table *table, FILE *out)
{
    unsigned width[HTMT__TABLE_COLUMNS];
    narrow(table, width, measure(table, width));
    for (unsigned i = 0; i < table->columns; i++)
        print_cell(table, i, width[i], table->head[i], out);
    fputc('\n', out);
    for (unsigned row = 0; row < table->rows; row++) {
        for (unsigned i = 0; i < table->columns; i++)
            print_cell(table, i, width[i], cell_at(table, row, i), out);
        fputc('\n', out);
    }
}
