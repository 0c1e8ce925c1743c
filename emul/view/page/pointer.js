// The mouse on the timeline: drag and wheel move the view, a click selects, a hint follows the pointer.
import { AXIS } from "./axis.js";
import { nearest } from "./find.js";
import { firstWhere } from "./lanes.js";
import { laneTop, MOST_LANES } from "./layout.js";
import { Description, foundAt, serversOf } from "./model.js";
import { exactTime, roughTime } from "./time.js";
import { issueOf, slicesAt } from "./strips.js";
import { PATH } from "./path.js";

/** Pixels within which an interval is hit. */
const NEAR = 4;

/**
 * Intervals of a lane around an instant, the nearest first.
 * @param {Page} page @param {Tile} tile @param {Lane} lane @param {number} x
 */
function hitIn(page, tile, lane, x) {
    const { view } = page;
    const at = view.offset(tile.place.from) + x * view.scale();
    const k = firstWhere(lane.list.length, (m) => tile.begin[lane.list[m]] > at) - 1;
    const near = [k, k + 1].filter((m) => m >= 0 && m < lane.list.length).map((m) => lane.list[m]);
    const far = (/** @type {number} */ i) => Math.max(0, tile.begin[i] - at, at - tile.end[i]) / view.scale();
    near.sort((a, b) => far(a) - far(b));
    return near.length && far(near[0]) <= NEAR ? { i: near[0], far: far(near[0]) } : null;
}

/**
 * The interval at a place of the canvas.
 * @param {Page} page @param {number} x @param {number} y @returns {Found | null}
 */
export function pick(page, x, y) {
    const band = page.layout.at(y);
    if (!band || band.kind !== "row" || !page.isExact(band.slice)) {
        return null;
    }
    const wanted = Math.min(MOST_LANES, Math.floor((y - laneTop(band, 0)) / band.laneHeight));
    /** @type {Found | null} */
    let best = null;
    let least = Infinity;
    for (const tile of page.tilesInView(band.slice)) {
        const lane = tile.lanes.find((l) => l.row === band.row && l.lane === wanted);
        const hit = lane && hitIn(page, tile, lane, x);
        if (hit && hit.far < least) {
            least = hit.far;
            best = foundAt(tile, hit.i);
        }
    }
    return best;
}

/**
 * What the pyramid says of a bin.
 * @param {Page} page @param {Band} band @param {number} x
 */
function binText(page, band, x) {
    const pyramid = page.store.pyramid(band.slice);
    if (!pyramid) {
        return "";
    }
    const level = pyramid.levels.find((l) => l.bin >= page.view.scale()) ?? pyramid.levels[pyramid.levels.length - 1];
    const bin = Math.floor((page.view.offset(pyramid.from) + x * page.view.scale()) / level.bin);
    if (bin < 0 || bin >= level.bins) {
        return "";
    }
    const at = band.row * level.bins + bin;
    const servers = serversOf(page.manifest, band.row) / issueOf(page.manifest, band.row);
    const parts = [`${((100 * level.busy[at]) / level.bin / servers).toPrecision(3)} % busy`];
    if (level.waiting[at] > 0) {
        parts.push(`${(level.waiting[at] / level.bin).toPrecision(3)} in line (${roughTime(level.waiting[at])} waited)`);
    }
    if (level.blocked[at] > 0) {
        parts.push(`${(level.blocked[at] / level.bin).toPrecision(3)} blocked (${roughTime(level.blocked[at])})`);
    }
    return `${band.text}, ${roughTime(level.bin)}: ${parts.join(", ")}`;
}

/** @param {Page} page @param {Band} band @param {number} y */
function stripText(page, band, y) {
    const strip = page.strips.find((s) => s.row === band.row);
    if (!strip) {
        return "";
    }
    const slices = slicesAt(page, strip, band, y);
    const some = slices.slice(0, 6).join(", ") + (slices.length > 6 ? ", …" : "");
    return `${band.text}: ${slices.length === 1 ? `slice ${some}` : `${slices.length} slices: ${some}`}`;
}

/** @param {Page} page @param {number} x @param {number} y */
function hintAt(page, x, y) {
    const band = page.layout.at(y);
    if (!band || x < 0) {
        return "";
    }
    if (band.kind === "strip") {
        return stripText(page, band, y);
    }
    const found = pick(page, x, y);
    if (found) {
        const d = new Description(page.manifest, found);
        return `${d.name()} · id ${d.id} · ${d.stage}\n${d.state}\n${d.waits() ? "waits" : "lasts"} ${exactTime(d.end - d.begin)}` +
            (!d.waits() && d.wait > 0n ? `\nwaited ${exactTime(d.wait)}` : "");
    }
    return band.kind === "row" && !page.isExact(band.slice) ? binText(page, band, x) : "";
}

