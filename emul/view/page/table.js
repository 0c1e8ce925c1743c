// The table beside the canvas: the intervals in view, for all who cannot or do not want to use the canvas.
import { beginOf, Description, foundAt } from "./model.js";
import { exactTime, grouped } from "./time.js";
import { button, element } from "./selection.js";
import { firstWhere } from "./lanes.js";

const ROWS = 50;
const MOST_LISTED = 2000;
const LISTED_TILES = 4;

/**
 * Intervals of a tile that touch the view.
 * @param {Page} page @param {Tile} tile @param {Found[]} list
 */
function collect(page, tile, list) {
    const { view } = page;
    const from = view.offset(tile.place.from);
    for (const lane of tile.lanes) {
        if (!page.layout.rowOf(tile.place.slice, lane.row)) {
            continue;
        }
        const first = lane.lane === 16 ? 0 : firstWhere(lane.list.length, (k) => tile.end[lane.list[k]] >= from);
        for (let k = first; k < lane.list.length && tile.begin[lane.list[k]] <= from + view.span && list.length < 4 * MOST_LISTED; k++) {
            if (tile.end[lane.list[k]] >= from) {
                list.push(foundAt(tile, lane.list[k]));
            }
        }
    }
}

/** @param {Found} a @param {Found} b */
function earlier(a, b) {
    const [x, y] = [beginOf(a.tile, a.i), beginOf(b.tile, b.i)];
    return x < y ? -1 : x > y ? 1 : a.slice - b.slice || a.number - b.number;
}

export class Table {
    /** @param {Page} page @param {HTMLTableSectionElement} body @param {HTMLElement} note @param {HTMLElement} turns */
    constructor(page, body, note, turns) {
        this.page = page;
        this.body = body;
        this.note = note;
        this.at = 0;
        this.run = 0;
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        this.timer = undefined;
        turns.append(button("Previous 50", () => this.turn(-ROWS)), button("Next 50", () => this.turn(ROWS)));
    }

    /** The view has changed: fill the table when it stands still. */
    later() {
        this.at = 0;
        clearTimeout(this.timer);
        this.timer = setTimeout(() => void this.update(), 250);
    }

    /** @param {number} by */
    turn(by) {
        this.at = Math.max(0, this.at + by);
        void this.update();
    }

    /**
     * Tiles of the unfolded slices in view, the first ones.
     * @returns {{places: Place[], all: number}}
     */
    inView() {
        const { page } = this;
        const places = page.unfolded.flatMap((slice) => page.store.touching(slice, page.view.from, page.view.to()));
        places.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : a.index - b.index));
        return { places: places.slice(0, Math.max(LISTED_TILES, page.unfolded.length)), all: places.length };
    }

    async update() {
        const run = ++this.run;
        const { places, all } = this.inView();
        /** @type {Found[]} */
        const list = [];
        for (const place of places) {
            const tile = await this.page.store.load(place);
            if (run !== this.run) {
                return;
            }
            collect(this.page, tile, list);
        }
        list.sort(earlier);
        this.show(list, all > places.length || list.length > MOST_LISTED);
    }

    /** @param {Found[]} list @param {boolean} cut */
    show(list, cut) {
        const count = Math.min(MOST_LISTED, list.length);
        this.at = Math.min(this.at, Math.max(0, count - 1));
        const rows = list.slice(this.at, Math.min(count, this.at + ROWS));
        this.body.replaceChildren(...rows.map((found) => this.line(found)));
        const range = rows.length ? `${grouped(this.at + 1)} to ${grouped(this.at + rows.length)}` : "none";
        this.note.textContent = cut
            ? `Intervals ${range} of the first ${grouped(count)} in view. Zoom in to list all of a stretch.`
            : `Intervals ${range} of ${grouped(count)} in view.`;
    }

    /** @param {Found} found */
    line(found) {
        const d = new Description(this.page.manifest, found);
        const line = document.createElement("tr");
        const head = element("th");
        head.setAttribute("scope", "row");
        head.append(button(d.name(), () => void this.page.reveal(found)));
        const wait = d.waits() ? d.end - d.begin : d.wait;
        const length = d.waits() ? "" : exactTime(d.end - d.begin);
        const cells = [d.id, d.stage, String(d.slice), d.row, exactTime(d.begin), length, wait > 0n ? exactTime(wait) : "", d.state];
        line.append(head, ...cells.map((text) => element("td", text)));
        return line;
    }
}
