/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sequences fold as they come (after nested loop recognition, Ketterlin and Clauss, 2008): when the
 * last terms are the body of the loop before them, the loop has one more turn; when they equal the
 * terms before them, both become a loop.
 */
#include "layers/node/pattern.h"

#include "runtime/base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW  24  /* terms of a body */
#define OPEN    96  /* terms of a sequence, beyond which it is a mixture */
#define PARTS   160 /* different parts of a mixture */
#define NUMBERS 224 /* and those of them that are single numbers */
#define SETTLED 64  /* terms that a long sequence hands to its mixture at once */

static int grow(void **at, uint32_t *room, uint32_t needed, size_t size)
{
    uint32_t more = *room ? *room : 8;
    while (more < needed)
        more *= 2;
    if (more == *room)
        return 0;
    void *bigger = realloc(*at, more * size);
    if (!bigger)
        return HTMT_ENOMEM;
    *at = bigger;
    *room = more;
    return 0;
}

static int add_term(struct htmt__terms *list, struct htmt__term term)
{
    void *at = list->at;
    const int rc = grow(&at, &list->room, list->n + 1, sizeof *list->at);
    list->at = at;
    if (!rc)
        list->at[list->n++] = term;
    return rc;
}

static bool is_alike(const struct htmt__term *a, const struct htmt__term *b)
{
    return a->what == b->what && a->body == b->body && a->times == b->times;
}

static bool are_alike(const struct htmt__term *a, const struct htmt__term *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!is_alike(a + i, b + i))
            return false;
    return true;
}

