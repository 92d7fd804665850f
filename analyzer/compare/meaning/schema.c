#include "analyzer/compare/meaning/schema.h"

#include <math.h>

#include "analyzer/compare/meaning/format_json.h"
#include "base/letters.h"
#include "base/json.h"

#define DEPTH_MAX 32
#define POINTER_STEPS_MAX 8
#define POINTER_STEP_MAX 128
#define BUDGET ((size_t)8 << 20) /* bytes that the check of one call may read */

struct check {
	struct span root; /* the tool's whole schema */
	size_t budget;
};

/* Walks an object's members, or a list's values. */
struct members {
	struct json json;
	struct json_token key, first;
	struct span value;
};

static bool members_begin(struct members *m, struct span of, enum json_type type)
{
	json_init(&m->json, of.data, of.len);
	return json_next(&m->json).type == type;
}

static bool members_next(struct members *m, bool keyed)
{
	if (keyed) {
		m->key = json_next(&m->json);
		if (m->key.type != JSON_KEY) {
			return false;
		}
	}
	m->first = json_next(&m->json);
	if (m->first.type <= JSON_END || m->first.type == JSON_ARRAY_END) {
		return false;
	}
	m->value = json_skip(&m->json, &m->first);
	return m->value.len > 0;
}

static enum schema_verdict check_value(
        struct check *c, struct span schema, struct span value, int depth);

static bool spend(struct check *c, size_t bytes)
{
	bool enough = c->budget >= bytes;
	c->budget -= MIN(bytes, c->budget);
	return enough;
}

static struct json_token first_of(struct span value)
{
	struct json j;
	json_init(&j, value.data, value.len);
	return json_next(&j);
}

/* The member of an object, by a key as it is escaped there; an empty span: it has none. */
static struct span member(struct check *c, struct span object, const struct json_token *key)
{
	struct buf name = {0};
	struct span found = {0};
	struct json_token value;
	json_unescape(key, &name);
	const char *path[] = {buf_cstr(&name)};
	if (!spend(c, object.len) || !json_find(object, path, 1, &value, &found)) {
		found = (struct span){0};
	}
	buf_finish(&name);
	return found;
}

/* A type's name in any case; an unknown one is ignored. */
static bool is_of_type(const struct json_token *value, const struct json_token *type)
{
	static const struct {
		const char *name;
		enum json_type types[2];
	} names[] = {
	        {"object", {JSON_OBJECT, JSON_OBJECT}},
	        {"array", {JSON_ARRAY, JSON_ARRAY}},
	        {"string", {JSON_STRING, JSON_STRING}},
	        {"boolean", {JSON_TRUE, JSON_FALSE}},
	        {"null", {JSON_NULL, JSON_NULL}},
	        {"number", {JSON_NUMBER, JSON_NUMBER}},
	        {"integer", {JSON_NUMBER, JSON_NUMBER}},
	};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (span_is_nocase(json_raw(type), names[i].name)) {
			double number = json_number(value);
			bool whole = !isfinite(number) || floor(number) == number;
			return (value->type == names[i].types[0] ||
			               value->type == names[i].types[1]) &&
			       (whole || names[i].name[0] != 'i');
		}
	}
	return true;
}

static bool keeps_type(struct span type, const struct json_token *value)
{
	struct json_token only = first_of(type);
	struct members m;
	if (only.type == JSON_STRING) {
		return is_of_type(value, &only);
	}
	if (!members_begin(&m, type, JSON_ARRAY)) {
		return true;
	}
	while (members_next(&m, false)) {
		if (m.first.type != JSON_STRING || is_of_type(value, &m.first)) {
			return true;
		}
	}
	return false;
}

static bool keeps_enum(struct check *c, struct span values, struct span value)
{
	struct members m;
	if (!members_begin(&m, values, JSON_ARRAY)) {
		return true;
	}
	while (members_next(&m, false)) {
		if (!spend(c, m.value.len + value.len) ||
		        format_json_agreement(m.value, value) == AGREE_SAME) {
			return true;
		}
	}
	return false;
}

static bool keeps_required(struct check *c, struct span keys, struct span value)
{
	struct members m;
	if (first_of(value).type != JSON_OBJECT || !members_begin(&m, keys, JSON_ARRAY)) {
		return true;
	}
	while (members_next(&m, false)) {
		if (m.first.type == JSON_STRING && !member(c, value, &m.first).len && c->budget) {
			return false;
		}
	}
	return true;
}

