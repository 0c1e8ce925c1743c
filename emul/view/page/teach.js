// The teaching view of a small run: parcels as discs that move from station to station, the time that
// is left of each service as a counter, and a clock that steps, plays, and plays slowly.
import { byId } from "./controls.js";
import { button, element } from "./selection.js";
import { laneOf } from "./lanes.js";
import { beginOf, Description, endOf, foundAt, waitOf } from "./model.js";
import { BOLD, fitted, FONT, inkOn, SMALL } from "./paint.js";
import { exactTime, roughTime } from "./time.js";

const MOST_INTERVALS = 2000;
const MOST_SLICES = 4;
const STATION = 52;
/** Discs in line that are shown; those behind lie under the last. */
const IN_LINE = 5;
const HEADING = 24;
const RADIUS = 9;
/** Seconds in which a run is played, and those in which a disc moves. */
const PLAYED = 60;
const MOVED = 0.35;

/**
 * One interval of a parcel: `since` it waits for it.
 * @typedef {{since: bigint, begin: bigint, end: bigint, slice: number, row: number, lane: number, waits: boolean, number: string, parcel: string, text: string}} Visit
 */

/** @param {Page} page @param {import("./model.js").Description} d @returns {Visit} */
function visitOf(page, d) {
    const { tile, i } = d.found;
    const since = d.waits() ? d.begin : d.begin - waitOf(tile, i);
    return {
        since, begin: beginOf(tile, i), end: endOf(tile, i), slice: d.slice, row: d.rowIndex ?? 0, lane: laneOf(tile.flags[i]),
        waits: d.waits(), number: d.index, parcel: d.type + d.id, text: `${d.name()}, ${d.stage}: ${page.manifest.rows[d.rowIndex ?? 0].name}`,
    };
}

