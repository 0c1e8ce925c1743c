/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/formats/graph.h"
#include "tests/files/place.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* "V: from-to:weight ...", what a graph is as a line. */
static void as_text(const struct htmt__graph *g, char *text, size_t room)
{
    size_t n = (size_t)snprintf(text, room, "%u:", g->vertices);
    for (uint32_t v = 0; v < g->vertices; v++)
        for (uint64_t i = g->first[v]; i < g->first[v + 1] && n < room; i++)
            n += (size_t)snprintf(text + n, room - n, " %u-%u:%g", v, g->edge[i].to,
                                  (double)g->edge[i].weight);
}

static void expect_bytes(const char *name, const void *bytes, size_t length, const char *wanted)
{
    struct htmt_fault fault = {0};
    struct htmt__graph g = {0};
    char text[400];
    struct place p = place(name);
    file_write(p.path, bytes, length);
    cr_assert_eq(htmt__graph_read(p.path, NULL, &g, &fault), 0, "%s", fault.text);
    as_text(&g, text, sizeof text);
    cr_expect_str_eq(text, wanted);
    htmt__graph_destroy(&g);
    place_clear(&p);
}

static void expect(const char *name, const char *bytes, const char *wanted)
{
    expect_bytes(name, bytes, strlen(bytes), wanted);
}

static void refused_bytes(const char *name, const void *bytes, size_t length, int code,
                          const char *where, const char *expected)
{
    struct htmt_fault fault = {0};
    struct htmt__graph g = {.vertices = 7};
    struct place p = place(name);
    file_write(p.path, bytes, length);
    cr_expect_eq(htmt__graph_read(p.path, NULL, &g, &fault), code, "%s", fault.text);
    cr_expect_eq(htmt_exit_status(code), 2);
    cr_expect(strstr(fault.text, p.path) == fault.text && strstr(fault.text, where) &&
                  strstr(fault.text, expected),
              "the line was: %s", fault.text);
    cr_expect_eq(g.vertices, 7u, "a failed read changed its result");
    place_clear(&p);
}

static void refused(const char *name, const char *bytes, int code, const char *where,
                    const char *expected)
{
    refused_bytes(name, bytes, strlen(bytes), code, where, expected);
}

#define MM "%%MatrixMarket matrix coordinate "

Test(graph_formats, matrix_market_files_become_edges_from_row_to_column)
{
    expect("a.mtx", MM "pattern general\n% c\n3 3 3\n1 2\n1 2\n3 3\n", "3: 0-1:1 0-1:1 2-2:1");
    expect("a.mtx", MM "integer symmetric\n3 3 3\n2 1 4\n3 1 5\n3 3 6\n",
           "3: 0-1:4 0-2:5 1-0:4 2-0:5 2-2:6");
    expect("a", MM "real general\n2 2 1\n1 1 0.5\n", "2: 0-0:0.5");
    refused("a.mtx", MM "real general\n2 2 1\n1 1 -1\n", HTMT_ERANGE, ":3:", "at least 0");
    refused("a.mtx", MM "integer general\n2 2 1\n1 1 16777217\n", HTMT_ERANGE, ":3:", "2^24");
    refused("a.mtx", MM "real general\n2 2 1\n1 1 1e39\n", HTMT_ERANGE, ":3:", "a float");
    refused("a.mtx", MM "pattern general\n2 3 1\n1 1\n", HTMT_EFORMAT, ":2:", "as many rows");
    refused("a.mtx", MM "pattern general\n2 2 1\n1 1\n2 2\n", HTMT_EFORMAT, ":4:", "nothing");
    refused("a.mtx", MM "pattern general\n2 2 3\n1 1\n% c c\n2 2\n", HTMT_EFORMAT,
            "found 2 entries", "expected 3");
    refused("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n2\n", HTMT_EFORMAT, "an array",
            "coordinate");
}

