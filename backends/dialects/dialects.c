#include "backends/dialects/dialects.h"

#include <string.h>

#include "base/check.h"

/* In the order in which documents list them; generic last. */
static const struct dialect *const all[] = {
        &dialect_vllm,
        &dialect_sglang,
        &dialect_llama_cpp,
        &dialect_llama_cpp_python,
        &dialect_ollama,
        &dialect_transformers,
        &dialect_mlx_lm,
        &dialect_vllm_mlx,
        &dialect_lmdeploy,
        &dialect_tgi,
        &dialect_tensorrt_llm,
        &dialect_lm_studio,
        &dialect_openai,
        &dialect_litellm,
        &dialect_openrouter,
        &dialect_scorer,
        &dialect_plumbline,
        &dialect_generic,
};

const char *logprobs_basis_name(enum logprobs_basis b)
{
	static const char *const NAMES[] = {
	        "unknown", "raw", "after_temperature", "processed", "raw_by_default"};
	expect(b < N_LOGPROBS_BASES);
	return NAMES[b];
}

const struct dialect *const *dialects(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(all);
	return all;
}

const struct dialect *dialect_find(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(all); i++) {
		if (strcmp(all[i]->name, name) == 0) {
			return all[i];
		}
	}
	return NULL;
}
