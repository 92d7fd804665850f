"""The official SDKs give equal objects with and without the proxy."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

from harness import PATIENCE, exported

HERE = pathlib.Path(__file__).parent / "sdk"
SDKS = pathlib.Path(os.environ.get("PLUMBLINE_SDKS", "build/sdks")).absolute()
CALLS = {
    "python": [SDKS / "python/bin/python", HERE / "objects.py"],
    "node": [shutil.which("node") or "node", SDKS / "node/objects.mjs"],
}


def available(language):
    if language == "node":
        if not (SDKS / "node/node_modules/openai").is_dir():
            return False
        shutil.copy(HERE / "objects.mjs", SDKS / "node/objects.mjs")     # imports are relative to the file
        return True
    return CALLS[language][0].exists() and subprocess.run([CALLS[language][0], "-c", "import openai"], capture_output=True).returncode == 0


def objects(language, base):
    done = subprocess.run([*CALLS[language], base], capture_output=True, timeout=PATIENCE * 6)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("language", CALLS)
@pytest.mark.parametrize("unasked", ["null", "absent"])
def test_sdk_objects_are_equal_with_and_without_the_proxy(start, language, unasked):
    if not available(language):
        pytest.skip(f"the {language} SDK is not installed")
    engine = start.engine("--seed", "7", "--logprobs-unasked", unasked)
    reference = start.engine("--seed", "7")
    proxy = start.proxy(engine.url + "/v1", reference=reference.url + "/v1/")     # as the SDK's own base_url
    straight, through = objects(language, engine.url), objects(language, proxy.url)
    assert straight.keys() == through.keys()
    for name in straight:
        assert through[name] == straight[name], name
    proxy.settled()
    rows = exported(proxy.capture)
    injected = [leg for row in rows for leg in row["legs"] if leg["backend"] == "primary" and any(c.get("columns") for c in leg["reading"]["choices"])]
    assert len(injected) > 20, "injection was not on"
