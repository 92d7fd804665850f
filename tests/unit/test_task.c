#include "analyzer/compare/meaning/task.h"

#include <criterion/criterion.h>

Test(task, the_question_is_the_users_last_message)
{
	static const struct {
		enum endpoint endpoint;
		const char *body;
		enum question q;
	} rows[] = {
	        {ENDPOINT_CHAT,
	                "{\"messages\":[{\"role\":\"user\",\"content\":\"How many are there?\"}]}",
	                QUESTION_NUMBER},
	        {ENDPOINT_CHAT,
	                "{\"messages\":[{\"role\":\"system\",\"content\":\"How many?\"},"
	                "{\"role\":\"user\",\"content\":\"Tell me of the sea.\"}]}",
	                QUESTION_OPEN},
	        {ENDPOINT_CHAT,
	                "{\"messages\":[{\"content\":\"How many?\",\"role\":\"user\"},{\"role\":"
	                "\"assistant\",\"content\":\"3\"},{\"role\":\"tool\",\"content\":\"x\"}]}",
	                QUESTION_NUMBER},
	        {ENDPOINT_CHAT,
	                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\","
	                "\"image_url\":{\"url\":\"data:\"}},{\"type\":\"text\",\"text\":\"Which?\"}"
	                ","
	                "{\"type\":\"text\",\"text\":\"A) x\\nB) y\\nC) z\"}]}]}",
	                QUESTION_CHOICE},
	        {ENDPOINT_COMPLETION, "{\"prompt\":\"Calculate 3 + 4.\"}", QUESTION_NUMBER},
	        {ENDPOINT_RESPONSES, "{\"input\":\"True or false?\"}", QUESTION_YES_NO},
	        {ENDPOINT_RESPONSES,
	                "{\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\","
	                "\"text\":\"Write a function.\"}]}]}",
	                QUESTION_CODE},
	        {ENDPOINT_NATIVE_GENERATE, "{\"prompt\":\"How many?\"}", QUESTION_NUMBER},
	        {ENDPOINT_NATIVE_CHAT,
	                "{\"messages\":[{\"role\":\"user\",\"content\":\"How much?\"}]}",
	                QUESTION_NUMBER},
	        {ENDPOINT_CHAT, "{\"messages\":[{\"role\":\"user\",\"content\":\"How many",
	                QUESTION_OPEN},
	        {ENDPOINT_CHAT, "", QUESTION_OPEN},
	        {ENDPOINT_CHAT, "[1]", QUESTION_OPEN},
	        {ENDPOINT_CHAT, "{\"messages\":[1,{\"role\":1,\"content\":{\"a\":[]}}]}",
	                QUESTION_OPEN},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct task t = {0};
		task_read(&t, rows[i].endpoint, span_of(rows[i].body));
		cr_expect_eq(
		        t.question, rows[i].q, "%s: %s", rows[i].body, question_name(t.question));
		task_finish(&t);
	}
}

Test(task, the_tools_are_kept)
{
	struct task t = {0};
	task_read(&t, ENDPOINT_CHAT,
	        SPAN("{\"tools\":[{\"function\":{\"name\":\"f\",\"parameters\":{\"type\":"
	             "\"object\"}}}],"
	             "\"messages\":[]}"));
	cr_expect_eq(tools_check(&t.tools, SPAN("f"), SPAN("{}")), SCHEMA_CONFORMS);
	cr_expect_eq(tools_check(&t.tools, SPAN("f"), SPAN("[]")), SCHEMA_BROKEN);
	task_finish(&t);
	task_finish(&t);
}
