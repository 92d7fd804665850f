#include "backends/engine/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/rng.h"

#define DEPTH_MAX 8

struct writer {
	struct rng random;
	struct buf *to;
	int depth;
};

static void write_value(struct writer *w, struct span schema);

static void write_word(struct writer *w)
{
	uint32_t n;
	const uint32_t *names = vocabulary_of_class(WORD_NAME, &n);
	struct span word = vocabulary_bytes(names[rng_below(&w->random, n)]);
	json_put_string(w->to, (struct span){word.data + 1, word.len - 1});
}

/* Returns the text of the array's element at this index; empty: there is none. */
static struct span item_of(struct span array, uint32_t index, uint32_t *ret_n)
{
	struct json j;
	struct span found = {0};
	struct json_token t = json_begin(&j, array);
	*ret_n = 0;
	while ((t = json_next(&j)).type != JSON_TOKEN_ARRAY_END && t.type != JSON_TOKEN_ERROR &&
	        t.type != JSON_TOKEN_END) {
		struct span item = json_skip(&j, &t);
		if ((*ret_n)++ == index) {
			found = item;
		}
	}
	return found;
}

static void write_object(struct writer *w, struct span schema)
{
	struct json_token t;
	struct span properties;
	buf_append_char(w->to, '{');
	if (json_find_member(schema, "properties", &t, &properties) &&
	        t.type == JSON_TOKEN_OBJECT) {
		struct json j;
		json_begin(&j, properties);
		for (bool first = true; (t = json_next(&j)).type == JSON_TOKEN_KEY; first = false) {
			if (!first) {
				buf_append_str(w->to, ", ");
			}
			buf_append(w->to, t.start, t.len);
			buf_append_str(w->to, ": ");
			struct json_token value = json_next(&j);
			write_value(w, json_skip(&j, &value));
		}
	}
	buf_append_char(w->to, '}');
}

static void write_array(struct writer *w, struct span schema)
{
	struct json_token t;
	struct span items = {0};
	(void)!json_find_member(schema, "items", &t, &items);
	uint32_t n = 1 + rng_below(&w->random, 3);
	buf_append_char(w->to, '[');
	for (uint32_t i = 0; i < n; i++) {
		buf_append_str(w->to, i ? ", " : "");
		write_value(w, items);
	}
	buf_append_char(w->to, ']');
}

static void write_typed(struct writer *w, struct span schema)
{
	struct json_token type;
	struct span span;
	if (!json_find_member(schema, "type", &type, &span)) {
		write_word(w);
		return;
	}
	if (type.type == JSON_TOKEN_ARRAY) {
		uint32_t n;
		struct span first = item_of(span, 0, &n);
		struct json j;
		type = json_begin(&j, first);
	}
	if (json_token_is_string(&type, "object")) {
		write_object(w, schema);
	} else if (json_token_is_string(&type, "array")) {
		write_array(w, schema);
	} else if (json_token_is_string(&type, "integer")) {
		buf_printf(w->to, "%u", rng_below(&w->random, 100));
	} else if (json_token_is_string(&type, "number")) {
		buf_printf(w->to, "%u.5", rng_below(&w->random, 100));
	} else if (json_token_is_string(&type, "boolean")) {
		buf_append_str(w->to, rng_below(&w->random, 2) ? "true" : "false");
	} else if (json_token_is_string(&type, "null")) {
		buf_append_str(w->to, "null");
	} else {
		write_word(w);
	}
}

static void write_value(struct writer *w, struct span schema)
{
	struct json_token t;
	struct span span;
	uint32_t n;
	if (w->depth == DEPTH_MAX) {
		buf_append_str(w->to, "null");
		return;
	}
	w->depth++;
	if (json_find_member(schema, "const", &t, &span)) {
		buf_append_span(w->to, span);
	} else if (json_find_member(schema, "enum", &t, &span) && t.type == JSON_TOKEN_ARRAY &&
	           item_of(span, 0, &n).data) {
		buf_append_span(w->to, item_of(span, rng_below(&w->random, n), &n));
	} else if ((json_find_member(schema, "anyOf", &t, &span) ||
	                   json_find_member(schema, "oneOf", &t, &span)) &&
	           t.type == JSON_TOKEN_ARRAY && item_of(span, 0, &n).data) {
		write_value(w, item_of(span, 0, &n));
	} else {
		write_typed(w, schema);
	}
	w->depth--;
}