/** @param {Page} page @param {number} x @param {number} y */
async function click(page, x, y) {
    const band = page.layout.at(y);
    if (!band) {
        return;
    }
    if (band.kind === "strip") {
        const strip = page.strips.find((s) => s.row === band.row);
        if (strip && x < 0) {
            page.stretch(band.row);
        } else if (strip) {
            page.unfold(slicesAt(page, strip, band, y)[0], true);
        }
        return;
    }
    if (band.kind === "head") {
        page.fold(band.slice);
        return;
    }
    const found = pick(page, x, y) ?? (page.isExact(band.slice) ? null : await nearest(page.store, band.slice, band.row, page.view.at(x)));
    await (found ? page.select(found) : page.clear());
}

export class Pointer {
    /** @param {Page} page @param {HTMLCanvasElement} canvas @param {HTMLElement} hint */
    constructor(page, canvas, hint) {
        this.page = page;
        this.hint = hint;
        /** @type {{x: number, y: number, moved: boolean, range: bigint | null} | null} */
        this.held = null;
        canvas.addEventListener("pointerdown", (event) => this.down(event, canvas));
        canvas.addEventListener("pointermove", (event) => this.move(event));
        canvas.addEventListener("pointerup", (event) => this.up(event));
        canvas.addEventListener("pointerleave", () => this.leave());
        canvas.addEventListener("dblclick", (event) => page.zoom(1 / 4, event.offsetX - page.gutter));
        canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    }

    /** @param {PointerEvent} event @param {HTMLCanvasElement} canvas */
    down(event, canvas) {
        const range = event.shiftKey ? this.page.view.at(Math.max(0, event.offsetX - this.page.gutter)) : null;
        this.held = { x: event.offsetX, y: event.offsetY, moved: false, range };
        canvas.setPointerCapture(event.pointerId);
        this.hint.hidden = true;
    }

    /** @param {PointerEvent} event */
    move(event) {
        const { page, held } = this;
        const x = event.offsetX - page.gutter;
        page.pointer = x >= 0 ? x : null;
        if (held && held.range !== null) {
            held.moved = held.moved || Math.abs(event.offsetX - held.x) > 2;
            page.range.draft(held.range, page.view.at(Math.max(0, Math.min(page.view.width, x))));
        } else if (held && (held.moved || Math.hypot(event.offsetX - held.x, event.offsetY - held.y) > 4)) {
            page.pan((held.x - event.offsetX) / page.view.width);
            page.scrollBy(held.y - event.offsetY);
            this.held = { x: event.offsetX, y: event.offsetY, moved: true, range: null };
        } else {
            this.showHint(event, x);
            page.draw();
        }
    }

    /** @param {PointerEvent} event @param {number} x */
    showHint(event, x) {
        const text = event.offsetY > this.page.top() ? hintAt(this.page, x, this.page.below(event.offsetY)) : "";
        this.hint.hidden = text === "";
        this.hint.textContent = text;
        const right = event.offsetX > this.page.width - 330;
        this.hint.style.left = `${event.offsetX + (right ? -300 : 14)}px`;
        this.hint.style.top = `${event.offsetY + 16}px`;
    }

    /** @param {PointerEvent} event */
    up(event) {
        const { held, page } = this;
        this.held = null;
        if (held && held.range !== null) {
            held.moved ? void page.range.show() : page.range.clear();
            return;
        }
        if (!held || held.moved) {
            return;
        }
        if (event.offsetY > page.top()) {
            void click(page, event.offsetX - page.gutter, page.below(event.offsetY));
        } else if (event.offsetY > AXIS && event.offsetY < AXIS + PATH) {
            page.selectPath(page.view.at(event.offsetX - page.gutter));
        }
    }

    leave() {
        this.page.pointer = null;
        this.hint.hidden = true;
        this.page.draw();
    }

    /** @param {WheelEvent} event */
    wheel(event) {
        event.preventDefault();
        const { page } = this;
        if (event.ctrlKey || event.metaKey) {
            page.zoom(1.0015 ** Math.max(-400, Math.min(400, event.deltaY)), event.offsetX - page.gutter);
        } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
            page.pan((event.deltaX || event.deltaY) / page.view.width);
        } else {
            page.scrollBy(event.deltaY);
        }
    }
}
