#include "analyzer/compare/meaning/tools.h"

#include "analyzer/compare/meaning/format_json.h"
#include "base/json.h"

#define TOOLS_MAX 1024

struct tool { /* offsets into text */
	size_t name, name_len, schema, schema_len;
};

static void add(struct tools *t, const struct json_token *name, struct span schema)
{
	struct tool tool = {.name = t->text.len};
	if (t->items.len / sizeof(tool) == TOOLS_MAX) {
		return;
	}
	json_unescape(name, &t->text);
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
	if (json_find(json, in_function, 1, &first, &inner) && first.type == JSON_OBJECT) {
		json = inner;
	}
	if (!json_find(json, name_path, 1, &name, NULL) || name.type != JSON_STRING) {
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(schemas) && !schema.len; i++) {
		if (!json_find(json, schemas[i], 1, &first, &schema) || first.type != JSON_OBJECT) {
			schema.len = 0;
		}
	}
	add(t, &name, schema);
}

void tools_read(struct tools *t, struct span json)
{
	struct json j;
	json_init(&j, json.data, json.len);
	struct json_token first = json_next(&j);
	if (first.type != JSON_ARRAY) {
		return;
	}
	while ((first = json_next(&j)).type == JSON_OBJECT) {
		struct span all = json_skip(&j, &first);
		if (!all.len) {
			return;
		}
		read_tool(t, all);
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

/* NULL: none has that name. */
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

enum schema_verdict tools_check(const struct tools *t, struct span name, struct span arguments)
{
	if (count(t) == 0) {
		return SCHEMA_UNKNOWN;
	}
	const struct tool *tool = find(t, name);
	if (!tool || !format_json_is(arguments)) {
		return SCHEMA_BROKEN;
	}
	return tool->schema_len ? schema_check(schema_of(t, tool), arguments) : SCHEMA_UNKNOWN;
}

/* Whether each member of a is in b with the same value, or is the default and not in b. */
static bool are_defaults(struct span schema, struct span a, struct span b)
{
	struct json j;
	json_init(&j, a.data, a.len);
	struct json_token key = json_next(&j);
	if (key.type != JSON_OBJECT) {
		return false;
	}
	while ((key = json_next(&j)).type == JSON_KEY) {
		struct json_token value = json_next(&j), other;
		struct span mine = json_skip(&j, &value), theirs, usual;
		struct buf name = {0};
		json_unescape(&key, &name);
		const char *in_b[] = {buf_cstr(&name)};
		const char *usual_of[] = {"properties", in_b[0], "default"};
		bool has = json_find(b, in_b, 1, &other, &theirs);
		bool by_default = !has && json_find(schema, usual_of, 3, &other, &usual);
		bool fits = mine.len && (has || by_default) &&
		            format_json_agreement(mine, has ? theirs : usual) == AGREE_SAME;
		buf_finish(&name);
		if (!fits) {
			return false;
		}
	}
	return key.type == JSON_OBJECT_END;
}

bool tools_by_default(const struct tools *t, struct span name, struct span a, struct span b)
{
	const struct tool *tool = find(t, name);
	if (!tool || !tool->schema_len || a.len + b.len > 65536) {
		return false;
	}
	struct span schema = schema_of(t, tool);
	return are_defaults(schema, a, b) && are_defaults(schema, b, a);
}
