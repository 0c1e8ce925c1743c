/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void refuse(const char *option, const char *text)
{
    fprintf(stderr, "--%s: not understood: %s\n", option, text);
    exit(2);
}

static unsigned count(const char *option, const char *text)
{
    char *end;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || n == 0 || n > UINT_MAX)
        refuse(option, text);
    return (unsigned)n;
}

static bool is(const char *option, const char *text, const char *yes, const char *no)
{
    if (strcmp(text, yes) != 0 && strcmp(text, no) != 0)
        refuse(option, text);
    return strcmp(text, yes) == 0;
}

static void set(struct bench_options *o, const char *option, char letter, const char *text)
{
    switch (letter) {
    case 'n':
        o->size = count(option, text);
        break;
    case 'b':
        o->block = count(option, text);
        break;
    case 't':
        o->threads = count(option, text);
        break;
    case 'i':
        o->items = count(option, text);
        break;
    case 's':
        o->stages = count(option, text);
        break;
    case 'e':
        o->endpoints = count(option, text);
        break;
    case 'r':
        o->rounds = count(option, text);
        break;
    case 'd':
        o->counter = is(option, text, "counter", "static");
        break;
    case 'c':
        o->copies = is(option, text, "frame", "none");
        break;
    case 'l':
        o->plain_links = is(option, text, "plain", "tcp");
        break;
    case 'I':
        o->inputs = is(option, text, "plain", "none");
        break;
    case 'S':
        o->slices = count(option, text);
        break;
    case 'E':
        o->each = count(option, text);
        break;
    case 'G':
        o->generations = count(option, text);
        break;
    case 'm':
        o->model = is(option, text, "model", "run");
        o->run = !o->model;
        break;
    case 'C':
        o->check = is(option, text, "full", "none");
        break;
    default:
        exit(2);
    }
}

struct bench_options bench_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"size", 1, NULL, 'n'},        {"block", 1, NULL, 'b'},  {"threads", 1, NULL, 't'},
        {"items", 1, NULL, 'i'},       {"stages", 1, NULL, 's'}, {"endpoints", 1, NULL, 'e'},
        {"rounds", 1, NULL, 'r'},      {"split", 1, NULL, 'd'},  {"copies", 1, NULL, 'c'},
        {"links", 1, NULL, 'l'},       {"slices", 1, NULL, 'S'}, {"each", 1, NULL, 'E'},
        {"generations", 1, NULL, 'G'}, {"mode", 1, NULL, 'm'},   {"check", 1, NULL, 'C'},
        {"inputs", 1, NULL, 'I'},      {NULL, 0, NULL, 0}};
    struct bench_options o = {.size = 4096,
                              .block = 128,
                              .threads = 1,
                              .copies = true,
                              .items = 20000,
                              .stages = 8,
                              .endpoints = 16,
                              .rounds = 100,
                              .each = 16,
                              .generations = 10,
                              .model = true,
                              .run = true,
                              .check = true,
                              .inputs = true};
    int index = 0, letter;
    while ((letter = getopt_long(argc, argv, "", known, &index)) != -1)
        set(&o, letter == '?' ? "" : known[index].name, (char)letter, optarg);
    if (optind != argc)
        refuse("", argv[optind]);
    if (o.size % o.block != 0)
        refuse("block", "does not divide --size");
    return o;
}
