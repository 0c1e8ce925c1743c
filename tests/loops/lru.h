// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers that tell a memory which words a program touches. A program of tests/loops, compiled as
// C++ behind this header, has `double` replaced by a class whose reads and writes are played
// through fully associative memories that replace what was used least recently. Nothing here knows
// of nests or subscripts: what counts is the order in which the compiled loops run.
//
// A touch misses in all memories that hold fewer different words than were touched since the last
// touch of its word, itself included. A tree of counts holds a one at the last touch of each word,
// so that number is a sum over a range of the tree, and one run serves all capacities. A word that
// is written is fetched before. It is written back once for each write since whose last write it
// was not kept all the time; what is dirty in the end is written back, too.
//
// At the end of the program: a line `CAPACITY READ WRITTEN` (bytes) for each capacity of the
// variable CAPACITIES (bytes; with a p, parts of the footprint: 64p is a 64th), by lines of LINE
// bytes (8 if not given).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <math.h>
#include <stdio.h>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" char __data_start, _end; // of variables that live as long as the program

namespace lru
{

class memory
{
    struct place {
        size_t touched, dirty; // when; the largest distance since the last write, -1: clean so far
    };
    size_t line, now = 0;
    std::unordered_map<uintptr_t, place> places;
    std::vector<uint32_t> tree = std::vector<uint32_t>(1 << 16);
    std::vector<size_t> reads, writes; // by distance
    size_t first_reads = 0, first_writes = 0;

    void mark(size_t at, int by)
    {
        for (; at < tree.size(); at += at & -at)
            tree[at] += (uint32_t)by;
    }

    size_t marked(size_t at) const
    {
        size_t sum = 0;
        for (; at; at -= at & -at)
            sum += tree[at];
        return sum;
    }

    // The tree is full: the touches that still count are numbered anew, in their order.
    void renumber()
    {
        std::vector<place *> order;
        for (auto &p : places)
            order.push_back(&p.second);
        std::sort(order.begin(), order.end(),
                  [](const place *a, const place *b) { return a->touched < b->touched; });
        tree.assign(std::max(tree.size(), 4 * order.size() + 2), 0);
        now = 0;
        for (place *p : order)
            mark(p->touched = ++now, 1);
    }

    static void count(std::vector<size_t> &by, size_t distance)
    {
        if (by.size() <= distance)
            by.resize(2 * distance + 1);
        by[distance]++;
    }

    static size_t beyond(const std::vector<size_t> &by, size_t capacity)
    {
        size_t sum = 0;
        for (size_t d = capacity + 1; d < by.size(); d++)
            sum += by[d];
        return sum;
    }

  public:
    memory()
    {
        const char *text = getenv("LINE");
        line = text ? (size_t)atoi(text) : 8;
    }

    void touch(const void *word, bool write)
    {
        const uintptr_t at = (uintptr_t)word;
        if (at < (uintptr_t)&__data_start || at >= (uintptr_t)&_end)
            return; // a variable of a function: a register
        if (now + 2 >= tree.size())
            renumber();
        auto found = places.emplace(at / line, place{0, SIZE_MAX});
        place &p = found.first->second;
        now++;
        if (found.second) {
            first_reads++;
        } else {
            const size_t distance = 1 + marked(now) - marked(p.touched);
            mark(p.touched, -1);
            count(reads, distance);
            if (p.dirty != SIZE_MAX)
                p.dirty = std::max(p.dirty, distance);
        }
        mark(p.touched = now, 1);
        if (!write)
            return;
        if (p.dirty == SIZE_MAX)
            first_writes++;
        else
            count(writes, p.dirty);
        p.dirty = 0;
    }

    // What was moved so far.
    void print(const char *before) const
    {
        const char *text = getenv("CAPACITIES");
        for (const char *s = text ? text : ""; *s;) {
            char *end;
            size_t bytes = strtoul(s, &end, 10);
            if (*end == 'p' && bytes)
                bytes = places.size() * line / bytes, end++;
            const size_t lines = bytes / line;
            printf("%s%zu %zu %zu\n", before, bytes, line * (first_reads + beyond(reads, lines)),
                   line * (first_writes + beyond(writes, lines)));
            s = *end ? end + 1 : end;
        }
    }

    ~memory() { print(""); }
};

inline memory all;

class number
{
    double value;

  public:
    number() = default;
    number(double v) : value(v) { all.touch(this, true); }
    number(const number &other) : value(other.read()) { all.touch(this, true); }
    double read() const
    {
        all.touch(this, false);
        return value;
    }
    operator double() const { return read(); }
    number &operator=(double v)
    {
        value = v;
        all.touch(this, true);
        return *this;
    }
    number &operator=(const number &other) { return *this = other.read(); }
    number &operator+=(double v) { return *this = read() + v; }
    number &operator-=(double v) { return *this = read() - v; }
    number &operator*=(double v) { return *this = read() * v; }
    number &operator/=(double v) { return *this = read() / v; }
};

// Arguments are read from left to right, as operands are.
struct pair {
    double a, b;
    double larger() const { return fmax(a, b); }
    double smaller() const { return fmin(a, b); }
};

} // namespace lru

#define fmax(a, b) lru::pair{a, b}.larger()
#define fmin(a, b) lru::pair{a, b}.smaller()
#define double lru::number
