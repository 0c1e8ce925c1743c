/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cost files, tables of traffic, graphs in the language of dot.
 */
#include "emul/loops/bound/outputs.h"

#include "emul/loops/bound/scratch.h"
#include "runtime/base/whole_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RING 3 /* boxes along an axis: both neighbours differ */

extern char **environ;

const struct htmt_search htmt__bound_search = {"nest file", "nests", "HTMT_NESTS_PATH"};

/* ---- costs -------------------------------------------------------------------------------------
 */

#define KEY_ROOM 80

/* Keys have lower-case letters, digits and '-'. */
static void name_key(const char *name, size_t length, char *key, size_t room)
{
    size_t at = 0;
    for (; at < length && at + 1 < room; at++) {
        unsigned char c = (unsigned char)name[at];
        key[at] = isalnum(c) ? (char)tolower(c) : '-';
    }
    key[at] = '\0';
}

/* Loops of one key are numbered: "smooth", "smooth-2". */
static void name_loop(const struct htmt__bounds *b, unsigned loop, char *key)
{
    char base[KEY_ROOM - 12], other[KEY_ROOM - 12];
    unsigned same = 1;
    name_key(b->loop[loop].run->name, strlen(b->loop[loop].run->name), base, sizeof base);
    for (unsigned i = 0; i < loop; i++) {
        name_key(b->loop[i].run->name, strlen(b->loop[i].run->name), other, sizeof other);
        same += !strcmp(base, other);
    }
    snprintf(key, KEY_ROOM, same > 1 ? "%s-%u" : "%s", base, same);
}

/* A number of a cell: it may have a fraction. */
static void put_share(FILE *out, const char *key, struct htmt__nest_number n,
                      const struct htmt__bound_loop *loop, const char *what)
{
    fprintf(out, "    %s: {value: %.15g, source: \"%.100s, %s of a cell\"}\n", key,
            htmt__nest_value(n), loop->run->name, what);
}

static void put_loop_costs(FILE *out, const struct htmt__bounds *b, unsigned index)
{
    const struct htmt__bound_loop *loop = &b->loop[index];
    const struct htmt__nest_plan *plan = loop->run->plan;
    const htmt_wide words = (loop->traffic[0].bytes + HTMT_WORD - 1) / HTMT_WORD;
    char key[KEY_ROOM], digits[2][48];
    name_loop(b, index, key);
    htmt__nest_digits(loop->cells, digits[0]);
    htmt__nest_digits(words, digits[1]);
    fprintf(out, "  %s:\n", key);
    put_share(out, "flop", loop->flops, loop, "flop, divisions and functions weighted,");
    put_share(out, "iop", plan->ops[HTMT__NEST_IOP], loop, "iop");
    put_share(out, "load", plan->loads, loop, "loads as written");
    put_share(out, "store", plan->stores, loop, "stores as written");
    fprintf(out, "    cells: {value: %s, source: \"%.100s, iterations\"}\n", digits[0],
            loop->run->name);
    fprintf(out,
            "    moved: {value: \"%s words\", source: \"%.100s, between the two innermost "
            "memories\"}\n",
            digits[1], loop->run->name);
}

int htmt__bound_costs(const struct htmt__bound_report *report, const char *path,
                      struct htmt_fault *fault)
{
    /* The application that takes the file is named like the nest file. */
    const char *slash = strrchr(report->path, '/'), *name = slash ? slash + 1 : report->path;
    size_t length = strlen(name);
    struct htmt_whole_file *file = NULL;
    char app[HTMT_NAME_MAX];
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    if (length > 5 && !strcmp(name + length - 5, ".yaml"))
        length -= 5;
    name_key(name, length, app, sizeof app);
    fprintf(out, "htmt-costs: 1\napp: %s\nabout: \"loops of %s, weighted as %s says\"\n\ncosts:\n",
            app, report->path, report->bound->rates->machine->name);
    for (unsigned i = 0; i < report->bound->loops; i++)
        put_loop_costs(out, report->bound, i);
    return htmt_whole_file_commit(&file, fault);
}

/* ---- traffic -----------------------------------------------------------------------------------
 */

/* The neighbour of a box along an axis of a ring of boxes. */
static unsigned neighbour(unsigned node, unsigned axis, unsigned by)
{
    unsigned stride = 1;
    while (axis--)
        stride *= RING;
    unsigned at = node / stride % RING;
    return node + ((at + by) % RING - at) * stride;
}

/* What the loops of some runs take; none: no line. */
static void put_compute(FILE *out, const struct htmt__bounds *b, unsigned from, unsigned to)
{
    htmt_wide fs = 0;
    for (unsigned i = 0; i < b->loops; i++) {
        unsigned run = (unsigned)(b->loop[i].run - b->program->run);
        if (run >= from && run < to)
            fs += b->loop[i].fs * b->loop[i].run->times;
    }
    if (fs)
        fprintf(out, "      - {compute: %.0f fs}\n", (double)fs);
}