static bool keeps_properties(struct check *c, struct span properties, struct span value, int depth)
{
	struct members m;
	if (first_of(properties).type != JSON_OBJECT || !members_begin(&m, value, JSON_OBJECT)) {
		return true;
	}
	while (members_next(&m, true)) {
		struct span schema = member(c, properties, &m.key);
		if (schema.len && check_value(c, schema, m.value, depth + 1) == SCHEMA_BROKEN) {
			return false;
		}
	}
	return true;
}

/* additionalProperties: what `properties` beside it does not name. */
static bool keeps_additional(
        struct check *c, struct span schema, struct span rule, struct span value, int depth)
{
	static const char *const properties[] = {"properties"};
	static const char *const patterns[] = {"patternProperties"};
	struct members m;
	struct json_token first;
	struct span known = {0}, by_pattern;
	if (json_find(schema, patterns, 1, &first, &by_pattern) ||
	        !members_begin(&m, value, JSON_OBJECT)) {
		return true;
	}
	bool named = json_find(schema, properties, 1, &first, &known);
	while (members_next(&m, true)) {
		if ((!named || !member(c, known, &m.key).len) && c->budget &&
		        check_value(c, rule, m.value, depth + 1) == SCHEMA_BROKEN) {
			return false;
		}
	}
	return true;
}

static bool keeps_items(struct check *c, struct span schema, struct span value, int depth)
{
	struct members m;
	if (first_of(schema).type == JSON_ARRAY || !members_begin(&m, value, JSON_ARRAY)) {
		return true;
	}
	while (members_next(&m, false)) {
		if (check_value(c, schema, m.value, depth + 1) == SCHEMA_BROKEN) {
			return false;
		}
	}
	return true;
}

/* anyOf and oneOf: one of them must be kept; that no second is, is not looked into. allOf: each. */
static bool keeps_some(struct check *c, struct span schemas, struct span value, bool all, int depth)
{
	struct members m;
	size_t kept = 0, n = 0;
	if (!members_begin(&m, schemas, JSON_ARRAY)) {
		return true;
	}
	while (members_next(&m, false)) {
		n++;
		kept += check_value(c, m.value, value, depth + 1) != SCHEMA_BROKEN;
	}
	return all ? kept == n : kept > 0 || n == 0;
}

static size_t characters(const struct json_token *string)
{
	struct buf text = {0};
	size_t n = 0;
	json_unescape(string, &text);
	for (size_t i = 0; i < text.len; i++) {
		n += ((unsigned char)text.data[i] & 0xc0) != 0x80;
	}
	buf_finish(&text);
	return n;
}

static size_t length_of_list(struct span value)
{
	struct members m;
	size_t n = 0;
	if (members_begin(&m, value, JSON_ARRAY)) {
		while (members_next(&m, false)) {
			n++;
		}
	}
	return n;
}

enum measure { MEASURE_VALUE, MEASURE_CHARACTERS, MEASURE_ITEMS };

/* Bounds, by what of the value they bound. */
static bool keeps_bound(const struct json_token *keyword, const struct json_token *limit,
        const struct json_token *first, struct span value)
{
	static const struct {
		const char *keyword;
		enum json_type of;
		enum measure measure;
		bool low, open;
	} bounds[] = {
	        {"minimum", JSON_NUMBER, MEASURE_VALUE, true, false},
	        {"maximum", JSON_NUMBER, MEASURE_VALUE, false, false},
	        {"exclusiveMinimum", JSON_NUMBER, MEASURE_VALUE, true, true},
	        {"exclusiveMaximum", JSON_NUMBER, MEASURE_VALUE, false, true},
	        {"minLength", JSON_STRING, MEASURE_CHARACTERS, true, false},
	        {"maxLength", JSON_STRING, MEASURE_CHARACTERS, false, false},
	        {"minItems", JSON_ARRAY, MEASURE_ITEMS, true, false},
	        {"maxItems", JSON_ARRAY, MEASURE_ITEMS, false, false},
	};
	for (size_t i = 0; i < ARRAY_LEN(bounds); i++) {
		if (first->type != bounds[i].of || limit->type != JSON_NUMBER ||
		        !json_is_key(keyword, bounds[i].keyword)) {
			continue;
		}
		double is = bounds[i].measure == MEASURE_VALUE ? json_number(first)
		            : bounds[i].measure == MEASURE_CHARACTERS
		                    ? (double)characters(first)
		                    : (double)length_of_list(value);
		double bound = json_number(limit);
		return (bounds[i].low ? is >= bound : is <= bound) &&
		       !(bounds[i].open && is == bound);
	}
	return true;
}

