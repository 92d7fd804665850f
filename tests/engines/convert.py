"""Makes the Hugging Face form of a GGUF file: convert.py GGUF DIR TEMPLATE  (runs in vLLM's environment)

The weights are dequantised to float32, so that engines which read only that form serve the very numbers of the GGUF.
"""
import pathlib
import shutil
import sys

import torch
import transformers


def convert(gguf, directory, template):
    where, name = str(gguf.parent), gguf.name
    model = transformers.AutoModelForCausalLM.from_pretrained(where, gguf_file=name, dtype=torch.float32)
    # What is left is not quantised any more; a loader that reads otherwise would look for scales.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.hf_quantizer = None
    model.is_quantized = False
    model.config.architectures = ["Gemma3ForCausalLM"]
    model.save_pretrained(directory)
    tokenizer = transformers.AutoTokenizer.from_pretrained(where, gguf_file=name)
    tokenizer.chat_template = template.read_text()
    tokenizer.save_pretrained(directory)


if __name__ == "__main__":
    source, target, template = map(pathlib.Path, sys.argv[1:])
    part = target.with_name(target.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    convert(source.resolve(), part, template)
    part.rename(target)