Test(graph_formats, ids_of_a_snap_list_are_numbered_by_their_rank)
{
    expect("a.txt", "# c\n30\t9\n5\t30\n9 9\n", "3: 0-2:1 1-1:1 2-1:1");
    expect("a", "# by its first character\n0 1\n", "2: 0-1:1");
    expect("a.snap", "18446744073709551615 0 2.5\n0 7 1\n", "3: 0-1:1 2-0:2.5");
    refused("a.txt", "# c\n", HTMT_EFORMAT, "no edge", "at least one");
    refused("a.txt", "1 2\n3\n", HTMT_EFORMAT, ":2:", "from to");
    refused("a.txt", "1 2\n3 4 5\n", HTMT_EFORMAT, ":2:5: found \"5\"", "end of the line");
    refused("a.txt", "1 2 1\n3 4\n", HTMT_EFORMAT, ":2:", "a weight behind");
    refused("a.txt", "1 -2\n", HTMT_EFORMAT, ":1:", "from to");
    refused("a.txt", "1 18446744073709551616\n", HTMT_ERANGE, ":1:", "64 bits");
}

Test(graph_formats, a_list_keeps_to_the_numbers_of_its_header)
{
    expect("a.edgelist", "3\t3\n4\n0\t1\t2\n2\t2\t0\n0\t2\t5\n0\t1\t2\n",
           "3: 0-1:2 0-2:5 0-1:2 2-2:0");
    expect("a.edgelist", "2 2 1\n1 0 2.5\n", "2: 1-0:2.5");
    expect("a.edgelist", "1 1\n0\n", "1:");
    refused("a.edgelist", "2 2\n1\n0 1 1\n1 0 1\n", HTMT_EFORMAT, ":4:", "header");
    refused("a.edgelist", "2 2\n2\n0 1 1\n", HTMT_EFORMAT, "found 1 edges", "expected 2");
    refused("a.edgelist", "2 2\n1\n0 2 1\n", HTMT_EFORMAT, ":3:", "below the number");
    refused("a.edgelist", "2 2\n1\n0 1\n", HTMT_EFORMAT, ":3:", "a weight");
    refused("a.edgelist", "2 2\n1\n0 1 -3\n", HTMT_ERANGE, ":3:", "at least 0");
    refused("a.edgelist", "2 2\n1\n0 1 nan\n", HTMT_EFORMAT, ":3:", "finite");
    refused("a.edgelist", "2 3\n1\n0 1 1\n", HTMT_EFORMAT, ":1:", "twice");
    refused("a.edgelist", "0 0\n0\n", HTMT_ERANGE, ":1:", "1 to 4294967295");
    refused("a.edgelist", "4294967296 4294967296\n0\n", HTMT_ERANGE, ":1:", "1 to 4294967295");
    refused("a.edgelist", "", HTMT_EFORMAT, "no header", "n n");
    refused("a.dat", "2 2\n1\n0 1 1\n", HTMT_EUSAGE, "no sign", "--format");
}

Test(graph_formats, packed_edges_are_undirected_and_their_vertices_a_power_of_two)
{
    static const unsigned char loop[24] = {5, [12] = 1, [16] = 5};
    expect_bytes("a.bin", loop, 24, "8: 0-5:1 1-5:1 5-0:1 5-1:1");
    static const unsigned char one[12] = {2, [4] = 2};
    expect_bytes("a.bin", one, 12, "4: 2-2:1"); /* a loop once */
    expect_bytes("a.bin", one, 0, "1:");
    refused_bytes("a.bin", loop, 23, HTMT_EFORMAT, "found 11 bytes behind edge 1", "12 bytes");
    static const unsigned char far[12] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0};
    refused_bytes("a.bin", far, 12, HTMT_ERANGE, "edge 0 (from 0): found vertices 0 and 4294967297",
                  "2^31");
}

