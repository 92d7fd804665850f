#include "replay/csv.h"

#include <string.h>

bool csv_is_open(struct span text)
{
	bool open = false;
	const char *p = text.data, *end = text.data + text.len;
	while (p < end && (p = memchr(p, '"', (size_t)(end - p)))) {
		open = !open;
		p++;
	}
	return open;
}

/* Reads the field that begins at p and appends it to `to`, unless that is NULL. Returns where
 * the next field begins, or NULL. */
static const char *take_field(const char *p, const char *end, struct buf *to)
{
	bool quoted = p < end && *p == '"';
	for (p += quoted; p < end; p++) {
		if (quoted && *p == '"') {
			if (p + 1 < end && p[1] == '"') {
				p++;
			} else {
				quoted = false;
				continue;
			}
		} else if (!quoted && *p == ',') {
			return p + 1;
		}
		if (to) {
			buf_append_char(to, *p);
		}
	}
	return NULL;
}

bool csv_field(struct span record, size_t number, struct buf *to)
{
	const char *p = record.data, *end = record.data + record.len;
	for (size_t i = 0; i < number && p; i++) {
		p = take_field(p, end, NULL);
	}
	if (!p) {
		return false;
	}
	take_field(p, end, to);
	return true;
}

int csv_column(struct span header, const char *name)
{
	const char *p = header.data, *end = header.data + header.len;
	struct buf field = {0};
	int found = -1;
	for (int i = 0; found < 0 && p; i++) {
		p = take_field(p, end, &field);
		found = span_is(buf_span(&field), name) ? i : -1;
		buf_clear(&field);
	}
	buf_finish(&field);
	return found;
}
