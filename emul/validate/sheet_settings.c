/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Settings stand in the words of a row: "Figure 16, dynamics, 53 species, blocks 2,2,128, 0 kB" or
 * "bx=16; by=16; Ns=9". A number is a setting if the right words are around it, "blocks " before or
 * " kB" behind. In one text the first of a kind counts, since a note may go on with what else holds
 * at other settings. The note is read first; what the quantity says goes before it, and the inputs
 * before that.
 *
 * A row may lean on another one: "and division 20" adds to the row before, "the same at 1 TB/s"
 * changes the row whose id is shorter by a word, and a note "as the row before" is the one there.
 * Results that stand among the inputs (D=..., the traffic) are no settings, and none is read.
 */
#include "emul/validate/sheet_settings.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TERA 0x1p40 /* bytes: the sheets' units are powers of 1024 */
#define GIGA 0x1p30

/* A number between two texts. */
struct phrase {
    const char *before, *behind;
    enum htmt__sheet_setting setting;
    double unit;
};

static const struct phrase sentences[] = {
    {"blocks ", ",", HTMT__SHEET_BX, 1},
    {"block ", ",", HTMT__SHEET_BX, 1},
    {"", " kB", HTMT__SHEET_CACHE, 1},
    {"line ", " B", HTMT__SHEET_LINE, 1},
    {"lines of ", " B", HTMT__SHEET_LINE, 1},
    {"Ns ", "", HTMT__SHEET_SPECIES, 1},
    {"Num Species ", "", HTMT__SHEET_SPECIES, 1},
    {"", " species", HTMT__SHEET_SPECIES, 1},
    {"division ", "", HTMT__SHEET_DIVIDE, 1},
    {"function ", "", HTMT__SHEET_FUNCTION, 1},
    {"write cost ", "", HTMT__SHEET_WRITE, 1},
    {"", " TB/s", HTMT__SHEET_MEMORY, TERA},
    {"", " GB/s", HTMT__SHEET_NETWORK, GIGA},
    {"", " us", HTMT__SHEET_LATENCY, 1},
    {"network bandwidth ", "", HTMT__SHEET_RATIO, 1},
    {"", " registers", HTMT__SHEET_REGISTERS, 1},
};

static const struct phrase inputs[] = {
    {"bx=", "", HTMT__SHEET_BX, 1},
    {"by=", "", HTMT__SHEET_BY, 1},
    {"bz=", "", HTMT__SHEET_BZ, 1},
    {"cache=", "", HTMT__SHEET_CACHE, 1},
    {"C=", "", HTMT__SHEET_CACHE, 1},
    {"kB=", "", HTMT__SHEET_CACHE, 1},
    {"line=", "", HTMT__SHEET_LINE, 1},
    {"Ns=", "", HTMT__SHEET_SPECIES, 1},
    {"NS=", "", HTMT__SHEET_SPECIES, 1},
    {"division=", "", HTMT__SHEET_DIVIDE, 1},
    {"function=", "", HTMT__SHEET_FUNCTION, 1},
    {"write=", "", HTMT__SHEET_WRITE, 1},
    {"alpha=", "", HTMT__SHEET_FLOPS, 1},
    {"beta=", "", HTMT__SHEET_MEMORY, 1},
    {"registers=", "", HTMT__SHEET_REGISTERS, 1},
};

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* Whether the text before `at` ends with a phrase that begins a word. */
static bool ends_with(const char *text, const char *at, const char *phrase)
{
    const size_t length = strlen(phrase);
    if ((size_t)(at - text) < length || strncmp(at - length, phrase, length) != 0)
        return false;
    return !length || at - length == text || !isalnum((unsigned char)at[-(ptrdiff_t)length - 1]);
}

/* "16,16,128": what follows the first length. */
static void read_block(const char *at, double value[HTMT__SHEET_SETTINGS])
{
    for (int axis = HTMT__SHEET_BX; axis <= HTMT__SHEET_BZ; axis++) {
        char *end;
        value[axis] = strtod(at, &end);
        at = end + 1;
        if (*end != ',' || !isdigit((unsigned char)*at)) {
            for (axis++; axis <= HTMT__SHEET_BZ; axis++)
                value[axis] = 0;
            return;
        }
    }
}

static void read_text(const char *text, const struct phrase *phrase, size_t phrases,
                      struct htmt__sheet_settings *settings)
{
    bool seen[HTMT__SHEET_SETTINGS] = {false};
    for (const char *at = text; *at; at++) {
        char *end;
        if (!isdigit((unsigned char)*at) ||
            (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '.' || at[-1] == '^')))
            continue;
        const double number = strtod(at, &end);
        for (size_t i = 0; i < phrases; i++) {
            const enum htmt__sheet_setting s = phrase[i].setting;
            if (seen[s] || !ends_with(text, at, phrase[i].before) || !begins(end, phrase[i].behind))
                continue;
            seen[s] = true;
            settings->value[s] = number * phrase[i].unit;
            if (*phrase[i].behind == ',')
                read_block(at, settings->value);
        }
        at = end > at ? end - 1 : at;
    }
}

/* Settings that no number tells. */
static void read_words(const char *text, struct htmt__sheet_settings *s)
{
    if (strstr(text, "unblocked"))
        s->value[HTMT__SHEET_BX] = s->value[HTMT__SHEET_BY] = s->value[HTMT__SHEET_BZ] = 0;
    if (strstr(text, "unlimited cache"))
        s->value[HTMT__SHEET_CACHE] = (double)INFINITY;
    if (strstr(text, "light fusion") || strstr(text, "lightly fused"))
        s->value[HTMT__SHEET_LIGHT] = 1;
}

static void read_sentence(const char *text, struct htmt__sheet_settings *s)
{
    read_words(text, s);
    read_text(text, sentences, sizeof sentences / sizeof *sentences, s);
}

/* The row whose id is that of this one without its last word; the index itself: there is none. */
static unsigned parent(const struct htmt__golden_table *table, unsigned index)
{
    const char *id = table->row[index].id, *dot = strrchr(id, '.');
    const size_t length = dot ? (size_t)(dot - id) : 0;
    for (unsigned i = 0; i < table->count; i++)
        if (!strncmp(table->row[i].id, id, length) && !table->row[i].id[length])
            return i;
    return index;
}

void htmt__sheet_settings(const struct htmt__golden_table *table, unsigned index,
                          struct htmt__sheet_settings *settings)
{
    const struct htmt__golden_row *row = &table->row[index];
    unsigned noted = index, leaned = index;
    for (int i = 0; i < HTMT__SHEET_SETTINGS; i++)
        settings->value[i] = (double)NAN;
    if (begins(row->quantity, "the same"))
        leaned = parent(table, index);
    else if (strstr(row->quantity, ", and ") && index)
        leaned = index - 1;
    while (noted && begins(table->row[noted].note, "as the row before"))
        noted--;
    if (leaned < index)
        htmt__sheet_settings(table, leaned, settings);
    else
        read_sentence(table->row[noted].note, settings);
    read_sentence(row->quantity, settings);
    read_text(row->inputs, inputs, sizeof inputs / sizeof *inputs, settings);
}
