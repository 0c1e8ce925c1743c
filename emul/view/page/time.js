// Times are whole femtoseconds in a BigInt. They are printed without any rounding.

/** @type {[string, bigint][]} */
const UNITS = [["s", 10n ** 15n], ["ms", 10n ** 12n], ["us", 10n ** 9n], ["ns", 10n ** 6n], ["ps", 1000n], ["fs", 1n]];

/** @param {bigint} fs @returns {bigint} */
export function absolute(fs) {
    return fs < 0n ? -fs : fs;
}

/**
 * The largest unit that is not above fs.
 * @param {bigint} fs @returns {[string, bigint]}
 */
export function unitOf(fs) {
    return UNITS.find(([, size]) => absolute(fs) >= size) ?? ["fs", 1n];
}

/**
 * fs as a decimal number of units of `size`.
 * @param {bigint} fs @param {bigint} size
 */
export function decimal(fs, size) {
    const whole = absolute(fs) / size;
    const digits = size.toString().length - 1;
    const rest = digits ? (absolute(fs) % size).toString().padStart(digits, "0").replace(/0+$/, "") : "";
    return (fs < 0n ? "-" : "") + whole.toString() + (rest ? "." + rest : "");
}

/**
 * fs with its unit, exactly.
 * @param {bigint} fs @returns {string}
 */
export function exactTime(fs) {
    const [name, size] = unitOf(fs);
    return decimal(fs, size) + " " + name;
}

/**
 * A rounded time of at most four digits, for sums and averages.
 * @param {number} fs
 */
export function roughTime(fs) {
    const [name, size] = unitOf(BigInt(Math.round(Math.abs(fs))));
    return Number((fs / Number(size)).toPrecision(4)) + " " + name;
}

/**
 * 12345 -> 12,345.
 * @param {number | bigint | string} n
 */
export function grouped(n) {
    return n.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/**
 * The least 1, 2 or 5 times a power of ten that is not below `least`.
 * @param {number} least @returns {bigint}
 */
export function niceStep(least) {
    let power = 1n;
    while (Number(power) * 10 <= least) {
        power *= 10n;
    }
    const factor = [1n, 2n, 5n].find((f) => Number(f * power) >= least);
    return (factor ?? 10n) * power;
}

/**
 * Ticks of an axis over [from, to]. Where whole times would be too long, they are offsets from
 * `origin`, which the axis names once.
 * @param {bigint} from @param {bigint} to @param {number} most greatest number of ticks
 * @returns {{origin: bigint | null, ticks: {at: bigint, text: string}[]}}
 */
export function axisTicks(from, to, most) {
    const step = niceStep(Number(to - from) / Math.max(1, most));
    const [, size] = unitOf(to);
    const short = size <= step * 1000n;
    const [name, unit] = short ? unitOf(to) : unitOf(step);
    const origin = short ? null : (from / (unit * 1000n)) * unit * 1000n;
    const ticks = [];
    for (let at = ((from < 0n ? 0n : from) / step) * step; at <= to; at += step) {
        const text = (short ? "" : "+") + decimal(at - (origin ?? 0n), unit) + " " + name;
        ticks.push({ at, text });
    }
    return { origin, ticks };
}
