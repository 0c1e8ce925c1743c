/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graph files (docs/networks.md). A board is another graph: its switches and ends come in under
 * its name, and links reach it by the ports that it opens.
 *
 * Files are read depth first, each in its own scope: ends, switches, boards, links, then what it
 * opens. All elements are in one array each, so those of a file and of the boards in it stand
 * together, behind `first_end` and `first_switch` of its scope. Switches are numbered behind all
 * ends, whose count is known at last; until then their numbers carry a mark.
 *
 * By hand: a graph has the end e, the switch s, and twice the board B, as `left` and `right`; B has
 * the ends p and q and the switch t. The arrays are filled in this order:
 *
 *     ends       e   left.p   left.q   right.p   right.q        0 1 2 3 4
 *     switches   s   left.t   right.t                           marked 0 1 2, at last 5 6 7
 *
 * While `right` is read, its scope begins at end 3 and at switch 2: a link "p - t.0" of B's file
 * looks for names from there on, behind the prefix "right.", and so finds its own p and t without
 * knowing that there is another one.
 *
 * A port or an end has one link at most. `use` says whether it is UNUSED, LINKED, or OPEN to the
 * graph around, which may then link it, or open it once more. A file can thus not reach into a
 * board: what the board does not open cannot be named, and what is linked inside cannot be linked
 * again. In the example B opens t.3 as `up`. That makes the port OPEN, and "s.0 - left.up" makes it
 * LINKED; a second link to left.up finds it LINKED and is refused.
 *
 * A name is looked for among those of its scope, one by one: the cost is the square of the elements
 * of one file. Large machines have many boards of few elements, which cost little.
 */
#include "layers/network/switch_graph.h"

#include "layers/file/figures.h"
#include "layers/file/folders.h"
#include "layers/file/search.h"
#include "runtime/base/array.h"
#include "runtime/base/suggest.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWITCHES_MOST 4096
#define ENDS_MOST     65536
#define PORTS_MOST    1024
#define DEPTH_MOST    32 /* of boards */
#define BOARDS_MOST   4096
#define SWITCH_MARK   UINT32_C(0x80000000)
#define PLACE_MOST    30000

static const struct htmt_search search_graphs = {"graph", "machines/graphs", "HTMT_GRAPH_PATH"};

/* A port of a switch, or an end. */
struct point {
    uint32_t element, port;
};

enum use { UNUSED, LINKED, OPEN };

/* The port that a graph opens by a name. */
struct opening {
    char name[HTMT_NAME_MAX];
    struct point point;
};

/* A board, as the graph around it sees it. */
struct board {
    char name[HTMT_NAME_MAX];
    struct opening *open;
    size_t count, room;
};

struct reader {
    struct htmt__switch_graph *g;
    uint8_t *port_use; /* by port_name */
    uint8_t *end_use;
    size_t end_room, end_use_room, switch_room, port_room, port_use_room;
    const char *path[DEPTH_MOST]; /* of the graphs around */
    unsigned depth, boards;
    struct htmt_fault *fault;
};

/* One file at hand. */
struct scope {
    struct reader *r;
    const char *prefix; /* of its names: "apu0." */
    uint32_t first_end, first_switch;
    struct board *board; /* in it */
    size_t boards, room;
    struct board *as; /* itself, to the graph around */
};