/* Bytes along an axis of all arrays that are sent together. */
static htmt_wide faces(const struct htmt__bounds *b, unsigned exchange, unsigned axis)
{
    const struct htmt__nest_exchange *x = &b->program->exchange[exchange];
    htmt_wide bytes = 0;
    for (unsigned i = exchange; i < b->program->exchanges; i++)
        if (b->program->exchange[i].before == x->before)
            bytes += htmt__nest_face_bytes(b->program, &b->program->exchange[i], axis);
    return bytes;
}

/* A box's program: the loops before each exchange, all sends, all receipts, the loops behind. */
static void put_node(FILE *out, const struct htmt__bounds *b, unsigned node, unsigned axes)
{
    unsigned from = 0;
    fprintf(out, "  - name: box %u\n    program:\n", node);
    for (unsigned i = 0; i < b->program->exchanges; i++) {
        unsigned before = b->program->exchange[i].before;
        if (i && before == b->program->exchange[i - 1].before)
            continue;
        put_compute(out, b, from, before);
        for (unsigned axis = 0; axis < axes; axis++)
            for (unsigned side = 1; side < RING; side++)
                fprintf(out, "      - {asend: %u, bytes: %.0f}\n", neighbour(node, axis, side),
                        (double)faces(b, i, axis));
        for (unsigned axis = 0; axis < axes; axis++)
            for (unsigned side = 1; side < RING; side++)
                fprintf(out, "      - {rcv: %u}\n", neighbour(node, axis, side));
        from = before;
    }
    put_compute(out, b, from, b->program->runs);
}

int htmt__bound_pattern(const struct htmt__bound_report *report, const char *path,
                        struct htmt_fault *fault)
{
    const struct htmt__bounds *b = report->bound;
    struct htmt_whole_file *file = NULL;
    unsigned axes = 0, nodes = 1;
    for (unsigned i = 0; i < b->program->exchanges; i++) {
        unsigned has = b->program->file->array[b->program->exchange[i].sent.array].axes;
        axes = has > axes ? has : axes;
    }
    for (unsigned i = 0; i < axes && i < 4; i++)
        nodes *= RING;
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    FILE *out = htmt_whole_file_stream(file);
    fprintf(out, "htmt-traffic: 1\nabout: \"ghosts of %s between %u boxes\"\nnodes:\n",
            report->path, nodes);
    for (unsigned node = 0; node < nodes; node++)
        put_node(out, b, node, axes);
    return htmt_whole_file_commit(&file, fault);
}

/* ---- graphs ------------------------------------------------------------------------------------
 */

/* Which nests (ovals) read and write which arrays (boxes). */
static void print_graph(const struct htmt__bound_report *report, FILE *out)
{
    const struct htmt__nest_program *p = report->bound->program;
    const struct htmt__nest_occupancy *o = report->occupancy;
    char name[100];
    fprintf(out, "digraph nests {\n");
    for (unsigned i = 0; i < p->runs; i++)
        fprintf(out, "  l%u [shape=oval, label=\"%s\"];\n", i, p->run[i].name);
    for (unsigned row = 0; row < o->rows; row++) {
        htmt__bound_row_name(report, &o->row[row], name, sizeof name);
        fprintf(out, "  a%u [shape=box, label=\"%s\"];\n", row, name);
        for (unsigned i = 0; i < o->runs; i++) {
            enum htmt__nest_mark mark = o->row[row].mark[i];
            if (mark == HTMT__NEST_R || mark == HTMT__NEST_RW)
                fprintf(out, "  a%u -> l%u;\n", row, i);
            if (mark >= HTMT__NEST_W)
                fprintf(out, "  l%u -> a%u;\n", i, row);
        }
    }
    fprintf(out, "}\n");
}

static int refuse_dot(struct htmt_fault *fault, const char *why)
{
    return htmt_fault_set(fault, HTMT_ESYSTEM, "--graph: dot cannot draw: %s", why);
}

/* dot reads one file and writes the other. */
static int run_dot(int in, int out, struct htmt_fault *fault)
{
    char *const words[] = {(char *)"dot", (char *)"-Tsvg", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    if (posix_spawn_file_actions_init(&actions))
        return refuse_dot(fault, "no memory");
    int rc = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (!rc)
        rc = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (rc)
        return refuse_dot(fault, strerror(rc));
    while (waitpid(child, &status, 0) < 0)
        ;
    return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : refuse_dot(fault, "it failed");
}

static int draw(const char *text, size_t length, const char *path, struct htmt_fault *fault)
{
    int in = htmt__bound_scratch(), out = htmt__bound_scratch();
    bool written = in >= 0 && out >= 0 && write(in, text, length) == (ssize_t)length &&
                   !lseek(in, 0, SEEK_SET);
    int rc = written ? run_dot(in, out, fault) : refuse_dot(fault, "no memory for files");
    if (!rc)
        rc = htmt__bound_scratch_save(out, path, fault);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return rc;
}

int htmt__bound_graph_write(const struct htmt__bound_report *report, const char *path,
                            struct htmt_fault *fault)
{
    char *text = NULL;
    size_t length = 0, end = strlen(path);
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    print_graph(report, out);
    if (fclose(out)) {
        free(text);
        return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory");
    }
    int rc = end > 4 && !strcmp(path + end - 4, ".svg")
                 ? draw(text, length, path, fault)
                 : htmt_whole_file_write(path, text, length, fault);
    free(text);
    return rc;
}
