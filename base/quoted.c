#include "base/quoted.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"

json_t *quoted(const char *bytes)
{
	if (!bytes) {
		return json_null();
	}
	json_t *value = json_string(bytes);
	if (value) {
		return value;
	}
	struct buf clean = {0};
	const char *end = bytes + strlen(bytes);
	while (bytes < end) {
		size_t len = utf8_length(bytes, end);
		if (len) {
			buf_append(&clean, bytes, len);
		} else {
			buf_append_str(&clean, REPLACEMENT);
		}
		bytes += len ? len : 1;
	}
	value = json_string(buf_cstr(&clean));
	expect(value);
	buf_finish(&clean);
	return value;
}
