/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/tools/cc/unit.h"

#include "runtime/base/array.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void *htmt__rows_add(struct htmt__rows *rows)
{
    if (!htmt__array_fits(&rows->at, &rows->room, (size_t)rows->n + 1, rows->bytes))
        return NULL;
    void *row = (char *)rows->at + rows->n++ * rows->bytes;
    return memset(row, 0, rows->bytes);
}

int htmt__unit_open(struct htmt__unit *u, const char *source, bool vectors, LLVMContextRef context,
                    LLVMModuleRef module, struct htmt_fault *fault)
{
    *u = (struct htmt__unit){.source = source,
                             .vectors = vectors,
                             .module = module,
                             .context = context,
                             .blocks.bytes = sizeof(struct htmt__tape_block),
                             .ops.bytes = sizeof(struct htmt__tape_op),
                             .chains.bytes = sizeof(struct htmt__tape_chain),
                             .links.bytes = sizeof(struct htmt__tape_link),
                             .steps.bytes = sizeof(struct htmt__tape_step),
                             .sources.bytes = sizeof(uint32_t),
                             .functions.bytes = sizeof(struct htmt__tape_function),
                             .calls.bytes = sizeof(struct htmt__unit_call),
                             .places.bytes = sizeof(struct htmt__unit_place),
                             .symbols.bytes = sizeof(char *),
                             .packed.bytes = sizeof(struct htmt__packed),
                             .carried.bytes = sizeof(struct htmt__unit_carried),
                             .files.bytes = sizeof(char *),
                             .fault = fault};
    size_t n = 0;
    for (const char *c = source; *c && n + 1 < sizeof u->id; c++)
        u->id[n++] = isalnum((unsigned char)*c) ? *c : '_';
    char **own = htmt__rows_add(&u->files);
    return own && (*own = strdup(source)) ? 0 : HTMT_ENOMEM;
}

void htmt__unit_close(struct htmt__unit *u)
{
    char **symbol = u->symbols.at;
    struct htmt__tape_function *f = u->functions.at;
    for (uint32_t i = 0; i < u->symbols.n; i++)
        free(symbol[i]);
    for (uint32_t i = 0; i < u->functions.n; i++)
        free((void *)(uintptr_t)f[i].name);
    char **file = u->files.at;
    for (uint32_t i = 0; i < u->files.n; i++)
        free(file[i]);
    struct htmt__rows *const all[] = {
        &u->blocks, &u->ops,    &u->chains,  &u->links,  &u->steps,   &u->sources, &u->functions,
        &u->calls,  &u->places, &u->symbols, &u->packed, &u->carried, &u->files};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]->at);
    free(u->mark);
}

int htmt__unit_refuse(const struct htmt__unit *u, LLVMValueRef at, const char *what)
{
    unsigned n = 0;
    const char *file = LLVMGetDebugLocFilename(at, &n);
    const char *callee = LLVMIsACallInst(at) ? htmt__callee_of(at) : "";
    const bool named = strncmp(callee, "llvm.", 5) == 0;
    return htmt_fault_set(u->fault, HTMT_EINVAL, "%.*s:%u: found %s%s%s: its accesses have no hook",
                          file ? (int)n : (int)strlen(u->source), file ? file : u->source,
                          htmt__line_of(at), what, named ? ", " : "", named ? callee : "");
}

uint32_t htmt__file_of(struct htmt__unit *u, LLVMValueRef value)
{
    unsigned n = 0;
    const char *name = LLVMIsAInstruction(value) ? LLVMGetDebugLocFilename(value, &n) : NULL;
    char *const *file = u->files.at;
    for (uint32_t i = 0; name && i < u->files.n; i++)
        if (strlen(file[i]) == n && strncmp(file[i], name, n) == 0)
            return i;
    char **row = name && n ? htmt__rows_add(&u->files) : NULL;
    if (!row)
        return 0;
    *row = strndup(name, n);
    if (*row)
        return u->files.n - 1;
    u->files.n--;
    return 0;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static struct htmt__unit_mark *slot_of(const struct htmt__unit *u, LLVMValueRef value)
{
    size_t i = ((uintptr_t)value >> 4) * 0x9e3779b97f4a7c15u >> 20;
    for (;; i++) {
        struct htmt__unit_mark *m = &u->mark[i & (u->mark_room - 1)];
        if (!m->value || m->value == value)
            return m;
    }
}

static int grow(struct htmt__unit *u)
{
    const struct htmt__unit old = *u;
    const uint32_t room = old.mark_room ? 2 * old.mark_room : 1024;
    u->mark = calloc(room, sizeof *u->mark);
    if (!u->mark) {
        u->mark = old.mark;
        return HTMT_ENOMEM;
    }
    u->mark_room = room;
    for (uint32_t i = 0; i < old.mark_room; i++)
        if (old.mark[i].value)
            *slot_of(u, old.mark[i].value) = old.mark[i];
    free(old.mark);
    return 0;
}

int htmt__unit_mark(struct htmt__unit *u, LLVMValueRef value, uint32_t block, uint32_t access)
{
    int rc = 2 * u->marks >= u->mark_room ? grow(u) : 0;
    if (rc)
        return rc;
    *slot_of(u, value) = (struct htmt__unit_mark){value, block, access};
    u->marks++;
    return 0;
}

const struct htmt__unit_mark *htmt__unit_find(const struct htmt__unit *u, LLVMValueRef value)
{
    const struct htmt__unit_mark *m = u->mark_room ? slot_of(u, value) : NULL;
    return m && m->value ? m : NULL;
}
