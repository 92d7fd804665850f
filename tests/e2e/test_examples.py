"""Every example of README.md and docs/*.md runs, each page in a directory of its own.

The language of a fence decides what happens to the example:
  sh              each command runs
  console         each line behind "$ " runs, and its output has the form that the page shows
  yaml [FILE]     passes the check of the configuration; with FILE it is written there, for the examples that follow
  text, json, c   not run: synopses, formulas, parts of files
Any language followed by "no-run: REASON" is not run; few examples may say so.
"""
import os
import pathlib
import re
import shutil
import subprocess
import textwrap

import harness
import pytest
from harness import accepts, chat, exported, free_port, post, wait_for

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RUN, SHOWN = {"sh", "console", "yaml"}, {"text", "json", "c"}
NOT_RUN_AT_MOST = 18

# The engines behind the ports in the pages, with their faults.
ENGINES = {8000: ["--repeat-penalty", "1.3"], 8001: [], 8101: []}
SAMPLED = {8000: ["--quantise", "0.8"], 8001: ["--fault", "noise=0.01", "--fresh-noise"]}
DEFAULT_PORTS = {"proxy": 8080, "engine": 8101}

# Files in the directory of the examples, apart from `capture`: {path: source (None: the capture)}.
FILES = {
    "host-1/capture": None,
    "host-2/capture": None,
    "results/sweep/sweep.json": "tests/imports/infer-check-0.2.6/sweep.json",
    "a": "tests/imports/lm-eval-0.4.13/org__large",
    "b": "tests/imports/lm-eval-0.4.13/org__small",
}

# Commands whose exit code is a verdict; all others must exit with 0.
JUDGES = {"analyze", "compare", "determinism", "diff", "sweep", "stress", "ablate", "report", "diff-report", "probe"}


