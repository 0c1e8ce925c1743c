/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times are exact fractions up to the total, which is rounded to a femtosecond: a serial processor
 * may need years, which 64-bit femtoseconds do not hold and the fractions of a tree do.
 */
#include "apps/lib/execution.h"

#include "apps/lib/request.h"

#include <inttypes.h>
#include <string.h>

#define TABLES (sizeof((struct htmt_execution_form *)0)->rows / sizeof(struct htmt_term_row *))

static const char *const names[] = {"htmt", "mpp", "serial", NULL};

enum htmt_execution htmt_execution_asked(const struct htmt_request *r)
{
    unsigned e = HTMT_EXECUTION_HTMT;
    (void)htmt_request_choice(r, HTMT_EXECUTION_NAME, names, &e, NULL);
    return (enum htmt_execution)e;
}

const char *htmt_execution_slices_why(const char *model)
{
    return strcmp(model, names[HTMT_EXECUTION_SERIAL]) == 0 ? "one processor computes"
           : strcmp(model, names[HTMT_EXECUTION_MPP]) == 0  ? "as many nodes as messages can join"
                                                            : NULL;
}

/* An mpp has one layer, which has processors, and a way to other nodes. */
static int check_machine(const struct htmt_machine *m, enum htmt_execution e,
                         struct htmt_fault *fault)
{
    bool computes = false;
    for (uint32_t i = 0; i < m->layer_count; i++)
        computes = computes || *m->layer[i].processor.name;
    if (!computes)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--execution %s: machine %s has no processor",
                              names[e], m->name);
    if (e != HTMT_EXECUTION_MPP)
        return 0;
    if (m->layer_count != 1)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--execution mpp: found machine %s with %" PRIu32
                              " layers, expected one, as of mpp-2000",
                              m->name, m->layer_count);
    if (m->slices > 1 && htmt_machine_route(m, 0, 0, true) < 0)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--execution mpp: machine %s has no network between its %" PRIu32
                              " nodes",
                              m->name, m->slices);
    return 0;
}

int htmt_execution_read(struct htmt_task *t, unsigned offers, enum htmt_execution *execution)
{
    struct htmt_fault *fault = htmt_task_fault(t);
    unsigned e = HTMT_EXECUTION_HTMT;
    int rc = htmt_request_choice(htmt_task_request(t), HTMT_EXECUTION_NAME, names, &e, fault);
    if (rc)
        return rc;
    *execution = (enum htmt_execution)e;
    if (e == HTMT_EXECUTION_HTMT)
        return 0;
    if (htmt_task_is_prediction(t) && !(offers & HTMT_EXECUTION_FORM(e)))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--execution %s: found predict of an application without that form",
                              names[e]);
    if (!htmt_task_is_prediction(t) && !(offers & HTMT_EXECUTION_CLOCK(e)))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "--execution %s: found %s, expected predict: on the clock it is not "
                              "played here",
                              names[e], htmt_task_is_model(t) ? "model" : "run");
    return check_machine(htmt_task_machine(t), *execution, fault);
}

/* ---- one processor -------------------------------------------------------------------------- */

static struct htmt_ratio longer(struct htmt_ratio a, struct htmt_ratio b)
{
    return htmt_ratio_cmp(a, b) < 0 ? b : a;
}

/* fs a word of a long move: of the channels at both ends and of the accesses of both memories. */
static struct htmt_ratio word_time(const struct htmt_machine *m, int network, uint32_t from,
                                   uint32_t to)
{
    const uint32_t end[] = {from, to};
    struct htmt_ratio word = {0, 1}, access;
    if (network < 0)
        return word;
    word = longer(m->network[network].port[from].out_word, m->network[network].port[to].in_word);
    for (unsigned i = 0; i < 2; i++) {
        const struct htmt_memory *memory = &m->layer[end[i]].memory;
        if (!htmt_ratio_div(memory->access, (struct htmt_ratio){memory->access_words, 1}, &access))
            word = longer(word, access);
    }
    return word;
}

struct htmt_execution_place htmt_execution_place(const struct htmt_machine *m,
                                                 enum htmt_execution execution)
{
    uint32_t inner = m->layer_count - 1;
    while (inner > 0 && !*m->layer[inner].processor.name)
        inner--;
    const bool chain = htmt_machine_processors_of(m, inner) != inner;
    inner = htmt_machine_processors_of(m, inner);
    const bool feeds = execution == HTMT_EXECUTION_SERIAL && inner > 0 && !chain;
    const uint32_t outer = feeds ? inner - 1 : inner;
    struct htmt_execution_place p = {.servers = htmt_servers(m, outer, outer, inner, inner),
                                     .layer = inner,
                                     .room = htmt_machine_room(m, inner),
                                     .feeds = feeds,
                                     .holds = htmt_machine_room(m, outer),
                                     .in = {0, 1},
                                     .out = {0, 1}};
    if (feeds) {
        const int network = htmt_machine_route(m, outer, inner, false);
        p.in = word_time(m, network, outer, inner);
        p.out = word_time(m, htmt_machine_route(m, inner, outer, false), inner, outer);
    }
    return p;
}

