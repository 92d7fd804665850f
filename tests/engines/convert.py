"""Converts a GGUF file to a Hugging Face directory: PYTHON convert.py GGUF DIR ARCHITECTURE [TEMPLATE]

PYTHON is that of vLLM's environment. TEMPLATE is a file with a chat template, which replaces that of the GGUF file.
The weights become float32, so engines that cannot read GGUF serve the same numbers.
"""
import pathlib
import shutil
import sys

import torch
import transformers


def convert(gguf, directory, architecture, template):
    where, name = str(gguf.parent), gguf.name
    model = transformers.AutoModelForCausalLM.from_pretrained(where, gguf_file=name, dtype=torch.float32)
    # The weights are no longer quantised: with this member a loader would look for scales.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.hf_quantizer = None
    model.is_quantized = False
    model.config.architectures = [architecture]
    model.save_pretrained(directory)
    tokenizer = transformers.AutoTokenizer.from_pretrained(where, gguf_file=name)
    if template:
        tokenizer.chat_template = template.read_text()
    tokenizer.save_pretrained(directory)


if __name__ == "__main__":
    source, target = map(pathlib.Path, sys.argv[1:3])
    template = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    convert(source.resolve(), part, sys.argv[3], template)
    part.rename(target)