class Example:
    def __init__(self, page, line, info, text):
        self.page, self.line, self.text = page, line, text
        info, _, self.reason = info.partition("no-run:")
        self.language, _, self.file = info.strip().partition(" ")

    @property
    def where(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def runs(self):
        return self.language in RUN and not self.reason

    def commands(self):
        """Return pairs (command, output in the page or None)."""
        text = self.text.replace("\\\n", " ")
        if self.language == "console":
            parts = re.split(r"^\$ ", text, flags=re.M)[1:]
            return [tuple(part.split("\n", 1)) for part in parts]
        return [(line, None) for line in re.sub(r"'[^']*'", lambda quoted: quoted[0].replace("\n", " "), text).split("\n") if line.strip()]


def examples(page):
    found, fence = [], None
    for number, line in enumerate(page.read_text().split("\n"), 1):
        mark = re.match(r" *```(.*)", line)
        if mark and fence:
            found.append(Example(page, fence[0], fence[1], textwrap.dedent("\n".join(fence[2]))))
            fence = None
        elif mark:
            fence = number, mark[1].strip(), []
        elif fence:
            fence[2].append(line)
    assert fence is None, f"{page}:{fence and fence[0]}: the fence does not end"
    return found


def traffic(port, n, seeded=False, **more):
    for i in range(n):
        seed = {"seed": i} if seeded else {}
        assert post(port, "/v1/chat/completions", chat(f"Tell me {i} stories.", max_tokens=160, **seed, **more))[0] == 200


class Recorded:
    """A capture that a proxy recorded from two engines, and the running engines."""

    def __init__(self, start, name, faults, requests, config, **more):
        self.engines = {port: start.engine("--seed", "7", *options) for port, options in faults.items()}
        self.path = start.directory / name
        proxy = start.proxy(None, config=config(self), capture=self.path, poll=None, plain_share=None)
        traffic(proxy.port, requests, **more)
        proxy.settled(requests)
        assert proxy.stop() == 0, proxy.log()

    def url(self, port):
        return f"127.0.0.1:{self.engines[port].port}"


def readme_config(recorded):
    """Return the proxy's configuration from README with other ports."""
    text = next(example.text for example in examples(PAGES[0]) if example.file == "proxy.yaml")
    text = "\n".join(line for line in text.split("\n") if not line.startswith(("listen", "capture")))
    return re.sub(r"127\.0\.0\.1:(\d+)", lambda port: recorded.url(int(port[1])), text)


def sampled_config(recorded):
    return f"primary: {{name: prod, url: 'http://{recorded.url(8000)}'}}\nreferences: [{{name: trusted, url: 'http://{recorded.url(8001)}'}}]\n"


@pytest.fixture(scope="session")
def recorded(start_once):
    return Recorded(start_once, "greedy", ENGINES, 150, readme_config)


@pytest.fixture(scope="session")
def sampled(start_once):
    # Sampling tests have a level of 1 %. With seeds, the draws are the same in each run.
    return Recorded(start_once, "sampled", SAMPLED, 80, sampled_config, seeded=True, temperature=None)


class Directory:
    """The directory in which the examples of one page run."""

    def __init__(self, path, recorded):
        self.path, self.recorded, self.ports, self.servers = path, recorded, {}, {}
        (path / "bin").mkdir()
        (path / "bin" / "plumbline").symlink_to(pathlib.Path(harness.BINARY).resolve())
        (path / "configs").symlink_to(ROOT / "configs")
        for name, source in {"capture": None, **FILES}.items():
            source = ROOT / source if source else recorded.path
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, path / name)
        self.environment = {**os.environ, "PATH": f"{path / 'bin'}:{os.environ['PATH']}"}

    def placed(self, text):
        """Return the text with the ports of this run."""
        def port(match):
            number = int(match[1])
            if number in self.ports:
                return f"127.0.0.1:{self.ports[number]}"
            return self.recorded.url(number) if number in self.recorded.engines else match[0]
        return re.sub(r"127\.0\.0\.1:(\d+)", port, text)

    def serve(self, example, command):
        """Start a proxy or engine of an example. It runs until the end of the page, or until another one needs its port."""
        verb = command.split()[1]
        listen = re.search(r"--listen 127\.0\.0\.1:(\d+)", command)
        port = int(listen[1]) if listen else DEFAULT_PORTS[verb]
        if port in self.servers:
            assert self.stop(port) == 0, example.where
        self.ports.setdefault(port, free_port())
        if not listen and "-c " not in command:
            command += f" --listen 127.0.0.1:{port}"
        if verb == "proxy":
            for file in self.path.glob("*.yaml"):
                file.write_text(self.placed(file.read_text()))
        recorded = len(exported(self.path / "capture"))
        log = open(self.path / f"server-{len(self.servers)}.log", "wb")
        self.servers[port] = process = subprocess.Popen(["bash", "-c", "exec " + self.placed(command)], cwd=self.path, env=self.environment, stdout=log, stderr=log)

        def ready():
            assert process.poll() is None, f"{example.where}: {command}\n{pathlib.Path(log.name).read_text()}"
            return accepts(self.ports[port])
        wait_for(f"{example.where}: {command}", ready)
        if verb == "proxy":
            traffic(self.ports[port], 5)
            wait_for("the proxy's records", lambda: len(exported(self.path / "capture")) >= recorded + 5)

    def stop(self, port):
        self.servers[port].terminate()
        return self.servers.pop(port).wait(harness.PATIENCE)

    def run(self, example, command):
        words = command.split()
        if words[:2] in (["plumbline", "proxy"], ["plumbline", "engine"]) and "--check-config" not in words:
            return self.serve(example, command.split("  #")[0].strip())
        command = re.sub(r"^curl ", "curl -fsS ", command)
        done = subprocess.run(["bash", "-c", self.placed(command)], cwd=self.path, env=self.environment, capture_output=True, text=True, timeout=harness.PATIENCE)
        report = f"{example.where}: {command}\nexit code {done.returncode}\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}"
        good = {0}
        if words[:1] == ["plumbline"] and {part.split()[1] for part in command.split(" && ")} & JUDGES:
            good = {0, 1, 4} if "UNCLEAR" in done.stdout else {0, 1}
        if "x-plumbline-fault: reset" in command:
            good = {56, 18}        # curl: connection reset
        assert done.returncode in good, report
        return done.stdout

    def check(self, example):
        """Check a configuration, or a part of one."""
        text = example.text
        if example.file and "rules:" in text:
            (self.path / example.file).write_text(text)
            return self.run(example, f"plumbline analyze capture --policy {example.file}")
        for key, line in (("primary", "primary: http://127.0.0.1:8000"), ("capture", "capture: capture")):
            if not re.search(rf"^{key}:", text, re.M):
                text = f"{line}\n{text}"
        file = example.file or "part.yaml"
        (self.path / file).write_text(text)
        return self.run(example, f"plumbline proxy -c {file} --check-config")


