"""The page in Chromium: what it shows, and that it answers to mouse, keyboard and search.

PAGES names a folder with the template page.html; sample.py writes the pages into it. AXE names the
script of axe-core, or is empty.
"""
import base64
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

HERE = pathlib.Path(__file__).resolve().parent
PAGES = pathlib.Path(os.environ.get("PAGES", "."))
sys.path.insert(0, str(HERE))
import sample  # noqa: E402


def start_browser():
    options = Options()
    options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000", "--force-device-scale-factor=1"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(service=Service(os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver")), options=options)
    browser.set_script_timeout(30)
    return browser


def contrast(one, other):
    """Of two colours of three bytes, as WCAG defines it."""
    linear = [[c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (byte / 255 for byte in colour)] for colour in (one, other)]
    high, low = sorted((0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in linear), reverse=True)
    return (high + 0.05) / (low + 0.05)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = start_browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def setUp(self):
        self.scheme("light")

    def open(self, *options):
        path = PAGES / ("sample" + "".join(options).replace("--", "-") + ".html")
        if not path.exists():
            subprocess.run([sys.executable, HERE / "sample.py", PAGES / "page.html", path, *options], check=True)
        self.browser.get(path.as_uri())
        self.until(lambda: self.text("live") == "Ready.", "the page is not ready")
        self.until(lambda: self.js("return htmt.unfolded.every(s => htmt.store.pyramids.has(s))"), "no pyramid")
        return path

    def until(self, true, message):
        for _ in range(400):
            if true():
                return
            time.sleep(0.02)
        self.fail(f"{message}: {self.text('live')}")

    def scheme(self, scheme):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def id(self, name):
        return self.browser.find_element(By.ID, name)

    def text(self, name):
        return self.id(name).text

    def keys(self, *keys):
        canvas = self.id("timeline")
        self.js("arguments[0].focus()", canvas)
        canvas.send_keys(*keys)

    def button(self, text):
        self.browser.find_element(By.XPATH, f"//button[text()='{text}']").click()

    def search(self, text):
        field = self.id("search")
        field.clear()
        field.send_keys(text + "\n")

    def facts(self):
        return self.js("return Object.fromEntries(Array.from(document.querySelectorAll('#selection dt'), dt => [dt.textContent, dt.nextSibling.textContent]))")

    def idle(self):
        """Nothing is decoded or drawn any more."""
        self.until(lambda: self.js("return htmt.store.coming.size === 0 && !htmt.drawing"), "never at rest")

    def pixels(self, x, y, w, h):
        """Colours of a part of the plot, row by row, in CSS pixels of the canvas."""
        return self.js("return Array.from(htmt.ctx.getImageData(...arguments).data)", x, y, w, h)

    def at(self, x, y):
        """A place of the canvas as an offset from its middle."""
        size = self.id("timeline").size
        return self.id("timeline"), x - size["width"] // 2, y - size["height"] // 2

    def click(self, x, y):
        ActionChains(self.browser).move_to_element_with_offset(*self.at(x, y)).click().perform()

    def place_of(self, parcel, row):
        """Where the bar of a parcel stands on the canvas."""
        return self.js("""const [parcel, row] = arguments;
            for (const tile of htmt.store.tiles.values()) for (let i = 0; i < tile.count; i++) {
                const step = htmt.manifest.steps[tile.step[i]];
                if (Number(tile.serial[i]) === parcel && htmt.manifest.rows[step.row].name === row && tile.place.slice === 0) {
                    const band = htmt.layout.rowOf(0, step.row);
                    const at = tile.place.from + BigInt(Math.round((tile.begin[i] + tile.end[i]) / 2));
                    return [htmt.gutter + htmt.view.x(at), htmt.top() - htmt.scroll + band.y + ((tile.flags[i] & 15) + 0.5) * band.laneHeight];
                }
            }""", parcel, row)

    # ---- What it shows ----

    def test_shows_the_run_its_rows_and_legend(self):
        self.open()
        self.assertEqual(self.browser.title, "sample: 2 slices")
        self.assertIn("8 slices (2 played; each stands for 4), ends at ", self.text("run"))
        bands = self.js("return htmt.layout.bands.map(b => b.text)")
        self.assertEqual(bands[:4], ["Slice 0 (the busiest: SPELL 66.6 %; ends last)", "sections", "DPIM", "dram to network"])
        self.assertNotIn("DRAM", bands)
        self.assertEqual(len(self.browser.find_elements(By.CSS_SELECTOR, "#legend li")), 7)
        self.assertIn("A lane is no processor", self.text("stage"))
        self.assertIn("SPELL", self.text("curves"))
        self.id("empty").click()
        self.assertIn("DRAM", self.js("return htmt.layout.bands.map(b => b.text)"))

    def test_an_incomplete_trace_says_who_waits_for_whom(self):
        self.open("--incomplete")
        self.assertIn("INCOMPLETE", self.text("warnings"))
        self.assertIn("parcels wait for each other", self.text("warnings"))
        self.assertIn("Assembly 1 waits for 600 words of SRAM", self.text("warnings"))

    def test_who_waits_for_whom_is_indented_scrolls_and_says_how_many_are_missing(self):
        self.open("--incomplete", "--waiting", "150", "--held")
        blockers = self.js("return Array.from(document.querySelectorAll('.warning ul')[0].children, li => li.textContent)")
        self.assertEqual(blockers, ["most of what others wait for is held by Dispatch 2: 900 words of SRAM, for which 2 wait", "cycle: Assembly 1 -> Dispatch 2 -> Assembly 1",
                                    "mailbox tiles: 13 wait for it", "Dispatch 2: 2 wait for it, holds 900 words", "Assembly 1: 1 waits for it, holds 100 words",
                                    "151 wait for signals that nobody under way would send"])
        shown = self.js("""const list = document.querySelectorAll('.warning ul')[1];
            return [list.children.length, list.scrollHeight > list.clientHeight, list.clientHeight, getComputedStyle(list).whiteSpace, list.children[7].textContent]""")
        self.assertEqual([*shown[:2], *shown[3:]], [100, True, "pre", "    its fiber 3 waits for 1 more signal; nobody is under way who would signal it"])
        self.assertGreater(shown[2], 200)
        self.assertIn("and 56 more", self.text("warnings"))

    def test_slices_that_end_together_are_not_ranked(self):
        self.open()
        self.js("htmt.manifest.ranks.together = true; htmt.arrange()")
        heads = self.js("return htmt.layout.bands.filter(b => b.kind === 'head').map(b => b.text)")
        self.assertEqual([head.split("; ")[-1] for head in heads], ["all end together)"] * 2)

    def test_a_page_of_a_window_of_some_slices_names_both(self):
        text = self.open().read_text()
        for chosen, words in (("[[0, 1], [5, 5]]", "of slices 0-1, 5 from 1 ns to 2 ns"), ("[[1, 1]]", "of slice 1 from 1 ns to 2 ns"), ("null", "from 1 ns to 2 ns")):
            part, count = re.subn(r'"full": ?true, ?"window": ?null, ?"chosen": ?null', f'"full": false, "window": ["1000000", "2000000"], "chosen": {chosen}', text)
            self.assertEqual(count, 1)
            (PAGES / "part.html").write_text(part)
            self.browser.get((PAGES / "part.html").as_uri())
            self.until(lambda: self.text("live") == "Ready.", "the page is not ready")
            self.assertIn(f"only {words};", self.text("warnings"))

    def test_the_axis_stays_inside_the_plot(self):
        self.open()
        for keys in ("", "w", "wd", "ddd", "w" * 60, "d"):
            self.keys(keys) if keys else None
            self.idle()
            texts, lines = self.js("""const {ctx, view, theme} = htmt, texts = [], lines = [];
                ctx.fillText = (text, x, y) => { if (x >= 0 && y === 14) texts.push([x, x + ctx.measureText(text).width]); };
                ctx.fillRect = (x, y, w) => { if (w === 1 && ctx.fillStyle === theme.grid) lines.push(x); };
                htmt.drawNow(); delete ctx.fillText; delete ctx.fillRect; htmt.drawNow(); return [texts, lines];""")
            width = self.js("return htmt.view.width")
            self.assertGreater(len(lines), 2)
            self.assertTrue(all(0 <= x < width for x in lines), (keys, lines))
            self.assertTrue(all(b <= width for _, b in texts), (keys, texts))
            self.assertTrue(all(a[1] <= b[0] for a, b in zip(texts, texts[1:])), (keys, texts))

    def test_a_pyramid_leaves_a_pixel_of_every_busy_bin(self):
        self.open("--tile", "20")
        self.js("htmt.mostExact = 100; htmt.moved()")
        self.idle()
        self.assertFalse(self.js("return htmt.isExact(0)"))
        lost = self.js("""htmt.drawNow();
            const page = htmt, row = 1, band = page.layout.rowOf(0, row), pyramid = page.store.pyramid(0), level = pyramid.levels[0];
            const y = page.top() + band.y, ground = page.ctx.getImageData(page.gutter + page.view.width - 3, y, 1, 1).data;
            let busy = 0, lost = 0;
            for (let bin = 0; bin < level.bins; bin++) {
                if (!level.busy[row * level.bins + bin]) continue;
                busy++;
                const x = page.gutter + Math.floor(page.view.x(BigInt(Math.round((bin + 0.5) * level.bin))));
                const data = page.ctx.getImageData(x, y, 1, band.lanes * band.laneHeight).data;
                let seen = false;
                for (let k = 0; k < data.length; k += 4) seen ||= data[k] !== ground[0] || data[k + 2] !== ground[2];
                lost += !seen;
            }
            return [busy, lost];""")
        self.assertGreater(lost[0], 300)
        self.assertEqual(lost[1], 0)

    def test_heat_of_gates_has_the_colour_of_what_is_blocked(self):
        self.open("--slices", "80", "--parcels", "9")
        red, green, blue = self.js("""const strip = htmt.strips.find(s => htmt.manifest.rows[s.row].kind === 'bank');
            const image = htmt.heat.image({...strip, row: 0, blocked: strip.busy}), {data} = image.getContext('2d').getImageData(0, 0, image.width, image.height);
            for (let k = 0; k < data.length; k += 4) if (data[k + 3]) return [data[k], data[k + 1], data[k + 2]];""")
        self.assertTrue(red > green > blue, (red, green, blue))

    def test_dark_and_light_have_grounds_and_outlines_that_contrast(self):
        self.open()
        for scheme in ("light", "dark"):
            self.scheme(scheme)
            self.idle()
            self.until(lambda: self.js("return htmt.theme.dark") == (scheme == "dark"), "the scheme does not change")
            ratio = self.js("""const of = name => { const c = htmt.theme[name].slice(1).match(/../g).map(h => parseInt(h, 16) / 255)
                    .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; };
                const [a, b] = [of('outline'), of('ground')]; return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);""")
            self.assertGreaterEqual(ratio, 3, scheme)
            self.js("htmt.drawNow()")
            ground = self.pixels(3, self.js("return htmt.canvas.height - 3"), 1, 1)[:3]
            self.assertEqual(max(ground) < 80, scheme == "dark", ground)

    def test_what_is_narrow_or_summed_contrasts_with_the_ground(self):
        self.open()
        for scheme in ("light", "dark"):
            self.scheme(scheme)
            self.until(lambda: self.js("return htmt.theme.dark") == (scheme == "dark"), "the scheme does not change")
            ground, grid = self.js("return ['ground', 'grid'].map(name => htmt.theme[name].slice(1).match(/../g).map(h => parseInt(h, 16)))")
            for gantt in (False, True):
                for most in (800000, 0):
                    self.js("htmt.mostExact = arguments[1]; htmt.recolour(arguments[0])", gantt, most)
                    self.idle()
                    for name in ("DPIM", "dram to network", "SPIM", "SRAM", "SPELL"):
                        x, y, w, h = self.js("""htmt.drawNow(); const index = htmt.manifest.rows.findIndex(r => r.name === arguments[0]), band = htmt.layout.rowOf(0, index);
                            return [htmt.gutter, htmt.top() - htmt.scroll + band.y, Math.floor(htmt.view.width), band.lanes * band.laneHeight - 1];""", name)
                        if h > 0:
                            self.contrasts(self.pixels(x, y, w, h), w, (ground, grid), (scheme, gantt, most, name))

    def contrasts(self, data, width, grounds, where):
        """Each column of pixels in which something is drawn, or one beside it, has a colour of 3 : 1."""
        best, ratio = [0] * width, {tuple(ground): 0 for ground in grounds}
        for k in range(0, len(data), 4):
            colour = tuple(data[k:k + 3])
            if colour not in ratio:
                ratio[colour] = contrast(colour, grounds[0])
            best[k // 4 % width] = max(best[k // 4 % width], ratio[colour])
        poor = [x for x in range(1, width - 1) if best[x] and max(best[x - 1:x + 2]) < 3]
        self.assertGreater(sum(b > 0 for b in best), 10, where)
        self.assertEqual(poor, [], (where, [best[x] for x in poor[:5]]))

    def test_what_waits_in_line_is_grey_and_what_is_blocked_is_vermilion(self):
        self.open()
        for scheme in ("light", "dark"):
            self.scheme(scheme)
            self.until(lambda: self.js("return htmt.theme.dark") == (scheme == "dark"), "the scheme does not change")
            self.idle()
            drawn = {}
            for blocked in (False, True):
                data = self.js("""const c = document.createElement('canvas').getContext('2d'); c.fillStyle = htmt.theme.ground; c.fillRect(0, 0, 6, 6);
                    c.fillStyle = htmt.bars.pattern(arguments[0]); c.fillRect(0, 0, 6, 6); return Array.from(c.getImageData(0, 0, 6, 6).data);""", blocked)
                ground = self.js("return htmt.theme.ground.slice(1).match(/../g).map(h => parseInt(h, 16))")
                drawn[blocked] = max((data[k:k + 3] for k in range(0, 144, 4)), key=lambda c: contrast(c, ground))
                self.assertGreaterEqual(contrast(drawn[blocked], ground), 3, (scheme, blocked))
            self.assertLess(max(drawn[False]) - min(drawn[False]), 40, scheme)
            self.assertGreater(drawn[True][0] - drawn[True][2], 100, scheme)
            keys = self.js("return Array.from(document.querySelectorAll('#legend li'), li => [li.textContent, getComputedStyle(li.firstChild).backgroundImage])")
            line, blocked = (next(image for text, image in keys if start in text) for start in ("waits in line", "is blocked"))
            self.assertNotIn("rgb(213, 94, 0)", line)
            self.assertIn("rgb(213, 94, 0)", blocked)

    def test_gantt_colours_can_be_chosen(self):
        self.open()
        self.browser.find_element(By.CSS_SELECTOR, "#colours option[value=gantt]").click()
        self.assertEqual(self.js("return htmt.theme.palette.compute"), "#00FF00")

    # ---- Moves ----

    def test_zoom_goes_from_the_whole_run_to_femtoseconds(self):
        self.open()
        self.keys("w" * 60)
        self.idle()
        self.assertLessEqual(self.js("return htmt.view.span"), 10)
        self.keys("0")
        self.assertGreater(self.js("return htmt.view.span / Number(htmt.view.end)"), 1)

    def test_wheel_zooms_about_the_pointer_and_a_drag_moves(self):
        self.open()
        self.button("Zoom in")
        before = int(self.js("return String(htmt.view.at(500))"))
        self.js("""htmt.canvas.dispatchEvent(new WheelEvent('wheel',
            {deltaY: -300, ctrlKey: true, clientX: htmt.canvas.getBoundingClientRect().x + htmt.gutter + 500, clientY: 500}))""")
        self.assertAlmostEqual(int(self.js("return String(htmt.view.at(500))")), before, delta=5)
        self.assertLess(self.js("return htmt.view.span"), self.js("return Number(htmt.view.end) / 2.5"))
        ActionChains(self.browser).move_to_element_with_offset(*self.at(700, 200)).click_and_hold().move_by_offset(-100, 0).release().perform()
        moved = int(self.js("return String(htmt.view.at(400))"))
        self.assertAlmostEqual(moved, before, delta=self.js("return 2 * htmt.view.scale()"))

    # ---- Selection ----

    def test_a_click_shows_the_life_of_a_parcel_its_cause_and_successors(self):
        self.open("--parcels", "30")
        self.idle()
        self.click(*self.place_of(5, "SPIM"))
        self.until(lambda: "Life of Assembly #5" in self.text("selection"), "no life")
        shown = self.text("selection")
        self.assertEqual(self.facts()["id"], "0:5")
        self.assertRegex(shown, r"Caused by\n.*Assembly #5")
        self.assertRegex(shown, r"Leads to\n.*Assembly #5, execute: SPELL")
        stages = [b.text for b in self.browser.find_elements(By.CSS_SELECTOR, "#selection section:last-of-type button")]
        self.assertEqual(stages[0], "assemble: DPIM")
        self.assertEqual(stages[-1], "execute: SPELL")
        self.assertRegex(self.text("live"), "Assembly #5, id 0:5, gather, slice 0, SPIM, lane [12]: compute.* lasts ")
        self.keys(Keys.ESCAPE)
        self.assertIn("Click an interval", self.text("selection"))

    def test_search_finds_stages_rows_slices_and_sections_and_says_soon_that_nothing_is_there(self):
        self.open()
        for text, key, value in (("execute", "stage", "execute"), ("spim", "row", "SPIM"), ("assembly gather 9", "number", "9"), ("push", "section", "push")):
            self.search(text)
            self.until(lambda: self.facts().get(key) == value, f"{text} is not found: {self.facts()}")
        self.search("slice 1")
        self.until(lambda: self.text("live") == "Slice 1 is unfolded.", "no slice")
        self.search("HRAM")
        self.until(lambda: self.text("live").startswith('Nothing matches "HRAM". There are: Assembly, assemble'), "what is there is not told")
        self.open("--parcels", "4000", "--tile", "1000")
        begin = time.monotonic()
        self.search("Assembly 999999")
        self.until(lambda: self.text("live").startswith(("Nothing matches", "Nothing found so far")), "no answer")
        self.assertLess(time.monotonic() - begin, 20)
        self.assertLess(self.js("return htmt.store.kept"), self.js("return htmt.manifest.tiles.reduce((sum, tile) => sum + tile.count, 0)"))

    # ---- A range of time ----

    def test_a_range_has_the_time_of_its_types_rows_and_slices(self):
        self.open("--parcels", "60")
        self.idle()
        self.js("htmt.whole()")
        span = self.js("const at = x => String(htmt.view.at(x - htmt.gutter)); return [at(500), at(800)]")
        chain = ActionChains(self.browser).key_down(Keys.SHIFT).move_to_element_with_offset(*self.at(500, 300)).click_and_hold()
        chain.move_to_element_with_offset(*self.at(650, 300)).move_to_element_with_offset(*self.at(800, 300)).release().key_up(Keys.SHIFT).perform()
        self.until(lambda: self.text("live").startswith("Range "), "no statistics")
        begin, end = (int(at) for at in self.js("return [String(htmt.range.span.from), String(htmt.range.span.to)]"))
        for found, wanted in zip((begin, end), span):
            self.assertAlmostEqual(found, int(wanted), delta=self.js("return 2 * htmt.view.scale()"))
        found = self.js("""return Object.fromEntries(Array.from(document.querySelectorAll('#range section'), box => [box.firstChild.textContent.split(/[ ,]/)[0],
            Array.from(box.querySelectorAll('tbody tr'), tr => Array.from(tr.children, td => td.textContent))]))""")
        busy, rows = {}, {}
        for n in range(2):
            for i in sample.Slice(n, 60, 0).intervals:
                step, (a, b) = sample.STEPS[i["step"]], sample.span(i)
                inside = max(0, min(b, end) - max(a, begin))
                if step[2] in ("served", "sent", "received") and inside:
                    busy[f"{sample.TYPES[step[0]]} {step[1]}"] = busy.get(f"{sample.TYPES[step[0]]} {step[1]}", 0) + inside
                    rows[sample.ROWS[step[5]][1]] = rows.get(sample.ROWS[step[5]][1], 0) + inside
        types = {line[0]: line[2] for line in found["Types"]}
        for name, time_of in busy.items():
            self.assertEqual(types[name], f"{float(f'{time_of / 1e6:.4g}'):g} ns" if time_of < 1e9 else f"{float(f'{time_of / 1e9:.4g}'):g} us", name)
        shares = {line[0]: line[1] for line in found["Resources"]}
        for row, count in (("SPELL", 1), ("DPIM", 4), ("SPIM", 2)):
            self.assertAlmostEqual(float(shares[row][:-2]), 100 * rows[row] / (2 * count * (end - begin)), delta=0.06 * float(shares[row][:-2]) / 10)
        self.assertEqual(found["Slices"], sorted(found["Slices"], key=lambda line: (-float(line[2][:-2]), line[0])))
        self.keys(Keys.ESCAPE)
        self.assertFalse(self.id("range").is_displayed())

    def test_a_section_has_the_statistics_of_its_time(self):
        self.open("--parcels", "60")
        self.search("push")
        self.until(lambda: self.facts().get("section") == "push", "no section")
        self.button("Statistics of this section")
        self.until(lambda: self.text("live").startswith("Range "), "no statistics")
        slices = [sample.Slice(n, 60, 0) for n in range(2)]
        end = max(p.intervals[-1]["end"] for p in slices)
        number = int(self.js("return htmt.selection.slice"))
        changes = [[i["end"] for i in p.intervals if i["step"] == 0] for p in slices]
        self.assertEqual([int(at) for at in self.js("return [String(htmt.range.span.from), String(htmt.range.span.to)]")], [changes[number][1], end])
        shares = self.js("""return Object.fromEntries(Array.from(document.querySelectorAll('#range section:first-of-type tbody tr'),
            tr => [tr.children[0].textContent, tr.children[1].textContent]))""")
        push = sum(end - max(changes[number][1], c[1]) for c in changes) / (2 * (end - changes[number][1]))
        self.assertAlmostEqual(float(shares["push"][:-2]), 100 * push, delta=0.06)

    def test_a_range_without_single_intervals_is_told_from_sums(self):
        self.open("--parcels", "60")
        exact, sums = ({}, {})
        for full, into in ((True, exact), (False, sums)):
            self.js("htmt.manifest.full = arguments[0]; htmt.rangeOfView()", full)
            self.until(lambda: self.text("live").startswith("Range ") and self.js("return document.querySelectorAll('#range section').length > 1"), "no statistics")
            into.update({line[0]: line[1] for line in self.js("""return Array.from(document.querySelectorAll('#range section')).filter(box => box.textContent.startsWith('Resources'))
                .flatMap(box => Array.from(box.querySelectorAll('tbody tr'), tr => [tr.children[0].textContent, tr.children[1].textContent].join('|')))""") for line in [line.split("|")]})
            self.js("htmt.range.clear()")
        self.assertEqual(sums, exact)

    def test_search_finds_a_parcel_by_type_and_number(self):
        self.open()
        self.search("assembly 150")
        self.until(lambda: self.facts().get("number") == "150", "not found")
        self.assertEqual(self.facts()["type"], "Assembly")
        self.search("1:7")
        self.until(lambda: self.facts().get("id") == "1:7", "not found by id")
        self.search("Assembly 7777")
        self.until(lambda: 'Nothing matches "Assembly 7777".' == self.text("live"), "found what is not there")

    def test_times_beyond_2_to_53_are_exact_to_the_femtosecond(self):
        start = 16_000_000_000_000_001
        for options in ((), ("--wide",)):
            self.open("--parcels", "20", "--start", str(start), *options)
            model = sample.Slice(0, 20, start, bool(options))
            wanted = next(i for i in model.intervals if i["serial"] == 7 and i["step"] == 1)
            self.search("Assembly 0:7")
            self.until(lambda: self.facts().get("number") == "7", "not found")
            begin, end = sample.span(wanted)
            self.assertEqual(self.facts()["exactly"], f"{begin} fs to {end} fs")
            self.keys("f", "w" * 50)
            self.idle()
            self.assertLessEqual(self.js("return htmt.view.span"), 10)

    def test_arrow_keys_reach_every_interval_of_a_row_across_tiles(self):
        self.open("--parcels", "60", "--tile", "50")
        self.idle()
        self.search("boundary")
        self.until(lambda: self.facts().get("row") == "dram to network", "not found")
        self.keys(Keys.HOME)
        seen = []
        while True:
            self.until(lambda: self.js("return htmt.selection !== null"), "nothing selected")
            number = self.js("return htmt.selection.number")
            if seen and number == seen[-1]:
                break
            seen.append(number)
            self.keys(Keys.ARROW_RIGHT)
            self.until(lambda: self.js("return htmt.selection.number") != number or "last interval" in self.text("live"), "stuck")
        wanted = [i["number"] for i in sorted(sample.Slice(0, 60, 0).intervals, key=lambda i: (sample.span(i), i["number"])) if i["step"] == 2]
        self.assertEqual(seen, wanted)
        self.keys(Keys.ARROW_DOWN)
        self.until(lambda: self.facts().get("row") == "network to dram", "no row below")

    def test_a_table_lists_the_intervals_in_view(self):
        self.open("--parcels", "30")
        self.until(lambda: self.text("table-note").startswith("Intervals 1 to 50 of "), "no table")
        row = self.browser.find_element(By.CSS_SELECTOR, "#intervals tr:nth-child(3)")
        name = row.find_element(By.TAG_NAME, "button").text
        row.find_element(By.TAG_NAME, "button").click()
        self.until(lambda: self.text("live").startswith(name), "not selected from the table")
        self.button("Next 50")
        self.until(lambda: self.text("table-note").startswith("Intervals 51 to 100 of "), "no second page")

    def test_the_critical_path_is_walked_step_by_step(self):
        self.open()
        self.button("Next step")
        self.until(lambda: self.text("live").startswith("Step 1 of "), "no first step")
        self.button("Next step")
        self.until(lambda: self.text("live").startswith("Step 2 of "), "no second step")
        self.keys("p")
        self.until(lambda: self.text("live").startswith("Step 1 of "), "no step back")

    def test_time_in_flight_has_a_colour_of_its_own_on_the_critical_path(self):
        self.open()
        self.assertNotIn(True, self.js("return htmt.path.map(p => p.flies)"))
        colours = self.js("""const colour = () => { htmt.drawNow(); const part = htmt.path[3];
                const data = htmt.ctx.getImageData(htmt.gutter + Math.round((htmt.view.x(part.from) + htmt.view.x(part.to)) / 2), 30 + 6, 1, 1).data;
                return '#' + [0, 1, 2].map(k => data[k].toString(16).padStart(2, '0')).join(''); };
            htmt.view.show(htmt.path[3].from, htmt.path[3].to, 3);
            const before = colour(); htmt.path.forEach(p => p.flies = true); return [before, colour(), htmt.theme.palette.flight.toLowerCase()];""")
        self.assertNotEqual(colours[0], colours[2])
        self.assertEqual(colours[1], colours[2])

    # ---- Many slices ----

    def test_many_slices_open_as_heat_strips_and_unfold_on_demand(self):
        self.open("--slices", "80", "--parcels", "9")
        bands = self.js("return htmt.layout.bands.map(b => [b.kind, b.slice])")
        order = self.js("return htmt.manifest.by_load")
        self.assertEqual([b[1] for b in bands if b[0] == "head"], [order[0], order[40], order[79]])
        self.assertGreater(len([b for b in bands if b[0] == "strip"]), 3)
        self.id("slice").clear()
        self.id("slice").send_keys("17\n")
        self.assertIn("no detail of slice 17", self.text("live"))
        self.id("timeline").click()
        y = self.js("htmt.scroll = 0; const b = htmt.layout.bands.find(b => b.kind === 'strip'); return htmt.top() + b.y + b.height - 7")
        self.click(600, y)
        self.until(lambda: re.search(f"no detail of slice ({'|'.join(map(str, order[-6:]))})", self.text("live")) or
                   self.text("live") in [f"Slice {n} is unfolded." for n in order[-6:]], "no group under the pointer")

    def test_slices_stand_by_load_or_by_number_and_strips_refine_when_zoomed(self):
        self.open("--slices", "12", "--parcels", "40")
        self.idle()
        lines = lambda: self.js("const strip = htmt.strips.find(s => htmt.manifest.rows[s.row].name === 'SPELL'), band = htmt.layout.bands.find(b => b.kind === 'strip' && b.row === strip.row);"  # noqa: E731
                                "return Array.from({length: 12}, (_, k) => htmt.slicesAt(strip, band, band.y + (k + 0.5) * (band.height - 5) / 12)[0])")
        loads = {n: sample.load_of(sample.Slice(n, 40, 0), 1)[0] for n in range(12)}
        self.assertEqual(lines(), sorted(loads, key=lambda n: (-loads[n], n)))
        self.browser.find_element(By.CSS_SELECTOR, "#order option[value=number]").click()
        self.assertEqual(lines(), list(range(12)))
        self.js("htmt.stretch(htmt.manifest.rows.findIndex(r => r.name === 'SPELL')); htmt.view.show(htmt.store.end / 2n, htmt.store.end / 2n + 20000000n, 0); htmt.moved()")
        self.idle()
        time.sleep(0.1)
        self.idle()
        # The pixels of a line are busy where the intervals of its slice are.
        seen, wanted = self.js("""htmt.drawNow(); const row = htmt.manifest.rows.findIndex(r => r.name === 'SPELL'), band = htmt.layout.bands.find(b => b.kind === 'strip' && b.row === row);
            const each = (band.height - 5) / 12, seen = [], wanted = [], width = Math.floor(htmt.view.width);
            const panel = htmt.theme.panel.slice(1).match(/../g).map(h => parseInt(h, 16));
            for (const slice of [2, 7]) {
                const data = htmt.ctx.getImageData(htmt.gutter, htmt.top() - htmt.scroll + band.y + (slice + 0.5) * each, width, 1).data;
                seen.push(Array.from({length: width}, (_, px) => +[0, 1, 2].some(c => Math.abs(data[4 * px + c] - panel[c]) > 3)));
                const busy = Array(width).fill(0);
                for (const place of htmt.store.ofSlice(slice)) { const tile = htmt.store.tile(place);
                    for (let i = 0; tile && i < tile.count; i++) if (htmt.manifest.steps[tile.step[i]].row === row)
                        for (let px = Math.max(0, Math.floor(htmt.view.x(place.from + BigInt(tile.begin[i])))); px < Math.min(width, Math.ceil(htmt.view.x(place.from + BigInt(tile.end[i])))); px++) busy[px] = 1; }
                wanted.push(busy);
            }
            return [seen, wanted];""")
        for one, other in zip(seen, wanted):
            self.assertGreater(sum(other), 100)
            self.assertLess(sum(a != b for a, b in zip(one, other)), 0.02 * len(one))

    def test_a_matrix_tells_who_sends_to_whom(self):
        self.open("--slices", "5", "--parcels", "9")
        self.browser.find_element(By.CSS_SELECTOR, "#matrix summary").click()
        shown = self.text("matrix")
        cells = [3 * a + b for a in range(5) for b in range(5) if a != b]
        self.assertIn(f"{sum(cells)} messages, calls and signals between 20 pairs of slices", shown)
        self.assertRegex(shown, r"Most messages\n(1. )?slice 4 to slice 3 15\n")
        self.assertGreater(self.js("return document.querySelector('#matrix canvas').clientWidth"), 100)

    def test_a_filtered_trace_says_so_and_its_shares_are_those_of_the_run(self):
        self.open("--filtered")
        self.assertIn("FILTERED: the trace has a part of the run alone (slices 0-1)", self.text("warnings"))
        self.assertIn("There is no critical path", self.text("warnings"))
        shares = self.js("return Object.fromEntries(htmt.overview.curves.map(c => [c.name, c.mean]))")
        model = [sample.Slice(n, 300, 0) for n in range(2)]
        end = max(p.intervals[-1]["end"] for p in model)
        for r, (name, _, _, count) in enumerate(sample.RESOURCES):
            self.assertAlmostEqual(shares[name], sample.utilization(model, r, count, end), places=12)
            self.assertIn(f"{name} {100 * shares[name]:#.3g} %".replace(". %", " %"), self.text("curves"))

    # ---- Small screens and paper ----

    def test_the_timeline_is_above_the_fold_on_small_screens(self):
        for width, height in ((1280, 720), (640, 360)):
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            try:
                for options in ((), ("--incomplete", "--waiting", "150", "--held")):
                    self.open(*options)
                    top, bottom = self.js("const r = htmt.canvas.getBoundingClientRect(); return [r.top, r.bottom]")
                    self.assertLess(top, 0.55 * height, (width, options))
                    self.assertGreater(min(bottom, height) - top, 0.35 * height, (width, options))
                    self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)
            finally:
                self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_print_fits_a4(self):
        self.open("--parcels", "30", "--incomplete", "--waiting", "30", "--held")
        self.idle()
        paper = self.browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})
        pdf = base64.b64decode(paper["data"])
        box = re.search(rb"/MediaBox ?\[ ?0 0 ([0-9.]+) ([0-9.]+) ?\]", pdf)
        self.assertEqual([round(float(x)) for x in box.groups()], [842, 595])
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 1047, "height": 718, "deviceScaleFactor": 1, "mobile": False})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        try:
            wide = self.js("""return Array.from(document.querySelectorAll('body *')).filter(e => e.offsetParent && e.getBoundingClientRect().right > 1048).map(e => e.tagName + '#' + e.id)""")
            self.assertEqual(wide, [])
            self.assertLess(self.js("return htmt.canvas.getBoundingClientRect().height"), 560)
            self.assertFalse(self.id("search-form").is_displayed())
        finally:
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
            self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    # ---- Small runs ----

    def test_the_teaching_view_steps_and_plays(self):
        self.open("--parcels", "30")
        self.idle()
        self.button("Teaching view")
        self.until(lambda: self.id("teaching").is_displayed() and self.js("return htmt.teaching.parcels.length > 0"), "no teaching view")
        self.until(lambda: self.browser.find_elements(By.XPATH, "//button[text()='Step']"), "no controls")
        for _ in range(2):  # a click by its place was lost once, on a busy host
            self.js("[...document.querySelectorAll('button')].find((b) => b.textContent === 'Step').click()")
        model = [sample.Slice(n, 30, 0) for n in range(2)]
        instants = sorted({t for s in model for i in s.intervals if i["step"] for t in sample.span(i)})
        self.assertEqual(int(self.js("return String(htmt.teaching.at)")), instants[1])
        self.assertIn("Assembly #1, assemble: DPIM begins", self.text("live"))
        self.button("Play")
        self.until(lambda: int(self.js("return String(htmt.teaching.at)")) > instants[1], "it does not play")
        self.button("Pause")
        self.open("--parcels", "300")
        self.assertFalse(self.id("teach").is_displayed())

    # ---- Safety ----

    def test_hostile_names_are_text(self):
        self.open("--hostile")
        self.idle()
        self.search("img")
        self.until(lambda: self.facts().get("row") == "DPIM" or "Nothing" in self.text("live"), "no answer")
        self.assertEqual(self.js("return document.images.length"), 0)
        self.assertEqual(self.browser.title, "sample</script><script>alert(1)</script>: 2 slices")
        scripts = self.js("return Array.from(document.scripts, s => s.type).filter(t => !t.startsWith('application/')).length")
        self.assertEqual(scripts, 1)

    def test_the_page_asks_for_nothing_and_may_not(self):
        self.browser.get_log("performance")
        path = self.open("--parcels", "30")
        self.idle()
        asked = [line["message"] for line in self.browser.get_log("performance") if '"Network.requestWillBeSent"' in line["message"]]
        self.assertEqual([line for line in asked if path.as_uri() not in line], [])
        refused = self.browser.execute_async_script("""const done = arguments[0];
            document.addEventListener('securitypolicyviolation', event => done(event.effectiveDirective));
            fetch('http://127.0.0.1:9/').catch(() => 0);""")
        self.assertEqual(refused, "connect-src")
        complaints = [line["message"] for line in self.browser.get_log("browser") if line["level"] == "SEVERE" and "127.0.0.1" not in line["message"]]
        self.assertEqual(complaints, [])

    @unittest.skipUnless(os.environ.get("AXE"), "axe-core is missing")
    def test_axe_finds_nothing_serious(self):
        self.open("--parcels", "30")
        self.idle()
        self.search("assembly 5")
        self.until(lambda: "Life of" in self.text("selection"), "no life")
        for scheme in ("light", "dark"):
            self.scheme(scheme)
            self.js(pathlib.Path(os.environ["AXE"]).read_text(encoding="utf-8"))
            found = self.browser.execute_async_script("""const done = arguments[0];
                axe.run().then(r => done(r.violations.filter(v => ['serious', 'critical'].includes(v.impact))
                    .map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' | '))));""")
            self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
