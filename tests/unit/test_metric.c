#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "documents.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"

static json_t *schema(void)
{
	char *path = xasprintf("%s/../docs/analyze.schema.json", getenv("CONFIGS_DIR"));
	json_t *o = json_load_file(path, 0, NULL);
	cr_assert_not_null(o, "%s", path);
	free(path);
	return o;
}

/* Returns the schema of a member, the schema itself if any member is allowed, or NULL. */
static const json_t *step(const json_t *root, const json_t *at, const char *name)
{
	const char *ref = node_text(at, "$ref");
	if (*ref) {
		at = json_object_get(json_object_get(root, "$defs"), ref + strlen("#/$defs/"));
	}
	const json_t *properties = json_object_get(at, "properties");
	const json_t *found = json_object_get(properties, name);
	return found || properties ? found : at;
}

static bool is_in(const json_t *root, const json_t *at, const char *path)
{
	char *copy = xstrdup(path), *rest = NULL;
	for (char *name = strtok_r(copy, ".", &rest); name && at;
	        name = strtok_r(NULL, ".", &rest)) {
		at = step(root, at, name);
	}
	free(copy);
	return at;
}

Test(metric, each_is_in_the_schema_of_the_document)
{
	json_t *root = schema();
	const json_t *defs = json_object_get(root, "$defs");
	const json_t *places[] = {
	        [METRIC_OF_SPLIT] = json_object_get(defs, "split"),
	        [METRIC_OF_GROUP] = json_object_get(defs, "group"),
	        [METRIC_OF_DOCUMENT] = root,
	        [METRIC_OF_SCORES] = json_object_get(defs, "forced_figures"),
	        [METRIC_OF_SCORER] = json_object_get(defs, "forced"),
	        [METRIC_OF_TRAFFIC] = json_object_get(defs, "traffic_backend"),
	        [METRIC_OF_DRAWS] = json_object_get(defs, "sampling"),
	};
	for (size_t i = 0; i < metric_count(); i++) {
		const struct metric *m = metric_at(i);
		char *path = m->path ? xstrdup(m->path) : xasprintf("figures.%s", m->name);
		/* Of scores and traffic the schema may leave open what there is. */
		bool is_open = m->place >= METRIC_OF_SCORES && !places[m->place];
		cr_assert(is_open || is_in(root, places[m->place], path),
		        "%s is no member of the document", path);
		cr_assert(
		        !m->per || is_open || is_in(root, places[m->place], m->per), "%s", m->per);
		free(path);
	}
	cr_assert_not(is_in(root, places[METRIC_OF_SPLIT], "figures.difer"), "the test can fail");
	json_decref(root);
}

Test(metric, each_figure_of_the_document_is_one)
{
	json_t *root = schema();
	const json_t *figures = node_at(root, "$defs.split.properties.figures.required");
	cr_assert_gt(json_array_size(figures), 20);
	for (size_t i = 0; i < json_array_size(figures); i++) {
		const char *name = json_string_value(json_array_get(figures, i));
		const struct metric *m = metric_find(name);
		cr_assert(m && !m->path && m->has_interval, "%s", name);
	}
	json_decref(root);
}

Test(metric, no_name_is_there_twice)
{
	for (size_t i = 0; i < metric_count(); i++) {
		cr_assert_eq(
		        metric_find(metric_at(i)->name), metric_at(i), "%s", metric_at(i)->name);
	}
	cr_assert_null(metric_find("difer"));
	cr_assert_str_eq(metric_nearest("difer"), "differ");
}

static void assert_shown(
        enum metric_unit unit, double value, double low, double high, const char *text)
{
	struct buf b = {0};
	const struct metric_value v = {.value = value, .low = low, .high = high};
	metric_put_value(&b, unit, &v);
	cr_assert_str_eq(buf_cstr(&b), text);
	buf_finish(&b);
}

Test(metric, is_shown_with_as_many_places_as_tell_something)
{
	assert_shown(METRIC_SHARE, 0.0412, 0.03, 0.054, "4.1 % [3.0 to 5.4]");
	assert_shown(METRIC_SHARE, 0.041, 0.0004, 0.9996, "4.1 % [0.04 to 99.96]");
	assert_shown(METRIC_SHARE, 0.0012, 0.0003, 0.02, "0.1 % [0.03 to 2.00]");
	assert_shown(METRIC_SHARE, 0.9991, 0.99, 1, "99.91 % [99.0 to 100.0]");
	assert_shown(METRIC_SHARE, 0, NAN, NAN, "0.0 %");
	assert_shown(METRIC_POINTS, -5, -8.76, -2.13, "-5.0 points [-8.8 to -2.1]");
	assert_shown(METRIC_POINTS, 0.25, NAN, NAN, "0.2 points");
	assert_shown(METRIC_MS, 812.5, NAN, NAN, "812 ms");
	assert_shown(METRIC_COUNT, 1234567, NAN, NAN, "1234567");
	assert_shown(METRIC_NUMBER, 0.000144, 0.000138, 0.00015, "0.000144 [0.000138 to 0.00015]");
	assert_shown(METRIC_NUMBER, 44.71, 37.06, 153.3, "44.7 [37.1 to 153]");
}

static void assert_changed(
        enum metric_unit unit, double value, double low, double high, const char *text)
{
	struct buf b = {0};
	const struct metric_value v = {.value = value, .low = low, .high = high};
	metric_put_change(&b, unit, &v);
	cr_assert_str_eq(buf_cstr(&b), text, "%s", buf_cstr(&b));
	buf_finish(&b);
}

Test(metric, a_change_has_the_decimals_of_the_figure)
{
	assert_changed(METRIC_SHARE, 0, -0.215, 0.215, "+0.0 points [-21.5 to +21.5]");
	assert_changed(METRIC_SHARE, 0.021, 0.005, 0.037, "+2.1 points [+0.5 to +3.7]");
	assert_changed(METRIC_SHARE, 0.9991, NAN, NAN, "+99.91 points");
	assert_changed(METRIC_POINTS, -0.25, -3, 2.5, "-0.2 points [-3.0 to +2.5]");
}

Test(metric, what_has_another_shape_is_no_data)
{
	static const char *const NODES[] = {"null", "\"5\"", "[5]", "{}", "{\"value\": null}",
	        "{\"n\": 3}", "{\"value\": \"5\"}", "true"};
	struct metric_value v;
	for (size_t i = 0; i < ARRAY_LEN(NODES); i++) {
		json_t *node = json_loads(NODES[i], JSON_DECODE_ANY, NULL);
		cr_assert_not(metric_read_node(node, NULL, &v), "%s", NODES[i]);
		json_decref(node);
	}
	cr_assert_not(metric_read_node(NULL, NULL, &v));
	json_t *node = json_loads("{\"mean\": 2, \"ci95\": [3, 1], \"clusters\": 7}", 0, NULL);
	cr_assert(metric_read_node(node, NULL, &v));
	cr_assert(v.value == 2 && isnan(v.low) && v.n == 7, "an interval turned round is none");
	json_decref(node);
}

Test(metric, a_share_of_nothing_has_no_data_and_sets_nothing)
{
	json_t *at = json_pack("{s:i, s:i}", "failed", 0, "answers", 0);
	struct metric_value v = {.value = 7};
	cr_assert_not(metric_read(metric_find("traffic.failed"), at, &v));
	cr_assert_float_eq(v.value, 7, 0);
	json_decref(at);
}
