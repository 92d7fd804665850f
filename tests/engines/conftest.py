"""Runs the tests of real engines with each model of the lab."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from models import MODELS, weights_of  # noqa: E402


@pytest.fixture(scope="module", params=MODELS)
def weights(request):
    return weights_of(request.param)
