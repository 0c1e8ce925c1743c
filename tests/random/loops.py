#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random programs of loops, for `htmt analyze` and `htmt bound`, and a judge of what they count.

    loops.py write SEED COUNT >programs.c      functions f0, f1, ... with conditions of all kinds
    loops.py inside SEED COUNT >programs.c     the same whose subscripts stay within the matrices
    loops.py moved SIMULATED BOUND.csv CAPACITY    traffic, against a simulated memory
    loops.py judge COUNTED NESTS.yaml BOUNDED.json n=7,p=2    operations and references, against counting numbers

The same text is compiled as C++ with numbers that count what is done with them (tests/source/
counting.h). A function fK may call hK; both count for K. Each says what conditions there are: affine
ones, remainders, periodic subscripts, turns of a repeat, parameters.
"""
import csv
import json
import math
import random
import re
import sys


class Writer:
    """One function. Loops around are known with whether they begin at 0 and end at n - 1."""

    def __init__(self, draw, number):
        self.draw, self.number, self.lines, self.loops = draw, number, [], []
        self.helper, self.called, self.remainder, self.band = False, False, False, False

    def put(self, text):
        self.lines.append('    ' * (len(self.loops) + 1) + text)

    def chance(self, share):
        return self.draw.random() < share

    # ---- what conditions may say
    def affine(self):
        d, loops = self.draw, [v for v in self.loops if v != 't']
        one = d.choice(loops)
        kinds = [f'{one} > 0', f'{one} < n - 1', f'{one} == {d.randrange(3)}', f'{one} != n - 2',
                 f'2 * {one} < n', f'p > {d.randrange(4)}',
                 f'{one} >= p', f'!({one} == n - 1)']
        # Bounds say one remainder of a nest, none in loops with steps, and none beside bands.
        if len(loops) > 1 and self.remainder != 'used':
            a, b = d.sample(loops, 2)
            if not self.remainder and not self.band and self.chance(0.3):
                self.remainder = 'used'
                return f'({a} + {b}) % 2 {d.choice(["==", "!="])} {d.randrange(2)}'
            kinds += [f'{a} < {b}', f'{a} != {b}', f'{a} == {b}', f'{a} + {b} < n',
                      f'{a} <= {b} + 1']
        if not self.remainder and not self.band and self.chance(0.15):
            self.remainder = 'used'
            return f'{one} % {d.choice([2, 3])} == {d.randrange(2)}'
        kind = d.choice(kinds)
        self.band = self.band or len(re.findall('[ijk]', kind)) > 1
        return kind

    def condition(self):
        if self.chance(0.6):
            return self.affine()
        return f'{self.affine()} {self.draw.choice(["&&", "||"])} {self.affine()}'

    # ---- expressions
    def subscript(self):
        d, loops = self.draw, [v for v in self.loops if v not in ('t', 'c')]
        one = d.choice(loops)
        kinds = [one, one, f'{one} + 1', f'{one} - 1', f'n - 1 - {one}']
        if self.chance(0.2):
            kinds += [f'({one} + 1) % n', f'({one} - 1 + n) % n', f'({one} < n - 1 ? {one} + 1 : 0)']
        return d.choice(kinds)

    def word(self):
        return f'{self.draw.choice("uvw")}[{self.subscript()}][{self.subscript()}]'

    def real(self, deep=0):
        d = self.draw
        if deep > 2 or self.chance(0.35):
            return self.word()
        kind = d.randrange(8)
        if kind == 6:
            return f'sqrt({self.real(deep + 1)})'
        if kind == 7:
            return f'({self.affine()} ? {self.real(deep + 1)} : {self.word()})'
        return f'({self.real(deep + 1)} {"+-*/+*"[kind]} {self.real(deep + 1)})'

    # ---- statements
    def assign(self):
        if self.chance(0.15):
            self.put(f's += {self.real()};')
        else:
            self.put(f'{self.word()} {self.draw.choice(["=", "=", "+=", "-="])} {self.real()};')

    def branch(self, deep):
        self.put(f'if ({self.condition()}) {{')
        self.statements(deep + 1, 2)
        if self.chance(0.4):
            self.put('} else {')
            self.statements(deep + 1, 2)
        self.put('}')

    def periodic(self):
        one = self.draw.choice([v for v in self.loops if v not in ('t', 'c')])
        self.put(f'int q = {one} > 0 ? {one} - 1 : n - 1;')
        self.put(f'u[q][{one}] = v[q][q] * 0.5;')

    def short(self, deep):
        self.put('for (int c = 0; c < 3; c++) {')
        self.loops.append('c')
        self.put(f'{self.word()} += {self.real()};')
        if self.chance(0.5):
            self.put(f'if (c > {self.draw.randrange(2)}) {self.word()} = {self.real()};')
        self.loops.pop()
        self.put('}')

    def statements(self, deep, most):
        for _ in range(self.draw.randint(1, most)):
            if deep < 3 and self.chance(0.4):
                self.branch(deep)
            elif deep < 2 and self.chance(0.15):
                self.short(deep)
            else:
                self.assign()

    # ---- loops
    def head(self, name):
        d, outer = self.draw, [v for v in self.loops if v not in ('t', 'c')]
        low, high, step = d.choice(['0', '0', '1']), d.choice(['n', 'n', 'n - 1']), '++'
        if outer and self.remainder != 'used' and self.chance(0.35):
            self.band = True
            if self.chance(0.5):
                low = d.choice([outer[-1], f'{outer[-1]} + 1'])
            else:
                high = d.choice([outer[-1], f'{outer[-1]} + 1'])
        elif self.chance(0.1):
            return f'for (int {name} = n - 1; {name} >= {low}; {name}--) {{'
        elif not self.remainder and self.chance(0.1):
            step, self.remainder = ' += 2', 'used'
        return f'for (int {name} = {low}; {name} < {high}; {name}{step}) {{'

    def nest(self, names):
        if not [v for v in self.loops if v != 't']:
            self.remainder = self.band = False
        self.put(self.head(names[0]))
        self.loops.append(names[0])
        if len(names) > 1:
            if self.chance(0.3):
                self.statements(1, 1)
            if self.chance(0.15):
                self.put(f'if ({self.affine()}) {{')
                self.nest(names[1:])
                self.put('}')
            else:
                self.nest(names[1:])
            if self.chance(0.2):
                self.assign()
        else:
            if self.chance(0.1):
                self.periodic()
            self.statements(0, 3)
        self.loops.pop()
        self.put('}')

    def part(self):
        d = self.draw
        if self.helper and self.chance(0.3):
            self.called = True
            self.put(f'h{self.number}(n, u, v);')
        else:
            self.nest(['i', 'j', 'k'][:d.choice([1, 2, 2, 2, 3])])

    def top(self):
        d = self.draw
        kind = d.randrange(6)
        if kind < 3:
            self.part()
        elif kind == 3:
            self.put(f'if (p {d.choice(["<", "==", ">="])} {d.randrange(4)}) {{')
            self.part()
            if self.chance(0.5):
                self.put('} else {')
                self.part()
            self.put('}')
        else:
            self.put(f'for (int t = {d.randrange(2)}; t < {d.choice(["p", "7", "12"])}; t++) {{')
            self.loops.append('t')
            if self.chance(0.5):
                self.part()
            if self.chance(0.7):
                self.put(d.choice(['if (t % 4 == 0) {', 'if (t % 3 == 2) {', 'if (t > 2) {',
                                   'if (t == 0) {', 'if (t % 2 == 0 && t > 1) {']))
                self.part()
                self.put('}')
            self.part()
            self.loops.pop()
            self.put('}')

    def function(self):
        self.helper = self.chance(0.3)
        self.called = False
        for _ in range(self.draw.randint(1, 3)):
            self.top()
        if self.called:
            print(f'static void h{self.number}(int n, MATRIX(u), MATRIX(v))')
            print('{\n    for (int i = 0; i < n; i++)\n        for (int j = 0; j < n; j++)')
            print('            u[i][j] = v[i][j] * 0.25 + u[i][j];\n}')
        more = ', MATRICES(y), MATRICES(z)' if isinstance(self, Inside) else ''
        print(f'void f{self.number}(int n, int p, MATRIX(u), MATRIX(v), MATRIX(w){more})\n{{')
        print('    REAL s = 0.0;')
        print('\n'.join(self.lines))
        print('    (void)s;\n}')


class Inside(Writer):
    """Subscripts stay within the matrices, so that lines are those of arrays in a row."""

    def head(self, name):
        text = super().head(name)
        for outer, inner in (('= 0;', '= 1;'), ('< n;', '< n - 1;'), ('= n - 1;', '= n - 2;'), ('>= 0;', '>= 1;')):
            text = text.replace(outer, inner)
        return text

    def species(self):
        """A loop whose length a parameter tells: it is multiplied out."""
        one, other = (self.draw.choice([v for v in self.loops if v not in ('t', 'c')]) for _ in 'ab')
        self.put('for (int c = 0; c < p; c++) {')
        self.loops.append('c')
        self.put(f'y[c][{one}][{other}] += z[c][{one}][{other}] * {self.word()};')
        if self.chance(0.5):
            self.put(f'z[c][{one}][{other}] = y[c][{one}][{other}];')
        self.loops.pop()
        self.put('}')

    def statements(self, deep, most):
        super().statements(deep, most)
        if deep == 0 and self.chance(0.15):
            self.species()


def write(seed, count, kind=Writer):
    print(f'/* tests/random/loops.py write {seed} {count} */')
    print('#ifndef REAL\n#include <math.h>\n#define REAL double')
    print('#define MATRIX(name) double (*name)[n]\n#define MATRICES(name) double (*name)[n][n]\n#endif')
    more = ', y, z' if kind is Inside else ''
    for number in range(count):
        kind(random.Random(seed * 1000003 + number), number).function()
    print(f'#define CALLS(n, p, u, v, w{more})' + ''.join(
        f' \\\n    f{number}(n, p, u, v, w{more}), report({number});' for number in range(count)))


def tables(nests, values):
    """References of each nest to arrays whose subscripts hold no loop variable: they are state."""
    names = dict(values, floor=math.floor, ceil=math.ceil, max=max, min=min, mod=lambda a, b: a % b)
    found, nest = {}, None
    for line in open(nests):
        head = re.match(r'  ([fh]\d+[.\d]*):$', line)
        nest = head.group(1) if head else nest
        row = re.search(r'loads: "(.*)", stores: "(.*)", words: ', line)
        if row:
            found[nest] = found.get(nest, 0) + sum(eval(e, {}, names) for e in row.groups())
    return found


def judge(counted, nests, bounded, values):
    """COUNTED has a line for each program: number, add, mul, div, function, references."""
    wanted = {int(l.split()[0]): [int(x) for x in l.split()[1:]] for l in open(counted)}
    found = {number: [0.0] * 5 for number in wanted}
    table = tables(nests, {k: int(v) for k, v in (each.split('=') for each in values.split(','))})
    for loop in json.load(open(bounded))['loops']:
        number = int(re.match(r'[fh](\d+)', loop['name']).group(1))
        o, times = loop['operations'], loop['times'] * loop['cells']
        for i, each in enumerate([o['add'], o['mul'], o['div'], o['function'],
                                  o['loads'] + o['stores'] + table.get(loop['name'], 0)]):
            found[number][i] += times * each
    wrong = 0
    for number in sorted(wanted):
        if any(abs(a - b) > 1e-6 * max(1, b) for a, b in zip(found[number], wanted[number])):
            print(f'f{number}: found {found[number]}, counted {wanted[number]}')
            wrong += 1
    return 1 if wrong else 0


def moved(simulated, bounded, capacity):
    """SIMULATED has lines `NUMBER CAPACITY READ WRITTEN`, of all programs so far. BOUNDED.csv has two ends of each
    loop; what was simulated lies between them."""
    before, wrong = 0, 0
    low, high = {}, {}
    for row in csv.DictReader(open(bounded)):
        number = int(re.match(r'[fh](\d+)', row['loop']).group(1))
        low[number] = low.get(number, 0) + int(row['all_bytes_low'])
        high[number] = high.get(number, 0) + int(row['all_bytes_high'])
    for line in open(simulated):
        number, own, read, written = (int(x) for x in line.split())
        if own != int(capacity):
            continue
        wanted, before = read + written - before, read + written
        if not low.get(number, 0) <= wanted <= high.get(number, 0):
            print(f'f{number} in {capacity} B: {low.get(number, 0)} to {high.get(number, 0)}, simulated {wanted}')
            wrong += 1
    return 1 if wrong else 0


if __name__ == '__main__':
    if sys.argv[1] in ('write', 'inside'):
        write(int(sys.argv[2]), int(sys.argv[3]), Inside if sys.argv[1] == 'inside' else Writer)
    elif sys.argv[1] == 'moved':
        sys.exit(moved(*sys.argv[2:5]))
    else:
        sys.exit(judge(*sys.argv[2:6]))