/* "#/$defs/name" within the tool's schema. */
static struct span follow(struct check *c, const struct json_token *ref)
{
	char steps[POINTER_STEPS_MAX][POINTER_STEP_MAX];
	const char *path[POINTER_STEPS_MAX];
	struct span p = json_raw(ref), found = {0};
	struct json_token first;
	size_t n = 0, len = 0;
	if (ref->type != JSON_STRING || ref->escaped || !span_starts(p, "#")) {
		return found;
	}
	if (p.len == 1) {
		return c->root;
	}
	for (size_t i = 1; i < p.len; i++) {
		if (p.data[i] == '/') {
			if (n == POINTER_STEPS_MAX) {
				return found;
			}
			path[n] = steps[n];
			len = 0;
			steps[n++][0] = '\0';
		} else if (n == 0 || len + 1 == POINTER_STEP_MAX || p.data[i] == '~') {
			return found;
		} else {
			steps[n - 1][len++] = p.data[i];
			steps[n - 1][len] = '\0';
		}
	}
	return spend(c, c->root.len) && json_find(c->root, path, n, &first, &found)
	               ? found
	               : (struct span){0};
}

static bool keeps_keyword(struct check *c, const struct members *m, struct span schema,
        const struct json_token *first, struct span value, int depth)
{
	const struct json_token *key = &m->key;
	if (json_is_key(key, "type")) {
		return keeps_type(m->value, first);
	}
	if (json_is_key(key, "enum")) {
		return keeps_enum(c, m->value, value);
	}
	if (json_is_key(key, "const")) {
		return format_json_agreement(m->value, value) == AGREE_SAME;
	}
	if (json_is_key(key, "required")) {
		return keeps_required(c, m->value, value);
	}
	if (json_is_key(key, "properties")) {
		return keeps_properties(c, m->value, value, depth);
	}
	if (json_is_key(key, "additionalProperties")) {
		return keeps_additional(c, schema, m->value, value, depth);
	}
	if (json_is_key(key, "items")) {
		return keeps_items(c, m->value, value, depth);
	}
	if (json_is_key(key, "anyOf") || json_is_key(key, "oneOf")) {
		return keeps_some(c, m->value, value, false, depth);
	}
	if (json_is_key(key, "allOf")) {
		return keeps_some(c, m->value, value, true, depth);
	}
	if (json_is_key(key, "$ref")) {
		struct span to = follow(c, &m->first);
		return !to.len || check_value(c, to, value, depth + 1) != SCHEMA_BROKEN;
	}
	return keeps_bound(key, &m->first, first, value);
}

/* OpenAPI's way to allow null. */
static bool allows_null(struct span schema)
{
	static const char *const nullable[] = {"nullable"};
	struct json_token value;
	return json_find(schema, nullable, 1, &value, NULL) && value.type == JSON_TRUE;
}

static enum schema_verdict check_value(
        struct check *c, struct span schema, struct span value, int depth)
{
	struct members m;
	struct json_token first = first_of(value), rule = first_of(schema);
	if (depth > DEPTH_MAX || !spend(c, schema.len + value.len)) {
		return SCHEMA_UNKNOWN;
	}
	if (rule.type == JSON_FALSE) {
		return SCHEMA_BROKEN;
	}
	if (!members_begin(&m, schema, JSON_OBJECT) ||
	        (first.type == JSON_NULL && allows_null(schema))) {
		return SCHEMA_KEPT;
	}
	while (members_next(&m, true)) {
		if (!keeps_keyword(c, &m, schema, &first, value, depth)) {
			return SCHEMA_BROKEN;
		}
	}
	return c->budget ? SCHEMA_KEPT : SCHEMA_UNKNOWN;
}

enum schema_verdict schema_check(struct span schema, struct span value)
{
	struct check c = {schema, BUDGET};
	return format_json_is(schema) && format_json_is(value) ? check_value(&c, schema, value, 0)
	                                                       : SCHEMA_UNKNOWN;
}
