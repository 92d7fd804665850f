"""For the tests of real engines: each of the lab's models in turn."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from models import MODELS, weights_of  # noqa: E402


@pytest.fixture(scope="module", params=MODELS)
def weights(request):
    return weights_of(request.param)
