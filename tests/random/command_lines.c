/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random command lines of the htmt command:
 *
 *     command_lines HTMT FIRST COUNT [LAUNCHER WORD...]
 *
 * plays the lines of the seeds FIRST ... FIRST + COUNT - 1 and compares
 *
 *  - a run with one thread and the same run with three threads, random delays and either clock: all
 *    of the JSON is the same but what tells of the host (`of_host`);
 *  - with a LAUNCHER, such as mpirun: of every fifth line the run by 2 to 5 processes, too;
 *  - a run and the model of the same line, for the applications whose events depend on no data;
 *  - the model of a line and its folded model, where folding is not refused.
 *
 * A status is 0, 2 or 3; a failure prints one line. Every difference is printed with its command
 * line; the status is then 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { WORDS_MAX = 64, TEXT_MAX = 64 };

/* An option and what it may be: words with bars between them, or LOW..HIGH; a value "%s" stands for
 * three numbers LOW..HIGH. `odds`: it is given in one line of so many; 1: always. */
struct option {
    const char *name;
    unsigned odds;
    const char *values;
};

struct app {
    const char *name;
    bool alike;               /* run and model play the same events */
    struct option option[16]; /* where --machine is the first, the common ones are left out */
};

static const struct app apps[] = {
    {"cannon",
     true,
     {{"--size", 1, "1..160"},
      {"--slices", 2, "1|2|4|6|9|16"},
      {"--schedule", 3, "overlap|paper"},
      {"--block", 3, "20..40"},
      {"--t", 4, "1..4"},
      {"--entries", 3, "uniform|gaussian|integers"},
      {"--check", 3, "freivalds|full|none"}}},
    {"sar",
     true,
     {{"--lines", 1, "100..300"},
      {"--samples", 1, "200..500"},
      {"--slices", 2, "1..8"},
      {"--rcmc", 3, "auto|on|off"},
      {"--precision", 3, "double|single"},
      {"--lengths", 3, "fast|power-of-two"},
      {"--edges", 3, "drop|keep"},
      {"--patch-lines", 4, "100..300"}}},
    {"pic",
     false,
     {{"--case", 1, "langmuir|two-stream|landau|thermal"},
      {"--cells", 1, "3x1..12"},
      {"--steps", 1, "1..4"},
      {"--slices", 2, "1|2|3|4|8"},
      {"--ng", 4, "1..8"},
      {"--double-buffer", 4, NULL}}},
    {"volume",
     false,
     {{"--phantom", 1, "2..24"},
      {"--size", 1, "4..48"},
      {"--slices", 2, "1|2|3|4|8"},
      {"--view", 2, "front|back|left|right|above|below|oblique"},
      {"--projection", 3, "parallel|perspective"},
      {"--transfer", 2, "soft|dense|tissue"},
      {"--subcube", 3, "2..20"},
      {"--bundle", 4, "2..16"},
      {"--lanes", 4, "1..8"},
      {"--rays", 4, "sram|dram"},
      {"--frames", 5, "1..3"},
      {"--step", 4, "0.3|0.5|1|2"},
      {"--terminate", 4, "off|0.5|0.99"},
      {"--shade", 4, NULL},
      {"--double-buffer", 5, NULL}}},
    {"traffic",
     true,
     {{"--pattern", 1,
       "ping-pong|all-to-all|equal-distance|unequal-distance|uniform|transpose|tornado|hotspot|"
       "bit-complement|reverse|shuffle|permutation|neighbour|adversarial"},
      {"--slices", 1, "2|3|4|8|9|16"},
      {"--slots", 2, "1..20"},
      {"--bytes", 2, "1..5000"},
      {"--rate", 4, "1e3|1e6|1e9"},
      {"--compute", 5, "1us|1ns,3us"},
      {"--synchronous", 3, NULL},
      {"--order", 4, "listed|rotated"},
      {"--layer", 4, "sram|dram|cram"}}},
    {"prim",
     true,
     {{"--machine", 1, "upmem-e19|upmem-e19|htmt-oct98"},
      {"--program", 1, "va|gemv|red|sel|uni|scan-ssa|scan-rss|hst-s"},
      {"--size", 1, "1..3000"},
      {"--slices", 1, "1..6"},
      {"--tasklets", 2, "1..16"},
      {"--fetch", 3, "serial|parallel"},
      {"--costs", 3, "prim-upmem"}}},
};

