#include "analyzer/fold/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/dialect.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/shell.h"

static void keep(char *to, size_t size, const char *text)
{
	if (shell_is_pastable(text) && strlen(text) < size) {
		memcpy(to, text, strlen(text) + 1);
	}
}

/* Whether this leg replaces the kept one: legs with a URL come first, then lower ids. */
static bool comes_before(bool has_url, struct id leg, const struct advice_engine *other)
{
	bool other_has_url = other->url[0] != '\0';
	if (id_is_zero(other->leg)) {
		return true;
	}
	return has_url == other_has_url ? id_compare(leg, other->leg) < 0 : has_url;
}

void advice_engine_add_leg(struct advice_engine *e, struct id leg, const char *url,
        const char *backend, const char *dialect)
{
	struct advice_engine fresh = {.leg = leg};
	keep(fresh.url, sizeof(fresh.url), url);
	if (!comes_before(fresh.url[0] != '\0', leg, e)) {
		return;
	}
	const struct dialect *d = dialect ? dialect_find(dialect) : NULL;
	keep(fresh.name, sizeof(fresh.name), backend);
	fresh.can_score = d && d->scoring != SCORING_NONE;
	fresh.may_score = fresh.can_score || !d || d == &dialect_generic;
	*e = fresh;
}

char *advice_captures(const struct advice_place *p)
{
	struct buf words = {0};
	for (size_t i = 0; p && i < p->n_dirs; i++) {
		buf_append_str(&words, i ? " " : "");
		if (!shell_put_pastable_path(&words, p->dirs[i])) {
			buf_finish(&words);
			return NULL;
		}
	}
	return words.len ? buf_steal(&words) : NULL;
}

static char *single_capture(const struct advice_place *p)
{
	return p && p->n_dirs == 1 ? advice_captures(p) : NULL;
}

/* The capture whose requests can be sent again. */
static char *sendable_capture(const struct advice_place *p)
{
	return p && p->has_no_requests ? NULL : single_capture(p);
}

static void put_key(struct buf *to, const struct advice_place *p, const struct advice_engine *e)
{
	for (size_t i = 0; p && i < p->n_keys; i++) {
		const struct advice_key *k = &p->keys[i];
		if (strcmp(k->name, e->name) == 0 && strcmp(k->url, e->url) == 0 &&
		        shell_is_pastable(k->variable)) {
			buf_append_str(to, " --api-key-env ");
			shell_put_word(to, k->variable);
			return;
		}
	}
}

static void put_probe(struct buf *to, const struct advice_place *p, const struct advice_engine *e)
{
	buf_append_str(to, to->len ? "; plumbline probe " : "plumbline probe ");
	shell_put_word(to, e->url);
	buf_append_str(to, " --deep");
	put_key(to, p, e);
}

char *advice_probes(
        const struct advice_place *p, const struct advice_engine *a, const struct advice_engine *b)
{
	struct buf to = {0};
	if (a->url[0]) {
		put_probe(&to, p, a);
	}
	if (b->url[0] && strcmp(a->url, b->url) != 0) {
		put_probe(&to, p, b);
	}
	return to.len ? buf_steal(&to) : NULL;
}

char *advice_probe(const struct advice_place *p, const struct advice_engine *e)
{
	return advice_probes(p, e, e);
}

/* The side's name: the engine's own, or with "-again" the one under which new answers are
 * recorded. */
static void put_side(struct buf *to, const struct advice_engine *e, bool again)
{
	char *name = xasprintf("%s%s", e->name, again ? ADVICE_AGAIN : "");
	shell_put_word(to, name);
	free(name);
}

/* A replay to a backend's name uses its settings, such as the names of models; a replay to a URL
 * does not. */
static void put_replay(struct buf *to, const struct advice_place *p, const char *capture,
        const struct advice_engine *e, bool again, const char *how)
{
	bool by_name = p->has_backend && p->has_backend(p->arg, e->name, e->url);
	buf_printf(to, "plumbline replay %s --to ", capture);
	shell_put_word(to, by_name ? e->name : e->url);
	buf_append_str(to, " --name ");
	put_side(to, e, again);
	put_key(to, p, e);
	buf_printf(to, "%s%s && ", *how ? " " : "", how);
}

/* Whether the engine's name is that of new answers. */
static bool is_again(const struct advice_engine *e)
{
	size_t n = strlen(e->name), end = strlen(ADVICE_AGAIN);
	return n > end && strcmp(e->name + n - end, ADVICE_AGAIN) == 0;
}

