/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers that count what is done with them, for C text that is compiled as C++.
 */
#include <cstdio>
#include <vector>

namespace
{

struct counts {
    long add, mul, div, function, reads, writes;
} done;

struct number {
    double v;
    number() = default;
    number(double x) : v(x) {}
};

number counted(long &class_of, double v)
{
    class_of++;
    return number(v);
}

number operator+(number a, number b)
{
    return counted(done.add, a.v + b.v);
}

number operator-(number a, number b)
{
    return counted(done.add, a.v - b.v);
}

number operator*(number a, number b)
{
    return counted(done.mul, a.v * b.v);
}

number operator/(number a, number b)
{
    return counted(done.div, a.v / b.v);
}

number &operator+=(number &a, number b)
{
    return a = a + b;
}

number &operator-=(number &a, number b)
{
    return a = a - b;
}

bool operator>(number a, number b)
{
    return a.v > b.v;
}

bool operator<(number a, number b)
{
    return a.v < b.v;
}

/* A sign is no operation. */
number operator-(number a)
{
    return number(-a.v);
}

/* Their values do not matter. */
number sqrt(number x)
{
    return counted(done.function, x.v);
}

number exp(number x)
{
    return counted(done.function, x.v);
}

/* One simple operation. */
number fabs(number x)
{
    return counted(done.add, x.v);
}

/* A word of an array: its value is a read. */
struct word {
    number *at;
    operator number() const
    {
        done.reads++;
        return *at;
    }
    word &operator=(number x)
    {
        done.writes++;
        *at = x;
        return *this;
    }
    word &operator=(const word &other) { return *this = number(other); }
    word &operator+=(number x) { return *this = number(*this) + x; }
    word &operator-=(number x) { return *this = number(*this) - x; }
};

number operator+(word a, word b)
{
    return number(a) + number(b);
}

number operator-(word a, word b)
{
    return number(a) - number(b);
}

number operator*(word a, word b)
{
    return number(a) * number(b);
}

number operator/(word a, word b)
{
    return number(a) / number(b);
}

} // namespace