void htmt_execution_times(struct htmt_term_tree *tree, const struct htmt_execution_place *place)
{
    static const char *const of[HTMT_OP_CLASSES] = {[HTMT_CYCLE] = "t cycle",
                                                    [HTMT_FLOP] = "t flop",
                                                    [HTMT_IOP] = "t iop",
                                                    [HTMT_LOAD] = "t load",
                                                    [HTMT_STORE] = "t store"};
    const struct htmt_processor *p = &place->servers.m->layer[place->layer].processor;
    for (unsigned k = 0; k < HTMT_OP_CLASSES; k++)
        htmt_term_tree_set(tree, NULL, of[k], "s", htmt_exact_ratio(p->time[k]));
    htmt_term_tree_set(tree, NULL, "overlap", "1", htmt_exact_ratio(p->lambda));
    htmt_term_tree_set(tree, NULL, "t in", "s", htmt_exact_ratio(place->in));
    htmt_term_tree_set(tree, NULL, "t out", "s", htmt_exact_ratio(place->out));
}

/* ---- the two forms -------------------------------------------------------------------------- */

static const struct htmt_term_row serial_rows[] = {
    HTMT_ROW_ROUNDED(0, "s", "T", "max(compute, memory) + (1 - overlap) * min(compute, memory)",
                     HTMT_TERM_HALF_UP, "all, on one processor"),
    HTMT_ROW(1, "s", "compute",
             "flop * t flop + iop * t iop + load * t load + store * t store + cycle * t cycle",
             "operations of the processor"),
    HTMT_ROW(1, "s", "memory", "words in * t in + words out * t out",
             "between the processor's memory and the one outside"),
    HTMT_ROWS_END};

static const struct htmt_term_row serial_rates[] = {
    HTMT_ROW_QUOTIENT("flop/word", "intensity", "flop / (words in + words out)",
                      "operations for a word moved"),
    HTMT_ROWS_END};

static const struct htmt_term_row rates[] = {
    HTMT_ROW_QUOTIENT("flop/s", "rate", "flop / T", "of the problem"),
    HTMT_ROW_QUOTIENT("%", "share of peak", "flop * t flop / nodes / T", "while flop are computed"),
    HTMT_ROW_QUOTIENT("%", "memory use", "data / holds", "data in the memory that has them"),
    HTMT_ROWS_END};

static bool has_row(const struct htmt_execution_form *form, const char *name)
{
    for (unsigned i = 0; i < TABLES && form->rows[i]; i++)
        for (const struct htmt_term_row *row = form->rows[i]; row->name; row++)
            if (strcmp(row->name, name) == 0)
                return true;
    return false;
}

static int evaluate(struct htmt_task *t, const struct htmt_execution_place *place,
                    const struct htmt_execution_form *form, bool serial,
                    struct htmt_term_tree **tree)
{
    static const char *const classes[] = {"cycle", "iop", "load", "store"};
    int rc = htmt_term_tree_create(&place->servers, tree, htmt_task_fault(t));
    if (rc)
        return rc;
    if (serial)
        htmt_term_tree_add(*tree, NULL, 0, serial_rows);
    for (unsigned i = 0; i < TABLES && form->rows[i]; i++)
        htmt_term_tree_add(*tree, NULL, 0, form->rows[i]);
    if (serial)
        htmt_term_tree_add(*tree, NULL, 0, serial_rates);
    htmt_term_tree_add(*tree, NULL, 0, rates);
    for (unsigned k = 0; serial && k < sizeof classes / sizeof *classes; k++)
        if (!has_row(form, classes[k]))
            htmt_term_tree_set_count(*tree, NULL, classes[k], 0);
    htmt_term_tree_set_counts(*tree, form->of, form->count);
    htmt_term_tree_set(*tree, NULL, "room", "words", htmt_exact_whole(place->room));
    htmt_term_tree_set(*tree, NULL, "holds", "words", htmt_exact_whole(place->holds));
    htmt_term_tree_set_count(*tree, NULL, "nodes", serial ? 1 : place->servers.m->slices);
    htmt_execution_times(*tree, place);
    rc = htmt_term_tree_evaluate(*tree, htmt_task_fault(t));
    if (rc)
        htmt_term_tree_destroy(tree);
    return rc;
}

