/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fabric/flits.h"

#include <string.h>

static int most(int a, int b)
{
    return a > b ? a : b;
}

int flits_left(const struct flits *f, int packet, int hop)
{
    const struct flits_packet *p = &f->packet[packet];
    if (hop < 0 || p->sent[hop] < p->length[hop])
        return -1;
    return p->begin[hop][p->length[hop] - 1] + f->rate[p->channel[hop]];
}

static bool has_left(const struct flits *f, int packet, int hop, int now)
{
    const int left = flits_left(f, packet, hop);
    return left >= 0 && left <= now;
}

/* The hop of a packet over that lane of a channel; -1: none. */
static int hop_of(const struct flits_packet *p, int channel, int lane)
{
    if (p->lane != lane)
        return -1;
    for (int h = 0; h < p->hops; h++)
        if (p->channel[h] == channel)
            return h;
    return -1;
}

/* ---- Inputs -------------------------------------------------------------------------------------
 */

/* Whether a packet that entered this channel before is still in its input; inputs without a limit
 * let packets pass each other. */
static bool is_behind(const struct flits *f, int packet, int hop, int now)
{
    const struct flits_packet *p = &f->packet[packet];
    for (int i = 0; i < f->count && f->buffer; i++) {
        const struct flits_packet *q = &f->packet[i];
        const int h = hop_of(q, p->channel[hop], p->lane);
        if (i == packet || h < 0 || !q->sent[h] || q->begin[h][0] > p->begin[hop][0])
            continue;
        if (h + 1 < q->hops && !has_left(f, i, h + 1, now))
            return true;
    }
    return false;
}

/* When the head may ask for the channel of `hop`; -1: not known yet. */
static int due(const struct flits *f, const struct flits_packet *p, int hop)
{
    if (!hop)
        return p->at;
    const int in = hop - 1, strip = p->length[in] - p->length[hop];
    const int rate = f->rate[p->channel[in]], length = p->length[in];
    if (!p->sent[in])
        return -1;
    if (f->mode == FLITS_STORED)
        return p->sent[in] < length ? -1 : p->begin[in][length - 1] + rate + f->wire + f->turn;
    const int head = p->begin[in][0] + f->wire + f->turn;
    if (f->mode == FLITS_WORM || f->lanes)
        return p->sent[in] <= strip ? -1 : most(head, p->begin[in][strip] + f->wire);
    const int tail = p->begin[in][0] + length * rate + f->wire;
    return most(head, tail - p->length[hop] * f->rate[p->channel[hop]]);
}

/* ---- Room ---------------------------------------------------------------------------------------
 */

/* Flits that take places in the input of a channel, as its sender knows at `now`. */
static int taken(const struct flits *f, int channel, int lane, int now)
{
    int n = 0;
    for (int i = 0; i < f->count; i++) {
        const struct flits_packet *p = &f->packet[i];
        const int h = hop_of(p, channel, lane);
        if (h < 0 || !p->sent[h])
            continue;
        if (f->mode != FLITS_WORM) {
            n += has_left(f, i, h + 1, now - f->control) ? 0 : p->length[h];
            continue;
        }
        n += p->sent[h];
        if (p->sent[h + 1] && p->begin[h + 1][0] <= now - f->control)
            n -= p->length[h] - p->length[h + 1];
        for (int k = 0; k < p->sent[h + 1]; k++)
            n -= p->begin[h + 1][k] <= now - f->control;
    }
    return n;
}

static bool has_room(const struct flits *f, const struct flits_packet *p, int hop, int now)
{
    if (!f->buffer || hop + 1 == p->hops)
        return true;
    const int wanted = f->mode == FLITS_WORM ? 1 : p->length[hop];
    return taken(f, p->channel[hop], p->lane, now) + wanted <= f->buffer;
}

/* ---- Ports --------------------------------------------------------------------------------------
 */

static bool is_free(const struct flits *f, int channel, int lane, int now)
{
    for (int i = 0; i < f->count; i++) {
        const int h = hop_of(&f->packet[i], channel, lane);
        if (h >= 0 && f->packet[i].sent[h] && !has_left(f, i, h, now))
            return false;
    }
    return true;
}

/* Of all that asked, and have not begun: the earliest, then the smallest key. */
static bool is_next(const struct flits *f, int packet, int hop)
{
    const struct flits_packet *p = &f->packet[packet];
    for (int i = 0; i < f->count; i++) {
        const struct flits_packet *q = &f->packet[i];
        const int h = hop_of(q, p->channel[hop], p->lane);
        if (i == packet || h < 0 || q->asked[h] < 0 || q->sent[h])
            continue;
        if (q->asked[h] < p->asked[hop] || (q->asked[h] == p->asked[hop] && i < packet))
            return false;
    }
    return true;
}

