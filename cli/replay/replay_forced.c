#include "cli/replay/replay_forced.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/commands.h"

#define WORDS 32

struct words {
	char *items[WORDS];
	int n;
};

static void add(struct words *w, const char *word)
{
	expect(w->n < WORDS - 1); /* the last element stays NULL */
	w->items[w->n++] = xstrdup(word);
}

/* Adds nothing if there is no value. */
static void add_flag(struct words *w, const char *flag, const char *value)
{
	if (value) {
		add(w, flag);
		add(w, value);
	}
}

static void add_number(struct words *w, const char *flag, uint64_t value)
{
	char *text = xasprintf("%" PRIu64, value);
	add_flag(w, flag, text);
	free(text);
}

/* "host:8000" of "http://host:8000/v1"; NULL: it is a name. */
static char *host_of(const char *to)
{
	const char *host = strstr(to, "://");
	return host ? xstrndup(host + 3, strcspn(host + 3, "/?#")) : NULL;
}

int replay_forced_run(const struct replay_options *o)
{
	struct words w = {0};
	const char *flag = replay_options_beside_forced(o);
	if (flag || o->n_to > 1 || o->n_levels > 1) {
		return commands_fail("replay", EXIT_USAGE,
		        xasprintf(
		                "--force-tokens scores the recorded tokens, and goes without %s%s",
		                flag          ? "--"
		                : o->n_to > 1 ? "several --to"
		                              : "several levels of --concurrency",
		                flag ? flag : ""));
	}
	char *host = host_of(o->wish.to);
	add(&w, "replay"); /* error messages name the command that the user typed */
	add(&w, o->source);
	add_flag(&w, "--backend", o->wish.name ? o->wish.name : host ? host : o->wish.to);
	add_flag(&w, "--url", host ? o->wish.to : NULL);
	add_flag(&w, "--config", o->wish.config);
	add_flag(&w, "--api-key-env", o->wish.api_key_env);
	add_flag(&w, "--model", o->wish.model);
	add_flag(&w, "--dialect", o->wish.dialect);
	add_flag(&w, "--capture", o->capture);
	add_number(&w, "--top", (uint64_t)o->top);
	if (o->concurrency) {
		add_number(&w, "--concurrency", o->concurrency);
	}
	if (o->limit != UINT64_MAX) {
		add_number(&w, "--limit", o->limit);
	}
	char *timeout = xasprintf("%" PRIu64 "ms", o->timeout / 1000000);
	add_flag(&w, "--timeout", timeout);
	if (o->json) {
		add(&w, "--json");
	}
	int code = command_score(w.n, w.items);
	for (int i = 0; i < w.n; i++) {
		free(w.items[i]);
	}
	free(timeout);
	free(host);
	return code;
}
