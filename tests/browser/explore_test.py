"""`ricercar explore` in a browser, and who it refuses. A part of page_test.py."""

import http.client
import json
import re
import signal
import socket
import subprocess
import unittest

import page_test
from webdriver import Browser


class Explored(unittest.TestCase):
    """With a browser, and a server for one program."""

    @classmethod
    def explore(cls, program):
        cls.server = subprocess.Popen(
            [page_test.TOOL, "explore", program], cwd=page_test.FOLDER, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)
        cls.address = re.search(r"http://\S+", cls.server.stdout.readline()).group(0)
        cls.port, cls.token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", cls.address).groups()
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.server.send_signal(signal.SIGINT)
        cls.server.communicate(timeout=10)

    def open(self):
        self.browser.open(self.address)
        self.browser.wait_for("document.documentElement.dataset.ready === 'true'")

    def press_button(self, text):
        self.browser.run("""
          [...document.querySelectorAll('#live button')].find(button => button.textContent === arguments[0]).click()""", text)

    def wait_for_text(self, selector, text):
        self.browser.wait_for(
            f"document.documentElement.dataset.ready === 'true' && "
            f"document.querySelector({json.dumps(selector)}).textContent.includes({json.dumps(text)})", 30)


class ExploreTest(Explored):
    @classmethod
    def setUpClass(cls):
        page_test.compile_program(page_test.example("bounded_queue.cc"), "explored")
        cls.explore("./explored")

    def asked(self, method, path, headers=None, body=None, host=None):
        """The status of a request that no browser would make."""
        connection = http.client.HTTPConnection("127.0.0.1", int(self.port), timeout=20)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        data = (body or "").encode()
        connection.putheader("Content-Length", str(len(data)))
        connection.endheaders(data)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def with_token(self, **more):
        return {"X-Ricercar-Token": self.token, **more}

    def test_picks_an_option_goes_back_and_hands_over(self):
        self.open()
        self.assertIn("nothing goes wrong", self.browser.text("#headline"))
        self.browser.press("Home", ".", ".")
        self.assertRegex(self.browser.text("#live"), r"Decision 2 of \d+ \(the default\)")
        self.browser.click("#live [aria-pressed='false']")
        self.wait_for_text("#origin", "2 of")
        self.assertIn("(yours)", self.browser.text("#live"))
        self.press_button("Back")
        self.wait_for_text("#origin", "0 of")
        self.press_button("Search from here")
        self.wait_for_text("#kind", "deadlock")
        self.assertIn("found after", self.browser.text("#live"))
        self.press_button("Save")
        self.wait_for_text("#live", "written: ricercar-out/explored-1.json")
        said = page_test.ricercar("replay", "ricercar-out/explored-1.json", status=(1,))
        self.assertIn("deadlock", said)
        self.assertEqual(self.browser.log(), [])

    def test_refuses_who_has_no_token(self):
        self.assertEqual(self.asked("GET", "/")[0], 403)
        self.assertEqual(self.asked("GET", "/?token=" + "0" * 32)[0], 403)
        self.assertEqual(self.asked("POST", "/back", body="{}")[0], 403)
        self.assertNotIn(self.token, self.asked("GET", "/")[1])
        self.assertEqual(self.asked("GET", "/?token=" + self.token)[0], 200)

    def test_refuses_other_origins_and_other_names(self):
        self.assertEqual(self.asked("POST", "/back", self.with_token(Origin="http://evil.example"), "{}")[0], 403)
        self.assertEqual(self.asked("POST", "/back", self.with_token(Origin="null"), "{}")[0], 403)
        self.assertEqual(self.asked("GET", "/", self.with_token(), host="evil.example")[0], 403)
        own = f"http://127.0.0.1:{self.port}"
        self.assertEqual(self.asked("POST", "/back", self.with_token(Origin=own), "{}")[0], 200)

    def test_listens_on_this_machine_only(self):
        others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
        for address in others | {"127.0.0.2"}:
            with socket.socket() as other:
                other.settimeout(5)
                self.assertNotEqual(other.connect_ex((address, int(self.port))), 0, address)

    def test_says_what_is_wrong_with_a_request(self):
        for path, body in [("/decide", "{}"), ("/decide", '{"number":9999,"option":0}'), ("/decide", "no json"),
                           ("/search", '{"number":0,"strategy":"dpor"}')]:
            self.assertEqual(self.asked("POST", path, self.with_token(), body)[0], 400, (path, body))
        self.assertEqual(self.asked("GET", "/other", self.with_token())[0], 404)

    def test_survives_who_sends_rubbish(self):
        for rubbish in [b"", b"\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n",
                        b"x" * 20000]:
            with socket.create_connection(("127.0.0.1", int(self.port)), timeout=10) as other:
                try:
                    other.sendall(rubbish)
                    other.shutdown(socket.SHUT_WR)
                    other.recv(100)
                except OSError:  # it has closed already
                    pass
        self.assertEqual(self.asked("GET", "/?token=" + self.token)[0], 200)


class ExploreMachinesTest(Explored):
    @classmethod
    def setUpClass(cls):
        page_test.compile_program(page_test.example("machines/hello.cc"), "greeters", "--machines")
        cls.explore("./greeters")

    def test_decides_which_machine_goes_first(self):
        self.open()
        self.assertIn("nothing goes wrong", self.browser.text("#headline"))
        self.browser.press("Home", ".")
        self.assertRegex(self.browser.text("#live"), r"Decision \d+ of \d+ \(the default\)")
        self.assertRegex(self.browser.text("#live"), r"Greeter#1 (starts|sends to Friend#0)")
        self.browser.click("#live [aria-pressed='false']")
        self.wait_for_text("#live", "(yours)")
        self.press_button("Back")
        self.wait_for_text("#origin", "0 of")
        self.press_button("Search from here")
        self.wait_for_text("#headline", "the second one came first")
        self.press_button("Save")
        self.wait_for_text("#live", "written: ricercar-out/explored-")
        saved = self.browser.text("#live").split("written: ")[1].split(".json")[0] + ".json"
        self.assertIn("the second one came first", page_test.ricercar("replay", saved, status=(1,)))

    def test_of_nodes_is_refused_in_words(self):
        with open(page_test.FOLDER + "/cluster.toml", "w", encoding="utf-8") as file:
            file.write('[[node]]\nname = "server"\ncommand = ["./explored"]\n')
        done = subprocess.run([page_test.TOOL, "explore", "cluster.toml"], cwd=page_test.FOLDER, capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cluster", done.stderr)
