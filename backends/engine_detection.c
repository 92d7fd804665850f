#include "backends/engine_detection.h"

#include <stdlib.h>

#include "base/mem.h"

#define DEFAULT_TIMEOUT_MS 2000
#define BODY_LIMIT ((size_t)256 << 10)
#define PATHS_LIMIT 64
#define OPENAPI_PATH "/openapi.json"
/* In some engines this path generates tokens. It is requested only if no other path gave
 * evidence. */
#define HEALTH_PATH "/health"
#define UNANSWERED_LIMIT 3 /* timeouts after which no more paths are requested */

/* The most informative paths come first. Paths known only to dialects come between FIRST and
 * LAST. */
static const char *const FIRST[] = {ENGINE_IDENTITY_MODELS, "/version", "/props", "/api/version",
        "/api/v0/models", "/info", "/server_info", "/get_server_info", "/v1/status"};
static const char *const LAST[] = {OPENAPI_PATH, HEALTH_PATH};

static bool is_listed(const char *path, const char *const *list, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		if (engine_identity_same_path(path, list[k])) {
			return true;
		}
	}
	return false;
}

struct paths {
	const char *items[PATHS_LIMIT];
	size_t n;
};

static void add_path(struct paths *p, const char *path)
{
	if (path && p->n < PATHS_LIMIT && !is_listed(path, p->items, p->n)) {
		p->items[p->n++] = path;
	}
}

static void add_dialect_paths(struct paths *to)
{
	size_t n;
	const struct dialect *const *all = dialects(&n);
	for (size_t d = 0; d < n; d++) {
		for (const struct sign *s = all[d]->signs; s && s->path; s++) {
			add_path(to, s->path);
		}
		add_path(to, all[d]->version_path);
	}
}

/* Collects every path of the dialects once, most informative first. gently: begins with a path that
 * delays the answers of no engine. */
static struct paths all_paths(bool gently)
{
	struct paths known = {0}, ordered = {0};
	add_dialect_paths(&known);
	add_path(&ordered, gently ? OPENAPI_PATH : NULL);
	add_path(&ordered, ENGINE_IDENTITY_MODELS);
	for (size_t k = 0; k < ARRAY_LEN(FIRST); k++) {
		if (is_listed(FIRST[k], known.items, known.n)) {
			add_path(&ordered, FIRST[k]);
		}
	}
	for (size_t k = 0; k < known.n; k++) {
		if (!is_listed(known.items[k], LAST, ARRAY_LEN(LAST))) {
			add_path(&ordered, known.items[k]);
		}
	}
	for (size_t k = 0; k < ARRAY_LEN(LAST); k++) {
		if (is_listed(LAST[k], known.items, known.n)) {
			add_path(&ordered, LAST[k]);
		}
	}
	return ordered;
}

static enum call_end request_path(
        struct engine_identity *i, struct call_line *c, const char *path, uint64_t timeout_ms)
{
	struct call_answer a;
	call_do(c, &(struct call){.path = path, .timeout_ms = timeout_ms, .limit = BODY_LIMIT}, &a);
	struct engine_response response = {
	        .path = xstrdup(path),
	        .end = a.end,
	        .status = a.status,
	        .head = buf_steal(&a.head),
	        .body = a.body.len ? buf_steal(&a.body) : NULL,
	};
	if ((!a.status || a.end == CALL_TIMEOUT) && !i->problem) {
		i->problem = a.problem;
		a.problem = NULL;
	}
	engine_identity_add(i, response);
	enum call_end end = a.end;
	call_answer_finish(&a);
	return end;
}

static bool serves_one_at_a_time(struct engine_identity *i)
{
	engine_identity_choose(i);
	return i->sure >= SURE_LIKELY && (i->dialect->abilities & ABILITY_ONE_AT_A_TIME);
}

struct engine_identity *engine_detect(struct call_line *c, const struct engine_detection *settings)
{
	struct engine_identity *i = engine_identity_create();
	struct paths paths = all_paths(settings->gently);
	unsigned unanswered = 0;
	for (size_t k = 0; k < paths.n && !i->spared; k++) {
		if (engine_identity_same_path(paths.items[k], HEALTH_PATH)) {
			engine_identity_choose(i);
			if (i->sure >= SURE_LIKELY) {
				continue;
			}
		}
		if (settings->on_path) {
			settings->on_path(settings->arg, paths.items[k]);
		}
		enum call_end end = request_path(i, c, paths.items[k],
		        settings->timeout_ms ? settings->timeout_ms : DEFAULT_TIMEOUT_MS);
		unanswered += end == CALL_TIMEOUT || i->responses[i->n_responses - 1].status == 0;
		if (end == CALL_STOPPED || (end == CALL_REFUSED && !i->reachable) ||
		        unanswered >= UNANSWERED_LIMIT ||
		        (unanswered >= 2 && !engine_identity_any_complete(i))) {
			break;
		}
		i->spared = settings->gently && serves_one_at_a_time(i);
	}
	if (engine_identity_any_complete(i)) {
		free(i->problem);
		i->problem = NULL;
	}
	engine_identity_conclude(i);
	return i;
}
