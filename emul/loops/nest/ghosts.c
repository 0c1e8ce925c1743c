/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of ghosts, and the bytes that a program needs.
 */
#include "emul/loops/nest/program.h"

htmt_wide htmt__nest_face_bytes(const struct htmt__nest_program *program,
                                const struct htmt__nest_exchange *exchange, unsigned axis)
{
    const struct htmt__nest_array *a = &program->file->array[exchange->sent.array];
    htmt_wide bytes = exchange->sent.count * exchange->depth * (htmt_wide)a->bytes;
    for (unsigned i = 0; i < a->axes; i++) {
        htmt_wide inside = program->size[exchange->sent.array][i] - 2 * exchange->depth;
        if (i != axis)
            bytes *= inside > 0 ? inside : 0;
    }
    return bytes;
}

htmt_wide htmt__nest_exchange_bytes(const struct htmt__nest_program *program,
                                    const struct htmt__nest_exchange *exchange)
{
    htmt_wide bytes = 0;
    for (unsigned i = 0; i < program->file->array[exchange->sent.array].axes; i++)
        bytes += 2 * htmt__nest_face_bytes(program, exchange, i);
    return bytes;
}

int htmt__nest_footprint(const struct htmt__nest_program *program, htmt_wide *arrays,
                         htmt_wide *buffers)
{
    htmt_wide together = 0;
    *arrays = *buffers = 0;
    for (unsigned i = 0; i < program->file->arrays; i++)
        if (!program->file->array[i].formal)
            *arrays += htmt__nest_array_words(program, i, program->components[i]) *
                       (htmt_wide)program->file->array[i].bytes;
    for (unsigned i = 0; i < program->exchanges; i++) {
        bool same = i && program->exchange[i].before == program->exchange[i - 1].before;
        together =
            (same ? together : 0) + htmt__nest_exchange_bytes(program, &program->exchange[i]);
        *buffers = together > *buffers ? together : *buffers;
    }
    return *arrays >= (htmt_wide)1 << 90 ? HTMT_EOVERFLOW : 0;
}
