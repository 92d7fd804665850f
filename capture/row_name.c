#include "capture/row_name.h"

#include <inttypes.h>

#include "base/mem.h"
#include "capture/record.h"

const char *row_part_name(uint8_t type)
{
	static const char *const names[] = {
	        [PART_REQUEST_HEAD] = "request head",
	        [PART_REQUEST_BODY] = "request body",
	        [PART_RESPONSE_HEAD] = "response head",
	        [PART_RESPONSE_BODY] = "response body",
	        [PART_ARRIVALS] = "arrivals",
	        [PART_READING] = "reading",
	};
	return type < ARRAY_LEN(names) && names[type] ? names[type] : "part of an unknown type";
}

uint32_t row_piece_number(struct span key)
{
	const uint8_t *at = (const uint8_t *)key.data + PART_KEY_SIZE - 4;
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

char *row_name(uint8_t kind, struct span key)
{
	char a[ID_TEXT_SIZE], b[ID_TEXT_SIZE];
	if (kind == ROW_EXCHANGE && key.len == EXCHANGE_KEY_SIZE) {
		return xasprintf("exchange %s", id_format(id_at(key, 0), a));
	}
	if (kind == ROW_LEG && key.len == LEG_KEY_SIZE) {
		return xasprintf("answer %s of exchange %s",
		        id_format(id_at(key, EXCHANGE_KEY_SIZE), b), id_format(id_at(key, 0), a));
	}
	if (kind == ROW_PART && key.len == PART_KEY_SIZE) {
		uint8_t type = (uint8_t)key.data[16];
		return xasprintf("%s of %s %s, piece %" PRIu32, row_part_name(type),
		        type <= PART_REQUEST_BODY ? "exchange" : "leg", id_format(id_at(key, 0), a),
		        row_piece_number(key));
	}
	if (kind == ROW_META) {
		return xstrdup("the segment's own description");
	}
	struct id id;
	if (kind == ROW_MANIFEST && record_is_manifest_key(key, &id)) {
		return xasprintf("manifest %s", id_format(id, a));
	}
	return xstrdup("a row with an invalid key");
}
