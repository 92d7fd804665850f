#include "cli/run_verdict.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/report/document/document_verdict.h"
#include "analyzer/report/document/exhibits.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/node.h"
#include "analyzer/report/forms/output_format.h"
#include "base/mem.h"
#include "base/shell.h"
#include "cli/written.h"

#define FILE_LIMIT (64 << 20) /* bytes */

int run_verdict_save(const char *dir, const json_t *document)
{
	json_t *saved = exhibits_drop(document);
	char *path = xasprintf("%s/" RUN_REPORT_FILE, dir);
	int r = output_format_save(OUTPUT_FORMAT_JSON, saved, path, 0600);
	free(path);
	json_decref(saved);
	return r;
}

/* NULL: there is none, or it is unreadable. */
static json_t *load(const char *dir)
{
	char *path = xasprintf("%s/" RUN_REPORT_FILE, dir);
	bool fits = written_size(path) <= FILE_LIMIT;
	json_t *saved = fits ? json_load_file(path, JSON_REJECT_DUPLICATES, NULL) : NULL;
	free(path);
	return saved;
}

const char *run_verdict_read(const char *dir)
{
	json_t *saved = load(dir);
	const char *word = saved ? groups_verdict(saved) : "-";
	json_decref(saved);
	return word;
}

void run_verdict_add(json_t *document, const char *dir)
{
	static const char *const OWN[] = {"reruns", "stress", "ablation"};
	json_t *saved = load(dir);
	struct buf command = {0};
	bool is_own = false;
	for (size_t i = 0; i < ARRAY_LEN(OWN); i++) {
		is_own |= json_is_object(json_object_get(saved, OWN[i]));
	}
	buf_append_str(&command, "plumbline report ");
	if (is_own && shell_put_pastable_path(&command, dir)) {
		json_t *list = json_array(), *next = json_object_get(document, "next");
		document_add_step(list,
		        xasprintf("plumbline %s recorded these answers, and judged them by rules "
		                  "of its own: %s. Its report:",
		                node_text(json_object_get(saved, "recipe"), "verb"),
		                groups_verdict(saved)),
		        buf_steal(&command));
		json_array_extend(list, next);
		json_object_set_new(document, "next", list);
	}
	buf_finish(&command);
	json_decref(saved);
}
