#include "analyzer/compare/meaning/tools.h"

#include <math.h>

#include "analyzer/compare/meaning/format_json.h"
#include "base/ascii.h"
#include "base/json.h"

#define TOOLS_MAX 1024
#define CHECK_MAX 65536 /* bytes of a schema and of arguments that are examined */
#define CHECK_MEMBERS_MAX 64

struct tool { /* offsets into text */
	size_t name, name_len, schema, schema_len;
};

static void add(struct tools *t, const struct json_token *name, struct span schema)
{
	struct tool tool = {.name = t->text.len};
	if (t->items.len / sizeof(tool) == TOOLS_MAX) {
		return;
	}
	json_token_unescape(name, &t->text);
	tool.name_len = t->text.len - tool.name;
	tool.schema = t->text.len;
	tool.schema_len = schema.len;
	buf_append_span(&t->text, schema);
	buf_append(&t->items, &tool, sizeof(tool));
}

/* {name, parameters}, bare or within {function: ...}; input_schema is Anthropic's word. */
static void read_tool(struct tools *t, struct span json)
{
	static const char *const in_function[] = {"function"};
	static const char *const name_path[] = {"name"};
	static const char *const schemas[][1] = {{"parameters"}, {"input_schema"}, {"inputSchema"}};
	struct json_token first, name;
	struct span inner, schema = {0};
	if (json_find(json, in_function, 1, &first, &inner) && first.type == JSON_TOKEN_OBJECT) {
		json = inner;
	}
	if (!json_find(json, name_path, 1, &name, NULL) || name.type != JSON_TOKEN_STRING) {
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(schemas) && !schema.len; i++) {
		if (!json_find(json, schemas[i], 1, &first, &schema) ||
		        first.type != JSON_TOKEN_OBJECT) {
			schema.len = 0;
		}
	}
	add(t, &name, schema);
}

void tools_read(struct tools *t, struct span json)
{
	struct json j;
	struct json_token first;
	struct span tool;
	if (json_begin(&j, json).type != JSON_TOKEN_ARRAY) {
		return;
	}
	while (json_next_element(&j, &first, &tool)) {
		read_tool(t, tool);
	}
}

void tools_finish(struct tools *t)
{
	buf_finish(&t->text);
	buf_finish(&t->items);
}

static size_t count(const struct tools *t)
{
	return t->items.len / sizeof(struct tool);
}

/* Returns NULL if no tool has that name. */
static const struct tool *find(const struct tools *t, struct span name)
{
	const struct tool *tools = (const struct tool *)(const void *)t->items.data;
	for (size_t i = 0; i < count(t); i++) {
		size_t at = tools[i].name;
		if (span_equal(buf_part(&t->text, at, at + tools[i].name_len), name)) {
			return &tools[i];
		}
	}
	return NULL;
}

static struct span schema_of(const struct tools *t, const struct tool *tool)
{
	return buf_part(&t->text, tool->schema, tool->schema + tool->schema_len);
}

static bool begin_object(struct json *j, struct span object)
{
	json_init(j, object.data, object.len);
	return json_next(j).type == JSON_TOKEN_OBJECT;
}

/* Compares the type's name without regard to case. An unknown type allows any value. */
static bool is_of_type(const struct json_token *value, const struct json_token *type)
{
	static const struct {
		const char *name;
		enum json_token_type types[2];
	} names[] = {
	        {"object", {JSON_TOKEN_OBJECT, JSON_TOKEN_OBJECT}},
	        {"array", {JSON_TOKEN_ARRAY, JSON_TOKEN_ARRAY}},
	        {"string", {JSON_TOKEN_STRING, JSON_TOKEN_STRING}},
	        {"boolean", {JSON_TOKEN_TRUE, JSON_TOKEN_FALSE}},
	        {"null", {JSON_TOKEN_NULL, JSON_TOKEN_NULL}},
	        {"number", {JSON_TOKEN_NUMBER, JSON_TOKEN_NUMBER}},
	        {"integer", {JSON_TOKEN_NUMBER, JSON_TOKEN_NUMBER}},
	};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (span_is_nocase(json_token_raw(type), names[i].name)) {
			double number = json_token_number(value);
			bool whole = !isfinite(number) || floor(number) == number;
			return (value->type == names[i].types[0] ||
			               value->type == names[i].types[1]) &&
			       (whole || names[i].name[0] != 'i');
		}
	}
	return true;
}

/* Checks `type`: a name, or a list of names. One of the list must fit. */
static bool keeps_type(struct span rule, const struct json_token *value)
{
	struct json j;
	struct json_token type = json_begin(&j, rule);
	if (type.type == JSON_TOKEN_STRING) {
		return is_of_type(value, &type);
	}
	bool listed = false;
	while (type.type == JSON_TOKEN_ARRAY || type.type == JSON_TOKEN_STRING) {
		type = json_next(&j);
		if (type.type == JSON_TOKEN_STRING && is_of_type(value, &type)) {
			return true;
		}
		listed |= type.type == JSON_TOKEN_STRING;
	}
	return !listed;
}

