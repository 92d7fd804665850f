"""plumbline's comparison rules and infer-check's own functions on pairs of answers with known labels."""
import json
import os
import pathlib
import subprocess

import pytest

from harness import BINARY

TESTS = pathlib.Path(__file__).resolve().parents[1]
PYTHON = pathlib.Path(os.environ.get("PLUMBLINE_SDKS", "/nonexistent")) / "infer-check" / "bin" / "python"
JUDGE = pathlib.Path(BINARY).resolve().parent / "tests" / "meanings" / "meanings"


def beside(*flags):
    if not PYTHON.exists():
        pytest.skip("infer-check is not installed")
    if not JUDGE.exists():
        pytest.skip("tests/meanings/meanings is not built")
    return subprocess.run([PYTHON, TESTS / "meanings" / "beside_infer_check", JUDGE, TESTS / "meanings" / "pairs.txt", *flags],
                          capture_output=True, text=True, check=True, timeout=120).stdout


def test_plumbline_is_never_wrong_on_pairs_that_infer_check_misjudges():
    print(beside())
    said = json.loads(beside("--json"))
    assert said["pairs"] >= 200
    ours, theirs = said["ours"], said["infer-check"]
    # "undecided" is allowed; a wrong "same" or "changed" is not.
    assert "changed match" not in ours and "same changed" not in ours
    assert ours["same match"] > theirs["same match"]
    # Pairs that changed, but that infer-check calls a match by their last digits and their similarity.
    assert theirs["changed match"] > 50 and theirs["same changed"] > 50