/* Of every application. */
static const struct option common[] = {
    {"--machine", 1, "htmt-oct98|small-htmt|hereld-tables|htmt-2007"},
    {"--seed", 2, "1..1000"},
    {"--set", 3, "networks.vortex.latency=0ns|networks.vortex.latency=500ns"},
    {"--set", 3, "layers.cram.processor.lambda=0|layers.cram.processor.lambda=0.9"},
    {"--set", 4, "layers.cram.memory.capacity=20000words|layers.cram.memory.capacity=4Mword"},
    {"--set", 4, "layers.sram.processor.count=1|layers.sram.processor.count=3"},
    {"--set", 4, "layers.dram.processor.clock=100MHz|layers.dram.processor.clock=20GHz"},
    {"--set", 5, "networks.rti.startup=30ns|networks.rti.latency=0ns"},
};

/* Of runs alone. */
static const struct option host[] = {
    {"--run-ahead", 4, "1|64KiB|4MiB"},
    {"--clock", 2, "windows|sequential|shared"},
    {"--clock-threads", 3, "2"},
    {"--checked", 10, NULL},
};

struct line {
    unsigned count;
    const char *word[WORDS_MAX];
    char text[WORDS_MAX][TEXT_MAX];
};

struct answer {
    int status;
    json_t *json; /* NULL: the command failed */
    char said[2000];
};

/* xorshift64* */
static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state ^= *state >> 12, *state ^= *state << 25, *state ^= *state >> 27;
    return (*state * UINT64_C(2685821657736338717) >> 33) % below;
}

__attribute__((format(printf, 2, 3))) static void add(struct line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(l->text[l->count], TEXT_MAX, format, args);
    va_end(args);
    l->word[l->count] = l->text[l->count];
    l->count++;
}

static void add_number(struct line *l, uint64_t low, uint64_t high, uint64_t *state)
{
    add(l, "%" PRIu64, low + draw(state, high - low + 1));
}

static void add_choice(struct line *l, const char *values, uint64_t *state)
{
    unsigned count = 1;
    for (const char *at = values; *at; at++)
        count += *at == '|';
    const char *at = values;
    for (uint64_t skip = draw(state, count); skip--;)
        at = strchr(at, '|') + 1;
    add(l, "%.*s", (int)strcspn(at, "|"), at);
}

static void add_value(struct line *l, const char *values, uint64_t *state)
{
    uint64_t low, high;
    if (sscanf(values, "3x%" SCNu64 "..%" SCNu64, &low, &high) == 2) {
        uint64_t n[3];
        for (int a = 0; a < 3; a++)
            n[a] = low + draw(state, high - low + 1);
        add(l, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, n[0], n[1], n[2]);
    } else if (strstr(values, "..") && sscanf(values, "%" SCNu64 "..%" SCNu64, &low, &high) == 2) {
        add_number(l, low, high, state);
    } else {
        add_choice(l, values, state);
    }
}

static void add_options(struct line *l, const struct option *o, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count && o[i].name; i++)
        if (draw(state, o[i].odds) == 0) {
            add(l, "%s", o[i].name);
            if (o[i].values)
                add_value(l, o[i].values, state);
        }
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct app *generate(struct line *l, uint64_t seed)
{
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    const struct app *app = &apps[draw(&state, COUNT(apps))];
    l->count = 0;
    add(l, "%s", app->name);
    add_options(l, app->option, COUNT(app->option), &state);
    if (strcmp(app->option[0].name, "--machine") != 0)
        add_options(l, common, COUNT(common), &state);
    return app;
}

