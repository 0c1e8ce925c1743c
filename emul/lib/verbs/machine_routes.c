/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `htmt machine routes`: the ways between two slices, what of them is drawn and where what waits
 * decides.
 *
 * A routing answers for one packet at one switch. So packets are followed, as many as DRAWN, with
 * the draws that the first message of that source has in a run; each choice among several channels
 * is followed to its end. What comes out is a set of ways. A way that no choice is on has a share,
 * that of the packets that drew it; shares of ways with a choice depend on the load, and are left
 * out. A routing that draws nothing needs one packet.
 *
 * Cost: DRAWN times the ways that choices leave to a packet. A mesh with many of them is cut off at
 * WAYS_MOST.
 */
#include "emul/lib/report/json.h"
#include "emul/lib/verbs/verb.h"
#include "layers/machine/machine.h"
#include "layers/network/routing.h"
#include "layers/network/switch_graph.h"
#include "runtime/base/array.h"
#include "runtime/base/output.h"
#include "runtime/base/suggest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DRAWN      65536
#define WAYS_MOST  4096
#define SHOWN_MOST 64 /* in text */

struct step {
    uint32_t channel, lane;
};

struct way {
    struct step *step;
    uint32_t length;
    uint32_t drawn; /* packets */
    bool choice;    /* what waits decides */
};

struct ways {
    const struct htmt__topology *t;
    struct way *at;
    uint32_t count;
    size_t room;
    struct step *path; /* of the packet that is followed */
    uint32_t packets, longest;
    bool cut; /* there are more */
    int rc;
};

struct request {
    const char *machine, *from, *to, *network, *json;
    const char **set;
    unsigned sets;
    uint32_t source, target; /* slices */
};

/* ---- ways ------------------------------------------------------------------------------------ */

/* Of one packet. Few ways make one list good enough: the last one that was found is looked at
 * first. */
static void add(struct ways *w, uint32_t length, bool choice)
{
    const size_t bytes = length * sizeof *w->path;
    for (uint32_t i = w->count; i-- > 0;) {
        struct way *other = &w->at[i];
        if (other->length != length || memcmp(other->step, w->path, bytes) != 0)
            continue;
        other->drawn++;
        other->choice |= choice;
        return;
    }
    w->cut |= w->count == WAYS_MOST;
    if (w->cut)
        return;
    struct way way = {malloc(bytes), length, 1, choice};
    if (!way.step || !htmt__array_fits(&w->at, &w->room, (size_t)w->count + 1, sizeof way)) {
        free(way.step);
        w->rc = HTMT_ENOMEM;
        return;
    }
    memcpy(way.step, w->path, bytes);
    w->at[w->count++] = way;
}

static void follow(struct ways *w, struct htmt__bound b, uint32_t element, bool choice)
{
    struct htmt__allowed way[HTMT__WAYS_MOST];
    const uint32_t n = htmt__route_ways(w->t, element, &b, way), at = b.hops;
    if (n == 0)
        add(w, at, choice);
    for (uint32_t i = 0; i < n && !w->cut && !w->rc; i++) {
        if (at == w->longest) { /* a circle of a file's own making */
            w->rc = HTMT_EROUTE;
            return;
        }
        w->path[at] = (struct step){way[i].next.channel, way[i].next.lane};
        b.channel = way[i].next.channel;
        b.lane = way[i].next.lane;
        b.hops = at + 1;
        follow(w, b, htmt__wire(w->t, b.channel)->to, choice || n > 1);
    }
}

/* Those that more packets drew first, then by their channels. */
static int in_order(const void *a, const void *b)
{
    const struct way *x = a, *y = b;
    if (x->choice != y->choice)
        return x->choice ? 1 : -1;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    for (uint32_t i = 0; i < x->length; i++)
        if (x->step[i].channel != y->step[i].channel)
            return x->step[i].channel < y->step[i].channel ? -1 : 1;
    for (uint32_t i = 0; i < x->length; i++)
        if (x->step[i].lane != y->step[i].lane)
            return x->step[i].lane < y->step[i].lane ? -1 : 1;
    return 0;
}

static int find_ways(struct ways *w, const struct request *r)
{
    const struct htmt__topology *t = w->t;
    w->packets = htmt__route_has_many(&t->inside) ? DRAWN : 1;
    w->longest = 2 * (t->longest + t->switches) + 2;
    w->path = malloc(w->longest * sizeof *w->path);
    if (!w->path)
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < w->packets && !w->cut && !w->rc; i++) {
        const uint32_t end = t->end_of[r->source];
        const struct htmt__bound b = {.source = end,
                                      .target = t->end_of[r->target],
                                      .channel = UINT32_MAX,
                                      .draw = htmt__route_draw(t->inside.seed, r->source, 0, i)};
        follow(w, b, end, false);
    }
    if (w->count)
        qsort(w->at, w->count, sizeof *w->at, in_order);
    return w->rc;
}

