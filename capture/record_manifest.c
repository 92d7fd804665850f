#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "capture/record.h"
#include "capture/record_field.h"

/* Keys are permanent: the number of a removed member is never reused. */

#define N_ROLES (ROLE_CANDIDATE + 1)
#define PREFIX (sizeof(MANIFEST_KEY) - 1)

#define M struct manifest_row
static const struct field manifest_fields[] = {
        FIELD_LIMIT(1, FIELD_BYTES, M, id, 16),
        FIELD(2, FIELD_STRING, M, backend),
        FIELD(3, FIELD_STRING, M, url),
        FIELD_LIMIT(4, FIELD_ENUM, M, role, N_ROLES),
        FIELD(5, FIELD_U64, M, wall_ns),
        FIELD(6, FIELD_STRING, M, dialect),
        FIELD_LIMIT(7, FIELD_BYTES, M, digest, 16),
        FIELD(8, FIELD_STRING, M, json),
};
#undef M

void record_manifest_key(struct buf *to, struct id id)
{
	buf_clear(to);
	buf_append_str(to, MANIFEST_KEY);
	buf_append_hex(to, id.bytes, sizeof(id.bytes));
}

bool record_is_manifest_key(struct span key, struct id *ret_id)
{
	char hex[33];
	if (key.len != MANIFEST_KEY_SIZE || memcmp(key.data, MANIFEST_KEY, PREFIX) != 0) {
		return false;
	}
	memcpy(hex, key.data + PREFIX, 32);
	hex[32] = '\0';
	return strspn(hex, HEX_DIGITS) == 32 && id_parse(hex, ret_id);
}

void record_put_manifest(struct buf *to, const struct manifest_row *row)
{
	msgpack_packer pk = field_packer(to);
	field_put_map(&pk, FIELD_TABLE(manifest_fields), row, 0);
}

int record_get_manifest(struct span payload, struct manifest_row *ret)
{
	struct manifest_row row = {0};
	int r = field_get_row(payload, FIELD_TABLE(manifest_fields), &row, NULL, NULL, NULL);
	if (r == 0 && (id_is_zero(row.id) || !row.json)) {
		r = -EBADMSG;
	}
	if (r < 0) {
		manifest_row_finish(&row);
		return r;
	}
	*ret = row;
	return 0;
}

void manifest_row_finish(struct manifest_row *row)
{
	if (row) {
		field_finish(FIELD_TABLE(manifest_fields), row);
	}
}