static void print(FILE *out, const char *verb, const struct line *l)
{
    fprintf(out, "htmt %s", verb);
    for (unsigned i = 0; i < l->count; i++)
        fprintf(out, " %s", l->word[i]);
    fputc('\n', out);
}

/* ---- playing -------------------------------------------------------------------------------- */

static _Noreturn void give_up(const char *what)
{
    perror(what);
    exit(4);
}

static void read_all(FILE *f, char *text, size_t room)
{
    rewind(f);
    size_t n = fread(text, 1, room - 1, f);
    text[n] = 0;
}

static pid_t start(char **argv, FILE *out, FILE *err)
{
    pid_t child;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
    posix_spawn_file_actions_adddup2(&actions, fileno(err), 2);
    errno = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    if (errno)
        give_up(argv[0]);
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

/* Keys of a document that tell of the host and of how the clock went; notes may, too. */
static const char *const of_host[] = {"host", "clock", "wall", "record", "threads", NULL};

static void leave_host_out(json_t *document)
{
    json_t *notes = json_object_get(document, "notes");
    for (const char *const *key = of_host; *key; key++)
        json_object_del(document, *key);
    for (size_t i = json_array_size(notes); i-- > 0;)
        if (strstr(json_string_value(json_array_get(notes, i)), "(host clock)"))
            json_array_remove(notes, i);
}

/* `command`: the words before the verb. */
static struct answer play(char *const *command, const char *verb, const struct line *l)
{
    struct answer a = {0};
    char *argv[2 * WORDS_MAX + 6];
    unsigned n = 0;
    int status;
    FILE *out = tmpfile(), *err = tmpfile();
    if (!out || !err)
        give_up("temporary file");
    while (*command && n < WORDS_MAX)
        argv[n++] = *command++;
    argv[n++] = (char *)(uintptr_t)verb;
    for (unsigned i = 0; i < l->count; i++)
        argv[n++] = (char *)(uintptr_t)l->word[i];
    argv[n++] = "--json", argv[n++] = "-", argv[n] = NULL;
    if (waitpid(start(argv, out, err), &status, 0) < 0)
        give_up("waitpid");
    a.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    rewind(out);
    a.json = json_loadf(out, 0, NULL);
    leave_host_out(a.json);
    read_all(err, a.said, sizeof a.said);
    fclose(out);
    fclose(err);
    return a;
}

static bool one_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end && end > text && !end[1];
}

/* ---- comparing ------------------------------------------------------------------------------ */

static const char *const times[] = {"predicted_fs", NULL};
static const char *const histories[] = {"predicted_fs", "history_hash", "events", "parcels", NULL};

/* The first key that differs, of `keys`, or of the whole documents where they are NULL; NULL: none
 * does. */
static const char *difference(const struct answer *a, const struct answer *b,
                              const char *const *keys)
{
    const char *key;
    json_t *value;
    if (a->status != b->status)
        return "status";
    if (a->status != 0)
        return NULL;
    for (; keys && *keys; keys++)
        if (!json_equal(json_object_get(a->json, *keys), json_object_get(b->json, *keys)))
            return *keys;
    if (keys)
        return NULL;
    json_object_foreach(a->json, key,
                        value) if (!json_equal(value, json_object_get(b->json, key))) return key;
    json_object_foreach(b->json, key, value) if (!json_object_get(a->json, key)) return key;
    return NULL;
}

static bool sound(const struct answer *a)
{
    return a->status == 0 || ((a->status == 2 || a->status == 3) && one_line(a->said)) ||
           (a->status == 3 && a->said[0]);
}

static unsigned report(uint64_t seed, const char *what, const char *verb, const struct line *l,
                       const struct answer *a)
{
    printf("seed %" PRIu64 ": %s; status %d\n    ", seed, what, a->status);
    print(stdout, verb, l);
    printf("    %s\n", a->said);
    return 1;
}

struct tally {
    unsigned runs, refused, ranks, alike, folded, bad;
};

