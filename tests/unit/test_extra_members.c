#include "capture/formats/extra_members.h"

#include <string.h>

#include <criterion/criterion.h>

Test(extra_members, what_a_line_names_and_cannot_be_sent_is_told_by_its_name)
{
	static const char *const named[][2] = {
	        {"{\"prompt\":\"p\",\"image_files\":[\"a.png\"]}", "its image_files can't be sent"},
	        {"{\"image\":\"a.png\"}", "its image can't be sent"},
	        {"{\"images\":[\"a\"]}", "its images can't be sent"},
	        {"{\"imagePaths\":[\"a\"]}", "its imagePaths can't be sent"},
	        {"{\"input_audio\":{\"data\":\"x\"}}", "its input_audio can't be sent"},
	        {"{\"audios\":[\"a.wav\"]}", "its audios can't be sent"},
	        {"{\"video_url\":\"http://h/v\"}", "its video_url can't be sent"},
	        {"{\"multi_modal_data\":{\"image\":1}}", "its multi_modal_data can't be sent"},
	        {"{\"files\":[\"a.txt\"]}", "its files can't be sent"},
	        {"{\"attachments\":[{}]}", "its attachments can't be sent"},
	        {"{\"visual\":[\"a\"]}", "its visual can't be sent"},
	        {"{\"image\\n\":\"a\"}", "its image?n can't be sent"},
	};
	for (size_t i = 0; i < ARRAY_LEN(named); i++) {
		const char *why = extra_members_unsendable(span_of(named[i][0]));
		cr_assert(why, "%s", named[i][0]);
		cr_expect_str_eq(why, named[i][1]);
	}
}

Test(extra_members, what_says_something_of_a_line_is_no_part_of_its_request)
{
	static const char *const lines[] = {"{\"prompt\":\"p\",\"answer\":\"a\",\"source\":\"s\"}",
	        "{\"image\":null}", "{\"images\":[]}", "{\"image\":\"\"}", "{\"image\":{ }}",
	        "{\"num_images\":2}", "{\"has_audio\":true}", "{\"file_name\":\"a.jsonl\"}",
	        "{\"imagination\":\"x\",\"pictured\":\"y\",\"profile\":\"z\"}",
	        "{\"modalities\":[\"text\",\"audio\"],\"audio\":{\"voice\":\"alloy\"}}",
	        "{\"messages\":[{\"content\":[{\"image_url\":{\"url\":\"data:\"}}]}]}",
	        "[\"image\"]", "", "{"};
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		cr_expect_null(extra_members_unsendable(span_of(lines[i])), "%s", lines[i]);
	}
}

Test(extra_members, a_system_message_and_tools_are_taken_in_each_of_their_forms)
{
#define TOOL "{\"type\":\"function\",\"function\":{\"name\":\"f\"}}"
	static const struct {
		const char *line, *system, *tools, *why;
	} rows[] = {
	        {"{\"system\":\"s\\n\",\"tools\":[" TOOL "]}", "\"s\\n\"", "[" TOOL "]", NULL},
	        {"{\"system_prompt\":\"s\",\"tools\":\"[{\\\"name\\\":\\\"f\\\"}]\"}", "\"s\"",
	                "[" TOOL "]", NULL},
	        {"{\"functions\":[{\"name\":\"f\"}," TOOL "]}", "", "[" TOOL "," TOOL "]", NULL},
	        {"{\"system\":\"\",\"tools\":\"\"}", "", "", NULL},
	        {"{\"system\":null,\"tools\":[]}", "", "", NULL},
	        {"{\"system\":5}", NULL, NULL, "its system message is not a text"},
	        {"{\"tools\":{\"name\":\"f\"}}", NULL, NULL,
	                "its tools are not a list of functions"},
	        {"{\"tools\":[1]}", NULL, NULL, "its tools are not a list of functions"},
	        {"{\"tools\":\"[{\"}", NULL, NULL, "its tools are not a list of functions"},
	        {"{\"image\":\"a\",\"system\":\"s\"}", NULL, NULL, "its image can't be sent"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct extra_members b;
		const char *why = extra_members_read(span_of(rows[i].line), &b);
		if (rows[i].why) {
			cr_assert(why, "%s", rows[i].line);
			cr_expect_str_eq(why, rows[i].why);
		} else {
			cr_expect_null(why, "%s", rows[i].line);
			cr_expect(span_is(b.system, rows[i].system), "%s", rows[i].line);
			cr_expect_str_eq(buf_cstr(&b.tools), rows[i].tools);
		}
		extra_members_finish(&b);
	}
}

Test(extra_members, a_system_message_where_no_request_has_one_is_told)
{
	cr_expect_str_eq(extra_members_alone(SPAN("{\"prompt\":\"p\",\"system\":\"s\"}")),
	        "its system can't be sent");
	cr_expect_null(extra_members_alone(SPAN("{\"prompt\":\"p\",\"system\":\"\",\"tools\":5}")));
	cr_expect_str_eq(extra_members_alone(SPAN("{\"image\":\"a\"}")), "its image can't be sent");
}