/* The class of operations that takes most of the time. */
static const char *longest_class(const struct htmt_term_tree *tree)
{
    static const char *const of[][2] = {{"flop", "t flop"},
                                        {"iop", "t iop"},
                                        {"load", "t load"},
                                        {"store", "t store"},
                                        {"cycle", "t cycle"}};
    long double most = -1;
    const char *name = of[0][0];
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
        const long double time = htmt_exact_value(htmt_term_tree_value(tree, of[k][0])) *
                                 htmt_exact_value(htmt_term_tree_value(tree, of[k][1]));
        if (time > most)
            name = of[k][0];
        most = time > most ? time : most;
    }
    return name;
}

/* The longest of the terms right below one; itself without such. */
static const char *longest_below(struct htmt_prediction *out, const char *name)
{
    const struct htmt_term *t, *parent = NULL;
    const char *longest = name;
    double most = -1;
    for (unsigned i = 0; (t = htmt_prediction_term_at(out, i)); i++) {
        if (parent && t->depth <= parent->depth)
            break;
        if (parent && t->depth == parent->depth + 1 && strcmp(t->unit, "s") == 0 &&
            t->value > most) {
            most = t->value;
            longest = t->name;
        }
        if (!parent && strcmp(t->name, name) == 0)
            parent = t;
    }
    return longest;
}

static double seconds(const struct htmt_term_tree *tree, const char *name)
{
    return 1e-15 * (double)htmt_exact_value(htmt_term_tree_value(tree, name));
}

static int tell(struct htmt_task *t, const struct htmt_execution_place *place,
                const struct htmt_term_tree *tree, struct htmt_prediction *out)
{
    const uint32_t layer = place->feeds ? place->layer - 1 : place->layer;
    htmt_prediction_total_fs(out, htmt_term_tree_whole(tree, "T"));
    htmt_prediction_flops(out, (double)htmt_exact_value(htmt_term_tree_value(tree, "flop")));
    htmt_term_tree_tell(tree, out);
    return htmt_execution_fits(t, place->servers.m->layer[layer].memory.name, "data",
                               htmt_exact_ceil(htmt_term_tree_value(tree, "data")), place->holds);
}

int htmt_serial_tell(struct htmt_task *t, const struct htmt_execution_form *form,
                     struct htmt_prediction *out)
{
    const struct htmt_execution_place place =
        htmt_execution_place(htmt_task_machine(t), HTMT_EXECUTION_SERIAL);
    struct htmt_term_tree *tree;
    int rc = evaluate(t, &place, form, true, &tree);
    if (rc)
        return rc;
    /* What overlaps is counted with the longer one; T is rounded. */
    const double total = 1e-15 * (double)htmt_term_tree_whole(tree, "T"),
                 compute = seconds(tree, "compute"), memory = seconds(tree, "memory"),
                 shown = compute < memory  ? memory
                         : compute < total ? total - compute
                                           : 0;
    htmt_prediction_part(out, HTMT_PART_COMPUTE, total - shown, longest_class(tree));
    htmt_prediction_part(out, HTMT_PART_MEMORY, shown, "words in and out");
    rc = tell(t, &place, tree, out);
    htmt_term_tree_destroy(&tree);
    return rc;
}

int htmt_mpp_tell(struct htmt_task *t, const struct htmt_execution_form *form,
                  struct htmt_prediction *out)
{
    const struct htmt_execution_place place =
        htmt_execution_place(htmt_task_machine(t), HTMT_EXECUTION_MPP);
    struct htmt_term_tree *tree;
    int rc = evaluate(t, &place, form, false, &tree);
    if (rc)
        return rc;
    rc = tell(t, &place, tree, out);
    const double total = 1e-15 * (double)htmt_term_tree_whole(tree, "T"),
                 network = seconds(tree, "network");
    htmt_prediction_part(out, HTMT_PART_COMPUTE, total - network, longest_below(out, "compute"));
    htmt_prediction_part(out, HTMT_PART_NETWORK, network, longest_below(out, "network"));
    htmt_term_tree_destroy(&tree);
    return rc;
}

/* ---- memories ------------------------------------------------------------------------------- */

int htmt_execution_fits(struct htmt_task *t, const char *memory, const char *what, htmt_wide words,
                        uint64_t room)
{
    const struct htmt_request *r = htmt_task_request(t);
    const bool full = htmt_request_plan_only(r);
    if (words <= (htmt_wide)room)
        return 0;
    if (full || htmt_request_strict(r))
        return htmt_task_refuse(t, full ? HTMT_ECAPACITY : HTMT_EFORMAT,
                                "%smemory %s: found %.0f words of %s, expected at most %" PRIu64,
                                full ? "" : "--strict: ", memory, (double)words, what, room);
    htmt_task_warn(t, "memory",
                   "memory %s: found %.0f words of %s, expected at most %" PRIu64
                   "; the time is as if it held them",
                   memory, (double)words, what, room);
    return 0;
}
