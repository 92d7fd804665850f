#include "cli/run_verdict.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/report/document/document_verdict.h"
#include "analyzer/report/document/exhibits.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/node.h"
#include "analyzer/report/forms/output_format.h"
#include "base/mem.h"
#include "base/shell.h"
#include "cli/written.h"

#define FILE_LIMIT (1 << 20) /* bytes, of the verdict */

/* Takes the reference to o. Returns 0 or -errno. */
static int save(json_t *o, const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);
	int r = output_format_save(OUTPUT_FORMAT_JSON, o, path, 0600);
	free(path);
	json_decref(o);
	return r;
}

int run_verdict_save(const char *dir, const json_t *document)
{
	static const char *const MEMBERS[] = {"recipe", "verdict"};
	json_t *verdict = json_object();
	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
		json_object_set(verdict, MEMBERS[i], json_object_get(document, MEMBERS[i]));
	}
	int r = save(verdict, dir, RUN_VERDICT_FILE);
	return r < 0 ? r : save(exhibits_drop(document), dir, RUN_REPORT_FILE);
}

/* The recipe and verdict. NULL: there are none, or they are unreadable. */
static json_t *load(const char *dir)
{
	char *path = xasprintf("%s/" RUN_VERDICT_FILE, dir);
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

bool run_verdict_has_report(const char *dir)
{
	char *path = xasprintf("%s/" RUN_REPORT_FILE, dir);
	bool found = access(path, F_OK) == 0;
	free(path);
	return found;
}

void run_verdict_add(json_t *document, const char *dir)
{
	static const char *const OWN[] = {"determinism", "stress", "ablate"};
	json_t *saved = load(dir);
	const char *verb = node_text(json_object_get(saved, "recipe"), "verb");
	struct buf command = {0};
	bool is_own = false;
	for (size_t i = 0; i < ARRAY_LEN(OWN); i++) {
		is_own |= strcmp(verb, OWN[i]) == 0;
	}
	buf_append_str(&command, "plumbline report ");
	if (is_own && run_verdict_has_report(dir) && shell_put_pastable_path(&command, dir)) {
		json_t *list = json_array(), *next = json_object_get(document, "next");
		document_add_step(list,
		        xasprintf("plumbline %s recorded these answers, and judged them by rules "
		                  "of its own: %s. Its report:",
		                verb, groups_verdict(saved)),
		        buf_steal(&command));
		json_array_extend(list, next);
		json_object_set_new(document, "next", list);
	}
	buf_finish(&command);
	json_decref(saved);
}
