"""Every output format of an analysis shows the same value in the same unit for every figure."""
import html
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

import pytest

import schema
from harness import PATIENCE, plumbline, post
from test_diff_report import SCHEMA as CHANGE_SCHEMA
from test_judge import SCHEMA
from test_recipes import SUITES

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
RULES_A_POLICY = 20  # a comment shows at most forty verdicts; a rule about traffic has two
SUFFIXES = {"share": "%", "points": "points", "ms": "ms", "count": "", "number": ""}
NUMBER = r"[+\-−]?[\d.,]+(?:e[+\-−]?\d+)?"
SHOWN = re.compile(rf"(?P<value>{NUMBER})(?: to (?P<most>{NUMBER}))?(?:[ \u00a0](?P<unit>%|points|ms)(?![a-z]))?")
FORMS = "json", "txt", "md", "xml", "html"


def parse(text):
    """Parse the start of a text; return the lower limit, the upper limit and the unit of the shown value."""
    m = SHOWN.match(text)
    assert m, text[:80]
    number = lambda t: float(t.replace(",", "").replace("−", "-"))
    return number(m["value"]), number(m["most"] or m["value"]), m["unit"] or ""


def check_shown(text, figure, unit, what):
    """Check a shown value against {"value": ..., "at_most": ...} of the document."""
    least, most, suffix = parse(text)
    scale = 100 if unit == "share" else 1
    assert suffix == SUFFIXES[unit], (what, text[:60])
    ends = [figure["value"], (figure.get("at_most") or figure)["value"]]
    for shown, true in zip((least, most), ends):
        true *= scale
        assert shown == pytest.approx(true, rel=0.006, abs=0.051 if unit in ("share", "points") else 0.5 if unit == "count" else 1e-6), (what, text[:60], figure)


def estimate(value, n=24):
    return {"n": n, "value": value, "ci95": [value - abs(value) / 4, value + abs(value) / 4], "clusters": 12, "rests_on": "answers"}


def between(least, most):
    """Return a figure that is only known to be between two limits."""
    ends = [{key: estimate(value)[key] for key in ("value", "ci95")} for value in (least, most)]
    return {**estimate(least), "ci95": [ends[0]["ci95"][0], ends[1]["ci95"][1]], "at_least": ends[0], "at_most": ends[1]}


def fill(document):
    """Insert figures that these engines do not give, so each figure of the list has a value."""
    for k, group in enumerate(document["groups"]):
        group["embeddings"] = {"cosine_distance": {"mean": 0.25, "max": 0.5}, "largest_difference": {"max": 0.125}}
        split = group["by_decoding"]["greedy"]
        figures = split["figures"]
        for name, value in {"base_score": 0.875, "test_score": 0.825, "score_shift": -5.0 - k}.items():
            figures[name].update(estimate(value))
        for figure in (figures["answer_changed"], split["seeds"]["paper"]["output_disagreement_rate"], split["seeds"]["infer_check"]["flip_rate"]):
            figure.update(between(0.0625, 0.25))
        split["first_difference"].update(sigma=0.123)
        split["first_difference"]["flips"].update(ratio=2.5)
        for spread in (split["first_differing_token"], split["first_differing_byte"]):
            spread.update({name: spread[name] or 7 for name in ("mean", "p10", "median", "p90")})
        split["length_reasoning_bytes"].update(bias=-3.5, magnitude=4.5, inflation=0.75)
        split["tool_calls_differ"].update(estimate(0.03125), rate=0.03125)
        split["reasoning_differs"].update(estimate(0.04), rate=0.04)
        split["survival"]["median"] = split["survival"]["median"] or 9
        group["noise_floor"]["figures"]["top_differs"]["between"].update(estimate(0.15))
        group["k3"] = {**estimate(0.0125), "floor": 0.0025, "over_floor": estimate(0.01)}
        group["first_positions"] = {"same_top": estimate(0.9), "tv_low": estimate(0.08)}
        group["sampled_test"] = {"mmd2": 0.02, "p": 0.03}
        group["rollout"] = {"delta": estimate(0.02), "delta_max": 1.5, "k1": estimate(-0.003), "k3": estimate(0.0115), "sample_size": 0.875,
                            "ratio": {**estimate(1.02), "p99": 1.75, "outside": 0.015}, "answers": {"n": 24, "sample_size": 0.625}}
    for backend in document["traffic"]["backends"]:
        for name, spread in backend["milliseconds"].items():
            quantiles = {key: spread[key] or 1234.5 for key in ("mean", "p50", "p90", "p95", "p99", "max")}
            spread.update(quantiles)
    forced = {"same_top": {**estimate(0.995), "rate": 0.995}, "logprob_of_answers": {**estimate(-0.0125), "mean": -0.0125}, "logprob": {"n": 12000, "rms": 0.1},
              "k3_score": {**estimate(0.0185), "mean": 0.0185}, "perplexity": 1.75, "scorer_perplexity": 1.875}
    document["teacher_forced"] = [{"scorer": "a", "of": "b", "scorer_role": "reference", "of_role": "candidate", "by_decoding": {"greedy": forced}, "all": forced,
                                   "greedy_flips": {"answers": 0.12}}]
    document["sampling"] = [{"backend": "b", "role": "candidate", "temperature": {**estimate(0.85), "ratio": 0.85},
                             "penalty": {**estimate(0.35), "shift_nats": 0.35},
                             "calibration": estimate(0.035), "repeats": {"value": 3}, "n_findings": 2}]
    document["standings"]["rows"][0]["figures"] = {f["name"]: document["groups"][0]["by_decoding"]["greedy"]["figures"][f["name"]] for f in document["standings"]["figures"]}


