#!/usr/bin/env python3
"""page_test.py RICERCAR COMPILER FOLDER: looks at pages of `ricercar show --html` in a browser.

Exit status 77: there is no browser here.
"""

import json
import os
import shutil
import subprocess
import sys
import time
import unittest

from webdriver import Browser

TOOL, COMPILER, FOLDER = "", "", ""
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = '<script type="application/json" id="data">'

# For a page of 10,000 steps.
MOST_SECONDS_TO_OPEN = 2.0
MOST_MILLISECONDS_A_STEP = 50


def ricercar(*words, status=(0,)):
    done = subprocess.run([TOOL, *words], cwd=FOLDER, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode not in status:
        raise RuntimeError(f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def compile_program(source, name, *options):
    environment = dict(os.environ, RICERCAR_CXX=COMPILER)
    subprocess.run([TOOL, "c++", *options, "-std=c++20", "-g", source, "-o", name], cwd=FOLDER, check=True, env=environment)


def example(name):
    return os.path.join(HERE, "../../examples", name)


def page_of_bug(name, *command):
    """The path of the page of the first bug."""
    ricercar("run", "--quiet", "--strategy", "random", "--past-race", "0", "--out", name, "--", *command, status=(1,))
    said = ricercar("show", "--html", f"{name}/bug-1.json")
    path = os.path.join(FOLDER, name, "bug-1.html")
    assert said.strip() == f"The page is {name}/bug-1.html", said
    return path


def data_of(path):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    start = page.index(DATA) + len(DATA)
    end = page.index("</script>", start)
    return page, start, end, json.loads(page[start:end])


def page_of_run(name, *command):
    """The path of the page that the search itself has written."""
    said = ricercar("run", "--strategy", "random", "--out", name, "--html", f"{name}-pages", "--", *command,
                    status=(1,))
    assert f"The page is {name}-pages/bug-1.html" in said, said
    return os.path.join(FOLDER, f"{name}-pages", "bug-1.html")


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        compile_program(example("bounded_queue.cc"), "bounded_queue")
        compile_program(os.path.join(HERE, "make_trace.cc"), "make_trace")
        cls.small = page_of_bug("small", "./bounded_queue")
        cls.nasty = page_of_bug("nasty", "./make_trace", "3")
        cls.large = page_of_bug("large", "./make_trace", "680")
        cls.searched = page_of_run("searched", "./bounded_queue")
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def open(self, path, full=False):
        self.browser.open("file://" + path)
        self.browser.wait_for("document.documentElement.dataset.ready === 'true'")
        if full:
            self.browser.press("s")

    def seconds_to_open(self, path):
        start = time.monotonic()
        self.open(path)
        return time.monotonic() - start

    def tearDown(self):
        self.assertEqual(self.browser.log(), [], "the page complains")

    def selected(self):
        return self.browser.run("""
          const row = document.querySelector('.row.selected');
          return row ? row.getAttribute('aria-label') : ''""")

    def shown(self):
        return self.browser.run("return Number(document.querySelector('.row')?.getAttribute('aria-setsize') || 0)")

    def labels(self, selector):
        return self.browser.run(
            "return [...document.querySelectorAll(arguments[0])].map(row => row.getAttribute('aria-label'))", selector)

    def state(self):
        return self.browser.text("#state")

    def test_begins_where_it_fails(self):
        self.open(self.small)
        self.assertIn("deadlock", self.browser.text("#kind"))
        self.assertIn("waits to join T1", self.browser.text("#headline"))
        self.assertIn("here it fails", self.selected())
        self.assertEqual(self.browser.run("return document.activeElement.getAttribute('role')"), "listbox")

    def test_keys_go_forward_and_back(self):
        self.open(self.small, full=True)
        self.browser.press("Home")
        first = self.selected()
        self.assertIn("T0 main", first)
        self.browser.press("ArrowDown", "j")
        third = self.selected()
        self.assertNotEqual(first, third)
        self.browser.press("k", "ArrowUp")
        self.assertEqual(self.selected(), first)
        self.browser.press("n")
        self.assertIn("T1 consume", self.selected())
        switched = self.selected()
        self.browser.press("n")
        self.assertIn("T0 main", self.selected())
        self.browser.press("p")
        self.assertEqual(self.selected(), switched)
        self.browser.press("End")
        self.assertIn("here it fails", self.selected())

    def test_left_and_right_stay_in_a_lane(self):
        self.open(self.small, full=True)
        self.browser.press("Home", "n")
        for _ in range(4):
            self.browser.press("ArrowRight")
            self.assertIn("T1 consume", self.selected())

    def test_buttons_do_the_same(self):
        self.open(self.small)
        self.browser.click("#full")
        all_steps = self.shown()
        self.browser.click("#first")
        first = self.selected()
        self.browser.click("#forward")
        self.assertNotEqual(self.selected(), first)
        self.browser.click("#back")
        self.assertEqual(self.selected(), first)
        self.browser.click("#short")
        self.assertLess(self.shown(), all_steps)

    def test_a_click_selects_a_step(self):
        self.open(self.small, full=True)
        self.browser.press("Home")
        self.browser.click(".row:nth-of-type(5)")
        self.assertIn("aria-selected=\"true\"", self.browser.run(
            "return document.querySelector('.row:nth-of-type(5)').outerHTML"))

    def test_what_is_left_out_unfolds_and_folds(self):
        self.open(self.small)
        self.browser.press("Home")
        short = self.shown()
        self.browser.click(".fold")
        self.assertGreater(self.shown(), short)
        self.browser.click(".fold[aria-expanded='true']")
        self.assertEqual(self.shown(), short)

    def test_shows_locks_waiters_and_variables_at_a_step(self):
        self.open(self.small, full=True)
        self.browser.press("Home")
        while "locks queue.mutex_" not in self.selected():
            self.browser.press("j")
        self.assertRegex(self.state(), r"queue\.mutex_T0")
        while "unlocks queue.mutex_" not in self.selected():
            self.browser.press("j")
        self.assertRegex(self.state(), r"queue\.mutex_free")
        self.assertRegex(self.state(), r"queue\.size_1")
        self.browser.press("End")
        self.assertRegex(self.state(), r"queue\.not_empty_T1")

    def test_the_source_has_the_line_of_every_lane(self):
        self.open(self.small)
        lines = self.browser.run("""
          return [...document.querySelectorAll('.line.current, .line.other')].map(line => line.textContent)""")
        self.assertEqual(len(lines), 2)
        self.assertTrue(any("consumer.join();" in line and "T0" in line for line in lines), lines)
        self.assertTrue(any("not_empty_.wait(" in line and "T1" in line for line in lines), lines)

    def test_draws_tracks_holdings_and_links(self):
        self.open(self.small, full=True)
        self.browser.press("Home")
        count = lambda selector: self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)
        self.assertGreaterEqual(count("svg .track"), 1)
        self.assertGreaterEqual(count("svg .hold"), 2)
        self.assertGreaterEqual(count("svg path.link-creates"), 1)
        self.browser.press("End")
        self.assertEqual(count("svg .cross"), 2)

    def test_searches_and_filters(self):
        self.open(self.small, full=True)
        everything = self.shown()
        self.browser.press("/")
        self.browser.press(*"closed_")
        found = self.shown()
        self.assertTrue(0 < found < everything, found)
        self.browser.press("Escape")
        self.assertEqual(self.shown(), everything)
        self.browser.run("""
          const select = document.getElementById('object');
          select.value = 'queue.not_empty_';
          select.dispatchEvent(new Event('change'))""")
        labels = self.labels(".row")
        self.assertTrue(labels and all("queue.not_empty_" in label for label in labels), labels)
        self.browser.press("Escape", "2")
        self.assertLess(self.shown(), everything)
        self.assertEqual(self.browser.run("return document.querySelectorAll('.lane-head')[1].getAttribute('aria-pressed')"),
                         "false")
        self.browser.press("2")
        self.assertEqual(self.shown(), everything)

    def test_light_and_dark(self):
        self.open(self.small)
        colour = "getComputedStyle(document.body).backgroundColor"
        before = self.browser.run("return " + colour)
        self.browser.press("d")
        after = self.browser.run("return " + colour)
        self.assertNotEqual(before, after)
        self.browser.click("#theme")
        self.assertEqual(self.browser.run("return " + colour), before)

    def test_texts_have_contrast_in_both(self):
        self.open(self.small)
        for _ in range(2):
            weak = self.browser.run(CONTRAST)
            self.assertEqual(weak, [])
            self.browser.press("d")

    def test_what_the_search_has_written_is_the_page_of_its_bug(self):
        self.assertEqual(data_of(self.searched)[3], data_of(self.small)[3] | {
            "replay": data_of(self.searched)[3]["replay"], "why": data_of(self.searched)[3]["why"]})
        self.assertIn("searched/bug-1.json", data_of(self.searched)[3]["replay"])
        self.open(self.searched)
        self.assertIn("deadlock", self.browser.text("#kind"))
        self.assertIn("here it fails", self.selected())

    def test_begins_with_what_can_be_seen(self):
        self.open(self.searched)
        self.browser.wait_for("""(() => {
          const row = document.querySelector('.row.selected').getBoundingClientRect();
          const list = document.querySelector('.scroller').getBoundingClientRect();
          return row.top >= list.top && row.bottom <= list.bottom;
        })()""")

    def places_of(self, selector):
        """How far from the top the elements are."""
        return self.browser.run(
            "return [...document.querySelectorAll(arguments[0])].map(row => row.getBoundingClientRect().top)", selector)

    def test_two_executions_beside_each_other(self):
        self.open(self.searched)
        self.browser.press("c")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.run').length"), 2)
        failing, passing = self.labels(".row.parts")
        self.assertIn("step 19, T0 main, broadcasts queue.not_empty_: nobody waits", failing)
        self.assertIn("last chance", failing)
        self.assertIn("step 19, T1 consume, waits on queue.not_empty_", passing)
        tops = self.places_of(".row.parts")
        self.assertEqual(tops[0], tops[1], "they part beside each other")
        self.assertIn("step 19", self.selected())
        self.browser.press("o", "End")
        self.assertIn("exits the program with status 0", self.browser.text("#step"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('.row.fails').length"), 2, "of one of them")
        self.browser.press("c")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.run').length"), 1)
        self.assertEqual(len(self.labels(".row.parts")), 1)

    def test_what_both_have_in_common_is_selected_in_both(self):
        self.open(self.searched)
        self.browser.click("#why button")
        self.browser.press("k", "k", "k")
        labels = self.labels(".row.selected")
        self.assertEqual(len(labels), 2)
        self.assertEqual(labels[0].split(",")[:3], labels[1].split(",")[:3])
        self.browser.press("Home", "e")
        self.assertIn("creates T1", " ".join(self.labels("#run0 .row[aria-label]")))

    def test_machines_are_compared_too(self):
        compile_program(example("machines/hello.cc"), "hello", "--machines")
        ricercar("run", "--quiet", "--strategy", "dfs", "--out", "hello.out", "--html", "hello.pages", "./hello", status=(1,))
        self.open(os.path.join(FOLDER, "hello.pages", "bug-1.html"))
        self.browser.press("c")
        failing, passing = self.labels(".row.parts")
        self.assertIn("event 1, Greeter#2, starts in Greeting", failing)
        self.assertIn("event 1, Greeter#1, starts in Greeting", passing)
        self.assertIn("event 1 of 7", self.browser.text("#position"))
        cut = self.browser.run("""
          return [...document.querySelectorAll('.lane-head b')].filter(name => name.scrollWidth > name.clientWidth)
            .map(name => name.textContent)""")
        self.assertEqual(cut, [], "names of lanes are shown whole")

    def test_machines_show_their_variables_at_each_step(self):
        compile_program(example("machines/lock_server.cc"), "lock_server", "--machines")
        ricercar("run", "--quiet", "--out", "locks.out", "--html", "locks.pages", "./lock_server", status=(1,))
        self.open(os.path.join(FOLDER, "locks.pages", "bug-1.html"))
        self.browser.press("Home")
        while "LockServer#0, handles Acquire" not in self.selected():
            self.browser.press("j")
        self.assertRegex(self.state(), r"LockServer#0\{waiting = \[#\d\]\}")
        self.assertRegex(self.state(), r"LockServer#0Serving")
        self.browser.press("End")
        self.assertRegex(self.state(), r"LockServer#0\{waiting = \[#\d, #\d\]\}")

    def test_threads_that_go_round_are_told_once(self):
        source = os.path.join(HERE, "../programs/bug/livelock/corridor.cc")
        compile_program(source, "corridor")
        ricercar("run", "--quiet", "--out", "round.out", "--html", "round.pages", "./corridor", status=(1,))
        self.open(os.path.join(FOLDER, "round.pages", "bug-1.html"))
        self.browser.press("End")
        self.assertIn("the last 8 steps, forever", self.selected())
        self.assertIn("It could be avoided in every round", self.browser.text("#why"))
        self.browser.press("a")
        self.assertIn("where every round could be the last one", self.browser.text("#step"))

    def test_goes_to_the_last_moment_to_avoid_it(self):
        self.open(self.searched)
        self.browser.press("a")
        self.assertIn("step 19", self.selected())
        self.assertIn("the last moment to avoid the failure", self.browser.text("#step"))

    def test_shows_the_execution_as_it_was_found(self):
        self.open(self.searched)
        short = self.browser.text("#position"), self.shown()
        self.browser.press("f", "Home")
        self.assertIn("As it was found: 23 steps, 5 preemptions", self.browser.text(".run-name"))
        self.assertEqual(self.browser.text("#position"), "of 23 steps")
        self.browser.press("c")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.run').length"), 2)
        self.assertEqual(len(self.labels(".row.parts")), 2, "of the shorter one")
        self.browser.press("c", "f")
        self.browser.click("#original")
        self.browser.press("x")
        self.assertEqual((self.browser.text("#position"), self.shown()), short)
        self.assertEqual(len(self.labels(".row.parts")), 1)

    def test_what_the_program_says_stays_text(self):
        self.open(self.nasty, full=True)
        self.assertTrue(self.browser.run("return document.title").startswith("assertion"))
        for nasty in ["</script><b>", "\"'><img src=", "&lt;<!--"]:
            self.assertIn(nasty, self.browser.text(".lane-heads"))
        self.assertIn("<img src=x onerror=alert(1)>", self.browser.text("#output"))
        self.assertIn("document.title='in'", self.browser.text("#headline"))
        self.assertIn("document.title='out'", self.browser.text("#code"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('img, b img, iframe').length"), 0)
        self.assertEqual(self.browser.run("return document.scripts.length"), 2)

    def test_runs_no_script_but_its_own(self):
        self.open(self.small)
        self.browser.run("""
          const script = document.createElement('script');
          script.textContent = "document.title = 'run'";
          document.body.append(script)""")
        self.assertNotEqual(self.browser.run("return document.title"), "run")
        self.assertTrue(any("Content Security Policy" in line for line in self.browser.log()))

    def test_can_be_used_with_the_keyboard_alone(self):
        self.open(self.small)
        unreachable = self.browser.run("""
          const names = element => element.textContent.trim() || element.getAttribute('aria-label') || element.title;
          return [...document.querySelectorAll('button, select, input, summary')]
            .filter(element => element.offsetParent && element.tabIndex < 0 && !element.matches('.fold'))
            .map(names)""")
        self.assertEqual(unreachable, [])
        nameless = self.browser.run("""
          return [...document.querySelectorAll('button, select, input')].filter(element => element.offsetParent &&
            !element.textContent.trim() && !element.getAttribute('aria-label') && !element.labels?.length)
            .map(element => element.outerHTML)""")
        self.assertEqual(nameless, [])
        self.browser.press("?")
        self.assertTrue(self.browser.run("return document.getElementById('keys').open"))
        self.browser.press("Escape")
        self.assertFalse(self.browser.run("return document.getElementById('keys').open"))

    def test_prints_the_steps_as_a_table(self):
        self.open(self.small)
        shown = self.shown()
        self.browser.run("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#printed tbody tr').length"), shown)
        self.browser.run("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#printed').length"), 0)

    def test_ten_thousand_steps_are_quick(self):
        rows = len(data_of(self.large)[3]["runs"][0]["rows"])
        self.assertGreaterEqual(rows, 10000)
        self.assertLess(os.path.getsize(self.large), 2_000_000)
        self.expect_quick(self.large, rows, "s")
        self.assertEqual(self.shown(), rows)
        self.assertLess(self.browser.run("return document.querySelectorAll('.row').length"), 200)

    def test_two_long_executions_side_by_side_are_quick(self):
        path = page_of_bug("both", "./make_trace", "680", "sometimes")
        runs = data_of(path)[3]["runs"]
        self.assertEqual([run["role"] for run in runs][:2], ["failing", "passing"])
        rows = sum(len(run["rows"]) for run in runs)
        self.assertGreaterEqual(rows, 20000)
        self.assertLess(os.path.getsize(path), 2_000_000)
        self.expect_quick(path, rows, "c")
        self.assertEqual(len(self.labels(".row.parts")), 2)

    def expect_quick(self, path, rows, *keys):
        """Opens it, presses the keys, and measures."""
        seconds = min(self.seconds_to_open(path) for _ in range(3))  # others use the machine, too
        self.browser.press(*keys)
        times = min((sorted(self.browser.run(STEP_TIMES)) for _ in range(3)), key=lambda all: all[len(all) // 2])
        median = times[len(times) // 2]
        print(f"{rows} rows: {os.path.getsize(path)} bytes, open in {seconds:.2f} s, "
              f"a step in {median:.1f} ms, 95 % of them in {times[int(len(times) * 0.95)]:.1f} ms")
        self.assertLess(seconds, MOST_SECONDS_TO_OPEN)
        self.assertLess(median, MOST_MILLISECONDS_A_STEP)


# Each with its layout and everything that follows from it.
STEP_TIMES = """
  const times = [];
  const press = key => {
    const start = performance.now();
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    document.body.getBoundingClientRect();
    times.push(performance.now() - start);
  };
  for (const key of ['Home', 'End', 'PageUp', 'n', 'p', 'ArrowLeft']) press(key);
  for (let i = 0; i < 40; ++i) { press('k'); press('n'); press('PageUp'); }
  return times;
"""

# Texts that are less than 4.5 times as light or dark as what is behind them.
CONTRAST = """
  const channel = value => { value /= 255; return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const weak = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const has_text = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!has_text || !element.offsetParent || element.matches('option')) continue;
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) weak.add(`${element.className} ${element.textContent.slice(0, 30)}`);
  }
  return [...weak];
"""


def main():
    global TOOL, COMPILER, FOLDER
    if shutil.which("chromium") is None or shutil.which("chromedriver") is None:
        print("chromium or chromedriver is missing: scripts/install-packages chromium chromium-driver")
        return 77
    TOOL, COMPILER, FOLDER = sys.argv[1:4]
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    sys.modules["page_test"] = sys.modules["__main__"]
    from explore_test import ExploreMachinesTest, ExploreTest  # which need the names above
    globals().update(ExploreTest=ExploreTest, ExploreMachinesTest=ExploreMachinesTest)
    result = unittest.main(argv=[sys.argv[0], *sys.argv[4:]], exit=False).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
