/*
 * The reporting checklist: what a publication should report about the stack behind its figures, in
 * the usual order of such a report.
 */
#include "capture/manifest.h"

#include "base/check.h"

#define ENGINE "Engine"
#define MODEL "Model"
#define DECODING "Decoding"
#define SERVING "Serving"
#define HARDWARE "Hardware"
#define EVALUATION "Evaluation"

#define ASK_CARD "the model's card or config.json"
#define ASK_FLAGS "the engine's command line or start log"

static const struct manifest_name names[] = {
        {"engine", "Engine", ENGINE, "ask who started it; plumbline probe states its certainty",
                true},
        {"engine.version", "Engine version", ENGINE,
                "the package or image: pip show, --version, the container's tag", true},
        {"engine.build", "Build or commit", ENGINE, "--version, the image's digest", false},
        {"engine.runtime", "Runtime inside the engine", ENGINE,
                "the engine's start log (llama.cpp build, MLX, TensorRT, torch)", false},
        {"engine.server", "HTTP server", ENGINE, "the Server header of an answer", false},
        {"engine.flags", "Flags that differ from the defaults", ENGINE, ASK_FLAGS, true},

        {"model", "Model", MODEL, "the name that the engine serves: GET /v1/models", true},
        {"model.source", "Where the weights came from", MODEL,
                "the hub id or URL that was downloaded", true},
        {"model.file", "File or path", MODEL, ASK_FLAGS, false},
        {"model.revision", "Revision or digest of the weights", MODEL,
                "git revision of the hub repository, or sha256sum of the file", true},
        {"model.format", "Format", MODEL, "gguf, safetensors, an engine's own", false},
        {"model.family", "Architecture", MODEL, ASK_CARD, false},
        {"model.parameters", "Parameters", MODEL, ASK_CARD, false},
        {"model.precision", "Precision of weights and computing", MODEL,
                "--dtype, torch_dtype in config.json, or the start log", true},
        {"model.quantization", "Quantisation", MODEL,
                "the file's name (Q4_K_M), quantization_config in config.json; none is an answer",
                true},
        {"model.adapters", "Adapters (LoRA)", MODEL, ASK_FLAGS, false},
        {"model.context", "Context length in force", MODEL, "--max-model-len, --ctx-size, num_ctx",
                true},
        {"model.context_trained", "Context length of the training", MODEL, ASK_CARD, false},
        {"model.template", "Chat template (hash)", MODEL,
                "BLAKE2b of tokenizer_config.json's chat_template or of the file given", true},
        {"model.tokenizer", "Tokenizer", MODEL, "tokenizer_config.json; --tokenizer", false},
        {"model.tokenizer_hash", "Tokenizer (hash)", MODEL, "b2sum of tokenizer.json", false},
        {"model.vocabulary", "Size of the vocabulary", MODEL, ASK_CARD, false},
        {"model.bos", "Beginning-of-sequence token", MODEL,
                "plumbline probe, with --deep, counts the tokens of known prompts", true},
        {"model.eos", "End-of-sequence token", MODEL, "tokenizer_config.json", false},

        {"sampling.temperature", "Temperature when unset", DECODING,
                "generation_config.json, or the engine's documentation", true},
        {"sampling.top_p", "top_p when unset", DECODING, "as for temperature", true},
        {"sampling.top_k", "top_k when unset", DECODING, "as for temperature", true},
        {"sampling.min_p", "min_p when unset", DECODING, "as for temperature", true},
        {"sampling.repetition_penalty", "Repetition penalty when unset", DECODING,
                "as for temperature; plumbline probe, with --deep, finds a hidden one", true},
        {"sampling.presence_penalty", "Presence penalty when unset", DECODING, "as for temperature",
                false},
        {"sampling.frequency_penalty", "Frequency penalty when unset", DECODING,
                "as for temperature", false},
        {"sampling.max_tokens", "Longest answer when unset", DECODING, "the engine's documentation",
                false},
        {"sampling.source", "Where the defaults come from", DECODING,
                "--generation-config, --sampling-defaults", false},
        {"decoding.logprobs", "What logprobs are of", DECODING,
                "--logprobs-mode; raw, after_temperature or processed", false},
        {"decoding.speculative", "Speculative decoding", DECODING, ASK_FLAGS, true},
        {"decoding.reasoning_parser", "Reasoning parser", DECODING, ASK_FLAGS, false},
        {"decoding.tool_parser", "Tool call parser", DECODING, ASK_FLAGS, false},
        {"decoding.structured", "Structured output backend", DECODING, ASK_FLAGS, false},

        {"serving.max_sequences", "Sequences in one batch, at most", SERVING,
                "--max-num-seqs, --parallel, --max-running-requests", true},
        {"serving.max_batched_tokens", "Tokens in one batch, at most", SERVING, ASK_FLAGS, false},
        {"serving.prefix_cache", "Prefix cache", SERVING, ASK_FLAGS, true},
        {"serving.cache_type", "Type of the KV cache", SERVING,
                "--kv-cache-dtype, --cache-type-k and -v", true},
        {"serving.cache_block", "Block size of the KV cache", SERVING, ASK_FLAGS, false},
        {"serving.cache_blocks", "Blocks of the KV cache", SERVING, "the start log", false},
        {"serving.graphs", "CUDA graphs or compiled kernels", SERVING,
                "--enforce-eager, --disable-cuda-graph", false},
        {"serving.attention", "Attention kernels", SERVING, "the start log", false},
        {"serving.tensor_parallel", "Tensor parallel", SERVING, ASK_FLAGS, true},
        {"serving.pipeline_parallel", "Pipeline parallel", SERVING, ASK_FLAGS, false},
        {"serving.data_parallel", "Data parallel", SERVING, ASK_FLAGS, false},
        {"serving.gpu_layers", "Layers on the accelerator", SERVING, "--n-gpu-layers", false},
        {"serving.replicas", "Servers behind the address", SERVING,
                "the load balancer's configuration; replica_header tells them apart", false},

        {"hardware.accelerator", "Accelerator", HARDWARE,
                "nvidia-smi -L, rocm-smi; none is an answer", true},
        {"hardware.count", "Number of accelerators", HARDWARE, "nvidia-smi -L", true},
        {"hardware.driver", "Driver", HARDWARE, "nvidia-smi", true},
        {"hardware.toolkit", "CUDA, ROCm or Metal version", HARDWARE, "nvidia-smi, nvcc --version",
                false},
        {"hardware.cpu", "Processor", HARDWARE, "lscpu", true},
        {"hardware.memory", "Memory", HARDWARE, "free -h", false},
        {"hardware.os", "Operating system", HARDWARE, "uname -a, /etc/os-release", false},
        {"hardware.container", "Container image", HARDWARE, "docker inspect, with the digest",
                false},

        {"evaluation.reference", "Reference backend", EVALUATION,
                "a reference in the proxy's configuration", true},
        {"evaluation.repeats", "Runs or seeds behind each figure", EVALUATION,
                "how often it was repeated; one run is not enough for a claim", true},
        {"evaluation.harness", "Harness and version", EVALUATION,
                "the program that made the prompts and judged the answers", true},
        {"evaluation.prompts", "Prompts (data set, version, examples)", EVALUATION,
                "the harness's task files", true},
};

const struct manifest_name *manifest_names(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(names);
	return names;
}
