#include "backends/json_path.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* Returns the member with this name, or the element with this index. */
static struct span step(struct span json, const char *name)
{
	struct json j;
	struct json_member m;
	struct span found = {0};
	struct json_token t = json_begin_lenient(&j, json);
	if (t.type == JSON_TOKEN_OBJECT) {
		while (json_next_member(&j, &m)) {
			found = json_token_is_key(&m.key, name) ? m.value : found;
		}
	} else if (t.type == JSON_TOKEN_ARRAY) {
		for (size_t n = strtoul(name, NULL, 10) + 1; n > 0; n--) {
			t = json_next(&j);
			if (t.type == JSON_TOKEN_ARRAY_END || t.type == JSON_TOKEN_ERROR) {
				return (struct span){0};
			}
			found = json_skip(&j, &t);
		}
	}
	return found;
}

struct span json_path_find(struct span json, const char *path)
{
	while (json.len && *path) {
		size_t len = strcspn(path, ".");
		char *name = xstrndup(path, len);
		json = step(json, name);
		free(name);
		path += len + (path[len] == '.');
	}
	return json;
}