char *advice_replay(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool to_base, bool to_test, const char *how)
{
	char *capture = sendable_capture(p);
	struct buf to = {0};
	bool is_known = (!to_base || base->url[0]) && (!to_test || test->url[0]) && base->name[0] &&
	                test->name[0];
	/* An engine compared with itself needs only one replay. */
	bool is_one = strcmp(base->name, test->name) == 0;
	bool is_done = (to_base && is_again(base)) || (to_test && is_again(test));
	if (capture && is_known && !is_done) {
		if (to_base && !base->has_again && !(to_test && is_one)) {
			put_replay(&to, p, capture, base, true, how);
		}
		if (to_test && !test->has_again) {
			put_replay(&to, p, capture, test, true, how);
		}
		buf_printf(&to, "plumbline analyze %s --base ", capture);
		put_side(&to, base, to_base);
		buf_append_str(&to, " --test ");
		put_side(&to, test, to_test);
	}
	free(capture);
	return to.len ? buf_steal(&to) : NULL;
}

static void put_score(struct buf *to, const struct advice_place *p, const char *capture,
        const struct advice_engine *by, const struct advice_engine *of)
{
	buf_printf(to, "plumbline score %s --backend ", capture);
	shell_put_word(to, by->name);
	buf_append_str(to, " --url ");
	shell_put_word(to, by->url);
	buf_append_str(to, " --of ");
	shell_put_word(to, of->name);
	put_key(to, p, by);
	buf_printf(to, " && plumbline analyze %s", capture);
}

char *advice_score(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool allow_unknown)
{
	bool by_base = base->can_score || (allow_unknown && base->may_score && !test->can_score);
	const struct advice_engine *by = by_base ? base : test;
	const struct advice_engine *of = by == base ? test : base;
	bool able = by->can_score || (allow_unknown && by->may_score);
	char *capture = single_capture(p);
	struct buf to = {0};
	if (capture && able && by->url[0] && by->name[0] && of->name[0]) {
		put_score(&to, p, capture, by, of);
	}
	free(capture);
	return to.len ? buf_steal(&to) : NULL;
}

char *advice_score_itself(const struct advice_place *p, const struct advice_engine *base,
        const struct advice_engine *test, bool answered)
{
	char *capture = answered ? single_capture(p) : sendable_capture(p);
	struct buf to = {0};
	if (capture && base->may_score && base->url[0] && base->name[0] && test->name[0]) {
		if (!answered) {
			put_replay(&to, p, capture, base, false, "");
		}
		put_score(&to, p, capture, base, base);
		buf_append_str(&to, " --base ");
		shell_put_word(&to, base->name);
		buf_append_str(&to, " --test ");
		shell_put_word(&to, test->name);
	}
	free(capture);
	return to.len ? buf_steal(&to) : NULL;
}

/* "plumbline COMMAND", then the captures, then the remaining arguments. */
static char *over_captures(const struct advice_place *p, const char *command, const char *rest)
{
	char *captures = advice_captures(p);
	char *all = captures ? xasprintf("%s %s%s", command, captures, rest) : NULL;
	free(captures);
	return all;
}

char *advice_show(const struct advice_place *p, struct id exchange)
{
	/* The whole id: the turns of a conversation have the same last digits. */
	char text[ID_TEXT_SIZE];
	char *id = xasprintf(" %s", id_format(exchange, text));
	char *all = over_captures(p, "plumbline capture show", id);
	free(id);
	return all;
}

char *advice_compare(const struct advice_place *p, const char *base, const char *test)
{
	struct buf sides = {0};
	if (!shell_is_pastable(base) || !shell_is_pastable(test)) {
		return NULL;
	}
	buf_append_str(&sides, " --base ");
	shell_put_word(&sides, base);
	buf_append_str(&sides, " --test ");
	shell_put_word(&sides, test);
	char *all = over_captures(p, "plumbline analyze", buf_cstr(&sides));
	buf_finish(&sides);
	return all;
}

char *advice_more_prompts(const struct advice_place *p, double times)
{
	if (!p || !p->recipe) {
		return NULL;
	}
	return p->limit > 0 ? xasprintf("%s %s %.0f", p->recipe, p->limit_option,
	                              ceil((double)p->limit * times))
	                    : xstrdup("plumbline suites");
}

char *advice_grade(const struct advice_place *p)
{
	return p && p->n_dirs == 1 ? over_captures(p, "plumbline grade", "") : NULL;
}

char *advice_stacks(const struct advice_place *p)
{
	char *manifest = over_captures(p, "plumbline manifest", "");
	char *analyze = over_captures(p, "plumbline analyze", " --by stack");
	char *all = manifest ? xasprintf("%s; %s", manifest, analyze) : NULL;
	free(manifest);
	free(analyze);
	return all;
}
