#include "answers/finish.h"

#include <criterion/criterion.h>

#include "base/check.h"

struct example {
	const char *engine;
	const char *reason;
	enum finish finish;
};

static void check(const struct example *example, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		cr_expect_eq(finish_of(example[i].reason), example[i].finish, "%s says %s",
		        example[i].engine, example[i].reason);
	}
}

Test(finish, engines_have_many_words_for_the_same_end)
{
	static const struct example example[] = {
	        {"OpenAI", "stop", FINISH_STOP},
	        {"OpenAI", "length", FINISH_LENGTH},
	        {"OpenAI", "tool_calls", FINISH_CALLS},
	        {"OpenAI", "function_call", FINISH_CALLS},
	        {"OpenAI", "content_filter", FINISH_FILTER},
	        {"Responses", "max_output_tokens", FINISH_LENGTH},
	        {"MiniMax", "max_output", FINISH_LENGTH},
	        {"vLLM", "repetition", FINISH_LENGTH},
	        {"llama.cpp", "eos", FINISH_STOP},
	        {"llama.cpp", "word", FINISH_SEQUENCE},
	        {"llama.cpp", "limit", FINISH_LENGTH},
	        {"Ollama", "load", FINISH_STOP},
	        {"Ollama", "unload", FINISH_STOP},
	        {"TGI", "eos_token", FINISH_STOP},
	        {"TensorRT-LLM", "stop_words", FINISH_SEQUENCE},
	        {"TensorRT-LLM", "END_ID", FINISH_STOP},
	        {"TGI", "stop_sequence", FINISH_SEQUENCE},
	        {"Mistral", "model_length", FINISH_LENGTH},
	        {"Anthropic", "end_turn", FINISH_STOP},
	        {"Anthropic", "max_tokens", FINISH_LENGTH},
	        {"Anthropic", "tool_use", FINISH_CALLS},
	        {"Anthropic", "refusal", FINISH_FILTER},
	        {"Gemini", "STOP", FINISH_STOP},
	        {"Gemini", "MAX_TOKENS", FINISH_LENGTH},
	        {"Gemini", "SAFETY", FINISH_FILTER},
	        {"Gemini", "RECITATION", FINISH_FILTER},
	        {"Bedrock", "guardrail_intervened", FINISH_FILTER},
	        {"LM Studio", "maxPredictedTokensReached", FINISH_LENGTH},
	        {"LM Studio", "eosFound", FINISH_STOP},
	        {"a gateway", "content-filter", FINISH_FILTER},
	        {"a gateway", "tool-calls", FINISH_CALLS},
	};
	check(example, ARRAY_LEN(example));
}

Test(finish, what_gave_up_did_not_finish)
{
	static const struct example example[] = {
	        {"vLLM", "abort", FINISH_ABORTED},
	        {"vLLM", "error", FINISH_ABORTED},
	        {"TensorRT-LLM", "timed_out", FINISH_ABORTED},
	        {"a gateway", "kvTransferError", FINISH_ABORTED},
	        {"a gateway", "stopped-by-server-shutdown", FINISH_ABORTED},
	        {"LMDeploy", "parse_error", FINISH_ABORTED},
	        {"TensorRT-LLM", "timeout", FINISH_ABORTED},
	        {"TensorRT-LLM", "cancelled", FINISH_ABORTED},
	        {"Responses", "failed", FINISH_ABORTED},
	        {"DeepSeek", "insufficient_system_resource", FINISH_ABORTED},
	        {"GLM", "network_error", FINISH_ABORTED},
	        {"Gemini", "MALFORMED_FUNCTION_CALL", FINISH_ABORTED},
	        {"Gemini", "OTHER", FINISH_ABORTED},
	        {"LM Studio", "userStopped", FINISH_ABORTED},
	};
	check(example, ARRAY_LEN(example));
	/* but only the table has words that cannot name anybody */
	cr_expect_eq(finish_of_word(SPAN("error")), FINISH_ABORTED);
	cr_expect_eq(finish_of_word(SPAN("error_of_alice")), FINISH_UNKNOWN);
}

Test(finish, no_reason_is_told_from_one_that_is_not_known)
{
	static const struct example example[] = {
	        {"a stream", NULL, FINISH_NONE},
	        {"TGI", "", FINISH_NONE},
	        {"DashScope", "null", FINISH_NONE},
	        {"TGIS", "NOT_FINISHED", FINISH_NONE},
	        {"somebody", "tired", FINISH_UNKNOWN},
	        {"somebody", "terminated", FINISH_UNKNOWN},
	        {"somebody", "skill_done", FINISH_UNKNOWN},
	        {"somebody", "stop!", FINISH_UNKNOWN},
	        {"somebody", "stopp", FINISH_UNKNOWN},
	        {"somebody", "sto", FINISH_UNKNOWN},
	        {"somebody", "_", FINISH_UNKNOWN},
	        {"somebody", " stop", FINISH_UNKNOWN},
	};
	check(example, ARRAY_LEN(example));
}

Test(finish, reasons_that_mean_the_same_are_the_same_in_every_engine)
{
	cr_expect(finish_same("stop", "STOP"));
	cr_expect(finish_same("stop", "eos_token"));
	cr_expect(finish_same("stop", "stop_sequence"));
	cr_expect(finish_same("length", "max_tokens"));
	cr_expect_not(finish_same("stop", "length"));
	cr_expect(finish_same("tired", "tired"));
	cr_expect_not(finish_same("tired", "weary"));
	cr_expect_not(finish_same("stop", "tired"));
}
