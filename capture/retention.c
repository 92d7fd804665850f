#define LOG_MODULE "retention"

#include "capture/retention.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "capture/segment.h"

#define SECOND_NS UINT64_C(1000000000)

static uint64_t weigh(const char *dir, struct id segment)
{
	char *path = segment_path(dir, segment, "seg");
	struct stat st;
	uint64_t bytes = stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
	free(path);
	return bytes;
}

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
		/* One that is gone has been deleted by somebody else since. */
		if (stat(path, &st) == 0) {
			list[found++] = (struct retention_segment){
			        .id = ids[i],
			        .bytes = (uint64_t)st.st_size,
			        .written_ns = (uint64_t)st.st_mtim.tv_sec * SECOND_NS +
			                      (uint64_t)st.st_mtim.tv_nsec,
			        .held = segment_state(dir, ids[i]) == SEGMENT_LIVE,
			};
		}
		free(path);
	}
	free(ids);
	*ret = list;
	*ret_n = found;
	return 0;
}

size_t retention_drop_before(const char *dir, uint64_t wall_ns)
{
	struct retention_segment *list;
	size_t n, dropped = 0;
	if (retention_list(dir, &list, &n) < 0) {
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		const struct retention_segment *s = &list[i];
		if (s->held || s->written_ns >= wall_ns || segment_remove(dir, s->id) < 0) {
			continue;
		}
		char text[ID_TEXT_SIZE];
		log_info("deleted a segment that is old enough segment=%s bytes=%llu",
		        id_format(s->id, text), (unsigned long long)s->bytes);
		dropped++;
	}
	free(list);
	return dropped;
}

uint64_t retention_weigh(const char *dir, struct id except)
{
	struct id *ids;
	size_t n;
	uint64_t bytes = 0;
	if (segment_list(dir, &ids, &n) < 0) {
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		if (id_compare(ids[i], except) != 0) {
			bytes += weigh(dir, ids[i]);
		}
	}
	free(ids);
	return bytes;
}

bool retention_drop_oldest(const char *dir, uint64_t *ret_freed)
{
	struct id *ids;
	size_t n;
	bool dropped = false;
	if (segment_list(dir, &ids, &n) < 0) {
		return false;
	}
	for (size_t i = 0; i < n && !dropped; i++) {
		uint64_t bytes = weigh(dir, ids[i]);
		int r = segment_remove(dir, ids[i]);
		if (r == 0) {
			char text[ID_TEXT_SIZE];
			log_info("deleted the oldest segment segment=%s bytes=%llu",
			        id_format(ids[i], text), (unsigned long long)bytes);
			*ret_freed = bytes;
			dropped = true;
		}
	}
	free(ids);
	return dropped;
}