/* ---- Steps --------------------------------------------------------------------------------------
 */

static void begin_flit(struct flits *f, struct flits_packet *p, int hop, int now)
{
    p->begin[hop][p->sent[hop]++] = now;
    f->served[p->channel[hop]] = p->lane;
    f->busy[p->channel[hop]] = now + f->rate[p->channel[hop]];
}

/* The next flit behind a head that has gone on. */
static bool move_body(struct flits *f, struct flits_packet *p, int hop, int now)
{
    const int n = p->sent[hop], rate = f->rate[p->channel[hop]];
    if (!n || n == p->length[hop] || p->begin[hop][n - 1] + rate > now)
        return false;
    if (f->mode == FLITS_WORM || (f->lanes && f->mode == FLITS_CUT)) {
        const int from = hop ? n + p->length[hop - 1] - p->length[hop] : 0;
        if (hop && (p->sent[hop - 1] <= from || p->begin[hop - 1][from] + f->wire > now))
            return false;
        if (f->mode == FLITS_WORM && !has_room(f, p, hop, now))
            return false;
    }
    begin_flit(f, p, hop, now);
    return true;
}

static bool move_bodies(struct flits *f, int now)
{
    bool moved = false;
    for (int i = 0; i < f->count; i++)
        for (int h = 0; h < f->packet[i].hops; h++)
            moved |= move_body(f, &f->packet[i], h, now);
    return moved;
}

/* The head asks as soon as it may, and goes when it can, if `goes`. */
static bool act(struct flits *f, int packet, int now, bool goes)
{
    struct flits_packet *p = &f->packet[packet];
    int h = 0;
    while (h < p->hops && p->sent[h])
        h++;
    if (h == p->hops)
        return false;
    const int at = due(f, p, h);
    bool acts = false;
    if (p->asked[h] < 0 && at >= 0 && at <= now && !(h && is_behind(f, packet, h - 1, now))) {
        p->asked[h] = now;
        acts = true;
    }
    if (goes && p->asked[h] >= 0 && is_free(f, p->channel[h], p->lane, now) &&
        is_next(f, packet, h) && has_room(f, p, h, now)) {
        begin_flit(f, p, h, now);
        acts = true;
    }
    return acts;
}

/* A wire that is idle takes a flit of the next lane, behind the one that it served last, that has
 * one and room for it. */
static bool serve(struct flits *f, int channel, int now)
{
    for (int l = 1; l <= f->lanes && f->busy[channel] <= now; l++) {
        const int lane = (f->served[channel] + l) % f->lanes;
        for (int i = 0; i < f->count; i++) {
            struct flits_packet *p = &f->packet[i];
            const int h = hop_of(p, channel, lane);
            if (h < 0)
                continue;
            if (p->sent[h] ? move_body(f, p, h, now)
                           : (!h || p->sent[h - 1]) && act(f, i, now, true) && p->sent[h])
                return true;
        }
    }
    return false;
}

static void step_lanes(struct flits *f, int now)
{
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < f->count; i++)
            again |= act(f, i, now, false);
        for (int c = 0; c < f->channels; c++)
            again |= serve(f, c, now);
    }
}

/* Flits first, then the packet with the smallest key that can do something, until none can. */
static void step(struct flits *f, int now)
{
    for (bool again = true; again;) {
        again = move_bodies(f, now);
        for (int i = 0; i < f->count && !again; i++)
            again = act(f, i, now, true);
    }
}

/* Its last flit may begin on a fast channel before it has left a slow one. */
static bool is_through(const struct flits *f, int packet)
{
    for (int h = 0; h < f->packet[packet].hops; h++)
        if (flits_left(f, packet, h) < 0)
            return false;
    return true;
}

int flits_run(struct flits *f, int steps)
{
    int missing = f->count;
    memset(f->busy, 0, sizeof f->busy);
    memset(f->served, 0, sizeof f->served);
    for (int i = 0; i < f->count; i++) {
        memset(f->packet[i].sent, 0, sizeof f->packet[i].sent);
        memset(f->packet[i].asked, -1, sizeof f->packet[i].asked);
    }
    for (int now = 0; now < steps && missing; now++) {
        if (f->lanes)
            step_lanes(f, now);
        else
            step(f, now);
        missing = 0;
        for (int i = 0; i < f->count; i++)
            missing += !is_through(f, i);
    }
    return missing;
}
