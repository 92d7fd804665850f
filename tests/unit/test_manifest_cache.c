#include "capture/recorder/manifest_cache.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct manifest_row row_of(struct id id)
{
	return (struct manifest_row){
	        .id = id,
	        .backend = (char *)"prod",
	        .url = (char *)"http://h:1",
	        .role = ROLE_REFERENCE,
	        .wall_ns = 7,
	        .dialect = (char *)"vllm",
	        .digest = {1, 2, 3},
	        .json = (char *)"{}",
	};
}

static int count(void *arg, struct span key, struct span value)
{
	struct id id;
	struct span payload;
	struct buf scratch = {0};
	struct manifest_row row;
	cr_assert(record_is_manifest_key(key, &id));
	cr_assert_eq(record_unwrap(value, ROW_MANIFEST, &scratch, &payload), 0);
	cr_assert_eq(record_get_manifest(payload, &row), 0);
	cr_assert_eq(id_compare(row.id, id), 0);
	cr_assert_str_eq(row.backend, "prod");
	cr_assert_eq(row.role, ROLE_REFERENCE);
	cr_assert_eq(row.digest[2], 3);
	manifest_row_finish(&row);
	buf_finish(&scratch);
	++*(int *)arg;
	return 0;
}

static int refuse(void *arg, struct span key, struct span value)
{
	return -ENOSPC;
}

Test(manifest_cache, gives_each_segment_what_it_has_not_yet)
{
	struct manifest_cache *s = manifest_cache_create();
	struct id a = id_make(), b = id_make();
	struct manifest_row first = row_of(a), second = row_of(b);
	uint64_t since = 0, fresh = 0;
	int n = 0;
	manifest_cache_put(s, &first);
	cr_assert_eq(manifest_cache_since(s, &since, refuse, NULL), -ENOSPC);
	cr_assert_eq(since, 0);
	cr_assert_gt(manifest_cache_bytes(s, since), 0);
	cr_assert_eq(manifest_cache_since(s, &since, count, &n), 0);
	cr_assert_eq(n, 1);
	cr_assert_eq(manifest_cache_bytes(s, since), 0);
	manifest_cache_put(s, &second);
	manifest_cache_put(s, &first);
	cr_assert_eq(manifest_cache_since(s, &since, count, &n), 0);
	cr_assert_eq(n, 2);
	cr_assert_eq(manifest_cache_since(s, &fresh, count, &n), 0);
	cr_assert_eq(n, 4);
	manifest_cache_destroy(s);
}

Test(manifest_cache, keeps_those_that_were_in_force_last)
{
	struct manifest_cache *s = manifest_cache_create();
	struct id kept = id_make();
	struct manifest_row row = row_of(kept);
	manifest_cache_put(s, &row);
	for (int i = 0; i < 3 * MANIFEST_CACHE_LIMIT; i++) {
		struct manifest_row other = row_of(id_make());
		manifest_cache_put(s, &other);
		manifest_cache_put(s, &row);
	}
	uint64_t since = 0, number = 0;
	int n = 0;
	cr_assert_eq(manifest_cache_since(s, &since, count, &n), 0);
	cr_assert_eq(n, MANIFEST_CACHE_LIMIT);
	/* The current manifest is still there and was not written again. */
	number = since;
	manifest_cache_put(s, &row);
	cr_assert_eq(manifest_cache_bytes(s, number), 0);
	manifest_cache_destroy(s);
}

Test(manifest_cache, damaged_manifests_and_foreign_keys_are_refused)
{
	struct buf payload = {0}, key = {0};
	struct id id = id_make(), found;
	struct manifest_row row = row_of(id), back;
	record_put_manifest(&payload, &row);
	for (size_t cut = 0; cut < payload.len; cut++) {
		cr_assert_lt(record_get_manifest((struct span){payload.data, cut}, &back), 0);
	}
	record_manifest_key(&key, id);
	cr_assert_eq(key.len, MANIFEST_KEY_SIZE);
	cr_assert(record_is_manifest_key(buf_span(&key), &found));
	cr_assert_eq(id_compare(found, id), 0);
	cr_assert_not(record_is_manifest_key(SPAN("segment"), &found));
	cr_assert_not(record_is_manifest_key((struct span){key.data, key.len - 1}, &found));
	key.data[key.len - 1] = 'G';
	cr_assert_not(record_is_manifest_key(buf_span(&key), &found));
	buf_finish(&payload);
	buf_finish(&key);
}