static bool keeps_enum(struct span rule, struct span value)
{
	struct json j;
	if (json_begin(&j, rule).type != JSON_TOKEN_ARRAY) {
		return true;
	}
	for (size_t i = 0; i < CHECK_MEMBERS_MAX; i++) {
		struct json_token first = json_next(&j);
		if (first.type == JSON_TOKEN_ARRAY_END) {
			return false;
		}
		struct span one = json_skip(&j, &first);
		if (one.len == 0 || format_json_agreement(one, value) == AGREE_SAME) {
			return true;
		}
	}
	return true;
}

static bool keeps_property(struct span schema, const struct json_member *argument)
{
	static const char *const TYPE[] = {"type"}, *const ENUM[] = {"enum"},
	                         *const NULLABLE[] = {"nullable"};
	struct json_token first;
	struct span rule;
	if (argument->first.type == JSON_TOKEN_NULL &&
	        json_find(schema, NULLABLE, 1, &first, NULL) && first.type == JSON_TOKEN_TRUE) {
		return true; /* OpenAPI's way to allow null */
	}
	return (!json_find(schema, TYPE, 1, &first, &rule) || keeps_type(rule, &argument->first)) &&
	       (!json_find(schema, ENUM, 1, &first, &rule) || keeps_enum(rule, argument->value));
}

static bool has_required(struct span schema, struct span arguments)
{
	static const char *const REQUIRED[] = {"required"};
	struct json_token first, found;
	struct span list;
	struct json j;
	if (!json_find(schema, REQUIRED, 1, &first, &list) || first.type != JSON_TOKEN_ARRAY) {
		return true;
	}
	json_begin(&j, list);
	bool has = true;
	for (size_t i = 0; i < CHECK_MEMBERS_MAX && has; i++) {
		struct json_token key = json_next(&j);
		struct buf name = {0};
		if (key.type != JSON_TOKEN_STRING) {
			break;
		}
		json_token_unescape(&key, &name);
		const char *path[] = {buf_cstr(&name)};
		has = json_find(arguments, path, 1, &found, NULL);
		buf_finish(&name);
	}
	return has;
}

static bool keeps_schema(struct span schema, struct span arguments)
{
	static const char *const ADDITIONAL[] = {"additionalProperties"};
	struct json j;
	struct json_member m;
	struct json_token first;
	bool closed =
	        json_find(schema, ADDITIONAL, 1, &first, NULL) && first.type == JSON_TOKEN_FALSE;
	bool keeps = begin_object(&j, arguments) && has_required(schema, arguments);
	for (size_t i = 0; i < CHECK_MEMBERS_MAX && keeps && json_next_member(&j, &m); i++) {
		struct buf name = {0};
		struct span property;
		json_token_unescape(&m.key, &name);
		const char *path[] = {"properties", buf_cstr(&name)};
		bool known = json_find(schema, path, 2, &first, &property);
		keeps = known ? keeps_property(property, &m) : !closed;
		buf_finish(&name);
	}
	return keeps;
}

enum schema_verdict tools_check(const struct tools *t, struct span name, struct span arguments)
{
	if (count(t) == 0) {
		return SCHEMA_UNKNOWN;
	}
	const struct tool *tool = find(t, name);
	if (!tool || !format_json_is(arguments)) {
		return SCHEMA_BROKEN;
	}
	if (tool->schema_len == 0 || tool->schema_len + arguments.len > CHECK_MAX) {
		return SCHEMA_UNKNOWN;
	}
	return keeps_schema(schema_of(t, tool), arguments) ? SCHEMA_CONFORMS : SCHEMA_BROKEN;
}

/* Whether each member of a is in b with the same value, or has its default value and is not in
 * b. */
static bool are_defaults(struct span schema, struct span a, struct span b)
{
	struct json j;
	struct json_member m;
	if (!begin_object(&j, a)) {
		return false;
	}
	while (json_next_member(&j, &m)) {
		struct json_token other;
		struct span other_value, usual;
		struct buf name = {0};
		json_token_unescape(&m.key, &name);
		const char *in_b[] = {buf_cstr(&name)};
		const char *usual_of[] = {"properties", in_b[0], "default"};
		bool has = json_find(b, in_b, 1, &other, &other_value);
		bool by_default = !has && json_find(schema, usual_of, 3, &other, &usual);
		bool fits = (has || by_default) &&
		            format_json_agreement(m.value, has ? other_value : usual) == AGREE_SAME;
		buf_finish(&name);
		if (!fits) {
			return false;
		}
	}
	return m.key.type == JSON_TOKEN_OBJECT_END;
}

bool tools_by_default(const struct tools *t, struct span name, struct span a, struct span b)
{
	const struct tool *tool = find(t, name);
	if (!tool || !tool->schema_len || a.len + b.len > CHECK_MAX) {
		return false;
	}
	struct span schema = schema_of(t, tool);
	return are_defaults(schema, a, b) && are_defaults(schema, b, a);
}