@pytest.fixture
def saved(start, tmp_path):
    """A saved analysis of two engines that differ, with repeats and times."""
    a, b = start.engine("--seed", "7"), start.engine("--seed", "7", "--repeat-penalty", "1.15", "--noise", "0.3")
    done = plumbline("diff", f"a={a.url}", f"b={b.url}", f"{SUITES}/reasoning.jsonl", "--limit", "12", "--capture", tmp_path / "c", "--json")
    document = json.loads(done.stdout)
    assert schema.problems(document, SCHEMA) == [] and set(document["units"].values()) == set(SUFFIXES)
    fill(document)
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(document))
    return path


def forms_of(path, name, *flags):
    """Return {file extension: the analysis in this format}."""
    paths = {form: path.parent / f"{name}.{form}" for form in FORMS}
    plumbline("report", path, *flags, *(flag for out in paths.values() for flag in ("--out", out)))
    return {form: out.read_text() for form, out in paths.items()}


def cells(markdown):
    """Yield the rows of all tables."""
    return [[html.unescape(c).replace("\\", "").strip() for c in line.strip("|").split(" |")] for line in markdown.splitlines() if line.startswith("|")]


def text_of(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", markup)).split())


def rendered(path):
    """Return the page's body as a browser shows it, or None without a browser."""
    if not CHROMIUM:
        return None
    done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", f"file://{path}"], capture_output=True, timeout=PATIENCE, check=True)
    return done.stdout.decode().split("<body>")[1].split("<script")[0]


def rows_of(page):
    """Yield the rows of all tables of the page."""
    return [[text_of(c) for c in re.findall(r"<t[hd][ >].*?</t[hd]>", row, re.S)] for row in re.findall(r"<tr[ >].*?</tr>", page, re.S)]


def rules_of(names, units):
    """Return rules with wide limits; only the display matters."""
    limit = lambda name: "100%" if units[name] == "share" else 1000000
    return "defaults: {undecided: pass}\nrules:\n" + "".join(f"  - {{name: 'rule {name} !', metric: {name}, max: {limit(name)}, confidence: estimate}}\n" for name in names)


def test_a_policy_shows_figures_alike_in_every_format(saved, tmp_path):
    units = json.loads(saved.read_text())["units"]
    names = sorted(units)
    assert len(names) > 100 and units["score_shift"] == "points" and units["differ"] == "share"
    for k in range(0, len(names), RULES_A_POLICY):
        policy = tmp_path / "policy.yaml"
        policy.write_text(rules_of(names[k:k + RULES_A_POLICY], units))
        forms = forms_of(saved, f"part-{k}", "--policy", policy)
        rules = json.loads(forms["json"])["policy"]["rules"]
        assert {r["metric"] for r in rules} == set(names[k:k + RULES_A_POLICY])
        text = " ".join(forms["txt"].split())
        comment = re.sub(r"&#(\d+);", lambda m: chr(int(m[1])), forms["md"]).replace("\u200b", "")
        page = rendered(saved.parent / f"part-{k}.html")
        embedded = json.loads(re.search(r'id="document">(.*?)</script>', forms["html"], re.S)[1])
        assert embedded["policy"]["rules"] == rules and embedded["units"] == units
        cases = [(c.get("name"), c.get("classname"), c[0].get("message") or c[0].text) for c in xml.fromstring(forms["xml"]).iter("testcase")]
        for r in rules:
            name = r["metric"]
            assert r["value"] is not None, f"{name} has no value in this analysis"
            assert r["unit"] == units[name]
            shown = lambda found: check_shown(found, r, units[name], name)
            sides = r["test"] or ""
            shown(re.search(rf"rule {re.escape(name)} !: {re.escape(name)}(?:, {sides}[^:;]*?)? is (.*?);", text)[1])
            shown(re.search(rf"rule {re.escape(name)} !: {re.escape(name)}(?:, {sides}[^:;]*?)? is (.*?);", comment)[1])
            case = next(c for c in cases if c[0].startswith(f"rule {name} !: ") and (not sides or c[1].startswith(sides)))
            shown(case[2])
            if page:
                rule = re.search(rf"rule {re.escape(name)} !: {re.escape(name)}(?:, {sides}[^:;]*?)? is (.*?); at most (.*?): ", text_of(page))
                shown(rule[1])
                check_shown(rule[2], {"value": r["max"]}, units[name], name)


def test_the_tables_show_the_same_values(saved):
    document = json.loads(saved.read_text())
    units, figures = document["units"], document["groups"][0]["by_decoding"]["greedy"]["figures"]
    forms = forms_of(saved, "plain")
    labels = {"answers that differ": "differ", "answers whose meaning changed": "answer_changed", "first differences per 1,000 tokens": "hazard",
              "same most probable token": "same_top", "score of right answers, change": "score_shift", "length in tokens, mean change": "length_bias",
              "logprob RMSE (top-1)": "top1_logprob_rmse", "change of probability, RMS": "delta_p_rms", "top-5 Jaccard": "jaccard_5", "KL divergence, at least": "kl_low"}
    for label, name in labels.items():
        table = forms["txt"][forms["txt"].index("Figures by decoding"):]
        check_shown(re.search(rf"^  {re.escape(label)} +([^ (].*)$", table, re.M)[1], figures[name], units[name], name)
        check_shown([c[1] for c in cells(forms["md"]) if c[0] == label][-1], figures[name], units[name], name)
    standings = document["standings"]["figures"]
    for f in standings:
        assert f["unit"] == units[f["name"]]
        rows = cells(forms["md"])
        at = next(i for i, c in enumerate(rows) if c[:2] == ["target", f["title"]])
        check_shown(next(c for c in rows[at:] if c[0] == "b")[1], figures[f["name"]], f["unit"], f["name"])
        check_shown(re.search(rf"^  target +{re.escape(f['title'])} .*\n  b +(.*)$", forms["txt"], re.M)[1], figures[f["name"]], f["unit"], f["name"])
    page = rendered(saved.parent / "plain.html")
    if page:
        rows = rows_of(page)
        for f in standings:
            at = next(i for i, c in enumerate(rows) if c[:2] == ["target", f["title"]])
            check_shown(next(c for c in rows[at:] if c[0] == "b")[1], figures[f["name"]], f["unit"], f["name"])
        table = rows[next(i for i, c in enumerate(rows) if c[:1] == ["Figures by decoding"]):]
        for label, name in labels.items():
            check_shown(next(c[1] for c in table if c[0] == label), figures[name], units[name], name)
    assert "Figures by decoding" in forms["html"], "without scripts too"


@pytest.mark.parametrize("value, shown", [(0.9997, "99.97"), (0.0004, "0.04"), (0.0625, "6.2"), (0.1875, "18.8"), (1, "100.0"), (0, "0.0")])
def test_every_format_rounds_a_share_alike(saved, tmp_path, value, shown):
    """A share is shown as 0 or 100 % only if it is. A tie (6.25) goes the same way in the page, which a browser rounds."""
    document = json.loads(saved.read_text())
    document["groups"][0]["by_decoding"]["greedy"]["figures"]["differ"].update(estimate(value))
    document["standings"]["rows"][0]["figures"]["differ"] = document["groups"][0]["by_decoding"]["greedy"]["figures"]["differ"]
    saved.write_text(json.dumps(document))
    (tmp_path / "p.yaml").write_text("rules: [{name: r, metric: differ, max: 100%, confidence: estimate}]\n")
    forms = forms_of(saved, "rounded", "--policy", tmp_path / "p.yaml")
    text = forms["txt"]
    found = [re.search(r"^  answers that differ +([\d.]+) %", text[text.index("Figures by decoding"):], re.M)[1]]
    found += [c[1].split(" %")[0] for c in cells(forms["md"]) if c[0] == "answers that differ"][-1:]
    found += [re.search(r"r: differ(?:, \w+ against \w+)? is ([\d.]+) %", " ".join(text.split()))[1]]
    page = rendered(saved.parent / "rounded.html")
    if page:
        rows = rows_of(page)
        at = next(i for i, c in enumerate(rows) if c[:1] == ["Figures by decoding"])
        found += [next(c[1] for c in rows[at:] if c[0] == "answers that differ").split("\u00a0%")[0].split(" %")[0]]
        found += [re.search(r"r: differ(?:, \w+ against \w+)? is ([\d.]+)\s%", text_of(page))[1]]
        found += [re.search(r"Answers that differ\s*([\d.]+)\s%", text_of(page))[1]]
    assert set(found) == {shown}, found


def test_comparisons_show_figures_in_the_same_units(saved, tmp_path):
    later = json.loads(saved.read_text())
    figures = later["groups"][0]["by_decoding"]["greedy"]["figures"]
    figures["score_shift"].update(estimate(-25.0))
    (tmp_path / "later.json").write_text(json.dumps(later))
    done = plumbline("diff-report", saved, tmp_path / "later.json", "--json", "--out", tmp_path / "change.md")
    change = json.loads(done.stdout)
    assert schema.problems(change, CHANGE_SCHEMA) == []
    text = plumbline("diff-report", saved, tmp_path / "later.json", "--full").stdout.decode()
    before = json.loads(saved.read_text())["groups"][0]["by_decoding"]["greedy"]["figures"]
    compared = [f for f in change["groups"][0]["by_decoding"]["greedy"] if not f["excess"]]
    assert len(compared) > 20
    comment = cells((tmp_path / "change.md").read_text())
    for f in compared:
        name = f["metric"]
        assert f["unit"] == later["units"][name]
        if name in before:
            assert f["before"]["value"] == before[name]["value"] and f["after"]["value"] == figures[name]["value"]
    for label, name in (("score of right answers, change", "score_shift"), ("answers that differ", "differ"), ("first differences per 1,000 tokens", "hazard")):
        row = next(c for c in comment if c[0] == label)
        line = re.search(rf"^  {re.escape(label)} +(.*)$", text, re.M)[1]
        for shown in (row[1], line):
            check_shown(shown, before[name], later["units"][name], name)
        check_shown(row[2], figures[name], later["units"][name], name)
    assert next(c for c in comment if c[0].startswith("score of right"))[3].startswith("-20.0 [")


@pytest.mark.parametrize("limit", ["-20", "-20%"])
@pytest.mark.parametrize("shift, code", [(-5.0, 0), (-40.0, 1)])
def test_a_limit_on_the_score_is_in_points(saved, tmp_path, limit, shift, code):
    document = json.loads(saved.read_text())
    for group in document["groups"]:
        group["by_decoding"]["greedy"]["figures"]["score_shift"].update(estimate(shift))
    saved.write_text(json.dumps(document))
    policy = tmp_path / "score.yaml"
    policy.write_text(f"rules: [{{name: score falls by at most 20 points, metric: score_shift, min: {limit}}}]\n")
    done = plumbline("report", saved, "--full", "--policy", policy, check=code)
    assert f"score_shift, b against a is {shift:.1f} points [" in " ".join(done.stdout.decode().split())
    assert "at least -20.0 points" in " ".join(done.stdout.decode().split())
