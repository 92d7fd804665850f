"""Policies: exit codes, lines and verdicts of the program."""
import json
import pathlib
import xml.etree.ElementTree as xml

import pytest

import schema
from harness import plumbline
from test_judge import NOISE, SCHEMA, captured

POLICIES = pathlib.Path(__file__).parents[2] / "configs" / "policies"
# The rules decide only a few of these pairs, so there must be many: a policy needs a minimum.
EXCHANGES = 240


@pytest.fixture
def penalised(start):
    return captured(start, [*NOISE, "--repeat-penalty", "1.2"], NOISE, EXCHANGES, ["prod", "trusted"])[0]


def judged(capture, tmp_path, *rules):
    """Return exit code, verdicts and summary."""
    policy = tmp_path / "policy.yaml"
    policy.write_text("rules:\n" + "".join(f"  - {{{rule}}}\n" for rule in rules))
    done = plumbline("analyze", capture, "--json", "--policy", policy)
    said = json.loads(done.stdout)
    assert schema.problems(said, SCHEMA) == []
    text = plumbline("analyze", capture, "--policy", policy, check=done.returncode).stdout.decode()
    return done.returncode, said["policy"], text


def test_the_exit_code_is_the_policy_s(penalised, tmp_path):
    code, policy, text = judged(penalised, tmp_path, "metric: differ, max: 100%", "metric: damaged_rows, max: 0")
    assert code == 0 and policy["result"] == "pass", "answers differ, which the policy allows"
    assert {v["test"] for v in policy["rules"]} == {"prod", None} and len(policy["rules"]) == 3, "both references, one capture"
    assert "passes in all 3" in " ".join(text.split()), "wherever the line is broken"

    code, policy, text = judged(penalised, tmp_path, "name: few, metric: differ, excess: true, max: 10%, base: trusted")
    assert code == 1 and policy["result"] == "fail"
    verdict, = policy["rules"]
    assert verdict["ci95"][0] > 0.1 and verdict["n"] == EXCHANGES and verdict["why"] == "the whole interval is beyond the limit"
    assert "The first: differ over the noise floor, prod against trusted is" in " ".join(text.split())
    assert text.startswith("FAIL: The policy")

    assert judged(penalised, tmp_path, "metric: differ, max: 100%, minimum_n: 1000")[0] == 4
    assert judged(penalised, tmp_path, "metric: differ, max: 100%, split: sampled, undecided: pass")[0] == 0


def test_an_invalid_policy_is_refused_before_reading(tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text("rules:\n  - metric: answer_chnged\n    max: 2%\n")
    done = plumbline("analyze", tmp_path / "nowhere", "--policy", policy, check=2)
    assert done.stderr.decode() == f'plumbline analyze: {policy}:2: rules[1].metric: "answer_chnged" is not a known metric; did you mean answer_changed?\n'
    done = plumbline("analyze", tmp_path / "nowhere", "--policy", tmp_path / "none.yaml", check=2)
    assert b"none.yaml: can't be read" in done.stderr


def test_the_examples_judge_a_capture(penalised):
    codes = {path.stem: plumbline("analyze", penalised, "--policy", path).returncode for path in POLICIES.glob("*.yaml")}
    assert codes["upgrade"] == codes["nightly"] == 1
    assert codes["same-engine"] in (1, 4), "few answers, many positions"


def test_markdown_and_junit_agree(penalised, tmp_path):
    outs = [tmp_path / name for name in ("report.md", "report.xml", "report.json")]
    flags = [flag for out in outs for flag in ("--out", out)]
    plumbline("analyze", penalised, "--policy", POLICIES / "nightly.yaml", *flags, check=1)
    document = json.loads(outs[2].read_text())
    verdicts = document["policy"]["rules"]

    comment = outs[0].read_text()
    assert len(comment) < 65536 and comment.startswith("### ")
    assert comment.count("* **FAIL:** ") == sum(v["counts_as"] == "fail" for v in verdicts) > 0
    assert comment.count("<details>") == comment.count("</details>") > 0
    assert all(g["test"] in comment for g in document["groups"] if not g["is_floor"])

    suites = xml.parse(outs[1]).getroot()
    suite, = suites
    cases = list(suite)
    assert suites.tag == "testsuites" and {c.tag for c in cases} == {"testcase"} and len(cases) == len(verdicts)
    assert len({(c.get("classname"), c.get("name")) for c in cases}) == len(cases), "a history needs different names"
    failed, skipped = (sum(c.find(tag) is not None for c in cases) for tag in ("failure", "skipped"))
    assert failed == sum(v["counts_as"] == "fail" for v in verdicts)
    assert skipped == sum(v["counts_as"] != "fail" and v["result"] == "undecided" for v in verdicts)
    for each in (suites, suite):
        assert [each.get(k) for k in ("tests", "failures", "errors", "skipped")] == [str(len(cases)), str(failed), "0", str(skipped)]


def test_an_unknown_report_format_is_refused_at_once(tmp_path):
    done = plumbline("analyze", tmp_path / "nowhere", "--out", "report.pdf", check=2)
    assert b"the name must end in .json, .html, .md" in done.stderr


@pytest.mark.slow
def test_an_alarm_fails_only_from_the_minimum_effect_on(penalised, tmp_path):
    def held(head):
        policy = tmp_path / "policy.yaml"
        policy.write_text(head + "rules:\n  - {metric: differ, max: 100%}\n")
        out = {form: tmp_path / f"out.{form}" for form in ("json", "md", "xml", "html")}
        done = plumbline("analyze", penalised, "--full", "--policy", policy, *(x for path in out.values() for x in ("--out", path)))
        said = json.loads(out["json"].read_text())
        assert schema.problems(said, SCHEMA) == []
        return done.returncode, said["policy"], done.stdout.decode(), out

    code, policy, text, out = held("on_alarm: fail\nleast_effect: 1%\n")
    assert code == 1 and policy["result"] == "fail" and any(a["counts_as"] == "fail" for a in policy["alarms"])
    assert "* FAIL, alarm: prod against trusted: differ is" in " ".join(text.split())
    assert "* **FAIL, alarm:** prod against trusted" in out["md"].read_text()
    suite = xml.parse(out["xml"]).getroot()
    assert int(suite.get("failures")) == sum(a["counts_as"] == "fail" for a in policy["alarms"])

    code, policy, text, out = held("on_alarm: fail\nleast_effect: {default: 100%, hazard: 1000}\n")
    assert code == 0 and policy["result"] == "pass" and all(a["small"] for a in policy["alarms"])
    assert "but less than the least effect of 100" in " ".join(text.split())
    assert "but less than the least effect of 100" in out["md"].read_text() and "but less than the least effect" in out["xml"].read_text()
    assert xml.parse(out["xml"]).getroot().get("failures") == "0"