def form(text):
    """Return the words of an output.

    Numbers differ between runs. A time is printed from one second on. Which limitation is the first depends on chance.
    """
    text = re.sub(r" in \d+ s\b", "", " ".join(text.split()))
    text = re.sub(r"Limitations .*?Next ", "Limitations Next ", text)
    return re.sub(r"[-+]?\d[\d,.]*(e-?\d+)?", "#", text)


def has_form(output, shown):
    pattern = ".*".join(re.escape(form(part)) for part in shown.split("…"))
    return re.fullmatch(rf"{pattern}.*", form(output), re.S)


@pytest.mark.parametrize("page", [page for page in PAGES if any(e.runs for e in examples(page))], ids=lambda page: page.stem)
def test_the_examples_of_a_page_run(page, tmp_path, request):
    directory = Directory(tmp_path, request.getfixturevalue("sampled" if page.stem == "sampled" else "recorded"))
    try:
        for example in examples(page):
            if example.runs and example.language == "yaml":
                directory.check(example)
            elif example.runs:
                for command, shown in example.commands():
                    output = directory.run(example, command)
                    assert shown is None or has_form(output, shown), f"{example.where}: {command}\nshown:\n{shown}\nprinted:\n{output}"
    finally:
        codes = {port: directory.stop(port) for port in list(directory.servers)}
    assert not any(codes.values()), codes


def test_skipped_examples_are_few_and_have_reasons():
    every = [example for page in PAGES for example in examples(page)]
    known = RUN | SHOWN | {"python"}
    assert [example.where for example in every if example.language not in known] == []
    assert [example.where for example in every if example.language == "python" and not example.reason] == []
    skipped = [example for example in every if example.reason]
    print(f"{sum(example.runs for example in every)} examples with {sum(len(e.commands()) for e in every if e.runs and e.language != 'yaml')} commands run, "
          f"{len(skipped)} do not")
    assert len(skipped) <= NOT_RUN_AT_MOST, [f"{example.where}: {example.reason}" for example in skipped]
    assert all(len(example.reason.split()) > 1 for example in skipped)


def anchor(heading):
    """Return the anchor that GitHub makes for a heading."""
    heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", re.sub(r"[`*]", "", heading.strip().lower()))
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def test_each_link_leads_to_a_file_and_a_heading():
    pages = [*PAGES, ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*/*.md")]
    headings = {page: {anchor(heading) for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.M)} for page in pages}
    for page in pages:
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            path, _, place = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            assert link.startswith("http") or target.exists(), (page.name, link)
            assert not place or target not in headings or place in headings[target], (page.name, link)


def test_all_examples_are_in_fences():
    for page in PAGES:
        text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.M | re.S)
        lines = [line for line in re.findall(r"\n\n( {4,}\S.*)", text) if page.name != "design.md" and not re.match(r" +([*-]|\d\.|\|)", line)]
        assert lines == [], page.name