void htmt__pattern_fini(struct htmt__pattern *p)
{
    free(p->top.at);
    free(p->pool.at);
    free(p->bag.at);
    free(p->body);
    *p = (struct htmt__pattern){0};
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static uint32_t depth_of(const struct htmt__pattern *p, const struct htmt__term *terms, uint32_t n)
{
    uint32_t depth = 1;
    for (uint32_t i = 0; i < n; i++)
        if (terms[i].body && p->body[terms[i].what].depth >= depth)
            depth = p->body[terms[i].what].depth + 1;
    return depth;
}

static int new_body(struct htmt__pattern *p, const struct htmt__term *terms, uint32_t n,
                    uint32_t depth, uint32_t *number)
{
    void *at = p->body;
    int rc = grow(&at, &p->body_room, p->bodies + 1, sizeof *p->body);
    p->body = at;
    const uint32_t first = p->pool.n;
    for (uint32_t i = 0; i < n && !rc; i++)
        rc = add_term(&p->pool, terms[i]);
    if (rc)
        return rc;
    *number = p->bodies;
    p->body[p->bodies++] = (struct htmt__loop_body){first, n, depth};
    return 0;
}

static const struct htmt__term *terms_of(const struct htmt__pattern *p, uint32_t body)
{
    return &p->pool.at[p->body[body].first];
}

/* The number of a body with these terms: equal bodies have one number. */
static int body_of(struct htmt__pattern *p, const struct htmt__term *terms, uint32_t n,
                   uint32_t depth, uint32_t *number)
{
    for (uint32_t b = p->bodies; b-- > 0;)
        if (p->body[b].n == n && are_alike(terms_of(p, b), terms, n)) {
            *number = b;
            return 0;
        }
    return new_body(p, terms, n, depth, number);
}

/* ---- folding --------------------------------------------------------------------------------- */

static bool is_turn(const struct htmt__pattern *p, const struct htmt__term *loop,
                    const struct htmt__term *terms, uint32_t n)
{
    return loop->body && p->body[loop->what].n == n &&
           are_alike(terms_of(p, (uint32_t)loop->what), terms, n);
}

/* One more turn of the loop that stands before the last n terms. */
static bool join_loop(struct htmt__pattern *p, uint32_t n)
{
    if (p->top.n <= n)
        return false;
    struct htmt__term *last = p->top.at + p->top.n - n;
    if (!is_turn(p, last - 1, last, n))
        return false;
    last[-1].times++;
    p->top.n -= n;
    return true;
}

static int make_loop(struct htmt__pattern *p, uint32_t n, bool *made)
{
    uint32_t number;
    *made = false;
    if (p->top.n < 2 * n)
        return 0;
    struct htmt__term *last = p->top.at + p->top.n - n;
    if (!are_alike(last - n, last, n))
        return 0;
    const uint32_t depth = depth_of(p, last, n);
    if (depth >= HTMT__PATTERN_DEPTH)
        return 0;
    const int rc = body_of(p, last, n, depth, &number);
    if (rc)
        return rc;
    last[-(ptrdiff_t)n] = (struct htmt__term){.what = number, .times = 2, .often = 1, .body = true};
    p->top.n -= 2 * n - 1;
    *made = true;
    return 0;
}

/* Two loops of one body that meet are one. */
static bool join_twins(struct htmt__pattern *p)
{
    if (p->top.n < 2)
        return false;
    struct htmt__term *last = p->top.at + p->top.n - 1;
    if (!last->body || !last[-1].body || last->what != last[-1].what)
        return false;
    last[-1].times += last->times;
    p->top.n--;
    return true;
}

static int fold(struct htmt__pattern *p)
{
    bool folded = true;
    int rc = 0;
    while (folded && !rc) {
        folded = join_twins(p);
        for (uint32_t n = 1; n <= WINDOW && !folded && !rc; n++)
            folded = join_loop(p, n);
        for (uint32_t n = 2; n <= WINDOW && !folded && !rc; n++)
            rc = make_loop(p, n, &folded);
    }
    return rc;
}

/* ---- mixtures -------------------------------------------------------------------------------- */

static int add_often(struct htmt__pattern *p, struct htmt__term term, uint64_t often,
                     uint32_t limit, bool *added)
{
    *added = true;
    for (uint32_t i = 0; i < p->bag.n; i++)
        if (is_alike(&p->bag.at[i], &term)) {
            p->bag.at[i].often += often;
            return 0;
        }
    *added = p->bag.n < limit;
    term.often = often;
    return *added ? add_term(&p->bag, term) : 0;
}

static int add_number(struct htmt__pattern *p, int64_t number, uint64_t often)
{
    struct htmt__term term = {.what = number, .times = 1};
    bool added;
    int rc = add_often(p, term, often, NUMBERS, &added);
    if (!rc && !added) {
        term.what = HTMT__PATTERN_FAR;
        rc = add_often(p, term, often, NUMBERS + 1, &added);
    }
    return rc;
}

/* A part that finds no room among the others: its numbers. */
static int take_apart(struct htmt__pattern *p, struct htmt__term term, uint64_t often)
{
    int rc = 0;
    if (!term.body)
        return add_number(p, term.what, often * term.times);
    const struct htmt__loop_body body = p->body[term.what];
    for (uint32_t i = 0; i < body.n && !rc; i++)
        rc = take_apart(p, p->pool.at[body.first + i], often * term.times);
    return rc;
}

static int hand_over(struct htmt__pattern *p, uint32_t terms)
{
    int rc = 0;
    for (uint32_t i = 0; i < terms && !rc; i++) {
        bool added;
        rc = add_often(p, p->top.at[i], 1, PARTS, &added);
        if (!rc && !added)
            rc = take_apart(p, p->top.at[i], 1);
    }
    p->top.n -= terms;
    memmove(p->top.at, p->top.at + terms, p->top.n * sizeof *p->top.at);
    p->mixed = true;
    return rc;
}

int htmt__pattern_put(struct htmt__pattern *p, int64_t number)
{
    struct htmt__term *last = p->top.n ? &p->top.at[p->top.n - 1] : NULL;
    int rc = 0;
    if (last && !last->body && last->what == number)
        last->times++;
    else
        rc = add_term(&p->top, (struct htmt__term){.what = number, .times = 1, .often = 1});
    if (!rc)
        rc = fold(p);
    if (!rc && p->top.n > OPEN)
        rc = hand_over(p, SETTLED);
    return rc;
}

int htmt__pattern_close(struct htmt__pattern *p)
{
    int rc = 0;
    if (!p->mixed)
        return 0;
    if (p->top.n > 1)
        rc = hand_over(p, p->top.n - 1);
    if (!rc)
        rc = add_term(&p->bag, p->top.at[0]);
    if (rc)
        return rc;
    free(p->top.at);
    p->top = p->bag;
    p->bag = (struct htmt__terms){0};
    return 0;
}

/* ---- counting -------------------------------------------------------------------------------- */

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* `number` NULL: all. */
static uint64_t count_of(const struct htmt__pattern *p, const struct htmt__term *terms, uint32_t n,
                         const int64_t *number)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct htmt__term *t = &terms[i];
        const uint64_t one =
            t->body ? count_of(p, terms_of(p, (uint32_t)t->what), p->body[t->what].n, number)
                    : !number || t->what == *number;
        sum = plus(sum, times(one, times(t->times, t->often)));
    }
    return sum;
}