enum { ROW_VERSION, ROW_ABOUT, ROW_ENDS, ROW_SWITCHES, ROW_LINKS, ROW_BOARDS, ROW_OPEN, ROWS };
static const struct htmt_schema_row graph_rows[] = {
    [ROW_VERSION] = {.key = "htmt-graph", .kind = HTMT_SCHEMA_NODE},
    [ROW_ABOUT] = {.key = "about", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [ROW_ENDS] = {.key = "ends", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [ROW_SWITCHES] = {.key = "switches", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [ROW_LINKS] = {.key = "links", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [ROW_BOARDS] = {.key = "boards", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [ROW_OPEN] = {.key = "open", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [ROWS] = {.key = NULL}};

enum { SWITCH_PORTS, SWITCH_AT, SWITCH_ROWS };
static const struct htmt_schema_row switch_rows[] = {
    [SWITCH_PORTS] = {.key = "ports", .kind = HTMT_SCHEMA_NODE},
    [SWITCH_AT] = {.key = "at", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [SWITCH_ROWS] = {.key = NULL}};

enum { LINK_JOIN, LINK_RATE, LINK_WIRE, LINK_ROWS };
static const struct htmt_schema_row link_rows[] = {
    [LINK_JOIN] = {.key = "join", .kind = HTMT_SCHEMA_NODE},
    [LINK_RATE] = {.key = "rate", .kind = HTMT_UNIT_RATE, .optional = true},
    [LINK_WIRE] = {.key = "wire", .kind = HTMT_UNIT_TIME, .optional = true},
    [LINK_ROWS] = {.key = NULL}};

enum { BOARD_GRAPH, BOARD_AT, BOARD_ROWS };
static const struct htmt_schema_row board_rows[] = {
    [BOARD_GRAPH] = {.key = "graph", .kind = HTMT_SCHEMA_NODE},
    [BOARD_AT] = {.key = "at", .kind = HTMT_SCHEMA_NODE, .optional = true},
    [BOARD_ROWS] = {.key = NULL}};

static int refuse(const struct reader *r, const struct htmt_yaml *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(const struct reader *r, const struct htmt_yaml *node, const char *format, ...)
{
    char what[400];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return htmt_fault_set(r->fault, HTMT_EFORMAT, "%s:%d: %s", node->file, node->line, what);
}

static int no_memory(const struct reader *r)
{
    return htmt_fault_set(r->fault, HTMT_ENOMEM, "out of memory for a graph");
}

/* ---- names ----------------------------------------------------------------------------------- */

static int check_name(const struct reader *r, const struct htmt_yaml *node, const char *name)
{
    size_t length = strlen(name);
    bool good = length > 0 && length < HTMT_NAME_MAX && name[0] != '-';
    for (size_t i = 0; i < length && good; i++)
        good = isalnum((unsigned char)name[i]) || strchr("-_+", name[i]);
    return good ? 0
                : refuse(r, node,
                         "found name '%.40s', expected letters, digits, '-', '_' and "
                         "'+', fewer than %d",
                         name, HTMT_NAME_MAX);
}

/* Under the name of the board. */
static int set_name(const struct scope *s, const struct htmt_yaml *node, const char *name,
                    char full[HTMT__ELEMENT_NAME])
{
    int rc = check_name(s->r, node, name);
    if (!rc && snprintf(full, HTMT__ELEMENT_NAME, "%s%s", s->prefix, name) >= HTMT__ELEMENT_NAME)
        rc = refuse(s->r, node, "the name '%s%s' is too long, expected fewer than %d characters",
                    s->prefix, name, HTMT__ELEMENT_NAME);
    return rc;
}

/* Numbers of the file's own elements; UINT32_MAX: none of that name. Those of boards have a dot. */
static uint32_t own_end(const struct scope *s, const char *name)
{
    const struct htmt__switch_graph *g = s->r->g;
    for (uint32_t i = s->first_end; i < g->ends; i++)
        if (strcmp(g->end_name[i] + strlen(s->prefix), name) == 0)
            return i;
    return UINT32_MAX;
}

static uint32_t own_switch(const struct scope *s, const char *name)
{
    const struct htmt__switch_graph *g = s->r->g;
    for (uint32_t i = s->first_switch; i < g->switches; i++)
        if (strcmp(g->at[i].name + strlen(s->prefix), name) == 0)
            return i;
    return UINT32_MAX;
}

static const struct board *own_board(const struct scope *s, const char *name)
{
    for (size_t i = 0; i < s->boards; i++)
        if (strcmp(s->board[i].name, name) == 0)
            return &s->board[i];
    return NULL;
}

static int check_new(const struct scope *s, const struct htmt_yaml *node, const char *name)
{
    if (own_end(s, name) == UINT32_MAX && own_switch(s, name) == UINT32_MAX && !own_board(s, name))
        return 0;
    return refuse(s->r, node, "the name '%s' stands for another element already", name);
}

/* ---- ends and switches ----------------------------------------------------------------------- */

static int add_end(struct scope *s, const struct htmt_yaml *node)
{
    struct reader *r = s->r;
    struct htmt__switch_graph *g = r->g;
    const size_t wanted = (size_t)g->ends + 1;
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, "an end", r->fault);
    if (!rc)
        rc = check_new(s, node, node->text);
    if (!rc && g->ends == ENDS_MOST)
        rc = refuse(r, node, "found more than %d ends", ENDS_MOST);
    if (!rc && (!htmt__array_fits(&g->end_name, &r->end_room, wanted, sizeof *g->end_name) ||
                !htmt__array_fits(&r->end_use, &r->end_use_room, wanted, sizeof *r->end_use)))
        rc = no_memory(r);
    if (!rc)
        rc = set_name(s, node, node->text, g->end_name[g->ends]);
    if (!rc)
        r->end_use[g->ends++] = UNUSED;
    return rc;
}

static int add_port(const struct scope *s, const struct htmt_yaml *node, const char *name,
                    struct htmt__switch *sw)
{
    struct reader *r = s->r;
    struct htmt__switch_graph *g = r->g;
    const size_t wanted = (size_t)g->names + 1;
    int rc = check_name(r, node, name);
    for (uint32_t i = 0; i < sw->ports && !rc; i++)
        if (strcmp(g->port_name[sw->first_name + i], name) == 0)
            rc = refuse(r, node, "switch '%s' has two ports '%s'", sw->name, name);
    if (!rc && (!htmt__array_fits(&g->port_name, &r->port_room, wanted, sizeof *g->port_name) ||
                !htmt__array_fits(&r->port_use, &r->port_use_room, wanted, sizeof *r->port_use)))
        rc = no_memory(r);
    if (rc)
        return rc;
    snprintf(g->port_name[g->names], HTMT_NAME_MAX, "%s", name);
    r->port_use[g->names++] = UNUSED;
    sw->ports++;
    return 0;
}

/* `ports: 4`, or their names: [n, e, s, w]. */
static int read_ports(const struct scope *s, const struct htmt_yaml *node, struct htmt__switch *sw)
{
    int rc = 0;
    char *end = NULL, name[24];
    unsigned long count = node->kind == HTMT_YAML_SCALAR ? strtoul(node->text, &end, 10) : 0;
    for (const struct htmt_yaml *c = node->first; c && !rc; c = c->next) {
        rc = htmt_yaml_expect(c, HTMT_YAML_SCALAR, "a port", s->r->fault);
        if (!rc && sw->ports < PORTS_MOST)
            rc = add_port(s, c, c->text, sw);
        count++;
    }
    if (!rc && (count == 0 || count > PORTS_MOST || (end && *end)))
        rc = refuse(s->r, node,
                    "ports: found '%.40s', expected a number up to %d or a list of names",
                    node->text ? node->text : "another number", PORTS_MOST);
    for (unsigned long i = 0; node->kind == HTMT_YAML_SCALAR && i < count && !rc; i++) {
        snprintf(name, sizeof name, "%lu", i);
        rc = add_port(s, node, name, sw);
    }
    return rc;
}

/* "0,1", or a list of the two. */
static int read_place(const struct reader *r, const struct htmt_yaml *node, int32_t place[2])
{
    char text[64] = "", *end;
    const struct htmt_yaml *x = node->first, *y = x ? x->next : NULL;
    long at[2] = {0, 0};
    if (node->kind == HTMT_YAML_SCALAR)
        snprintf(text, sizeof text, "%s", node->text);
    else if (node->kind == HTMT_YAML_SEQUENCE && y && !y->next && x->text && y->text)
        snprintf(text, sizeof text, "%s,%s", x->text, y->text);
    at[0] = strtol(text, &end, 10);
    bool good = end != text && *end == ',';
    if (good) {
        const char *second = end + 1;
        at[1] = strtol(second, &end, 10);
        good = end != second && *end == '\0';
    }
    if (!good || labs(at[0]) > PLACE_MOST || labs(at[1]) > PLACE_MOST)
        return refuse(r, node, "at: found '%.40s', expected a place such as 0,1 within %d",
                      node->text ? node->text : "another list", PLACE_MOST);
    place[0] = (int32_t)at[0];
    place[1] = (int32_t)at[1];
    return 0;
}

static int add_switch(struct scope *s, const struct htmt_yaml *node)
{
    struct reader *r = s->r;
    struct htmt__switch_graph *g = r->g;
    const struct htmt_yaml *part[SWITCH_ROWS];
    struct htmt__switch sw = {.first_name = g->names};
    int rc = check_new(s, node, node->key);
    if (!rc)
        rc = htmt_schema_nodes(node, node->key, switch_rows, part, r->fault);
    if (!rc && g->switches == SWITCHES_MOST)
        rc = refuse(r, node, "found more than %d switches", SWITCHES_MOST);
    if (!rc)
        rc = set_name(s, node, node->key, sw.name);
    if (!rc)
        rc = read_ports(s, part[SWITCH_PORTS], &sw);
    sw.placed = !rc && part[SWITCH_AT];
    if (sw.placed)
        rc = read_place(r, part[SWITCH_AT], sw.at);
    if (!rc && !htmt__array_fits(&g->at, &r->switch_room, (size_t)g->switches + 1, sizeof *g->at))
        rc = no_memory(r);
    if (!rc)
        g->at[g->switches++] = sw;
    return rc;
}

/* ---- points and links ------------------------------------------------------------------------ */

/* "end", "SWITCH.PORT", or "BOARD.PORT": a port that the board opens, which *of_board says. */
static int find_point(const struct scope *s, const struct htmt_yaml *node, const char *text,
                      struct point *p, bool *of_board)
{
    const struct htmt__switch_graph *g = s->r->g;
    char name[HTMT__ELEMENT_NAME];
    const char *dot = strrchr(text, '.');
    size_t length = dot ? (size_t)(dot - text) : strlen(text);
    uint32_t number = UINT32_MAX;
    *of_board = false;
    if (length < sizeof name) {
        memcpy(name, text, length);
        name[length] = '\0';
        const struct board *board = dot ? own_board(s, name) : NULL;
        *of_board = board != NULL;
        for (size_t i = 0; board && i < board->count; i++)
            if (strcmp(board->open[i].name, dot + 1) == 0) {
                *p = board->open[i].point;
                return 0;
            }
        if (board)
            return refuse(s->r, node, "board '%s' opens no port '%.40s'", board->name, dot + 1);
        number = dot ? own_switch(s, name) : own_end(s, name);
    }
    if (number == UINT32_MAX)
        return refuse(s->r, node,
                      "found '%.60s', expected an end, SWITCH.PORT or BOARD.PORT of this "
                      "graph",
                      text);
    *p = (struct point){number, 0};
    if (!dot)
        return 0;
    const struct htmt__switch *sw = &g->at[number];
    for (uint32_t i = 0; i < sw->ports; i++)
        if (strcmp(g->port_name[sw->first_name + i], dot + 1) == 0) {
            *p = (struct point){number | SWITCH_MARK, i};
            return 0;
        }
    return refuse(s->r, node, "switch '%s' has no port '%.40s'", sw->name, dot + 1);
}

/* Take a point for a link or an opening: it must be free, or open where a board opens it. */
static int take_point(const struct scope *s, const struct htmt_yaml *node, const char *text,
                      enum use use, struct point *p)
{
    const struct reader *r = s->r;
    bool of_board;
    int rc = find_point(s, node, text, p, &of_board);
    if (rc)
        return rc;
    uint32_t number = p->element & ~SWITCH_MARK;
    uint8_t *now = p->element & SWITCH_MARK ? &r->port_use[r->g->at[number].first_name + p->port]
                                            : &r->end_use[number];
    if (*now != (of_board ? OPEN : UNUSED))
        return refuse(r, node, "'%.60s' has two links", text);
    *now = (uint8_t)use;
    return 0;
}

/* {value: ..., source: ...} of a link. */
static int read_figure(const struct reader *r, const struct htmt_yaml *node,
                       const struct htmt_schema_row *row, struct htmt_ratio *value)
{
    struct htmt__figures figures = {0};
    struct htmt_quantity q = {{0, 1}, HTMT_PER_ITEM};
    int rc = htmt__figures_read(&figures, node, row->key, r->fault);
    if (!rc && htmt__figure_modelled(&figures.at[0]))
        rc = htmt__figure_quantity(&figures.at[0], row, &q, r->fault);
    *value = q.value;
    htmt__figures_fini(&figures);
    return rc;
}

static int read_link_figures(const struct reader *r, const struct htmt_yaml *const part[LINK_ROWS],
                             struct htmt__graph_link *link)
{
    struct htmt_ratio word = {0, 1}, wire = {0, 1};
    int rc = 0;
    if (part[LINK_RATE])
        rc = read_figure(r, part[LINK_RATE], &link_rows[LINK_RATE], &word);
    if (part[LINK_WIRE] && !rc)
        rc = read_figure(r, part[LINK_WIRE], &link_rows[LINK_WIRE], &wire);
    if (!rc && wire.num > HTMT_TIME_MAX / 4)
        rc = refuse(r, part[LINK_WIRE], "wire: is too long");
    if (!rc && htmt_ratio_div(word, (struct htmt_ratio){HTMT_WORD, 1}, &link->byte))
        rc = refuse(r, part[LINK_RATE], "rate: is too fine to be held exactly");
    link->own_byte = part[LINK_RATE] != NULL;
    link->own_wire = part[LINK_WIRE] != NULL;
    link->wire = (htmt_time)wire.num;
    return rc;
}

/* "a.e - b.w", or a mapping with that under `join`. */
static int add_link(struct scope *s, const struct htmt_yaml *node)
{
    const struct htmt_yaml *part[LINK_ROWS] = {node};
    struct htmt__graph_link link = {.byte = {0, 1}};
    char from[2 * HTMT__ELEMENT_NAME];
    struct point a, b;
    int rc = 0;
    if (node->kind != HTMT_YAML_SCALAR) {
        rc = htmt_schema_nodes(node, "a link", link_rows, part, s->r->fault);
        if (!rc)
            rc = htmt_yaml_expect(part[LINK_JOIN], HTMT_YAML_SCALAR, "join", s->r->fault);
        if (!rc)
            rc = read_link_figures(s->r, part, &link);
        if (rc)
            return rc;
    }
    const char *text = part[LINK_JOIN]->text, *dash = strstr(text, " - ");
    const size_t length = dash ? (size_t)(dash - text) : 0;
    if (length == 0 || length >= sizeof from || strlen(dash + 3) >= sizeof from || !dash[3])
        return refuse(s->r, node, "found link '%.60s', expected two points such as '1.e - 3.w'",
                      text);
    memcpy(from, text, length);
    from[length] = '\0';
    rc = take_point(s, node, from, LINKED, &a);
    if (!rc)
        rc = take_point(s, node, dash + 3, LINKED, &b);
    if (!rc && !((a.element | b.element) & SWITCH_MARK))
        rc = refuse(s->r, node, "a link joins two ends, expected a switch at one side");
    if (!rc && a.element == b.element)
        rc = refuse(s->r, node, "a link joins a switch to itself");
    if (rc)
        return rc;
    link.from = a.element;
    link.port = a.port;
    link.to = b.element;
    link.to_port = b.port;
    htmt__graph_links_add(&s->r->g->links, link);
    return s->r->g->links.failed ? no_memory(s->r) : 0;
}

/* ---- boards ---------------------------------------------------------------------------------- */

/* Of shipped graphs, or beside the file that names it, or in the folder graphs/ there. */
static int find_file(const char *name, const char *beside, char path[HTMT_PATH_MAX],
                     struct htmt_fault *fault)
{
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    int folder = slash ? (int)(slash - beside) + 1 : 0;
    int rc = htmt_search_path(&search_graphs, name, beside, path, fault);
    if (rc != HTMT_ENOENT || !beside || strchr(name, '/'))
        return rc;
    int length = snprintf(path, HTMT_PATH_MAX, "%.*sgraphs/%s.yaml", folder, beside, name);
    if (length < 0 || length >= HTMT_PATH_MAX || !htmt__path_exists(path))
        return rc;
    *fault = (struct htmt_fault){0};
    return 0;
}

static int read_tree(struct reader *r, const struct htmt_yaml *root, const char *prefix,
                     struct board *as);

/* The graph of a board, which `node` names. */
static int read_board(struct reader *r, const char *name, const struct htmt_yaml *node,
                      const char *prefix, struct board *as)
{
    char path[HTMT_PATH_MAX];
    struct htmt_yaml *root = NULL;
    struct htmt_fault inner = {0};
    int rc = find_file(name, node->file, path, &inner);
    if (rc)
        return htmt_fault_set(r->fault, rc, "%s:%d: %s", node->file, node->line, inner.text);
    for (unsigned i = 0; i < r->depth; i++)
        if (strcmp(r->path[i], path) == 0)
            return refuse(r, node, "board '%.60s' is inside itself", name);
    if (r->depth == DEPTH_MOST)
        return refuse(r, node, "boards are more than %d deep", DEPTH_MOST);
    if (r->boards++ == BOARDS_MOST)
        return refuse(r, node, "found more than %d boards", BOARDS_MOST);
    rc = htmt_schema_open(path, &root, r->fault);
    if (!rc)
        rc = read_tree(r, root, prefix, as);
    htmt_yaml_destroy(&root);
    return rc;
}

/* `board: NAME`, or {graph: NAME, at: 4,0}: its places are those of its file, moved. */
static int add_board(struct scope *s, const struct htmt_yaml *node)
{
    struct reader *r = s->r;
    const struct htmt_yaml *part[BOARD_ROWS] = {node, NULL};
    char prefix[HTMT__ELEMENT_NAME + HTMT_NAME_MAX];
    uint32_t first = r->g->switches;
    int32_t by[2] = {0, 0};
    int rc = check_new(s, node, node->key);
    if (!rc)
        rc = check_name(r, node, node->key);
    if (!rc && node->kind != HTMT_YAML_SCALAR)
        rc = htmt_schema_nodes(node, node->key, board_rows, part, r->fault);
    if (!rc)
        rc = htmt_yaml_expect(part[BOARD_GRAPH], HTMT_YAML_SCALAR, "graph", r->fault);
    if (!rc && !htmt__array_fits(&s->board, &s->room, s->boards + 1, sizeof *s->board))
        rc = no_memory(r);
    if (rc)
        return rc;
    struct board *b = &s->board[s->boards++];
    *b = (struct board){.open = NULL};
    snprintf(b->name, sizeof b->name, "%s", node->key);
    snprintf(prefix, sizeof prefix, "%s%s.", s->prefix, node->key);
    rc = read_board(r, part[BOARD_GRAPH]->text, node, prefix, b);
    if (!rc && part[BOARD_AT])
        rc = read_place(r, part[BOARD_AT], by);
    for (uint32_t i = first; i < r->g->switches && !rc; i++) {
        r->g->at[i].at[0] += by[0];
        r->g->at[i].at[1] += by[1];
    }
    return rc;
}

static int add_opening(struct scope *s, const struct htmt_yaml *node)
{
    struct board *as = s->as;
    int rc = htmt_yaml_expect(node, HTMT_YAML_SCALAR, "open", s->r->fault);
    if (!rc)
        rc = check_name(s->r, node, node->key);
    if (!rc && !htmt__array_fits(&as->open, &as->room, as->count + 1, sizeof *as->open))
        rc = no_memory(s->r);
    if (rc)
        return rc;
    struct opening *o = &as->open[as->count];
    snprintf(o->name, sizeof o->name, "%s", node->key);
    rc = take_point(s, node, node->text, OPEN, &o->point);
    as->count += !rc;
    if (!rc && !(o->point.element & SWITCH_MARK))
        rc = refuse(s->r, node, "'%.60s' is an end, expected a port of a switch", node->text);
    return rc;
}

/* ---- one file -------------------------------------------------------------------------------- */

/* The lists of a file, in the order in which they are read: links name what comes before them. */
static const struct {
    unsigned row;
    enum htmt_yaml_kind kind;
    int (*add)(struct scope *s, const struct htmt_yaml *node);
} lists[] = {{ROW_ENDS, HTMT_YAML_SEQUENCE, add_end},
             {ROW_SWITCHES, HTMT_YAML_MAPPING, add_switch},
             {ROW_BOARDS, HTMT_YAML_MAPPING, add_board},
             {ROW_LINKS, HTMT_YAML_SEQUENCE, add_link},
             {ROW_OPEN, HTMT_YAML_MAPPING, add_opening}};

/* Each of the file's own ends has a link, which is known before anything is opened. */
static int check_loose(const struct scope *s, const struct htmt_yaml *ends)
{
    const struct htmt_yaml *c = ends ? ends->first : NULL;
    for (; c; c = c->next)
        if (s->r->end_use[own_end(s, c->text)] == UNUSED)
            return refuse(s->r, c, "end '%s' has no link", c->text);
    return 0;
}

static int read_tree(struct reader *r, const struct htmt_yaml *root, const char *prefix,
                     struct board *as)
{
    const struct htmt_yaml *part[ROWS];
    struct scope s = {.r = r,
                      .prefix = prefix,
                      .first_end = r->g->ends,
                      .first_switch = r->g->switches,
                      .as = as};
    r->path[r->depth++] = root->file;
    int rc = htmt_schema_nodes(root, "a graph", graph_rows, part, r->fault);
    if (!rc)
        rc = htmt__schema_version(root, "htmt-graph", "a graph", r->fault);
    for (unsigned i = 0; i < sizeof lists / sizeof *lists && !rc; i++) {
        const struct htmt_yaml *node = part[lists[i].row];
        if (lists[i].row == ROW_OPEN)
            rc = check_loose(&s, part[ROW_ENDS]);
        if (!rc && node)
            rc = htmt_yaml_expect(node, lists[i].kind, graph_rows[lists[i].row].key, r->fault);
        for (const struct htmt_yaml *c = node ? node->first : NULL; c && !rc; c = c->next)
            rc = lists[i].add(&s, c);
    }
    r->depth--;
    for (size_t i = 0; i < s.boards; i++)
        free(s.board[i].open);
    free(s.board);
    return rc;
}

/* ---- the whole graph ------------------------------------------------------------------------- */

static uint32_t number(const struct htmt__switch_graph *g, uint32_t element)
{
    return element & SWITCH_MARK ? g->ends + (element & ~SWITCH_MARK) : element;
}

/* Whether the graph is whole: sets of elements that links join (union and find). Each element
 * points to another one of its set, and the root of a set to itself. A link points the root of one
 * side to that of the other. By hand: with the links 0 - 2 and 1 - 2, element 2 points to 0, then 0
 * to 1; all three have the root 1 now. A search shortens the way that it goes, so all links
 * together cost hardly more than their number. */

/* The element that stands for all that are joined to this one so far. */
static uint32_t root_of(uint32_t *joined, uint32_t element)
{
    while (joined[element] != element)
        element = joined[element] = joined[joined[element]];
    return element;
}

static const char *name_of(const struct htmt__switch_graph *g, uint32_t element)
{
    return element < g->ends ? g->end_name[element] : g->at[element - g->ends].name;
}

/* Links lead from each element to each other one: the sets that they join are one at last. */
static int check_whole(const struct reader *r, const struct htmt_yaml *root)
{
    const struct htmt__switch_graph *g = r->g;
    uint32_t count = g->ends + g->switches;
    uint32_t *joined = malloc((count + 1) * sizeof *joined);
    int rc = joined ? 0 : no_memory(r);
    for (uint32_t i = 0; i < count && !rc; i++)
        joined[i] = i;
    for (uint32_t i = 0; i < g->links.count && !rc; i++)
        joined[root_of(joined, g->links.at[i].to)] = root_of(joined, g->links.at[i].from);
    for (uint32_t i = 1; i < count && !rc; i++)
        if (root_of(joined, i) != root_of(joined, 0))
            rc = refuse(r, root, "the graph is in pieces: no links lead from '%s' to '%s'",
                        name_of(g, 0), name_of(g, i));
    free(joined);
    return rc;
}

static int read_root(const struct htmt_yaml *root, struct htmt__switch_graph **graph,
                     struct htmt_fault *fault)
{
    struct htmt__switch_graph *g = calloc(1, sizeof *g);
    struct reader r = {.g = g, .fault = fault};
    struct board as = {.open = NULL};
    if (!g)
        return no_memory(&r);
    int rc = read_tree(&r, root, "", &as);
    if (!rc && g->ends == 0)
        rc = refuse(&r, root, "the graph has no ends");
    for (uint32_t i = 0; i < g->links.count && !rc; i++) {
        g->links.at[i].from = number(g, g->links.at[i].from);
        g->links.at[i].to = number(g, g->links.at[i].to);
    }
    if (!rc)
        rc = check_whole(&r, root);
    free(as.open);
    free(r.port_use);
    free(r.end_use);
    if (rc)
        htmt__topology_graph_destroy(&g);
    else
        *graph = g;
    return rc;
}

int htmt__topology_graph_load(const char *name, const char *beside,
                              struct htmt__switch_graph **graph, struct htmt_fault *fault)
{
    char path[HTMT_PATH_MAX];
    struct htmt_yaml *root = NULL;
    int rc = find_file(name, beside, path, fault);
    if (!rc)
        rc = htmt_schema_open(path, &root, fault);
    if (!rc)
        rc = read_root(root, graph, fault);
    htmt_yaml_destroy(&root);
    return rc;
}

int htmt__topology_graph_parse(const char *name, const char *text,
                               struct htmt__switch_graph **graph, struct htmt_fault *fault)
{
    struct htmt_yaml *root = NULL;
    int rc = htmt_yaml_parse(name, text, strlen(text), &root, fault);
    if (!rc)
        rc = read_root(root, graph, fault);
    htmt_yaml_destroy(&root);
    return rc;
}

static void *copy_of(const void *at, size_t count, size_t size)
{
    void *copy = malloc(count ? count * size : 1);
    if (copy && count)
        memcpy(copy, at, count * size);
    return copy;
}

struct htmt__switch_graph *htmt__topology_graph_copy(const struct htmt__switch_graph *graph)
{
    struct htmt__switch_graph *g = graph ? copy_of(graph, 1, sizeof *g) : NULL;
    if (!g)
        return NULL;
    g->end_name = copy_of(graph->end_name, graph->ends, sizeof *g->end_name);
    g->at = copy_of(graph->at, graph->switches, sizeof *g->at);
    g->port_name = copy_of(graph->port_name, graph->names, sizeof *g->port_name);
    g->links.at = copy_of(graph->links.at, graph->links.count, sizeof *g->links.at);
    if (!g->end_name || !g->at || !g->port_name || !g->links.at)
        htmt__topology_graph_destroy(&g);
    return g;
}

void htmt__topology_graph_destroy(struct htmt__switch_graph **graph)
{
    struct htmt__switch_graph *g = *graph;
    *graph = NULL;
    if (!g)
        return;
    free(g->end_name);
    free(g->at);
    free(g->port_name);
    free(g->links.at);
    free(g);
}

uint32_t htmt__topology_graph_end(const struct htmt__switch_graph *graph, const char *name)
{
    char *end;
    unsigned long i = strtoul(name, &end, 10);
    for (uint32_t e = 0; e < graph->ends; e++)
        if (strcmp(graph->end_name[e], name) == 0)
            return e;
    return *name && !*end && i < graph->ends ? (uint32_t)i : UINT32_MAX;
}
