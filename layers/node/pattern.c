/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sequences fold as they come (after nested loop recognition, Ketterlin and Clauss, 2008). `top` is
 * the sequence so far, as terms: numbers with how often they came in a row, and loops with their
 * repeats. After each number, as long as something changes:
 *
 *   - two loops of one body that meet become one;
 *   - if the last n terms are the body of the loop before them, the loop has one more repeat;
 *   - if the last n terms equal the n before them, both become a loop of two repeats.
 *
 * By hand, strides 8 8 -16 8 8 -16 8 8 -16: "8 x 2", "8 x 2, -16", ... after the sixth number the
 * last two terms equal the two before them, which makes "(8 x 2, -16) x 2"; after the ninth "8 x 2,
 * -16" stands behind that loop and is its body: "(8 x 2, -16) x 3". Loops are terms like others, so
 * that loops of loops come by themselves. Nothing is unfolded again: the text always spells the
 * sequence exactly.
 *
 * Bodies have at most WINDOW terms, so that a number costs O(WINDOW^2) comparisons at worst and
 * mostly a few. A sequence that is not folding (more than OPEN terms) is a mixture: its first terms
 * go into a bag, where equal terms are counted and their order is lost. The bag has at most PARTS
 * different terms; what finds no room is taken apart into its numbers, and a number that finds none
 * is counted as `far`. So a pattern's size has a bound whatever the sequence is.
 */
#include "layers/node/pattern.h"

#include "runtime/base/array.h"
#include "runtime/base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW  24  /* terms of a body */
#define OPEN    96  /* terms of a sequence, beyond which it is a mixture */
#define PARTS   160 /* different parts of a mixture */
#define NUMBERS 224 /* and those of them that are single numbers */
#define SETTLED 64  /* terms that a long sequence hands to its mixture at once */

static int add_term(struct htmt__terms *list, struct htmt__term term)
{
    if (!htmt__array_fits(&list->at, &list->room, list->n + 1, sizeof *list->at))
        return HTMT_ENOMEM;
    list->at[list->n++] = term;
    return 0;
}

static bool are_alike(const struct htmt__term *a, const struct htmt__term *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (a[i].what != b[i].what || a[i].body != b[i].body || a[i].times != b[i].times)
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

static const struct htmt__term *terms_of(const struct htmt__pattern *p, uint32_t body)
{
    return &p->pool.at[p->body[body].first];
}

/* The number of a body with these terms: equal bodies have one number, so that loops of them are
 * alike. The latest ones come most often. */
static int body_of(struct htmt__pattern *p, const struct htmt__term *terms, uint32_t n,
                   uint32_t depth, uint32_t *number)
{
    for (uint32_t b = p->bodies; b-- > 0;)
        if (p->body[b].n == n && are_alike(terms_of(p, b), terms, n)) {
            *number = b;
            return 0;
        }
    const uint32_t first = p->pool.n;
    int rc = 0;
    if (!htmt__array_fits(&p->body, &p->body_room, p->bodies + 1, sizeof *p->body))
        return HTMT_ENOMEM;
    for (uint32_t i = 0; i < n && !rc; i++)
        rc = add_term(&p->pool, terms[i]);
    if (rc)
        return rc;
    *number = p->bodies;
    p->body[p->bodies++] = (struct htmt__loop_body){first, n, depth};
    return 0;
}

/* ---- folding --------------------------------------------------------------------------------- */

/* One more repeat of the loop that stands before the last n terms. */
static bool join_loop(struct htmt__pattern *p, uint32_t n)
{
    if (p->top.n <= n)
        return false;
    struct htmt__term *last = p->top.at + p->top.n - n, *loop = last - 1;
    if (!loop->body || p->body[loop->what].n != n ||
        !are_alike(terms_of(p, (uint32_t)loop->what), last, n))
        return false;
    loop->times++;
    p->top.n -= n;
    return true;
}

/* The last n terms and the n before them are two repeats of a loop. */
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

static int fold(struct htmt__pattern *p)
{
    bool folded = true;
    int rc = 0;
    while (folded && !rc) {
        struct htmt__term *last = p->top.at + p->top.n - 1;
        folded = p->top.n > 1 && last->body && last[-1].body && last->what == last[-1].what;
        if (folded) { /* two loops of one body */
            last[-1].times += last->times;
            p->top.n--;
        }
        for (uint32_t n = 1; n <= WINDOW && !folded && !rc; n++)
            folded = join_loop(p, n);
        for (uint32_t n = 2; n <= WINDOW && !folded && !rc; n++)
            rc = make_loop(p, n, &folded);
    }
    return rc;
}

/* ---- mixtures -------------------------------------------------------------------------------- */

/* A term that came so often more; a new one only while there are fewer than `limit`. */
static int add_often(struct htmt__pattern *p, struct htmt__term term, uint64_t often,
                     uint32_t limit, bool *added)
{
    *added = true;
    for (uint32_t i = 0; i < p->bag.n; i++)
        if (are_alike(&p->bag.at[i], &term, 1)) {
            p->bag.at[i].often += often;
            return 0;
        }
    *added = p->bag.n < limit;
    term.often = often;
    return *added ? add_term(&p->bag, term) : 0;
}

/* A part that finds no room among the others: its numbers, or `far` for those that find none. */
static int take_apart(struct htmt__pattern *p, struct htmt__term term, uint64_t often)
{
    bool added;
    int rc = 0;
    often *= term.times;
    if (term.body) {
        const struct htmt__loop_body body = p->body[term.what];
        for (uint32_t i = 0; i < body.n && !rc; i++)
            rc = take_apart(p, p->pool.at[body.first + i], often);
        return rc;
    }
    term = (struct htmt__term){.what = term.what, .times = 1};
    rc = add_often(p, term, often, NUMBERS, &added);
    if (!rc && !added) {
        term.what = HTMT__PATTERN_FAR;
        rc = add_often(p, term, often, NUMBERS + 1, &added);
    }
    return rc;
}

/* The first terms of the sequence go into the bag. */
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
        rc = add_term(&p->bag, p->top.at[0]); /* which stays the last one */
    if (rc)
        return rc;
    free(p->top.at);
    p->top = p->bag;
    p->bag = (struct htmt__terms){0};
    return 0;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* `number` NULL: all. What is more than 64 bits hold is UINT64_MAX. */
static uint64_t count_of(const struct htmt__pattern *p, const struct htmt__term *terms, uint32_t n,
                         const int64_t *number)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct htmt__term *t = &terms[i];
        uint64_t count =
            t->body ? count_of(p, terms_of(p, (uint32_t)t->what), p->body[t->what].n, number)
                    : !number || t->what == *number;
        uint64_t turns;
        if (__builtin_mul_overflow(t->times, t->often, &turns))
            turns = UINT64_MAX;
        if (__builtin_mul_overflow(count, turns, &count))
            count = UINT64_MAX;
        if (__builtin_add_overflow(sum, count, &sum))
            sum = UINT64_MAX;
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

static bool comes(struct text *t, const char *word)
{
    const size_t n = strlen(word);
    t->at += strspn(t->at, " \n");
    if (strncmp(t->at, word, n) != 0)
        return false;
    t->at += n;
    return true;
}

static bool read_digits(struct text *t, uint64_t *number)
{
    t->at += strspn(t->at, " \n");
    const char *start = t->at;
    for (*number = 0; *t->at >= '0' && *t->at <= '9'; t->at++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(*t->at - '0'), number))
            return false;
    return t->at > start && *number < (UINT64_C(1) << 52);
}

