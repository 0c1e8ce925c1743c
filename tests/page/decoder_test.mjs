// The page's decoder without a browser: node tests/page/decoder_test.mjs FOLDER, where FOLDER has the
// modules of emul/view/page and a package.json that says they are modules.
import assert from "node:assert";
import { pathToFileURL } from "node:url";

const from = (name) => import(pathToFileURL(`${process.argv[2]}/${name}.js`));
const { Reader } = await from("bytes");
const { decodePyramid, decodeTile } = await from("decode");
const { axisTicks, exactTime, niceStep } = await from("time");
const { firstWhere, queueOf } = await from("lanes");
const { View } = await from("view");

const varint = (n) => {
    const bytes = [];
    for (n = BigInt(n); n > 127n; n >>= 7n) {
        bytes.push(Number(n & 127n) | 128);
    }
    return [...bytes, Number(n)];
};
const zigzag = (n) => varint(BigInt(n) >= 0n ? 2n * BigInt(n) : -2n * BigInt(n) - 1n);
const column = (...values) => [...varint(values.flat().length), ...values.flat()];

// Numbers of every length come back.
for (const n of [0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 + 5, 2 ** 52 - 1]) {
    assert.equal(new Reader(Uint8Array.from(varint(n))).varint(), n);
    for (const sign of [1, -1]) {
        assert.equal(new Reader(Uint8Array.from(zigzag(BigInt(n) * BigInt(sign)))).zigzag() + 0, n * sign + 0);
    }
}
for (const n of [2n ** 63n, 2n ** 64n - 1n]) {
    assert.equal(new Reader(Uint8Array.from(varint(n))).big(), n);
}

// A tile of three intervals: a service, a stall caused by it, and a service caused from elsewhere.
const manifest = { played: 1, layers: [{}], tiles: [{ samples: 2 }] };
const tileBytes = (wide) => Uint8Array.from([
    column(varint(0), varint(2), varint(1)), // steps 0, 1, 0, the last one open
    column(zigzag(100), zigzag(50), zigzag(wide)),
    column(zigzag(40), zigzag(0), zigzag(-10)),
    column(zigzag(0), zigzag(30), zigzag(7)),
    column(zigzag(9), zigzag(0), zigzag(1)),
    column(varint(0), varint(2), varint(1)),
    column(varint(4), varint(0)),
    column(varint(3), varint(77)),
    column(zigzag(60), zigzag(5)),
    column(varint(11), varint(0), varint(20), varint(1), varint(4)),
    column([0], [32], [16]),
].flat());
const decode = (wide) => {
    const place = { index: 0, count: 3, from: 1000n, to: 1000n + 150n + BigInt(wide) };
    const work = decodeTile(new Reader(tileBytes(wide)), place, manifest, [false, true]);
    for (let next = work.next(); ; next = work.next()) {
        if (next.done) {
            return next.value;
        }
    }
};
for (const wide of [7n, 2n ** 60n + 1n]) {
    const tile = decode(wide);
    assert.deepEqual([...tile.step], [0, 1, 0]);
    assert.deepEqual([...tile.open], [0, 0, 1]);
    assert.deepEqual([...tile.begin.slice(0, 2)], [60, 120]);
    assert.deepEqual([...tile.cause], [0, 1, -1]);
    assert.deepEqual([...tile.line], [0, 2, 0]);
    assert.deepEqual([...tile.foreign], [3, 77]);
    assert.deepEqual([...tile.flags], [0, 32, 16]);
    assert.deepEqual([tile.fills[0].level, [...tile.fills[0].at], [...tile.fills[0].used]], [11, [60, 65], [31, 27]]);
    assert.equal(tile.exact === null, wide === 7n);
    assert.equal(tile.exact ? tile.exact.end[2] : BigInt(tile.end[2]), 150n + wide);
    assert.equal(tile.exact ? tile.exact.begin[2] : BigInt(tile.begin[2]), 120n + wide);
}

// A pyramid adds pairs of bins and keeps extremes of fills.
const sums = [[5, 0, 0], [0, 2, 0], [1, 0, 3]];
const pyramid = decodePyramid(
    new Reader(Uint8Array.from([...sums.flat(), 1, 4, 2, 9, 0, 3, 1, 6, 2].flatMap(varint))),
    { bins: 3, bin_fs: "10", from: "0" }, [{ kind: "memory" }]);
assert.deepEqual(pyramid.levels.map((l) => [...l.busy]), [[5, 0, 1], [5, 1], [6]]);
assert.deepEqual(pyramid.levels.map((l) => [...l.greatest]), [[4, 9, 3], [9, 3], [9]]);
assert.deepEqual(pyramid.levels.map((l) => [...l.least]), [[1, 2, 0], [1, 0], [0]]);
assert.deepEqual(pyramid.sections, [{ at: 6n, section: 2 }]);

// Times are exact; ticks have whole steps, and an origin where they would be long.
assert.equal(exactTime(16000000000000001n), "16.000000000000001 s");
assert.equal(exactTime(344780209902000n), "344.780209902 ms");
assert.equal(exactTime(-5n), "-5 fs");
assert.equal(niceStep(3), 5n);
assert.equal(niceStep(0.2), 1n);
assert.deepEqual(axisTicks(0n, 1000n, 2).ticks.map((t) => t.text), ["0 ps", "0.5 ps", "1 ps"]);
const far = axisTicks(16000000000000001n, 16000000000000005n, 4);
assert.equal(exactTime(far.origin), "16 s");
assert.deepEqual(far.ticks.map((t) => t.text).slice(0, 2), ["+1 fs", "+2 fs"]);

// A queue counts who is in line; binary search finds the first.
const queue = queueOf(Float64Array.from([0, 2]), Float64Array.from([4, 6]));
assert.deepEqual([[...queue.count], [...queue.sums]], [[1, 2, 1, 0], [0, 2, 6, 8]]);
assert.equal(firstWhere(5, (k) => k >= 3), 3);
assert.equal(firstWhere(5, () => false), 5);

// A view keeps what is under the pointer, down to femtoseconds at the far end of a long run.
const view = new View(16000000000000001n);
view.width = 1000;
for (let k = 0; k < 200; k++) {
    view.zoom(0.8, view.x(16000000000000000n));
}
assert.equal(view.span, 8);
assert.equal(view.at(view.x(16000000000000000n) + 1), 16000000000000000n);
console.log("the decoder reads what was written");
