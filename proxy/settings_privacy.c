/*
 * The keys of `capture` that say how much of what passes is kept: content, and redact.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "proxy/settings_parts.h"

#define LIST_LIMIT 64

static const char *const CONTENT_WORDS[] = {"full", "redacted", "metadata", NULL};

const char *settings_content_word(enum content c)
{
	return CONTENT_WORDS[c - CONTENT_FULL];
}

static bool is_short_list(struct conf *y, const struct conf_node *n)
{
	if (n && (conf_kind(n) != CONF_LIST || conf_size(n) > LIST_LIMIT)) {
		conf_fail(y, n, "must be a list of at most %d, like [a, b]", LIST_LIMIT);
		return false;
	}
	return n != NULL;
}

static void read_secrets(struct conf *y, const struct conf_node *n, struct privacy_settings *to)
{
	if (!is_short_list(y, n)) {
		return;
	}
	to->secrets = 0;
	for (size_t i = 0; i < conf_size(n); i++) {
		const char *words[N_SECRETS + 1] = {NULL};
		for (int k = 0; k < N_SECRETS; k++) {
			words[k] = secret_name((enum secret)k);
		}
		to->secrets |= 1u << conf_choice(y, conf_item(n, i), words, 0);
	}
}

static void say(struct privacy_settings *to, const char *text)
{
	char *said = xasprintf("%s\n%s", to->said ? to->said : "", text);
	free(to->said);
	to->said = said;
}

typedef char *(*add_fn)(struct redact_policy *p, const char *text);

static size_t read_texts(
        struct conf *y, const struct conf_node *n, struct privacy_settings *to, add_fn add)
{
	if (!is_short_list(y, n)) {
		return 0;
	}
	for (size_t i = 0; i < conf_size(n); i++) {
		const struct conf_node *item = conf_item(n, i);
		const char *text = conf_string(y, item, NULL);
		char *problem = text ? add(to->policy, text) : NULL;
		say(to, text ? text : "");
		if (problem) {
			conf_fail(y, item, "%s", problem);
			free(problem);
		}
	}
	return conf_size(n);
}

void settings_read_privacy(
        struct conf *y, const struct conf_node *capture, struct privacy_settings *to)
{
	const struct conf_node *redact = conf_get(y, capture, "redact");
	to->content = (enum content)(
	        CONTENT_FULL + conf_choice(y, conf_get(y, capture, "content"), CONTENT_WORDS, 0));
	if (redact && to->content != CONTENT_REDACTED) {
		conf_fail(y, redact, "has no effect without content: redacted");
	}
	if (to->content == CONTENT_FULL) {
		return;
	}
	to->secrets = SECRETS_ALL;
	read_secrets(y, conf_get(y, redact, "secrets"), to);
	to->policy = redact_policy_create(to->secrets);
	to->n_patterns =
	        read_texts(y, conf_get(y, redact, "patterns"), to, redact_policy_add_pattern);
	to->n_members = read_texts(y, conf_get(y, redact, "members"), to, redact_policy_add_member);
	conf_check_keys(y, redact);
}

bool settings_keep_privacy(struct privacy_settings *p, const struct privacy_settings *now)
{
	bool same = p->content == now->content && p->secrets == now->secrets &&
	            p->n_patterns == now->n_patterns &&
	            span_equal(span_of(p->said), span_of(now->said));
	redact_policy_unref(p->policy);
	free(p->said);
	*p = *now;
	p->policy = redact_policy_ref(now->policy);
	p->said = now->said ? xstrdup(now->said) : NULL;
	return same;
}
