#include "cli/run_verdict.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/report/document/document_verdict.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/node.h"
#include "analyzer/report/forms/output_format.h"
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

/* NULL: there is none, or it is unreadable. */
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

void run_verdict_add(json_t *document, const char *dir)
{
	json_t *saved = load(dir);
	const json_t *verdict = json_object_get(saved, "verdict");
	/* The verdicts of other recipes are about two sides, as those of an analysis. */
	if (*groups_sentence(saved) && !json_object_get(verdict, "base")) {
		const char *sentence = groups_sentence(saved), *end = strstr(sentence, ". ");
		size_t n = strlen(sentence);
		size_t first = end ? (size_t)(end - sentence) : n - (sentence[n - 1] == '.');
		document_put_limit(document, "recipe_verdict",
		        xasprintf("plumbline %s found: %s: %.*s",
		                node_text(json_object_get(saved, "recipe"), "verb"),
		                groups_verdict(saved), (int)first, sentence),
		        end ? end : "");
	}
	json_decref(saved);
}
