#define LOG_MODULE "retention"

#include "capture/retention.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/segment.h"

int retention_list(const char *dir, struct retention_segment **ret, size_t *ret_n)
{
	struct id *ids;
	size_t n;
	int r = segment_list(dir, &ids, &n);
	if (r < 0) {
		return r;
	}
	struct retention_segment *list = xcalloc(n + 1, sizeof(*list));
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		struct stat st;
		char *path = segment_path(dir, ids[i], "seg");
		/* A missing file was deleted by another process meanwhile. */
		if (stat(path, &st) == 0) {
			list[found++] = (struct retention_segment){
			        .id = ids[i],
			        .bytes = (uint64_t)st.st_size,
			        .written_ns = (uint64_t)st.st_mtim.tv_sec * SECOND_NS +
			                      (uint64_t)st.st_mtim.tv_nsec,
			};
		}
		free(path);
	}
	free(ids);
	*ret = list;
	*ret_n = found;
	return 0;
}

/* Deletes a segment. -EBUSY: a writer holds it. */
static int drop(const char *dir, const struct retention_segment *s, const char *why)
{
	char text[ID_TEXT_SIZE];
	int r = segment_remove(dir, s->id);
	if (r == 0) {
		log_info("Deleted segment {segment} of {path}: {reason}.",
		        log_field("segment", id_format(s->id, text)), log_field("path", dir),
		        log_field("reason", why), log_field("bytes", s->bytes));
	}
	return r;
}

size_t retention_drop_before(const char *dir, uint64_t wall_ns)
{
	struct retention_segment *list;
	size_t n, dropped = 0;
	if (retention_list(dir, &list, &n) < 0) {
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		dropped += list[i].written_ns < wall_ns &&
		           drop(dir, &list[i], "it is older than the limit") == 0;
	}
	free(list);
	return dropped;
}

uint64_t retention_size(const char *dir, struct id except)
{
	struct retention_segment *list;
	size_t n;
	uint64_t bytes = 0;
	if (retention_list(dir, &list, &n) < 0) {
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		bytes += id_compare(list[i].id, except) != 0 ? list[i].bytes : 0;
	}
	free(list);
	return bytes;
}

bool retention_drop_oldest(const char *dir, uint64_t *ret_freed)
{
	struct retention_segment *list;
	size_t n;
	bool dropped = false;
	if (retention_list(dir, &list, &n) < 0) {
		return false;
	}
	for (size_t i = 0; i < n && !dropped; i++) {
		dropped = drop(dir, &list[i], "room was needed") == 0;
		if (dropped) {
			*ret_freed = list[i].bytes;
		}
	}
	free(list);
	return dropped;
}
