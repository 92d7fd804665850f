#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/compare/meaning/tools.h"

#define K SCHEMA_CONFORMS
#define B SCHEMA_BROKEN

/* Text with ' instead of ". */
static struct span quoted(const char *text, char to[256])
{
	snprintf(to, 256, "%s", text);
	for (char *p = to; (p = strchr(p, '\'')); *p = '"') {
	}
	return span_of(to);
}

Test(schema, says_which_arguments_a_call_may_have_and_of_what_type)
{
	static const struct {
		const char *schema, *arguments;
		enum schema_verdict verdict;
	} rows[] = {
	        {"{}", "{'a':1}", K},
	        {"{'required':['a']}", "{'a':1}", K},
	        {"{'required':['a']}", "{'b':1}", B},
	        {"{'required':['a']}", "3", B},
	        {"{'properties':{'a':{'type':'integer'}}}", "{'a':1,'b':1}", K},
	        {"{'properties':{'a':{'type':'integer'}}}", "{'a':1.0}", K},
	        {"{'properties':{'a':{'type':'integer'}}}", "{'a':1.5}", B},
	        {"{'properties':{'a':{'type':'integer'}}}", "{'a':'1'}", B},
	        {"{'properties':{'a':{'type':'INTEGER'}}}", "{'a':1}", K},
	        {"{'properties':{'a':{'type':'STRING'}}}", "{'a':1}", B},
	        {"{'properties':{'a':{'type':'any'}}}", "{'a':1}", K},
	        {"{'properties':{'a':{'type':'boolean'}}}", "{'a':false}", K},
	        {"{'properties':{'a':{'type':'boolean'}}}", "{'a':0}", B},
	        {"{'properties':{'a':{'type':['string','null']}}}", "{'a':null}", K},
	        {"{'properties':{'a':{'type':['string','null']}}}", "{'a':1}", B},
	        {"{'properties':{'a':{'type':'string','nullable':true}}}", "{'a':null}", K},
	        {"{'properties':{'a':{'type':'string'}}}", "{'a':null}", B},
	        {"{'properties':{'a':{'enum':['a','b']}}}", "{'a':'a'}", K},
	        {"{'properties':{'a':{'enum':['a','b']}}}", "{'a':'A'}", B},
	        {"{'properties':{'a':{'enum':[1,{'x':[2]}]}}}", "{'a':{'x':[2.0]}}", K},
	        {"{'properties':{'a':{}},'additionalProperties':false}", "{'a':1}", K},
	        {"{'properties':{'a':{}},'additionalProperties':false}", "{'b':1}", B},
	        {"{'properties':{'a':{'minimum':3}}}", "{'a':2}", K},
	        {"{'properties':{'a':{'type':'object','required':['b']}}}", "{'a':{}}", K},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct tools t = {0};
		char list[256], tools[300], arguments[256];
		(void)quoted(rows[i].schema, list);
		snprintf(tools, sizeof(tools), "[{\"name\":\"f\",\"parameters\":%s}]", list);
		tools_read(&t, span_of(tools));
		cr_expect_eq(tools_check(&t, SPAN("f"), quoted(rows[i].arguments, arguments)),
		        rows[i].verdict, "%s of %s", rows[i].schema, rows[i].arguments);
		tools_finish(&t);
	}
}

Test(schema, tools_of_every_dialect_are_known_by_name)
{
	static const char *const requests[] = {
	        "[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"required\":"
	        "[\"x\"]}}}]",
	        "[{\"type\":\"function\",\"name\":\"f\",\"parameters\":{\"required\":[\"x\"]}}]",
	        "[{\"name\":\"f\",\"input_schema\":{\"required\":[\"x\"]}}]"};
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		struct tools t = {0};
		cr_expect_eq(tools_check(&t, SPAN("f"), SPAN("{}")), SCHEMA_UNKNOWN);
		tools_read(&t, span_of(requests[i]));
		cr_expect_eq(tools_check(&t, SPAN("f"), SPAN("{\"x\":1}")), SCHEMA_CONFORMS);
		cr_expect_eq(tools_check(&t, SPAN("f"), SPAN("{}")), SCHEMA_BROKEN);
		cr_expect_eq(tools_check(&t, SPAN("f"), SPAN("{\"x\":")), SCHEMA_BROKEN);
		cr_expect_eq(tools_check(&t, SPAN("g"), SPAN("{}")), SCHEMA_BROKEN);
		tools_finish(&t);
	}
}