static int read_terms(struct text *t, struct htmt__terms *list);

/* A number, "far", "end" or a body in parentheses; then "x TIMES", and in a mixture "@ OFTEN". */
static int read_term(struct text *t, struct htmt__term *term)
{
    *term = (struct htmt__term){.times = 1, .often = 1};
    if (comes(t, "(")) {
        struct htmt__terms list = {0};
        uint32_t number = 0;
        int rc = ++t->depth >= HTMT__PATTERN_DEPTH ? HTMT_EFORMAT : read_terms(t, &list);
        t->depth--;
        if (!rc && !comes(t, ")"))
            rc = HTMT_EFORMAT;
        if (!rc)
            rc = body_of(t->p, list.at, list.n, depth_of(t->p, list.at, list.n), &number);
        free(list.at);
        if (rc)
            return rc;
        term->what = number;
        term->body = true;
    } else if (comes(t, "far"))
        term->what = HTMT__PATTERN_FAR;
    else if (comes(t, "end"))
        term->what = HTMT__PATTERN_END;
    else {
        uint64_t digits;
        const bool negative = comes(t, "-");
        if (!read_digits(t, &digits))
            return HTMT_EFORMAT;
        term->what = negative ? -(int64_t)digits : (int64_t)digits;
    }
    if (comes(t, "x") && (!read_digits(t, &term->times) || !term->times))
        return HTMT_EFORMAT;
    if (t->p->mixed && !t->depth && comes(t, "@") &&
        (!read_digits(t, &term->often) || !term->often))
        return HTMT_EFORMAT;
    return 0;
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
    t.at += strspn(t.at, " \n");
    if (!rc && *t.at)
        rc = HTMT_EFORMAT;
    if (rc)
        htmt__pattern_fini(p);
    if (rc == HTMT_EFORMAT)
        snprintf(why, room, "found '%.40s', expected a pattern such as '(8 x 63, -504) x 15, 8'",
                 *t.at ? t.at : "nothing");
    return rc;
}

/* ---- playing ---------------------------------------------------------------------------------
 * A place for each loop that is entered: the term that runs, and how many repeats of it are left. A
 * mixture is dealt like cards: each of its terms as often as it came, by lot; the last term comes
 * when all others have been dealt, and then the cards are shuffled anew. */

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

static uint32_t deal(struct htmt__player *player)
{
    const struct htmt__terms *top = &player->pattern->top;
    const uint32_t last = top->n - 1;
    if (player->place[0].at == UINT32_MAX || player->place[0].at == last) {
        player->cards = 0;
        for (uint32_t i = 0; i < last; i++)
            player->cards += player->deck[i] = top->at[i].often;
    }
    if (!player->cards)
        return last;
    uint64_t card = htmt__random_below(htmt__random_next(&player->seed), player->cards--);
    uint32_t i = 0;
    while (card >= player->deck[i])
        card -= player->deck[i++];
    player->deck[i]--;
    return i;
}

int64_t htmt__player_next(struct htmt__player *player)
{
    const struct htmt__pattern *p = player->pattern;
    for (;;) {
        struct htmt__pattern_place *place = &player->place[player->depth];
        const struct htmt__term *list = player->depth ? p->pool.at : p->top.at;
        if (!place->left && player->depth && place->at + 1 == place->end) {
            player->depth--;
            continue;
        }
        if (!place->left) { /* the next term of this list */
            if (player->depth)
                place->at++;
            else if (p->mixed)
                place->at = deal(player);
            else
                place->at = place->at + 1 < place->end ? place->at + 1 : 0;
            place->left = list[place->at].times;
        }
        place->left--;
        const struct htmt__term *term = &list[place->at];
        if (!term->body)
            return term->what;
        const struct htmt__loop_body *body = &p->body[term->what];
        player->place[++player->depth] =
            (struct htmt__pattern_place){body->first - 1, body->first + body->n, 0};
    }
}
