// The keyboard on the timeline: arrows walk over the intervals, letters move the view.
import { nearest, neighbour } from "./find.js";
import { walkPath } from "./path.js";

/**
 * To the interval before or behind in the same row.
 * @param {Page} page @param {number} way
 */
async function along(page, way) {
    const { selection } = page;
    if (!selection || selection.rowIndex === null) {
        await enter(page);
        return;
    }
    const next = await neighbour(page.store, selection.slice, selection.rowIndex, selection, way);
    if (next) {
        await page.reveal(next);
    } else {
        page.say(way > 0 ? "This is the last interval of the row." : "This is the first interval of the row.");
    }
}

/**
 * The first interval to walk from: in the middle of the view, in the first row that has one.
 * @param {Page} page
 */
async function enter(page) {
    await toRow(page, page.layout.bands.filter((band) => band.kind === "row"), page.view.at(page.view.width / 2));
}

/** @param {Page} page @param {Band[]} bands in the order in which they are tried @param {bigint} at */
async function toRow(page, bands, at) {
    for (const band of bands) {
        const found = await nearest(page.store, band.slice, band.row, at);
        if (found) {
            await page.reveal(found);
            return;
        }
    }
    page.say("No row there has an interval that this page holds.");
}

/**
 * To the row above or below, at the same time.
 * @param {Page} page @param {number} way
 */
async function across(page, way) {
    const { selection } = page;
    const bands = page.layout.bands.filter((band) => band.kind === "row");
    const here = bands.findIndex((band) => band.slice === selection?.slice && band.row === selection.rowIndex);
    if (!selection || here < 0) {
        await enter(page);
        return;
    }
    const others = way > 0 ? bands.slice(here + 1) : bands.slice(0, here).reverse();
    await toRow(page, others, selection.begin);
}

/**
 * First or last interval of the row.
 * @param {Page} page @param {number} way
 */
async function toEnd(page, way) {
    const { selection, store } = page;
    if (!selection || selection.rowIndex === null) {
        await enter(page);
        return;
    }
    const edge = way > 0 ? store.end * 2n + 1n : -1n;
    const key = { begin: edge, end: edge, number: 0 };
    const found = await neighbour(store, selection.slice, selection.rowIndex, key, -way);
    if (found) {
        await page.reveal(found);
    }
}

/**
 * Show what is selected as large as can be read.
 * @param {Page} page
 */
function closer(page) {
    const { selection, view } = page;
    if (selection) {
        view.show(selection.begin, selection.end > selection.begin ? selection.end : selection.begin + 1n, 0.5);
        page.moved();
    }
}

/** @type {Map<string, (page: Page) => unknown>} */
const ACTIONS = new Map(Object.entries({
    ArrowRight: (/** @type {Page} */ page) => along(page, 1),
    ArrowLeft: (/** @type {Page} */ page) => along(page, -1),
    ArrowDown: (/** @type {Page} */ page) => across(page, 1),
    ArrowUp: (/** @type {Page} */ page) => across(page, -1),
    Home: (/** @type {Page} */ page) => toEnd(page, -1),
    End: (/** @type {Page} */ page) => toEnd(page, 1),
    PageDown: (/** @type {Page} */ page) => page.scrollBy(page.canvas.clientHeight * 0.8),
    PageUp: (/** @type {Page} */ page) => page.scrollBy(-page.canvas.clientHeight * 0.8),
    w: (/** @type {Page} */ page) => page.zoom(1 / 1.5),
    "+": (/** @type {Page} */ page) => page.zoom(1 / 1.5),
    s: (/** @type {Page} */ page) => page.zoom(1.5),
    "-": (/** @type {Page} */ page) => page.zoom(1.5),
    a: (/** @type {Page} */ page) => page.pan(-0.2),
    d: (/** @type {Page} */ page) => page.pan(0.2),
    0: (/** @type {Page} */ page) => page.whole(),
    f: closer,
    Enter: closer,
    n: (/** @type {Page} */ page) => walkPath(page, 1),
    p: (/** @type {Page} */ page) => walkPath(page, -1),
    r: (/** @type {Page} */ page) => page.rangeOfView(),
    Escape: (/** @type {Page} */ page) => page.clear(),
}));

/** @param {Page} page @param {HTMLElement} canvas */
export function listenToKeys(page, canvas) {
    /** @type {Promise<unknown>} */
    let turn = Promise.resolve();
    canvas.addEventListener("keydown", (event) => {
        const action = ACTIONS.get(event.key.length === 1 ? event.key.toLowerCase() : event.key);
        if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
            event.preventDefault();
            turn = turn.then(() => action(page)).catch((reason) => page.say(String(reason)));
        }
    });
}
