#define LOG_MODULE "retention"

#include "capture/retention.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "capture/segment.h"

static uint64_t weigh(const char *dir, struct id segment)
{
	char *path = segment_path(dir, segment, "seg");
	struct stat st;
	uint64_t bytes = stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
	free(path);
	return bytes;
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