/* Forces the tokens of a document that fits the schema. */
static void force_document(struct engine_request *request, struct span schema, uint64_t seed)
{
	struct buf text = {0};
	struct writer w = {.random = {seed}, .to = &text};
	write_value(&w, schema);
	vocabulary_encode(buf_span(&text), &request->forced);
	buf_finish(&text);
}

static bool contains(struct span text, const char *word)
{
	return memmem(text.data, text.len, word, strlen(word)) != NULL;
}

/* Whether a message asks for this tool. */
static bool wants_tool(const struct engine_request *request, const char *tool_name)
{
	static const char *const WORDS_FOR_TOOLS[] = {
	        "tool", "call ", "weather", "search", "look up", "Use ", "use "};
	for (size_t i = 0; i < ARRAY_LEN(WORDS_FOR_TOOLS); i++) {
		if (contains(request->messages, WORDS_FOR_TOOLS[i])) {
			return true;
		}
	}
	return contains(request->messages, tool_name);
}

static uint64_t hash_of(struct span text)
{
	uint64_t h = text.len;
	for (size_t i = 0; i < text.len; i++) {
		h = rng_mix_pair(h, (uint8_t)text.data[i]);
	}
	return h;
}

/* Returns the function to call: the named one, or else one chosen by hash. Empty: no function
 * has this name. */
static struct span choose_tool(
        const struct engine_request *request, uint64_t seed, struct json_token *ret_name)
{
	const char *path[] = {"function", "name"};
	uint32_t n;
	(void)item_of(request->tools, UINT32_MAX, &n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at =
		        request->tool_choice == ENGINE_TOOLS_NAMED ? i : (uint32_t)((seed + i) % n);
		struct span tool = item_of(request->tools, at, &n);
		if (!json_find(tool, path, 2, ret_name, NULL) ||
		        ret_name->type != JSON_TOKEN_STRING) {
			continue;
		}
		if (request->tool_choice != ENGINE_TOOLS_NAMED ||
		        json_token_is_string(ret_name, request->tool_named)) {
			return tool;
		}
	}
	return (struct span){0};
}

static bool choose_call(struct engine_request *request, struct engine_problem *ret_problem)
{
	struct json_token name, t;
	struct span parameters = {0};
	const char *path[] = {"function", "parameters"};
	uint64_t seed = hash_of(request->messages);
	struct span tool = choose_tool(request, seed, &name);
	if (!tool.data) {
		return request->tool_choice < ENGINE_TOOLS_REQUIRED ||
		       engine_problem_set(
		               ret_problem, "tool_choice", "tools holds no function of that name.");
	}
	char *text = json_token_dup(&name);
	if (request->tool_choice == ENGINE_TOOLS_AUTO && !wants_tool(request, text)) {
		free(text);
		return true;
	}
	request->call_name = text;
	bool has = json_find(tool, path, 2, &t, &parameters) && t.type == JSON_TOKEN_OBJECT;
	force_document(request, has ? parameters : SPAN("{\"const\":{}}"), seed);
	return true;
}

bool schema_choose(struct engine_request *request, struct engine_problem *ret_problem)
{
	if (request->tool_choice != ENGINE_TOOLS_NONE &&
	        (request->tools.len > 0 || request->tool_choice >= ENGINE_TOOLS_REQUIRED)) {
		if (!choose_call(request, ret_problem)) {
			return false;
		}
	}
	const struct span any_object =
	        SPAN("{\"type\":\"object\",\"properties\":{\"answer\":{\"type\":\"string\"}}}");
	if (!request->call_name && (request->schema.len > 0 || request->json_object)) {
		force_document(request, request->schema.len > 0 ? request->schema : any_object,
		        hash_of(request->messages));
	}
	return true;
}
