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
