#include "cli/run_verdict.h"

#include <stdlib.h>

#include "analyzer/report/output_format.h"
#include "analyzer/report/groups.h"
#include "base/mem.h"
#include "cli/written.h"

#define FILE_LIMIT (1 << 20) /* bytes */

int run_verdict_save(const char *dir, const json_t *document)
{
	static const char *const MEMBERS[] = {"recipe", "verdict"};
	json_t *saved = json_object();
	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
		json_object_set(saved, MEMBERS[i], json_object_get(document, MEMBERS[i]));
	}
	char *path = xasprintf("%s/" RUN_VERDICT_FILE, dir);
	int r = output_format_save(OUTPUT_FORMAT_JSON, saved, path, 0600);
	free(path);
	json_decref(saved);
	return r;
}

const char *run_verdict_read(const char *dir)
{
	char *path = xasprintf("%s/" RUN_VERDICT_FILE, dir);
	bool fits = written_size(path) <= FILE_LIMIT;
	json_t *saved = fits ? json_load_file(path, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const char *word = saved ? groups_verdict(saved) : "-";
	json_decref(saved);
	free(path);
	return word;
}