static void clear(struct ways *w)
{
    for (uint32_t i = 0; i < w->count; i++)
        free(w->at[i].step);
    free(w->at);
    free(w->path);
}

/* ---- what is told ---------------------------------------------------------------------------- */

/* Lanes of a group that a packet of `allocate: dynamic` may take: from the first one, every so
 * many. */
static uint32_t lane_step(const struct htmt__topology *t)
{
    const uint32_t classes = htmt__route_classes(&t->inside);
    return t->inside.dynamic && t->inside.lanes > classes ? classes : t->inside.lanes;
}

static uint32_t first_lane(const struct htmt__topology *t, uint32_t lane)
{
    return lane % lane_step(t);
}

static void print_way(const struct ways *w, const struct way *way, uint32_t number)
{
    char port[HTMT__ELEMENT_NAME + 40];
    if (way->choice)
        printf("  %3u       -", number);
    else
        printf("  %3u %6.2f %%", number, 100.0 * way->drawn / w->packets);
    for (uint32_t i = 0; i < way->length; i++) {
        htmt__topology_port_name(w->t, way->step[i].channel, port, sizeof port);
        printf("%s%s", i ? " > " : "  ", port);
        if (w->t->inside.lanes > 1)
            printf(" [%u%s]", first_lane(w->t, way->step[i].lane),
                   lane_step(w->t) < w->t->inside.lanes ? "+" : "");
    }
    printf("\n");
}

static void print(const struct ways *w, const struct htmt_machine *m, const struct htmt_network *n,
                  const struct request *r)
{
    char from[HTMT__ELEMENT_NAME], to[HTMT__ELEMENT_NAME];
    const struct htmt__inside *in = &w->t->inside;
    bool choices = false;
    htmt__topology_name(w->t, w->t->end_of[r->source], from, sizeof from);
    htmt__topology_name(w->t, w->t->end_of[r->target], to, sizeof to);
    printf("%s, network %s: from slice %u (%s) to slice %u (%s)\n", m->name, n->name, r->source,
           from, r->target, to);
    printf("  ways   %u%s\n", w->count, w->cut ? " and more" : "");
    const uint32_t classes = htmt__route_classes(in);
    printf("  lanes  %u, in %u %s%s\n", in->lanes, classes, classes == 1 ? "class" : "classes",
           in->auto_classes ? " (classes: auto)" : "");
    if (w->packets > 1)
        printf("  drawn  by %u packets\n", w->packets);
    printf("\n  way    share  ports%s\n", in->lanes > 1 ? " [lane]" : "");
    for (uint32_t i = 0; i < w->count && i < SHOWN_MOST; i++) {
        print_way(w, &w->at[i], i + 1);
        choices |= w->at[i].choice;
    }
    if (w->count > SHOWN_MOST)
        printf("  and %u more; --json has them\n", w->count - SHOWN_MOST);
    if (choices)
        printf("\n  -: what waits at the switches decides\n");
    if (lane_step(w->t) < in->lanes)
        printf("\n  +: the first lane of the class; all classes have %u\n",
               in->lanes / lane_step(w->t));
}

/* A part that there is no memory for makes the whole NULL. */
static json_t *json_of(const struct ways *w, const struct htmt_machine *m,
                       const struct htmt_network *n, const struct request *r)
{
    char name[HTMT__ELEMENT_NAME + 40];
    const struct htmt__inside *in = &w->t->inside;
    json_t *ways = json_array();
    int failed = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct way *way = &w->at[i];
        json_t *ports = json_array();
        for (uint32_t k = 0; k < way->length; k++) {
            json_t *lanes = json_array();
            htmt__topology_port_name(w->t, way->step[k].channel, name, sizeof name);
            for (uint32_t l = first_lane(w->t, way->step[k].lane); l < in->lanes;
                 l += lane_step(w->t))
                failed |= json_array_append_new(lanes, json_integer(l));
            failed |=
                json_array_append_new(ports, json_pack("{s:s,s:o}", "port", name, "lanes", lanes));
        }
        json_t *share = way->choice ? json_null() : json_real((double)way->drawn / w->packets);
        failed |= json_array_append_new(ways, json_pack("{s:o,s:i,s:o}", "share", share, "switches",
                                                        (int)way->length - 1, "ports", ports));
    }
    json_t *all =
        json_pack("{s:s,s:s,s:i,s:i,s:i,s:i,s:b,s:o}", "machine", m->name, "network", n->name,
                  "from", (int)r->source, "to", (int)r->target, "packets", (int)w->packets,
                  "classes", (int)htmt__route_classes(in), "more", (int)w->cut, "ways", ways);
    if (!failed)
        return all;
    json_decref(all);
    return NULL;
}