static void compare(struct tally *t, uint64_t seed, const char *verb, const struct line *l,
                    const struct answer *a, const struct answer *b, const char *const *keys)
{
    const char *key = difference(a, b, keys);
    char what[100];
    if (!sound(b))
        t->bad += report(seed, "unexpected end", verb, l, b);
    else if (key) {
        snprintf(what, sizeof what, "'%s' differs", key);
        t->bad += report(seed, what, verb, l, b);
    }
}

static void try_models(struct tally *t, char *const *htmt, uint64_t seed, const struct app *app,
                       struct line *l, const struct answer *run)
{
    struct answer model = play(htmt, "model", l), folded;
    if (app->alike && run->status == 0) {
        compare(t, seed, "model", l, run, &model, histories);
        t->alike++;
    } else if (!sound(&model)) {
        t->bad += report(seed, "unexpected end", "model", l, &model);
    }
    add(l, "--fold");
    folded = play(htmt, "model", l);
    if (model.status == 0 && folded.status == 0) {
        compare(t, seed, "model", l, &model, &folded, times);
        t->folded++;
    } else if (!sound(&folded)) {
        t->bad += report(seed, "unexpected end", "model", l, &folded);
    }
    json_decref(model.json);
    json_decref(folded.json);
}

/* The line by several processes, if it runs at all: they say what one says. */
static void try_ranks(struct tally *t, char *const *launcher, const char *htmt, uint64_t seed,
                      const struct line *l, const struct answer *one)
{
    char *command[WORDS_MAX + 4], ranks[8];
    unsigned n = 0;
    if (!*launcher || seed % 5 || one->status != 0)
        return;
    while (*launcher && n < WORDS_MAX)
        command[n++] = *launcher++;
    snprintf(ranks, sizeof ranks, "%u", 2 + (unsigned)(seed / 5 % 4));
    command[n++] = "-n", command[n++] = ranks;
    command[n++] = (char *)(uintptr_t)htmt, command[n] = NULL;
    struct answer several = play(command, "run", l);
    compare(t, seed, "run", l, one, &several, NULL);
    t->ranks++;
    json_decref(several.json);
}

static void try_line(struct tally *t, char *const *launcher, char *htmt, uint64_t seed)
{
    char *command[] = {htmt, NULL};
    struct line l, one, three;
    uint64_t state = seed + 1;
    const struct app *app = generate(&l, seed);
    one = three = l;
    for (unsigned i = 0; i < l.count; i++)
        one.word[i] = one.text[i], three.word[i] = three.text[i];
    add(&one, "--threads"), add(&one, "1");
    add(&three, "--threads"), add(&three, "3");
    add(&three, "--delay-seed"), add(&three, "%" PRIu64, draw(&state, 1000));
    add_options(&three, host, COUNT(host), &state);
    struct answer a = play(command, "run", &one), b = play(command, "run", &three);
    t->runs += a.status == 0;
    t->refused += a.status != 0;
    if (!sound(&a) || (a.status == 0 && json_is_false(json_object_get(a.json, "correct"))))
        t->bad += report(seed, "unexpected end", "run", &one, &a);
    compare(t, seed, "run", &three, &a, &b, NULL);
    try_ranks(t, launcher, htmt, seed, &l, &a);
    try_models(t, command, seed, app, &l, &a);
    json_decref(a.json);
    json_decref(b.json);
}

int main(int argc, char **argv)
{
    struct tally t = {0};
    if (argc < 4) {
        fputs("usage: command_lines HTMT FIRST COUNT [LAUNCHER WORD...]\n", stderr);
        return 2;
    }
    uint64_t first = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
    for (uint64_t seed = first; seed < first + count; seed++)
        try_line(&t, argv + 4, argv[1], seed);
    printf("%u runs, %u refusals, %u by ranks, %u models alike, %u folded; "
           "%u differences\n",
           t.runs, t.refused, t.ranks, t.alike, t.folded, t.bad);
    return t.bad ? 1 : 0;
}
