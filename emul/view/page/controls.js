// The controls above the timeline, and what the page says about the run.
import { exactTime, grouped } from "./time.js";
import { button, element } from "./selection.js";
import { parseQuery, search } from "./find.js";
import { walkPath } from "./path.js";

/** @template {HTMLElement} T @param {string} id @param {new () => T} kind @returns {T} */
export function byId(id, kind) {
    const found = document.getElementById(id);
    if (!(found instanceof kind)) {
        throw new Error("no element " + id);
    }
    return found;
}

/** @param {Manifest} m @returns {string} */
function runText(m) {
    const folded = m.stands_for > 1 ? `; each stands for ${grouped(m.stands_for)}` : "";
    return `${m.app} on ${m.machine}, ${m.mode}: ${grouped(m.slices)} ${m.slices === 1 ? "slice" : "slices"} (${grouped(m.played)} played${folded}), ends at ${exactTime(BigInt(m.end_fs))}`;
}

const MOST_OPEN = 100;

/**
 * Who waits for whom: what belongs to a parcel is indented below it.
 * @param {string[]} lines @returns {HTMLElement[]}
 */
function openLines(lines) {
    const list = element("ul");
    list.tabIndex = 0;
    list.setAttribute("aria-label", "Who waits for whom");
    list.append(...lines.slice(0, MOST_OPEN).map((line) => element("li", line)));
    const more = lines.length - MOST_OPEN;
    return [element("h3", "Who waits for whom"), list, ...(more > 0 ? [element("p", `and ${grouped(more)} more`)] : [])];
}

/**
 * Slices and window that the page was made for.
 * @param {Manifest} m @returns {string}
 */
function partText(m) {
    const window = m.window ? [`from ${exactTime(BigInt(m.window[0]))} to ${exactTime(BigInt(m.window[1]))}`] : [];
    const list = m.chosen?.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
    const slices = list ? [(/^\d+$/.test(list) ? "of slice " : "of slices ") + list] : [];
    return [...slices, ...window].join(" ") || "of some slices";
}

/** @param {Manifest} m @returns {HTMLElement[]} */
function warnings(m) {
    const list = [];
    if (!m.complete) {
        const box = element("section", "", "warning");
        box.append(element("h2", "INCOMPLETE"), element("p", `The run ended early at ${exactTime(BigInt(m.end_fs))}${m.fault ? ": " + m.fault : ""}.`));
        box.append(...(m.open.length ? openLines(m.open) : []));
        list.push(box);
    }
    if (m.tiles.length === 0 && m.full) {
        list.push(element("p", "The trace has no intervals.", "note"));
    }
    if (!m.full) {
        list.push(element("p", `Single intervals are in this page only ${partText(m)}; sums are there for the whole run.`, "note"));
    }
    return list;
}

/** @param {Manifest} m */
export function describeRun(m) {
    document.title = m.title;
    byId("title", HTMLHeadingElement).textContent = m.title;
    byId("run", HTMLParagraphElement).textContent = runText(m);
    byId("command", HTMLElement).textContent = m.command;
    byId("warnings", HTMLDivElement).replaceChildren(...warnings(m));
}

const STATES = /** @type {const} */ ([["startup", "start-up of a transfer"], ["transfer", "transfer"], ["compute", "compute"],
    ["blocks", "blocks others (stripe: what it does)"], ["blocked", "is blocked: waits for words, room or a gate"]]);

/** @param {Page} page */
function openKey(page) {
    const item = element("li", "");
    const key = element("span", "", "key");
    key.style.background = `linear-gradient(to left, ${page.theme.accent} 4px, transparent 4px)`;
    item.append(key, "open: still under way when the trace ends");
    return item;
}

/** @param {Page} page */
export function showLegend(page) {
    const items = STATES.map(([state, text]) => {
        const item = element("li", "");
        const key = element("span", "", "key");
        const colour = page.theme.palette[state];
        key.style.background = state === "blocked" ? `repeating-linear-gradient(135deg, ${colour} 0 2px, transparent 2px 5px)` : colour;
        item.append(key, text);
        return item;
    });
    const waits = element("li", "");
    const key = element("span", "", "key");
    key.style.background = `repeating-linear-gradient(45deg, ${page.theme.faint} 0 2px, transparent 2px 5px)`;
    waits.append(key, "waits in line (below the lanes: how many)");
    byId("legend", HTMLUListElement).replaceChildren(...items, waits, ...(page.manifest.complete ? [] : [openKey(page)]));
}

/** @param {Page} page */
function listenToSearch(page) {
    const field = byId("search", HTMLInputElement);
    let run = 0;
    byId("search-form", HTMLFormElement).addEventListener("submit", async (event) => {
        event.preventDefault();
        const own = ++run;
        const found = await search(page, parseQuery(field.value), (share) => {
            page.say(`Searching: ${Math.round(100 * share)} %`);
            return own === run;
        });
        if (own === run) {
            await (found ? page.reveal(found) : page.say(`Nothing matches "${field.value}".`));
        }
    });
}

/** @param {Page} page */
function listenToSlices(page) {
    const field = byId("slice", HTMLInputElement);
    field.max = String(page.manifest.played - 1);
    byId("slice-form", HTMLFormElement).addEventListener("submit", (event) => {
        event.preventDefault();
        page.unfold(Number(field.value), true);
    });
    byId("fold", HTMLButtonElement).addEventListener("click", () => page.foldAll());
}

/** @param {Page} page */
function listenToOptions(page) {
    const colours = byId("colours", HTMLSelectElement);
    colours.value = page.manifest.gantt ? "gantt" : "default";
    colours.addEventListener("change", () => page.recolour(colours.value === "gantt"));
    const empty = byId("empty", HTMLInputElement);
    empty.addEventListener("change", () => page.showEmpty(empty.checked));
}

/** @param {Page} page */
export function listenToControls(page) {
    /** @type {[string, () => unknown][]} */
    const actions = [["Zoom in", () => page.zoom(1 / 2)], ["Zoom out", () => page.zoom(2)], ["Whole run", () => page.whole()],
        ["Earlier", () => page.pan(-0.3)], ["Later", () => page.pan(0.3)], ["To selection", () => page.selection && page.reveal(page.selection.found, true)]];
    byId("moves", HTMLDivElement).append(...actions.map(([text, act]) => button(text, () => void act())));
    const steps = byId("path-steps", HTMLDivElement);
    steps.hidden = page.path.length === 0;
    steps.append(button("Previous step", () => void walkPath(page, -1)), button("Next step", () => void walkPath(page, 1)));
    listenToSearch(page);
    listenToSlices(page);
    listenToOptions(page);
}
