#include "backends/templates.h"

#include <criterion/criterion.h>
#include <string.h>

#define CHAT                                                                                       \
	"{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},"          \
	"{\"role\":\"user\",\"content\":\"Hi \"},{\"role\":\"assistant\",\"content\":\"Hello\"},"  \
	"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Bye\\u00e4\"}]}]}"

static void assert_prompt(const char *name, const char *body, const char *expected)
{
	struct buf to = {0};
	cr_assert(template_write(template_find(name), span_of(body), &to), "%s", name);
	cr_assert_str_eq(buf_cstr(&to), expected);
	buf_finish(&to);
}

Test(templates, write_out_the_turns_of_each_family)
{
	assert_prompt("chatml", CHAT,
	        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi <|im_end|>\n"
	        "<|im_start|>assistant\nHello<|im_end|>\n<|im_start|>user\nByeä<|im_end|>\n"
	        "<|im_start|>assistant\n");
	assert_prompt("llama3", CHAT,
	        "<|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
	        "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
	        "<|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>"
	        "<|start_header_id|>user<|end_header_id|>\n\nByeä<|eot_id|>"
	        "<|start_header_id|>assistant<|end_header_id|>\n\n");
	assert_prompt("gemma", CHAT,
	        "<start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\nHello"
	        "<end_of_turn>\n<start_of_turn>user\nByeä<end_of_turn>\n<start_of_turn>model\n");
	assert_prompt("llama2", CHAT,
	        "[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nHi [/INST] Hello </s><s>[INST] Byeä "
	        "[/INST]");
	assert_prompt("plain", CHAT,
	        "System: Be brief.\n\nUser: Hi \n\nAssistant: Hello\n\nUser: Byeä\n\nAssistant:");
}

Test(templates, leave_an_answer_open_that_is_to_be_continued)
{
	assert_prompt("chatml",
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\","
	        "\"content\":\"b\"}]}",
	        "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb");
}

Test(templates, refuse_what_no_turn_can_hold)
{
	static const char *const bodies[] = {
	        "{}",
	        "[]",
	        "{\"messages\":[]}",
	        "{\"messages\":{}}",
	        "{\"messages\":[1]}",
	        "{\"messages\":[{\"role\":\"user\"}]}",
	        "{\"messages\":[{\"role\":\"tool\",\"content\":\"x\"}]}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"tools\":[{}]}",
	        "{\"messages\":[{\"role\":\"assistant\",\"content\":\"x\",\"tool_calls\":[{}]}]}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\"}]}]}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":null}]}",
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}",
	};
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		for (const char *const *name = template_names(); *name; name++) {
			struct buf to = {0};
			cr_assert_not(template_write(template_find(*name), span_of(bodies[i]), &to),
			        "%s", bodies[i]);
			buf_finish(&to);
		}
	}
	cr_assert_null(template_find("nonsense"));
}

Test(templates, a_chat_becomes_a_completion)
{
	const char *body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"}], "
	                   "\"max_completion_tokens\":7,\"logprobs\":true,\"top_logprobs\":3,"
	                   "\"temperature\":0.50,\"tool_choice\":null}";
	struct request_facts facts;
	request_read(ENDPOINT_CHAT, span_of(body), &facts);
	struct buf to = {0};
	cr_assert(template_recast(template_find("chatml"), &facts, span_of(body), &to));
	cr_assert_str_eq(buf_cstr(&to),
	        "{\"model\":\"m\",\"logprobs\":3,\"temperature\":0.50,\"prompt\":"
	        "\"<|im_start|>user\\na<|im_end|>\\n<|im_start|>assistant\\n\",\"max_tokens\":7}");
	buf_finish(&to);
}
