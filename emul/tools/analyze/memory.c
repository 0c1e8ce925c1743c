/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/tools/analyze/memory.h"

#include "runtime/base/error.h"
#include "runtime/base/process.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 20, ALIGNMENT = 16, FIRST = 8 };

struct block {
    struct block *before;
    size_t used, room;
    _Alignas(ALIGNMENT) char at[];
};

/* The memory belongs to the process, as the program reads once. */
static struct block *newest;

static void add_block(size_t bytes)
{
    size_t room = bytes > BLOCK ? bytes : BLOCK;
    struct block *b = calloc(1, sizeof *b + room);
    if (!b)
        htmt_process_end(HTMT_ENOMEM, "htmt analyze: no host memory for the sources");
    b->before = newest;
    b->room = room;
    newest = b;
}

void *htmt__source_alloc(size_t bytes)
{
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!newest || newest->room - newest->used < bytes)
        add_block(bytes);
    void *at = newest->at + newest->used;
    newest->used += bytes;
    return at;
}

char *htmt__source_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    return memcpy(htmt__source_alloc(bytes), text, bytes);
}

char *htmt__source_print(const char *format, ...)
{
    va_list first, second;
    va_start(first, format);
    va_copy(second, first);
    int length = vsnprintf(NULL, 0, format, first);
    char *text = htmt__source_alloc((size_t)(length < 0 ? 0 : length) + 1);
    vsnprintf(text, (size_t)(length < 0 ? 0 : length) + 1, format, second);
    va_end(second);
    va_end(first);
    return text;
}

void *htmt__source_room(void *items, size_t count, size_t size)
{
    if (count && (count < FIRST || (count & (count - 1))))
        return items;
    void *wider = htmt__source_alloc((count ? 2 * count : FIRST) * size);
    return count ? memcpy(wider, items, count * size) : wider;
}

struct htmt__source_mark htmt__source_mark(void)
{
    return (struct htmt__source_mark){newest, newest ? newest->used : 0};
}

void htmt__source_rewind(struct htmt__source_mark mark)
{
    while (newest != mark.block) {
        struct block *before = newest->before;
        free(newest);
        newest = before;
    }
    if (newest) {
        memset(newest->at + mark.used, 0, newest->used - mark.used);
        newest->used = mark.used;
    }
}

void htmt__source_release(void)
{
    while (newest) {
        struct block *before = newest->before;
        free(newest);
        newest = before;
    }
}