/* ---- the request ----------------------------------------------------------------------------- */

static int take_option(struct request *r, int argc, char **argv, int *i, struct htmt_fault *fault)
{
    static const char *const known[] = {"--from", "--to", "--network", "--json", "--set"};
    const char **place[] = {&r->from, &r->to, &r->network, &r->json, &r->set[r->sets]};
    const char *word = argv[*i];
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const size_t length = strlen(known[k]);
        if (strncmp(word, known[k], length) != 0 || (word[length] && word[length] != '='))
            continue;
        if (*place[k])
            return htmt_fault_set(fault, HTMT_EUSAGE, "%s: given twice", known[k]);
        *place[k] = word[length] ? word + length + 1 : *i + 1 < argc ? argv[++*i] : "";
        r->sets += k == 4;
        return **place[k]
                   ? 0
                   : htmt_fault_set(fault, HTMT_EUSAGE, "%s: the value is missing", known[k]);
    }
    return htmt__suggest_refuse("option", word, known, sizeof known / sizeof *known,
                                "'htmt help machine'", fault);
}

static int read_words(struct request *r, int argc, char **argv, struct htmt_fault *fault)
{
    int rc = 0;
    for (int i = 0; i < argc && !rc; i++) {
        if (argv[i][0] == '-')
            rc = take_option(r, argc, argv, &i, fault);
        else if (r->machine)
            rc = htmt_fault_set(fault, HTMT_EUSAGE, "found a second machine '%s', expected one",
                                argv[i]);
        else
            r->machine = argv[i];
    }
    if (!rc && (!r->machine || !r->from || !r->to))
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "routes needs a machine, --from and --to");
    return rc || !r->json ? rc : htmt_output_claim("--json", r->json, fault);
}

static int read_slice(const char *option, const char *text, const struct htmt_machine *m,
                      uint32_t *slice, struct htmt_fault *fault)
{
    char *end;
    errno = 0;
    const unsigned long n = strtoul(text, &end, 10);
    if (end == text || *end || errno || n >= m->slices || *text == '-')
        return htmt_fault_set(fault, HTMT_EUSAGE, "%s: found '%.40s', expected a slice below %u",
                              option, text, m->slices);
    *slice = (uint32_t)n;
    return 0;
}

/* The first network with switches, or the one that was named. */
static int find_network(const struct request *r, const struct htmt_machine *m,
                        const struct htmt_network **network, struct htmt_fault *fault)
{
    for (uint32_t i = 0; i < m->network_count && !*network; i++)
        if (r->network ? strcmp(m->network[i].name, r->network) == 0
                       : htmt__topology(&m->network[i]) != NULL)
            *network = &m->network[i];
    if (!*network && r->network)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--network: machine '%s' has no network '%.40s'",
                              m->name, r->network);
    const struct htmt__topology *t = *network ? htmt__topology(*network) : NULL;
    if (!t)
        return htmt_fault_set(fault, HTMT_EUSAGE, "machine '%s' has no network of switches%s%s",
                              m->name, r->network ? " by the name of " : "",
                              r->network ? r->network : "");
    if (t->inside.topology == HTMT__DATA_VORTEX)
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "network '%s' is a data vortex, whose nodes decide in each slot",
                              (*network)->name);
    return 0;
}

int htmt__machine_routes(int argc, char **argv)
{
    struct htmt_fault fault = {0};
    struct request r = {.set = calloc((size_t)argc + 1, sizeof *r.set)};
    struct htmt_machine *m = NULL;
    const struct htmt_network *n = NULL;
    struct ways w = {0};
    int rc = r.set ? read_words(&r, argc, argv, &fault) : HTMT_ENOMEM;
    if (!rc)
        rc = htmt_machine_load(r.machine, r.set, r.sets, &m, &fault);
    if (!rc)
        rc = find_network(&r, m, &n, &fault);
    if (!rc)
        rc = read_slice("--from", r.from, m, &r.source, &fault);
    if (!rc)
        rc = read_slice("--to", r.to, m, &r.target, &fault);
    w.t = rc ? NULL : htmt__topology(n);
    if (!rc)
        rc = find_ways(&w, &r);
    if (!rc && (!r.json || strcmp(r.json, "-") != 0))
        print(&w, m, n, &r);
    if (!rc && r.json)
        rc = htmt__json_write(json_of(&w, m, n, &r), r.json, &fault);
    if (!rc && (fflush(stdout) || ferror(stdout)))
        rc = htmt_fault_set(&fault, HTMT_EIO, "cannot write the result: %s", strerror(errno));
    clear(&w);
    htmt_machine_destroy(&m);
    free(r.set);
    if (rc && !fault.code)
        htmt_fault_set(&fault, rc, "%s", htmt_strerror(rc));
    return rc ? htmt__complain("machine", &fault) : 0;
}
