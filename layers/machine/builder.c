/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures to plain data, row by row. Each figure has a hash of its exact value (FNV-1a, 64 bit,
 * over the key, a zero, then 'a' for not-modelled, 't' and the text with its zero, or 'v' and
 * numerator and denominator as 8 little-endian bytes each).
 */
#include "layers/machine/builder.h"

#include "runtime/base/fnv.h"
#include "runtime/base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define KEY_ROOM sizeof((struct htmt_figure){0}.key)

static uint64_t *last_hash(struct htmt__builder *b)
{
    return &b->machine->figure[b->machine->figure_count - 1].hash;
}

void htmt__build_absorb(struct htmt__builder *b, const char *text)
{
    htmt__hash_bytes(last_hash(b), "t", 1);
    htmt__hash_bytes(last_hash(b), text, strlen(text) + 1);
}

void htmt__build_absorb_ratio(struct htmt__builder *b, struct htmt_ratio value)
{
    htmt__hash_bytes(last_hash(b), "v", 1);
    htmt__hash_u64(last_hash(b), value.num);
    htmt__hash_u64(last_hash(b), value.den);
}

/* Where a message about a missing key points: the first figure of the same group, else of the
 * group around it, else the top of the file. */
int htmt__build_refuse_missing(struct htmt__builder *b, const char *key)
{
    char prefix[KEY_ROOM];
    const char *last = strrchr(key, '.');
    size_t length = last ? (size_t)(last - key) + 1 : 0;
    memcpy(prefix, key, length);
    while (length > 0) {
        for (unsigned i = 0; i < b->from->count; i++)
            if (strncmp(b->from->at[i].key, prefix, length) == 0)
                return htmt_fault_set(b->fault, HTMT_EFORMAT, "%s:%d: key '%s' is missing",
                                      b->from->at[i].file, b->from->at[i].line, key);
        for (length--; length > 0 && prefix[length - 1] != '.'; length--)
            ;
    }
    return htmt_fault_set(b->fault, HTMT_EFORMAT, "%s:1: key '%s' is missing", b->file, key);
}

void htmt__build_keep(struct htmt__builder *b, const struct htmt_figure *figure)
{
    b->machine->figure[b->machine->figure_count++] = *figure;
    *last_hash(b) = HTMT__HASH_BASIS;
    htmt__hash_bytes(last_hash(b), figure->key, strlen(figure->key) + 1);
}

static int store_name(struct htmt__builder *b, const struct htmt_figure *figure, char *to)
{
    size_t length = strlen(figure->value);
    bool good = length < HTMT_NAME_MAX && strcmp(figure->value, HTMT__NO_PROCESSOR) != 0;
    for (size_t i = 0; i < length && good; i++)
        good = isalnum((unsigned char)figure->value[i]) || strchr("-_", figure->value[i]);
    if (!good)
        return htmt__figure_refuse(figure, HTMT_EFORMAT, b->fault,
                                   "expected a name of letters, digits, '-' and '_'");
    memcpy(to, figure->value, length + 1);
    htmt__build_absorb(b, figure->value);
    return 0;
}

/* The number of the word among those of the row. */
static int store_choice(struct htmt__builder *b, const struct htmt_schema_row *row,
                        const struct htmt_figure *figure, void *at)
{
    char hint[200];
    unsigned count = 0, found = 0;
    while (row->words[count])
        count++;
    while (found < count && strcmp(row->words[found], figure->value) != 0)
        found++;
    if (found == count && count == 2)
        return htmt__figure_refuse(figure, HTMT_EFORMAT, b->fault,
                                   "found '%s', expected '%s' or '%s'", figure->value,
                                   row->words[0], row->words[1]);
    if (found == count) {
        htmt__suggest(figure->value, row->words, count, hint, sizeof hint);
        return htmt__figure_refuse(figure, HTMT_EFORMAT, b->fault, "found '%.60s', %s",
                                   figure->value, hint);
    }
    if (row->size == sizeof(bool))
        memcpy(at, &(bool){found == 1}, sizeof(bool));
    else
        memcpy(at, &found, sizeof found);
    htmt__build_absorb(b, figure->value);
    return 0;
}

/* The exact value of a figure in the row's unit: cycles become time by the processor's clock, and a
 * time for each word that of an access, which takes several. */
