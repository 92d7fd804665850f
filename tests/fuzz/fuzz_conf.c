/*
 * Any bytes as a configuration file. The target walks every node and reads it as every type.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/conf.h"
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(struct conf *y, const struct conf_node *n, int depth)
{
	static const char *const WORDS[] = {"both", "references", "off", NULL};
	expect(depth <= 64 && conf_line(n) > 0);
	(void)conf_string(y, n, "");
	(void)conf_bool(y, n, false);
	(void)conf_int(y, n, INT64_MIN, INT64_MAX, 0);
	(void)conf_bytes(y, n, 0);
	(void)conf_duration(y, n, 0);
	double share = conf_share(y, n, 0);
	expect(share >= 0 && share <= 1);
	expect(conf_rate(y, n, 0) >= 0);
	double number = conf_number(y, n, 0);
	expect(number - number == 0); /* finite */
	(void)conf_choice(y, n, WORDS, 0);
	for (size_t i = 0; i < conf_size(n); i++) {
		const char *key = NULL;
		if (conf_kind(n) == CONF_LIST) {
			walk(y, conf_item(n, i), depth + 1);
		} else {
			walk(y, conf_pair(n, i, &key), depth + 1);
		}
	}
	if (conf_kind(n) == CONF_MAP) {
		(void)conf_get(y, n, "listen");
		conf_check_keys(y, n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *error = NULL;
	struct conf *y = conf_parse("fuzz", (struct span){(const char *)data, size}, &error);
	if (!y) {
		expect(error);
		free(error);
		return 0;
	}
	walk(y, conf_root(y), 0);
	/* What was read can be written as JSON. */
	struct buf json = {0};
	conf_put_json(conf_root(y), &json);
	struct json j;
	json_init(&j, json.data, json.len);
	struct json_token first = json_next(&j);
	expect(json_skip(&j, &first).len == json.len && json_next(&j).type == JSON_TOKEN_END);
	buf_finish(&json);
	conf_destroy(y);
	return 0;
}
