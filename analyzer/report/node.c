#include "analyzer/report/node.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

#define NAME_LIMIT 96

const char *node_text(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));
	return s ? s : "";
}

bool node_is(const json_t *o, const char *name, const char *text)
{
	return strcmp(node_text(o, name), text) == 0;
}

const json_t *node_find(const json_t *list, const char *name, const char *text)
{
	NODE_EACH(item, list) {
		if (node_is(item, name, text)) {
			return item;
		}
	}
	return NULL;
}

bool node_flag(const json_t *o, const char *name)
{
	return json_is_true(json_object_get(o, name));
}

double node_number(const json_t *o, const char *name)
{
	const json_t *n = json_object_get(o, name);
	return json_is_number(n) ? json_number_value(n) : NAN;
}

const json_t *node_at(const json_t *o, const char *path)
{
	char name[NAME_LIMIT];
	while (o && *path) {
		size_t len = strcspn(path, ".");
		expect(len < sizeof(name));
		memcpy(name, path, len);
		name[len] = '\0';
		o = json_object_get(o, name);
		path += len + (path[len] == '.');
	}
	return o;
}

static struct node_member member_at(json_t *o, void *at)
{
	return (struct node_member){o, json_object_iter_key(at), json_object_iter_value(at)};
}

struct node_member node_member_first(const json_t *o)
{
	json_t *object = (json_t *)(uintptr_t)o;
	return member_at(object, json_object_iter(object));
}

struct node_member node_member_after(const struct node_member *m)
{
	return member_at(m->of, json_object_iter_next(m->of, json_object_key_to_iter(m->key)));
}

json_t *node_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *node_interval(double low, double high)
{
	return isfinite(low) && isfinite(high) ? json_pack("[f, f]", low, high) : json_null();
}

json_t *node_string(const char *text)
{
	json_t *s = text ? json_string(text) : NULL;
	return s ? s : json_null();
}

void node_set_count(json_t *o, const char *name, uint64_t n)
{
	json_object_set_new(o, name, json_integer((json_int_t)n));
}

void node_set_number(json_t *o, const char *name, double value)
{
	json_object_set_new(o, name, node_real(value));
}

void node_set_text(json_t *o, const char *name, const char *text)
{
	json_object_set_new(o, name, node_string(text));
}

void node_set_flag(json_t *o, const char *name, bool flag)
{
	json_object_set_new(o, name, json_boolean(flag));
}
