/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queues of payloads. A graph program may have millions of posts waiting, in some thousands of
 * queues, most of which are empty most of the time. So a queue is a list of chunks of 1 kB, in
 * which payloads of any length lie one behind another; a payload is not split. A chunk that was
 * read to its end goes to the clock's free ones, from which every queue takes: a queue that is
 * empty has none, and all queues together have as many as their payloads fill, and one and a half
 * each.
 *
 * By hand: payloads of 8 + 16 bytes; 42 of them fit into 1,008 bytes. The 43rd begins another
 * chunk.
 */
#include "parcels/message/post.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 1024u /* bytes, the link included */

struct htmt__post_chunk {
    struct htmt__post_chunk *next;
    uint32_t end; /* of the last payload, once another chunk follows */
    _Alignas(8) unsigned char bytes[CHUNK - 16];
};
_Static_assert(sizeof(struct htmt__post_chunk) == CHUNK, "a chunk is 1 kB");

static struct htmt__post_chunk *chunk_create(struct htmt_emulator *e)
{
    struct htmt__post_chunk *chunk = e->post_chunks;
    if (chunk)
        e->post_chunks = chunk->next;
    else if (!(chunk = malloc(sizeof *chunk)))
        htmt__fail(e, HTMT_ENOMEM, "no host memory for posts that wait");
    return chunk;
}

static void chunk_free(struct htmt_emulator *e, struct htmt__post_chunk *chunk)
{
    chunk->next = e->post_chunks;
    e->post_chunks = chunk;
}

bool htmt__post_line_push(struct htmt_emulator *e, struct htmt__post_line *line,
                          const struct htmt__post *post)
{
    const uint32_t size = (uint32_t)htmt__post_size(post);
    if (!line->tail || line->to + size > sizeof line->tail->bytes) {
        struct htmt__post_chunk *chunk = chunk_create(e);
        if (!chunk)
            return false;
        chunk->next = NULL;
        if (line->tail) {
            line->tail->next = chunk;
            line->tail->end = line->to;
        } else {
            line->head = chunk;
            line->from = 0;
        }
        line->tail = chunk;
        line->to = 0;
    }
    memcpy(line->tail->bytes + line->to, post, HTMT__POST_HEAD + post->bytes);
    line->to += size;
    line->count++;
    return true;
}

const struct htmt__post *htmt__post_line_first(const struct htmt__post_line *line)
{
    return (const struct htmt__post *)(const void *)(line->head->bytes + line->from);
}

void htmt__post_line_pop(struct htmt_emulator *e, struct htmt__post_line *line)
{
    struct htmt__post_chunk *chunk = line->head;
    line->from += (uint32_t)htmt__post_size(htmt__post_line_first(line));
    line->count--;
    if (line->from < (chunk == line->tail ? line->to : chunk->end))
        return;
    line->head = chunk->next;
    line->from = 0;
    if (chunk == line->tail)
        line->tail = NULL;
    chunk_free(e, chunk);
}

void htmt__post_line_free(struct htmt_emulator *e, struct htmt__post_line *line)
{
    while (line->head) {
        struct htmt__post_chunk *next = line->head == line->tail ? NULL : line->head->next;
        chunk_free(e, line->head);
        line->head = next;
    }
    *line = (struct htmt__post_line){0};
}

void htmt__post_chunks_free(struct htmt_emulator *e)
{
    while (e->post_chunks) {
        struct htmt__post_chunk *next = e->post_chunks->next;
        free(e->post_chunks);
        e->post_chunks = next;
    }
}