uint64_t htmt__pattern_length(const struct htmt__pattern *p)
{
    return count_of(p, p->top.at, p->top.n, NULL);
}

uint64_t htmt__pattern_count(const struct htmt__pattern *p, int64_t number)
{
    return count_of(p, p->top.at, p->top.n, &number);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void write_terms(const struct htmt__pattern *p, const struct htmt__term *terms, uint32_t n,
                        FILE *out)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct htmt__term *t = &terms[i];
        fputs(i ? ", " : "", out);
        if (t->body) {
            fputc('(', out);
            write_terms(p, terms_of(p, (uint32_t)t->what), p->body[t->what].n, out);
            fputc(')', out);
        } else if (t->what == HTMT__PATTERN_FAR || t->what == HTMT__PATTERN_END)
            fputs(t->what == HTMT__PATTERN_FAR ? "far" : "end", out);
        else
            fprintf(out, "%" PRId64, t->what);
        if (t->times > 1)
            fprintf(out, " x %" PRIu64, t->times);
        if (t->often > 1)
            fprintf(out, " @ %" PRIu64, t->often);
    }
}

void htmt__pattern_write(const struct htmt__pattern *p, FILE *out)
{
    fputs(p->mixed ? "mixed: " : "", out);
    write_terms(p, p->top.at, p->top.n, out);
}

struct text {
    struct htmt__pattern *p;
    const char *at;
    unsigned depth;
};

static void skip(struct text *t)
{
    while (*t->at == ' ' || *t->at == '\n')
        t->at++;
}

static bool comes(struct text *t, const char *word)
{
    const size_t n = strlen(word);
    skip(t);
    if (strncmp(t->at, word, n) != 0)
        return false;
    t->at += n;
    return true;
}

static bool read_digits(struct text *t, uint64_t *number)
{
    const char *start;
    skip(t);
    start = t->at;
    for (*number = 0; *t->at >= '0' && *t->at <= '9'; t->at++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(*t->at - '0'), number))
            return false;
    return t->at > start && *number < (UINT64_C(1) << 52);
}

static bool read_number(struct text *t, int64_t *number)
{
    if (comes(t, "far"))
        *number = HTMT__PATTERN_FAR;
    else if (comes(t, "end"))
        *number = HTMT__PATTERN_END;
    else {
        uint64_t digits;
        const bool negative = comes(t, "-");
        if (!read_digits(t, &digits))
            return false;
        *number = negative ? -(int64_t)digits : (int64_t)digits;
    }
    return true;
}

static int read_terms(struct text *t, struct htmt__terms *list);

static int read_body(struct text *t, struct htmt__term *term)
{
    struct htmt__terms list = {0};
    uint32_t number = 0;
    int rc = ++t->depth >= HTMT__PATTERN_DEPTH ? HTMT_EFORMAT : read_terms(t, &list);
    t->depth--;
    if (!rc && !comes(t, ")"))
        rc = HTMT_EFORMAT;
    if (!rc)
        rc = body_of(t->p, list.at, list.n, depth_of(t->p, list.at, list.n), &number);
    free(list.at);
    term->what = number;
    term->body = true;
    return rc;
}

static int read_term(struct text *t, struct htmt__term *term)
{
    int rc = 0;
    *term = (struct htmt__term){.times = 1, .often = 1};
    if (comes(t, "("))
        rc = read_body(t, term);
    else if (!read_number(t, &term->what))
        rc = HTMT_EFORMAT;
    if (!rc && comes(t, "x") && (!read_digits(t, &term->times) || !term->times))
        rc = HTMT_EFORMAT;
    if (!rc && t->p->mixed && !t->depth && comes(t, "@") &&
        (!read_digits(t, &term->often) || !term->often))
        rc = HTMT_EFORMAT;
    return rc;
}

