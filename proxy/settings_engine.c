/*
 * The keys of a backend that say which engine it is and how it is to be asked.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/privacy/privacy.h"
#include "proxy/settings_parts.h"

#define DIALECTS_LIMIT 64
#define STACK_LIMIT 128
#define POLL_MIN UINT64_C(1000000000)

static const struct dialect *read_dialect(struct conf *y, const struct conf_node *n)
{
	const char *words[DIALECTS_LIMIT + 2] = {"auto"};
	size_t count;
	const struct dialect *const *all = dialects(&count);
	expect(count <= DIALECTS_LIMIT);
	for (size_t i = 0; i < count; i++) {
		words[i + 1] = all[i]->name;
	}
	int choice = conf_choice(y, n, words, 0);
	return choice > 0 ? all[choice - 1] : NULL;
}

bool settings_parse_poll(const char *text, uint64_t *ret)
{
	if (strcmp(text, "off") == 0) {
		*ret = 0;
		return true;
	}
	return conf_parse_duration(text, ret) && *ret >= POLL_MIN;
}

static uint64_t read_poll(struct conf *y, const struct conf_node *n, uint64_t fallback)
{
	const char *text = conf_string(y, n, NULL);
	uint64_t poll = fallback;
	if (text && !settings_parse_poll(text, &poll)) {
		conf_fail(y, n, "must be off, or a time of a second and more, like 10m");
	}
	return poll;
}

static void read_header(struct conf *y, const struct conf_node *n, struct backend_settings *to)
{
	const char *name = conf_string(y, n, NULL);
	if (name && (!*name || strpbrk(name, " \t\r\n:"))) {
		conf_fail(y, n, "is not the name of a header");
	} else if (name && privacy_is_credential(span_of(name))) {
		conf_fail(y, n, "%s bears a secret and is never recorded", name);
	}
	settings_replace(&to->replica_header, name);
}

static void read_stack(struct conf *y, const struct conf_node *n, struct backend_settings *to)
{
	if (!n) {
		return;
	}
	if (conf_kind(n) != CONF_MAP || conf_size(n) > STACK_LIMIT) {
		conf_fail(y, n, "must be a map of at most %d facts, like {accelerator: 2 x H100}",
		        STACK_LIMIT);
		return;
	}
	to->stack = xcalloc(conf_size(n) + 1, sizeof(*to->stack));
	for (size_t i = 0; i < conf_size(n); i++) {
		const char *name;
		const struct conf_node *value = conf_pair(n, i, &name);
		const char *text = conf_string(y, value, NULL);
		const char *problem = settings_check_name(name);
		if (problem) {
			conf_fail(y, value, "%s", problem);
		}
		if (text) {
			to->stack[to->n_stack++] =
			        (struct stack_fact){xstrdup(name), xstrdup(text)};
		}
	}
}

/* Where nothing is both generated and scored these keys would do nothing. */
static void read_both(struct conf *y, const struct conf_node *share, const struct conf_node *self,
        struct backend_settings *to)
{
	to->score.generate = conf_share(y, share, to->score.generate);
	to->score.self = conf_bool(y, self, to->score.self);
	if (to->mode != MIRROR_BOTH && share) {
		conf_fail(y, share, "goes with mode: both");
	} else if (to->mode != MIRROR_BOTH && self) {
		conf_fail(y, self, "goes with mode: both");
	}
}

static void read_mode(struct conf *y, const struct conf_node *n, struct backend_settings *to)
{
	const struct conf_node *score = conf_get(y, n, "score");
	const struct conf_node *self = conf_get(y, n, "self");
	to->mode = (enum mirror_mode)conf_choice(
	        y, conf_get(y, n, "mode"), SETTINGS_MODE_WORDS, (int)to->mode);
	if (score && to->mode == MIRROR_GENERATE) {
		conf_fail(y, score, "goes with mode: score or mode: both");
	}
	to->score.prompt = (enum score_prompt)conf_choice(
	        y, conf_get(y, score, "prompt"), SCORE_PROMPT_WORDS, (int)to->score.prompt);
	to->score.max_prompt_tokens = (uint32_t)conf_int(y, conf_get(y, score, "max_prompt_tokens"),
	        1, SCORE_TOKENS_LIMIT, to->score.max_prompt_tokens);
	read_both(y, conf_get(y, score, "generate"), self, to);
	conf_check_keys(y, score);
}

static void read_reference(struct conf *y, const struct conf_node *n, struct backend_settings *to)
{
	static const char *const THINKING[] = {[THINKING_AS_ASKED] = "as_asked",
	        [THINKING_ON] = "on",
	        [THINKING_OFF] = "off",
	        NULL};
	const char *aligns[N_ALIGNS + 1] = {NULL};
	for (int i = 0; i < N_ALIGNS; i++) {
		aligns[i] = align_name((enum align)i);
	}
	to->align = (enum align)conf_choice(y, conf_get(y, n, "align"), aligns, (int)to->align);
	to->thinking = (enum thinking)conf_choice(
	        y, conf_get(y, n, "thinking"), THINKING, (int)to->thinking);
	read_mode(y, n, to);
	const char *const *names = template_names();
	const struct conf_node *template = conf_get(y, n, "completions_template");
	int choice = conf_choice(y, template, names, -1);
	to->completions_template = choice >= 0 ? template_find(names[choice]) : NULL;
}

void settings_read_engine(
        struct conf *y, const struct conf_node *n, struct backend_settings *to, bool reference)
{
	to->dialect = read_dialect(y, conf_get(y, n, "dialect"));
	to->poll = read_poll(y, conf_get(y, n, "poll"), to->poll);
	read_header(y, conf_get(y, n, "replica_header"), to);
	read_stack(y, conf_get(y, n, "stack"), to);
	if (reference) {
		read_reference(y, n, to);
	}
}
