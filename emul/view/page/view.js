// The stretch of virtual time on the canvas: its first instant exactly, with a fraction for smooth
// movement between two femtoseconds, and its length.

const LEAST = 8;

export class View {
    /** @param {bigint} end of the run */
    constructor(end) {
        this.end = end > 0n ? end : 1n;
        this.from = 0n;
        this.rest = 0;
        this.span = 1;
        this.width = 1;
        this.all();
    }

    /**
     * The longest span: the run and a margin.
     * @returns {number}
     */
    most() {
        return Math.max(LEAST, Number(this.end) * 1.02);
    }

    all() {
        this.span = this.most();
        this.place(0n, -this.span * 0.01);
    }

    /**
     * Begin at `from + rest`, inside the run and its margin.
     * @param {bigint} from @param {number} rest
     */
    place(from, rest) {
        const whole = Math.floor(rest);
        this.from = from + BigInt(whole);
        this.rest = rest - whole;
        const low = -BigInt(Math.ceil(this.span * 0.05));
        const high = this.end - BigInt(Math.floor(this.span * 0.95));
        if (this.from > high) {
            [this.from, this.rest] = [high, 0];
        }
        if (this.from < low) {
            [this.from, this.rest] = [low, 0];
        }
    }

    /**
     * Move by a share of the width.
     * @param {number} share
     */
    pan(share) {
        this.place(this.from, this.rest + share * this.span);
    }

    /** @param {number} factor @param {number} x pixel that stays where it is */
    zoom(factor, x) {
        const span = Math.min(this.most(), Math.max(LEAST, this.span * factor));
        const shift = (x / this.width) * (this.span - span);
        this.span = span;
        this.place(this.from, this.rest + shift);
    }

    /**
     * Show [from, to] with a margin.
     * @param {bigint} from @param {bigint} to @param {number} [margin]
     */
    show(from, to, margin = 0.1) {
        const length = Number(to - from);
        this.span = Math.min(this.most(), Math.max(LEAST, length * (1 + 2 * margin)));
        this.place(from, (length - this.span) / 2);
    }

    /** @param {bigint} at */
    center(at) {
        this.place(at, -this.span / 2);
    }

    /**
     * Pixel of an instant.
     * @param {bigint} at
     */
    x(at) {
        return ((Number(at - this.from) - this.rest) * this.width) / this.span;
    }

    /**
     * Offset of the view's left edge from `base`, in femtoseconds.
     * @param {bigint} base
     */
    offset(base) {
        return Number(this.from - base) + this.rest;
    }

    /**
     * Instant at a pixel.
     * @param {number} x @returns {bigint}
     */
    at(x) {
        return this.from + BigInt(Math.floor(this.rest + (x / this.width) * this.span));
    }

    /**
     * The instant behind the right edge.
     * @returns {bigint}
     */
    to() {
        return this.from + BigInt(Math.ceil(this.rest + this.span));
    }

    /** Femtoseconds a pixel. */
    scale() {
        return this.span / this.width;
    }
}