static int read_terms(struct text *t, struct htmt__terms *list)
{
    int rc;
    do {
        struct htmt__term term;
        rc = read_term(t, &term);
        if (!rc)
            rc = add_term(list, term);
    } while (!rc && comes(t, ","));
    return rc;
}

int htmt__pattern_read(struct htmt__pattern *p, const char *text, char *why, size_t room)
{
    struct text t = {.p = p, .at = text};
    *p = (struct htmt__pattern){0};
    p->mixed = comes(&t, "mixed:");
    int rc = read_terms(&t, &p->top);
    skip(&t);
    if (!rc && *t.at)
        rc = HTMT_EFORMAT;
    if (rc)
        htmt__pattern_fini(p);
    if (rc == HTMT_EFORMAT)
        snprintf(why, room, "found '%.40s', expected a pattern such as '(8 x 63, -504) x 15, 8'",
                 *t.at ? t.at : "nothing");
    return rc;
}

/* ---- playing --------------------------------------------------------------------------------- */

uint64_t htmt__random_next(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

__extension__ typedef unsigned __int128 wide;

uint64_t htmt__random_below(uint64_t *seed, uint64_t n)
{
    return (uint64_t)((wide)htmt__random_next(seed) * n >> 64);
}

int htmt__player_init(struct htmt__player *player, const struct htmt__pattern *pattern,
                      uint64_t seed)
{
    *player = (struct htmt__player){.pattern = pattern, .seed = seed};
    player->place[0] = (struct htmt__pattern_place){UINT32_MAX, pattern->top.n, 0};
    if (!pattern->top.n)
        return HTMT_EINVAL;
    if (pattern->mixed)
        player->deck = calloc(pattern->top.n, sizeof *player->deck);
    return pattern->mixed && !player->deck ? HTMT_ENOMEM : 0;
}

void htmt__player_fini(struct htmt__player *player)
{
    free(player->deck);
    *player = (struct htmt__player){0};
}

/* The last part is no card: it comes when all cards were dealt. */
static void shuffle(struct htmt__player *player)
{
    const struct htmt__terms *top = &player->pattern->top;
    player->cards = 0;
    for (uint32_t i = 0; i + 1 < top->n; i++)
        player->cards += player->deck[i] = top->at[i].often;
}

static uint32_t deal(struct htmt__player *player)
{
    const uint32_t last = player->pattern->top.n - 1;
    if (player->place[0].at == UINT32_MAX || player->place[0].at == last)
        shuffle(player);
    if (!player->cards)
        return last;
    uint64_t card = htmt__random_below(&player->seed, player->cards--);
    uint32_t i = 0;
    while (card >= player->deck[i])
        card -= player->deck[i++];
    player->deck[i]--;
    return i;
}

static const struct htmt__term *term_at(const struct htmt__player *player, unsigned depth)
{
    const struct htmt__pattern *p = player->pattern;
    return depth ? &p->pool.at[player->place[depth].at] : &p->top.at[player->place[0].at];
}

/* The next term of the list at this depth. */
static void go_on(struct htmt__player *player)
{
    struct htmt__pattern_place *place = &player->place[player->depth];
    if (player->depth)
        place->at++;
    else if (player->pattern->mixed)
        place->at = deal(player);
    else
        place->at = place->at + 1 < place->end ? place->at + 1 : 0;
}

static void enter(struct htmt__player *player, const struct htmt__loop_body *body)
{
    player->place[++player->depth] =
        (struct htmt__pattern_place){body->first - 1, body->first + body->n, 0};
}

int64_t htmt__player_next(struct htmt__player *player)
{
    for (;;) {
        struct htmt__pattern_place *place = &player->place[player->depth];
        if (!place->left && player->depth && place->at + 1 == place->end) {
            player->depth--;
            continue;
        }
        if (!place->left) {
            go_on(player);
            place->left = term_at(player, player->depth)->times;
        }
        place->left--;
        const struct htmt__term *term = term_at(player, player->depth);
        if (!term->body)
            return term->what;
        enter(player, &player->pattern->body[term->what]);
    }
}
