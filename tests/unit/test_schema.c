#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/compare/meaning/schema.h"
#include "analyzer/compare/meaning/tools.h"

#define K SCHEMA_KEPT
#define B SCHEMA_BROKEN

Test(schema, keeps_what_it_says_and_nothing_more)
{
	static const struct {
		const char *schema, *value;
		enum schema_verdict verdict;
	} rows[] = {
	        {"{}", "1", K},
	        {"true", "1", K},
	        {"false", "1", B},
	        {"{'type':'integer'}", "1", K},
	        {"{'type':'integer'}", "1.0", K},
	        {"{'type':'integer'}", "1.5", B},
	        {"{'type':'integer'}", "'1'", B},
	        {"{'type':'INTEGER'}", "1", K},
	        {"{'type':'STRING'}", "1", B},
	        {"{'type':'any'}", "1", K},
	        {"{'type':'number'}", "1", K},
	        {"{'type':'boolean'}", "false", K},
	        {"{'type':'boolean'}", "0", B},
	        {"{'type':['string','null']}", "null", K},
	        {"{'type':['string','null']}", "1", B},
	        {"{'type':'string','nullable':true}", "null", K},
	        {"{'type':'string'}", "null", B},
	        {"{'enum':['a','b']}", "'a'", K},
	        {"{'enum':['a','b']}", "'A'", B},
	        {"{'enum':[1,{'x':[2]}]}", "{'x':[2.0]}", K},
	        {"{'const':3}", "3.0", K},
	        {"{'const':3}", "4", B},
	        {"{'required':['a']}", "{'a':1}", K},
	        {"{'required':['a']}", "{'b':1}", B},
	        {"{'required':['a']}", "3", K},
	        {"{'properties':{'a':{'type':'string'}}}", "{'a':'x','b':1}", K},
	        {"{'properties':{'a':{'type':'string'}}}", "{'a':1}", B},
	        {"{'properties':{'a':{}},'additionalProperties':false}", "{'a':1}", K},
	        {"{'properties':{'a':{}},'additionalProperties':false}", "{'a':1,'b':1}", B},
	        {"{'additionalProperties':{'type':'number'}}", "{'b':'x'}", B},
	        {"{'patternProperties':{},'additionalProperties':false}", "{'b':'x'}", K},
	        {"{'items':{'type':'number'}}", "[1,2]", K},
	        {"{'items':{'type':'number'}}", "[1,'2']", B},
	        {"{'items':[{'type':'number'}]}", "['x']", K},
	        {"{'minimum':3}", "3", K},
	        {"{'minimum':3}", "2.9", B},
	        {"{'maximum':3}", "4", B},
	        {"{'exclusiveMinimum':3}", "3", B},
	        {"{'exclusiveMaximum':3}", "2", K},
	        {"{'minimum':3}", "'x'", K},
	        {"{'minLength':2}", "'é'", B},
	        {"{'maxLength':1}", "'é'", K},
	        {"{'minItems':1}", "[]", B},
	        {"{'maxItems':1}", "[1]", K},
	        {"{'anyOf':[{'type':'string'},{'type':'null'}]}", "null", K},
	        {"{'anyOf':[{'type':'string'},{'type':'null'}]}", "1", B},
	        {"{'oneOf':[{'type':'number'},{'minimum':1}]}", "3", K},
	        {"{'allOf':[{'type':'number'},{'minimum':1}]}", "0", B},
	        {"{'$ref':'#/$defs/a','$defs':{'a':{'type':'string'}}}", "1", B},
	        {"{'$ref':'#/$defs/b','$defs':{'a':{'type':'string'}}}", "1", K},
	        {"{'$ref':'#/$defs/a','$defs':{'a':{'$ref':'#/$defs/a'}}}", "1", K},
	        {"{'properties':{'n':{'$ref':'#'},'v':{'type':'string'}}}", "{'n':{'n':{'v':1}}}",
	                B},
	        {"{'pattern':'^a','format':'uri'}", "'b'", K},
	        {"{'type':", "1", SCHEMA_UNKNOWN},
	        {"{}", "{", SCHEMA_UNKNOWN},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char schema[200], value[64];
		snprintf(schema, sizeof(schema), "%s", rows[i].schema);
		snprintf(value, sizeof(value), "%s", rows[i].value);
		for (char *p = schema; (p = strchr(p, '\'')); *p = '"') {
		}
		for (char *p = value; (p = strchr(p, '\'')); *p = '"') {
		}
		cr_expect_eq(schema_check(span_of(schema), span_of(value)), rows[i].verdict,
		        "%s of %s", schema, value);
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
		cr_expect_eq(tools_check(&t, SPAN("f"), SPAN("{\"x\":1}")), SCHEMA_KEPT);
		cr_expect_eq(tools_check(&t, SPAN("f"), SPAN("{}")), SCHEMA_BROKEN);
		cr_expect_eq(tools_check(&t, SPAN("f"), SPAN("{\"x\":")), SCHEMA_BROKEN);
		cr_expect_eq(tools_check(&t, SPAN("g"), SPAN("{}")), SCHEMA_BROKEN);
		tools_finish(&t);
	}
}

Test(schema, hostile_schemas_end)
{
	struct buf deep = {0}, wide = {0}, value = {0};
	for (int i = 0; i < 100; i++) {
		buf_append_str(&deep, "{\"items\":");
		buf_append_char(&value, '[');
	}
	buf_append_str(&deep, "{}");
	for (int i = 0; i < 100; i++) {
		buf_append_char(&deep, '}');
		buf_append_char(&value, ']');
	}
	cr_expect_neq(schema_check(buf_span(&deep), buf_span(&value)), SCHEMA_BROKEN);
	buf_append_str(&wide, "{\"$defs\":{\"a\":{\"allOf\":[");
	for (int i = 0; i < 50; i++) {
		buf_append_str(&wide, "{\"$ref\":\"#/$defs/a\"},");
	}
	buf_append_str(&wide, "{}]}},\"$ref\":\"#/$defs/a\"}");
	cr_expect_neq(schema_check(buf_span(&wide), SPAN("1")), SCHEMA_BROKEN);
	buf_finish(&deep);
	buf_finish(&wide);
	buf_finish(&value);
}
