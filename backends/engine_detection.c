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
#define MUTE_LIMIT 3 /* timeouts after which no more paths are requested */

/* The most informative paths come first. Paths known only to dialects come between FIRST and
 * LAST. */
static const char *const FIRST[] = {ENGINE_IDENTITY_MODELS, "/version", "/props", "/api/version",
        "/api/v0/models", "/info", "/server_info", "/get_server_info", "/v1/status"};
static const char *const LAST[] = {OPENAPI_PATH, HEALTH_PATH};

static bool listed(const char *path, const char *const *list, size_t n)
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
	if (path && p->n < PATHS_LIMIT && !listed(path, p->items, p->n)) {
		p->items[p->n++] = path;
	}
}

static void add_known(struct paths *to)
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

/* Collects every path of the dialects once, most informative first. gently: the first path is
 * one that does not delay the answers of any engine. */
static struct paths all_paths(bool gently)
{
	struct paths known = {0}, ordered = {0};
	add_known(&known);
	add_path(&ordered, gently ? OPENAPI_PATH : NULL);
	add_path(&ordered, ENGINE_IDENTITY_MODELS);
	for (size_t k = 0; k < ARRAY_LEN(FIRST); k++) {
		if (listed(FIRST[k], known.items, known.n)) {
			add_path(&ordered, FIRST[k]);
		}
	}
	for (size_t k = 0; k < known.n; k++) {
		if (!listed(known.items[k], LAST, ARRAY_LEN(LAST))) {
			add_path(&ordered, known.items[k]);
		}
	}
	for (size_t k = 0; k < ARRAY_LEN(LAST); k++) {
		if (listed(LAST[k], known.items, known.n)) {
			add_path(&ordered, LAST[k]);
		}
	}
	return ordered;
}

static enum call_end look_at(
        struct engine_identity *i, struct call_line *c, const char *path, uint64_t timeout_ms)
{
	struct call_answer a;
	call_do(c, &(struct call){.path = path, .timeout_ms = timeout_ms, .limit = BODY_LIMIT}, &a);
	struct seen seen = {
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
	engine_identity_add(i, seen);
	enum call_end end = a.end;
	call_answer_finish(&a);
	return end;
}

static bool is_delicate(struct engine_identity *i)
{
	engine_identity_choose(i);
	return i->sure >= SURE_LIKELY && (i->dialect->abilities & ABILITY_ONE_AT_A_TIME);
}

struct engine_identity *engine_detect(struct call_line *c, const struct engine_detection *how)
{
	struct engine_identity *i = engine_identity_create();
	struct paths paths = all_paths(how->gently);
	unsigned mute = 0;
	for (size_t k = 0; k < paths.n && !i->spared; k++) {
		if (engine_identity_same_path(paths.items[k], HEALTH_PATH)) {
			engine_identity_choose(i);
			if (i->sure >= SURE_LIKELY) {
				continue;
			}
		}
		if (how->on_path) {
			how->on_path(how->arg, paths.items[k]);
		}
		enum call_end end = look_at(i, c, paths.items[k],
		        how->timeout_ms ? how->timeout_ms : DEFAULT_TIMEOUT_MS);
		mute += end == CALL_TIMEOUT || i->seen[i->n_seen - 1].status == 0;
		if (end == CALL_STOPPED || (end == CALL_REFUSED && !i->reachable) ||
		        mute >= MUTE_LIMIT || (mute >= 2 && !engine_identity_any_whole(i))) {
			break;
		}
		i->spared = how->gently && is_delicate(i);
	}
	if (engine_identity_any_whole(i)) {
		free(i->problem);
		i->problem = NULL;
	}
	engine_identity_conclude(i);
	return i;
}