static int read_value(struct htmt__builder *b, const struct htmt_schema_row *row,
                      const struct htmt_figure *figure, const void *base, struct htmt_ratio *value)
{
    const struct htmt_memory *memory = base;
    const uint64_t most = (uint64_t)row->most;
    const bool cycles = row->kind == HTMT_UNIT_OPERATION || row->kind == HTMT_UNIT_BYTE_CYCLES;
    const char *instead =
        row->optional ? " (say '" HTMT__NOT_MODELLED "' where it shall cost nothing)" : "";
    struct htmt_quantity q;
    int rc = htmt__figure_quantity(figure, row, &q, b->fault);
    if (rc)
        return rc;
    if (cycles && q.basis == HTMT_IN_CYCLES && !b->cycle)
        return htmt__figure_refuse(figure, HTMT_EUNIT, b->fault,
                                   "counts cycles, but there is no clock");
    if (cycles && q.basis == HTMT_IN_CYCLES)
        rc = htmt_ratio_mul(q.value, *b->cycle, &q.value);
    else if (row->kind == HTMT_UNIT_ACCESS && q.basis == HTMT_PER_WORD)
        rc = htmt_ratio_mul(q.value, (struct htmt_ratio){memory->access_words, 1}, &q.value);
    if (rc)
        return htmt__figure_refuse(figure, rc, b->fault,
                                   "is too large or too fine to be held exactly");
    if (q.value.num == 0 && row->above_least)
        return htmt__figure_refuse(figure, HTMT_ERANGE, b->fault,
                                   "found '%s', expected more than zero%s", figure->value, instead);
    if (most && htmt_ratio_cmp(q.value, (struct htmt_ratio){most, 1}) > 0)
        return htmt__figure_refuse(figure, HTMT_ERANGE, b->fault,
                                   "found '%s', expected at most %llu%s", figure->value,
                                   (unsigned long long)most,
                                   row->kind == HTMT_UNIT_SIZE   ? " words"
                                   : row->kind == HTMT_UNIT_TIME ? " fs"
                                                                 : "");
    *value = q.value;
    return 0;
}

/* A ratio, or a whole number of 32 or 64 bits. */
static void store_value(const struct htmt_schema_row *row, void *base, struct htmt_ratio value)
{
    char *at = (char *)base + row->offset;
    uint32_t small = (uint32_t)value.num;
    if (row->size == sizeof value)
        memcpy(at, &value, sizeof value);
    else if (row->size == sizeof small)
        memcpy(at, &small, sizeof small);
    else
        memcpy(at, &value.num, sizeof value.num);
}

static int store_quantity(struct htmt__builder *b, const struct htmt_schema_row *row,
                          const struct htmt_figure *figure, void *base)
{
    struct htmt_ratio value;
    if (!htmt__figure_modelled(figure)) {
        if (!row->optional)
            return htmt__figure_refuse(figure, HTMT_EFORMAT, b->fault,
                                       "found '" HTMT__NOT_MODELLED
                                       "', but the model cannot do without");
        store_value(row, base, (struct htmt_ratio){row->absent, 1});
        htmt__hash_bytes(last_hash(b), "a", 1);
        return 0;
    }
    int rc = read_value(b, row, figure, base, &value);
    if (rc)
        return rc;
    store_value(row, base, value);
    htmt__build_absorb_ratio(b, value);
    if (row->kind != HTMT_UNIT_FREQUENCY)
        return 0;
    /* The cycle is no figure of its own: it follows from the clock. */
    struct htmt_processor *processor = base;
    rc = htmt_ratio_div((struct htmt_ratio){HTMT_SECOND, 1}, processor->clock,
                        &processor->time[HTMT_CYCLE]);
    return rc ? htmt__figure_refuse(figure, rc, b->fault, "the cycle cannot be held exactly") : 0;
}

int htmt__build_row(struct htmt__builder *b, const struct htmt_schema_row *row, const char *prefix,
                    void *base)
{
    const struct htmt_figure *figure = *prefix ? htmt__figures_find_under(b->from, prefix, row->key)
                                               : htmt__figures_find(b->from, row->key);
    if (!figure) {
        char key[KEY_ROOM];
        snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", row->key);
        return htmt__build_refuse_missing(b, key);
    }
    htmt__build_keep(b, figure);
    if (row->kind == HTMT_SCHEMA_TEXT)
        return store_name(b, figure, (char *)base + row->offset);
    if (row->kind == HTMT_SCHEMA_CHOICE)
        return store_choice(b, row, figure, (char *)base + row->offset);
    return store_quantity(b, row, figure, base);
}

/* The rows that go into the struct at `base`; groups in it have structs of their own. */
int htmt__build_group(struct htmt__builder *b, const struct htmt_schema_row *rows,
                      const char *prefix, void *base)
{
    int rc = 0;
    for (; rows->key && !rc; rows++)
        if (rows->size)
            rc = htmt__build_row(b, rows, prefix, base);
    return rc;
}
