#include "backends/injection/parameter.h"

#include <criterion/criterion.h>
#include <math.h>

static struct sampling effective(const char *name, enum endpoint endpoint, const char *body)
{
	struct request_facts facts;
	request_read(endpoint, span_of(body), &facts);
	const struct dialect *d = dialect_find(name);
#define EFFECTIVE(p) parameter_effective(p, d, NULL, endpoint, &facts)
	return (struct sampling){
	        .temperature = EFFECTIVE(PARAMETER_TEMPERATURE),
	        .top_k = EFFECTIVE(PARAMETER_TOP_K),
	        .repetition_penalty = EFFECTIVE(PARAMETER_REPETITION),
	        .presence_penalty = EFFECTIVE(PARAMETER_PRESENCE),
	};
#undef EFFECTIVE
}

Test(parameter, effective_sampling_is_the_request_or_the_engines_default)
{
	struct sampling s = effective("llama-cpp-python", ENDPOINT_CHAT, "{\"temperature\":0}");
	cr_expect(s.temperature == 0 && s.repetition_penalty == 1.1 && s.top_k == 40);
	s = effective("llama-cpp-python", ENDPOINT_CHAT, "{\"repeat_penalty\":1.0}");
	cr_expect(s.temperature == 0.8 && s.repetition_penalty == 1);
	s = effective("mlx-lm", ENDPOINT_CHAT, "{\"repetition_penalty\":0.0}");
	cr_expect(s.temperature == 0 && s.repetition_penalty == 1);
	s = effective("sglang", ENDPOINT_COMPLETION, "{\"top_k\":-1}");
	cr_expect(s.temperature == 1 && s.top_k == 0);
	s = effective("vllm", ENDPOINT_CHAT, "{}");
	cr_expect(isnan(s.temperature) && s.repetition_penalty == 1);
	s = effective("ollama", ENDPOINT_CHAT, "{}");
	cr_expect_eq(s.temperature, 1);
	s = effective("ollama", ENDPOINT_NATIVE_CHAT, "{}");
	cr_expect_eq(s.temperature, 0.8);
	s = effective("generic", ENDPOINT_CHAT, "{\"top_k\":3}");
	cr_expect(isnan(s.temperature) && isnan(s.repetition_penalty) && s.top_k == 3);
}

Test(parameter, a_penalty_is_in_force_under_the_name_that_the_engine_knows)
{
	static const char both[] = "{\"repetition_penalty\":1.3,\"repeat_penalty\":1.1}";
	struct sampling s = effective("llama.cpp", ENDPOINT_CHAT, "{\"repetition_penalty\":1.3}");
	cr_expect_eq(s.repetition_penalty, 1);
	s = effective("llama.cpp", ENDPOINT_CHAT, both);
	cr_expect_eq(s.repetition_penalty, 1.1);
	s = effective("vllm", ENDPOINT_CHAT, both);
	cr_expect_eq(s.repetition_penalty, 1.3);
	s = effective("vllm", ENDPOINT_CHAT, "{\"repeat_penalty\":1.1}");
	cr_expect_eq(s.repetition_penalty, 1);
	s = effective("generic", ENDPOINT_CHAT, "{\"repeat_penalty\":1.1}");
	cr_expect_eq(s.repetition_penalty, 1.1);
}

Test(parameter, what_an_engine_can_not_be_told_stays_at_its_default)
{
	struct sampling s = effective("ollama", ENDPOINT_CHAT, "{\"top_k\":3,\"temperature\":0}");
	cr_expect(s.top_k == 40 && s.temperature == 0);
	s = effective("lmdeploy", ENDPOINT_CHAT, "{\"presence_penalty\":1}");
	cr_expect(s.presence_penalty == 0);
}