/** @param {bigint} a @param {bigint} b */
function order(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Where a parcel is at an instant: its visit, and the one before.
 * @param {Visit[]} visits @param {bigint} at
 */
function visitAt(visits, at) {
    let k = visits.length - 1;
    while (k >= 0 && visits[k].since > at) {
        k--;
    }
    return k < 0 ? null : { visit: visits[k], before: visits[k - 1] ?? null, last: k === visits.length - 1 };
}

export class Teaching {
    /** @param {Page} page */
    constructor(page) {
        this.page = page;
        /** @type {Visit[][]} */
        this.parcels = [];
        /** @type {{at: bigint, text: string}[]} */
        this.events = [];
        this.at = 0n;
        this.speed = 1;
        /** @type {number | null} */
        this.since = null;
        this.canvas = document.createElement("canvas");
        this.clock = element("output", "");
        this.play = button("Play", () => this.toggle());
        this.slider = document.createElement("input");
    }

    /** Offer the view where the run is small enough for it. */
    offer() {
        const { tiles, played } = this.page.manifest;
        const count = tiles.reduce((sum, tile) => sum + tile.count, 0);
        const box = byId("teach", HTMLDivElement);
        if (count > 0 && count <= MOST_INTERVALS && played <= MOST_SLICES && this.page.manifest.full) {
            box.hidden = false;
            box.append(button("Teaching view", () => void this.open()));
        }
    }

    /** Show the view, or hide it again. */
    async open() {
        const box = byId("teaching", HTMLElement);
        box.hidden = !box.hidden;
        this.since = null;
        if (box.hidden) {
            return;
        }
        if (!this.parcels.length) {
            await this.gather();
            this.build(box);
        }
        this.go(this.at);
        box.scrollIntoView({ block: "start" });
    }

    /** Read all intervals. */
    async gather() {
        const { store, manifest } = this.page;
        /** @type {Map<string, Visit[]>} */
        const parcels = new Map();
        for (const place of store.places) {
            const tile = await store.load(place);
            for (let i = 0; i < tile.count; i++) {
                const d = new Description(manifest, foundAt(tile, i));
                if (!d.section && d.rowIndex !== null) {
                    const visit = visitOf(this.page, d);
                    parcels.set(visit.parcel, [...(parcels.get(visit.parcel) ?? []), visit]);
                }
            }
        }
        this.parcels = [...parcels.values()];
        this.parcels.forEach((visits) => visits.sort((a, b) => order(a.since, b.since) || order(a.begin, b.begin)));
        this.events = this.parcels.flat().flatMap((v) => [{ at: v.begin, text: v.text + " begins" }, { at: v.end, text: v.text + " ends" }]);
        this.events.sort((a, b) => order(a.at, b.at));
    }

    /** @param {HTMLElement} box */
    build(box) {
        const controls = element("div", "", "group");
        Object.assign(this.slider, { type: "range", min: "0", max: "1000", value: "0" });
        this.slider.setAttribute("aria-label", "Instant of the run");
        this.slider.addEventListener("input", () => this.go((this.page.store.end * BigInt(this.slider.value)) / 1000n));
        controls.append(button("Step back", () => this.step(-1)), button("Step", () => this.step(1)), this.play,
            button("Slower", () => this.hurry(1 / 2)), button("Faster", () => this.hurry(2)), this.slider, this.clock);
        this.canvas.setAttribute("role", "img");
        this.canvas.setAttribute("aria-label", "Parcels at their stations at the instant that the clock shows");
        box.append(element("h2", "Teaching view"), controls, this.canvas,
            element("p", "Discs are parcels. At the left of a station they wait in line; in its slots they are served, and the counter tells the time that is left.", "faint"));
    }

    toggle() {
        this.since = this.since === null ? performance.now() : null;
        if (this.since !== null && this.at >= this.page.store.end) {
            this.at = 0n;
        }
        this.play.textContent = this.since === null ? "Play" : "Pause";
        this.page.draw();
    }

    /** @param {number} factor */
    hurry(factor) {
        this.speed = Math.min(64, Math.max(1 / 4096, this.speed * factor));
        this.tick();
    }

    /**
     * To the next instant at which something begins or ends.
     * @param {number} way
     */
    step(way) {
        const next = way > 0 ? this.events.find((event) => event.at > this.at) : [...this.events].reverse().find((event) => event.at < this.at);
        if (next) {
            const same = this.events.filter((event) => event.at === next.at);
            this.page.say(`${exactTime(next.at)}: ${same.slice(0, 6).map((event) => event.text).join("; ")}${same.length > 6 ? "; and more" : ""}.`);
            this.go(next.at);
        }
    }

    /** @param {bigint} at */
    go(at) {
        const { end } = this.page.store;
        this.at = at > end ? end : at;
        this.slider.value = String(Number((this.at * 1000n) / (end || 1n)));
        this.tick();
        this.page.draw();
    }

    tick() {
        this.clock.textContent = `${exactTime(this.at)} · one second shows ${roughTime(this.pace())}`;
    }

    /** Femtoseconds that a second shows. */
    pace() {
        return Math.max(1, (Number(this.page.store.end) / PLAYED) * this.speed);
    }

    /** Let the clock run while it is played. */
    advance() {
        if (this.since === null) {
            return;
        }
        const now = performance.now();
        const passed = ((now - this.since) / 1000) * this.pace();
        this.since = now;
        this.go(this.at + BigInt(Math.ceil(passed)));
        if (this.at >= this.page.store.end) {
            this.toggle();
        }
    }

    // ---- Drawing ----

    /** Rows that are stations. */
    stations() {
        return this.page.manifest.rows.map((row, index) => ({ row, index })).filter(({ index }) => this.parcels.some((visits) => visits.some((v) => v.row === index)));
    }

    draw() {
        if (byId("teaching", HTMLElement).hidden || !this.parcels.length) {
            return;
        }
        this.advance();
        const stations = this.stations();
        const slices = [...new Set(this.parcels.flat().map((visit) => visit.slice))].sort((a, b) => a - b);
        const ctx = this.prepare(HEADING + stations.length * STATION);
        const width = this.canvas.clientWidth / slices.length;
        slices.forEach((slice, s) => {
            ctx.fillStyle = this.page.theme.text;
            ctx.font = BOLD;
            ctx.fillText(`Slice ${slice}`, s * width + 8, HEADING / 2);
            stations.forEach(({ row, index }, k) => this.drawStation(ctx, row, index, slice, s * width, HEADING + k * STATION, width - 8));
        });
        this.drawParcels(ctx, stations.map(({ index }) => index), slices, width);
    }

    /** @param {number} height @returns {CanvasRenderingContext2D} */
    prepare(height) {
        const { canvas, page } = this;
        canvas.style.height = `${height}px`;
        canvas.width = canvas.clientWidth * devicePixelRatio;
        canvas.height = height * devicePixelRatio;
        const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
        ctx.scale(devicePixelRatio, devicePixelRatio);
        ctx.fillStyle = page.theme.ground;
        ctx.fillRect(0, 0, canvas.clientWidth, height);
        ctx.textBaseline = "middle";
        return ctx;
    }

    /**
     * Slots of a station: those that are ever used, sixteen at most.
     * @param {number} row
     */
    slots(row) {
        return Math.min(16, this.page.manifest.rows[row].lanes);
    }

    /**
     * Left edge and width of a slot.
     * @param {number} row @param {number} lane @param {number} x @param {number} width
     */
    slot(row, lane, x, width) {
        const left = x + 130 + width * 0.2;
        const each = Math.min(96, (x + width - left) / this.slots(row));
        return { x: left + Math.min(lane, this.slots(row) - 1) * each, width: each - 3 };
    }

    /** @param {CanvasRenderingContext2D} ctx @param {Row} row @param {number} index @param {number} slice @param {number} x @param {number} y @param {number} width */
    drawStation(ctx, row, index, slice, x, y, width) {
        const { theme } = this.page;
        ctx.fillStyle = theme.panel;
        ctx.fillRect(x, y, width, STATION - 5);
        ctx.fillStyle = theme.text;
        ctx.font = FONT;
        ctx.fillText(fitted(ctx, row.name, 120), x + 8, y + 13);
        ctx.strokeStyle = theme.outline;
        ctx.lineWidth = 1;
        for (let lane = 0; lane < this.slots(index); lane++) {
            const slot = this.slot(index, lane, x, width);
            ctx.strokeRect(slot.x, y + 4, slot.width, STATION - 13);
        }
        const here = this.parcels.flat().filter((v) => v.slice === slice && v.row === index && !v.waits && v.begin <= this.at && v.end > this.at);
        ctx.fillStyle = theme.faint;
        const deeper = here.filter((v) => v.lane === 16).length;
        ctx.fillText(`${here.length} served${deeper ? `, ${deeper} not shown` : ""}`, x + 8, y + 30);
    }

    /** Parcels that are somewhere now, in the order in which they came there. */
    present() {
        const list = this.parcels.flatMap((visits) => visitAt(visits, this.at) ?? []);
        const here = list.filter(({ visit, last }) => !(last && visit.end < this.at) && (visit.lane < 16 || visit.begin > this.at));
        return here.sort((a, b) => order(a.visit.since, b.visit.since));
    }

    /** @param {CanvasRenderingContext2D} ctx @param {number[]} rows @param {number[]} slices @param {number} width */
    drawParcels(ctx, rows, slices, width) {
        /** @type {Map<string, {x: number, y: number, count: number}>} */
        const lines = new Map();
        const place = (/** @type {Visit} */ visit, /** @type {boolean} */ inLine) => {
            const x = slices.indexOf(visit.slice) * width;
            const y = HEADING + rows.indexOf(visit.row) * STATION;
            const slot = this.slot(visit.row, visit.lane, x, width - 8);
            const key = `${visit.slice}.${visit.row}`;
            const line = lines.get(key) ?? { x: this.slot(visit.row, 0, x, width - 8).x - 12, y, count: 0 };
            if (!inLine) {
                return { x: slot.x + 13, y: y + 17 };
            }
            lines.set(key, { ...line, count: line.count + 1 });
            return { x: line.x - Math.min(line.count, IN_LINE) * 20, y: y + 24 };
        };
        for (const now of this.present()) {
            this.drawParcel(ctx, now, place);
        }
        ctx.font = SMALL;
        ctx.fillStyle = this.page.theme.text;
        for (const { x, y, count } of lines.values()) {
            count > IN_LINE && ctx.fillText(`+${count - IN_LINE}`, x - IN_LINE * 20 - 16, y + 24);
        }
    }

    /**
     * @param {CanvasRenderingContext2D} ctx @param {{visit: Visit, before: Visit | null}} now
     * @param {(visit: Visit, inLine: boolean) => {x: number, y: number}} place
     */
    drawParcel(ctx, { visit, before }, place) {
        const waiting = visit.begin > this.at && !visit.waits;
        const to = place(visit, waiting);
        const moved = Number(this.at - (waiting ? visit.since : visit.begin)) / (this.pace() * MOVED);
        const from = waiting ? before && place(before, false) : visit.since < visit.begin ? { x: to.x - 60, y: to.y + 7 } : before && place(before, false);
        const share = this.since === null || !from ? 1 : Math.min(1, Math.max(0, moved));
        const x = from ? from.x + (to.x - from.x) * share : to.x;
        const y = from ? from.y + (to.y - from.y) * share : to.y;
        this.drawDisc(ctx, visit, x, y, waiting);
        if (!waiting && visit.end > this.at && share === 1) {
            ctx.font = SMALL;
            ctx.fillStyle = this.page.theme.text;
            ctx.fillText(roughTime(Number(visit.end - this.at)), to.x - 9, to.y + 19);
        }
    }

    /** @param {CanvasRenderingContext2D} ctx @param {Visit} visit @param {number} x @param {number} y @param {boolean} waiting */
    drawDisc(ctx, visit, x, y, waiting) {
        const { palette, outline, faint } = this.page.theme;
        const kind = this.page.manifest.rows[visit.row].kind;
        const colour = waiting ? faint : visit.waits ? palette.blocked : kind === "bank" ? palette.compute : palette.transfer;
        ctx.beginPath();
        ctx.arc(x, y, RADIUS, 0, 2 * Math.PI);
        ctx.fillStyle = colour;
        ctx.fill();
        ctx.strokeStyle = outline;
        ctx.stroke();
        ctx.fillStyle = inkOn(colour);
        ctx.font = SMALL;
        ctx.textAlign = "center";
        ctx.fillText(visit.number.slice(-4), x, y + 0.5);
        ctx.textAlign = "left";
    }
}