Test(graph_formats, metis_gives_each_edge_at_both_ends)
{
    expect("a.graph", "% c\n3 2\n2 3\n1\n1\n", "3: 0-1:1 0-2:1 1-0:1 2-0:1");
    expect("a.metis", "3 1 001\n3 7\n\n1 7\n", "3: 0-2:7 2-0:7");
    expect("a.graph", "2 1 111 2\n9 8 7 2 6\n9 8 7 1 6\n", "2: 0-1:6 1-0:6");
    refused("a.graph", "2 1\n2\n\n", HTMT_EFORMAT, "found 1 neighbours", "two for each");
    refused("a.graph", "3 1\n2\n3\n\n", HTMT_EFORMAT, "at vertex 1 but not at 2", "both ends");
    refused("a.graph", "2 1 1\n2 5\n1 6\n", HTMT_EFORMAT, "of weight 5 at vertex 1", "both ends");
    refused("a.graph", "2 1\n1\n2\n", HTMT_EFORMAT, ":2:", "no loops");
    refused("a.graph", "2 1\n3\n1\n", HTMT_EFORMAT, ":2:", "the number of vertices");
    refused("a.graph", "2 1\n2 2 2\n1\n", HTMT_EFORMAT, ":2:", "twice, no more");
    refused("a.graph", "3 1\n2\n1\n", HTMT_EFORMAT, "found 2 vertices", "expected 3");
    refused("a.graph", "2 1\n2\n1\n1\n", HTMT_EFORMAT, ":4:", "nothing");
    refused("a.graph", "2 1 2\n2\n1\n", HTMT_EFORMAT, ":1:", "digits");
    refused("a.graph", "2 1 1\n2\n1\n", HTMT_EFORMAT, ":2:", "a weight");
    refused("a.graph", "2 1 1\n2 1.5\n1 1.5\n", HTMT_EFORMAT, "1.5", "integer");
}

static size_t packed(const char *text, unsigned char *out, size_t room)
{
    z_stream z = {.next_in = (unsigned char *)text,
                  .avail_in = (unsigned)strlen(text),
                  .next_out = out,
                  .avail_out = (unsigned)room};
    cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

Test(graph_formats, gzip_is_seen_by_its_first_bytes_and_told_from_broken_gzip)
{
    unsigned char out[500];
    size_t n = packed("2 2\n1\n1 0 3\n", out, sizeof out);
    expect_bytes("a.edgelist.gz", out, n, "2: 1-0:3");
    refused_bytes("a.edgelist.gz", out, n - 9, HTMT_EFORMAT, "truncated", "");
    out[n - 8] ^= 1; /* of the check sum */
    refused_bytes("a.edgelist.gz", out, n, HTMT_EFORMAT, "corrupt", "");
    n = packed(MM "pattern general\n2 2 1\n2 1\n", out, sizeof out);
    expect_bytes("a.mtx.gz", out, n, "2: 1-0:1");
    n = packed("2 2\n1\n1 5 3\n", out, sizeof out);
    refused_bytes("a.edgelist.gz", out, n, HTMT_EFORMAT, ":3:", "below");
}

Test(graph_formats, what_is_written_reads_back_as_the_same_graph)
{
    struct htmt_fault fault = {0};
    static const char *const name[] = {"a.edgelist", "a.mtx", "a.bin"};
    for (int i = 0; i < 6; i++) {
        struct htmt__graph_line line[] = {{0, 3, 2}, {3, 1, 0.1F}, {2, 2, 7}, {0, 3, 2}};
        struct htmt__graph_list list = {
            .vertices = 4, .both = i > 2, .weighted = i % 3 != 2, .count = 4, .at = line};
        struct htmt__graph g = {0}, read = {0};
        enum htmt__graph_format format;
        char wanted[400], found[400];
        struct place p = place(name[i % 3]);
        for (int k = 0; k < 4; k++)
            line[k].weight = i % 3 == 2 ? 1 : line[k].weight;
        cr_assert_eq(htmt__graph_suffix(p.path, &format, &fault), 0);
        FILE *out = fopen(p.path, "wb");
        htmt__graph_print(out, &list, format);
        fclose(out);
        list.at = malloc(sizeof line); /* building a graph frees its list */
        memcpy(list.at, line, sizeof line);
        list.both |= i % 3 == 2;
        cr_assert_eq(htmt__graph_build(&list, &g, &fault), 0);
        cr_assert_eq(htmt__graph_read(p.path, NULL, &read, &fault), 0, "%s", fault.text);
        as_text(&g, wanted, sizeof wanted);
        as_text(&read, found, sizeof found);
        if (i != 3) /* a list has directed edges alone, each direction where it stands */
            cr_expect_str_eq(found, wanted, "%s", name[i % 3]);
        cr_expect_eq(g.edges, read.edges);
        htmt__graph_destroy(&g);
        htmt__graph_destroy(&read);
        place_clear(&p);
    }
    enum htmt__graph_format format;
    cr_expect_eq(htmt__graph_suffix("a.graph", &format, &fault), HTMT_EUSAGE);
}
