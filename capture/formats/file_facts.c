#include "capture/formats/file_facts.h"

#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/moment.h"

struct span file_name(struct span path)
{
	const char *slash = path.len ? memrchr(path.data, '/', path.len) : NULL;
	size_t skip = slash ? (size_t)(slash - path.data) + 1 : 0;
	return (struct span){path.data + skip, path.len - skip};
}

uint64_t file_time(struct span path, FILE *file)
{
	struct stat st;
	uint64_t ns;
	if (moment_find(file_name(path), &ns)) {
		return ns;
	}
	return fstat(fileno(file), &st) == 0 && st.st_mtime > 0 ? (uint64_t)st.st_mtime * SECOND_NS
	                                                        : clock_wall();
}
