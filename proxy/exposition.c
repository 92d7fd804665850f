#include "proxy/exposition.h"

#include <inttypes.h>

void exposition_describe(struct buf *to, const char *name, const char *type, const char *help)
{
	buf_printf(to, "# HELP plumbline_%s %s\n# TYPE plumbline_%s %s\n", name, help, name, type);
}

void exposition_value(
        struct buf *to, const char *name, const char *type, const char *help, uint64_t v)
{
	exposition_describe(to, name, type, help);
	buf_printf(to, "plumbline_%s %" PRIu64 "\n", name, v);
}

void exposition_label(struct buf *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"') {
			buf_append_char(to, '\\');
		}
		if (*text == '\n') {
			buf_append_str(to, "\\n");
		} else {
			buf_append_char(to, *text);
		}
	}
}
