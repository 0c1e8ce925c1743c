/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt graph make` and `htmt graph info`. Both belong to the application graph, whose verbs they
 * are; here the words take the form of such a verb: a kind or file that stands alone becomes an
 * option, and -o is --out.
 *
 *     graph make er --scale 10 -o g.mtx      make graph --kind er --scale 10 --out g.mtx
 *     graph info g.mtx                       info graph --graph g.mtx
 */
#include "emul/command/command.h"
#include "runtime/base/suggest.h"

#include <stdlib.h>
#include <string.h>

static int play(struct htmt__command *program, const char *option, int argc, char **argv)
{
    struct htmt_fault fault = {0};
    char app[] = "graph", alone[16], out[] = "--out";
    char **word = calloc((size_t)argc + 3, sizeof *word);
    int count = 0, at = 2;
    if (!word) {
        htmt_fault_set(&fault, HTMT_ENOMEM, "no memory for the command line");
        return htmt__complain("graph", &fault);
    }
    snprintf(alone, sizeof alone, "%s", option);
    word[count++] = argv[1];
    word[count++] = app;
    if (argc > 2 && argv[2][0] != '-') {
        word[count++] = alone;
        word[count++] = argv[at++];
    }
    for (; at < argc; at++)
        word[count++] = strcmp(argv[at], "-o") == 0 ? out : argv[at];
    int status = htmt__verb_application(program, count, word);
    free(word);
    return status;
}

static int verb_graph(struct htmt__command *program, int argc, char **argv)
{
    static const char *const known[] = {"make", "info"};
    struct htmt_fault fault = {0};
    if (argc > 1 && strcmp(argv[argc - 1], "--help") == 0)
        return htmt__verb_help(program, 2, (char *[]){argv[0], argv[argc > 2 ? 1 : 0]});
    if (argc > 1 && strcmp(argv[1], "make") == 0)
        return play(program, "--kind", argc, argv);
    if (argc > 1 && strcmp(argv[1], "info") == 0)
        return play(program, "--graph", argc, argv);
    if (argc < 2)
        htmt_fault_set(&fault, HTMT_EUSAGE, "what to do is missing: make or info");
    else
        htmt__suggest_refuse("action", argv[1], known, 2, "'htmt help graph'", &fault);
    return htmt__complain("graph", &fault);
}

static const struct htmt__verb_action actions[] = {
    {"make", "write a graph of kind er, rmat or graph500"},
    {"info", "print vertices, edges, degrees and components of a graph file"},
    {NULL, NULL}};

const struct htmt__verb htmt__verb_row_graph = {
    "graph",
    "make KIND --scale S [--factor F] [--seed N] [-o FILE] | info FILE [--format NAME]",
    "graph files: make one, look at one",
    verb_graph,
    NULL,
    actions};
