/*
 * The type of capture.redact: what is replaced before it is recorded.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "proxy/settings/types.h"

#define ITEMS_LIMIT 64

static bool is_short_list(struct conf *y, const struct conf_node *n)
{
	if (n && (conf_kind(n) != CONF_LIST || conf_size(n) > ITEMS_LIMIT)) {
		conf_fail(y, n, "must be a list of at most %d, like [a, b]", ITEMS_LIMIT);
		return false;
	}
	return n != NULL;
}

static unsigned read_secrets(struct conf *y, const struct conf_node *n)
{
	if (!is_short_list(y, n)) {
		return SECRETS_ALL;
	}
	const char *words[N_SECRETS + 1] = {NULL};
	for (int i = 0; i < N_SECRETS; i++) {
		words[i] = secret_name((enum secret)i);
	}
	unsigned secrets = 0;
	for (size_t i = 0; i < conf_size(n); i++) {
		secrets |= 1u << conf_choice(y, conf_item(n, i), words, 0);
	}
	return secrets;
}

typedef char *(*add_fn)(struct redact_policy *p, const char *text);

static size_t read_rules(
        struct conf *y, const struct conf_node *n, struct privacy_settings *to, add_fn add)
{
	if (!is_short_list(y, n)) {
		return 0;
	}
	for (size_t i = 0; i < conf_size(n); i++) {
		const struct conf_node *item = conf_item(n, i);
		const char *text = conf_string(y, item, NULL);
		char *problem = text ? add(to->policy, text) : NULL;
		char *source = xasprintf("%s\n%s", to->source ? to->source : "", text ? text : "");
		free(to->source);
		to->source = source;
		setting_fail(y, item, problem);
	}
	return conf_size(n);
}

static void read_redact(struct conf *y, const struct conf_node *n, void *to)
{
	struct privacy_settings *p = to;
	p->secrets = read_secrets(y, conf_get(y, n, "secrets"));
	p->policy = redact_policy_create(p->secrets);
	p->n_patterns = read_rules(y, conf_get(y, n, "patterns"), p, redact_policy_add_pattern);
	p->n_members = read_rules(y, conf_get(y, n, "members"), p, redact_policy_add_member);
	conf_check_keys(y, n);
}

static void write_redact(struct json_writer *w, const char *key, const void *from)
{
	const struct privacy_settings *p = from;
	json_writer_open(w, key, '{');
	json_writer_open(w, "secrets", '[');
	for (int i = 0; i < N_SECRETS; i++) {
		if (p->secrets & 1u << i) {
			json_writer_text(w, NULL, secret_name((enum secret)i));
		}
	}
	json_writer_close(w, "]");
	json_writer_count(w, "patterns", p->n_patterns);
	json_writer_count(w, "members", p->n_members);
	json_writer_close(w, "}");
}

static void finish_redact(void *at)
{
	struct privacy_settings *p = at;
	redact_policy_unref(p->policy);
	free(p->source);
}

static bool keep_redact(void *to, const void *now)
{
	struct privacy_settings *p = to;
	const struct privacy_settings *q = now;
	if (p->secrets == q->secrets && p->n_patterns == q->n_patterns &&
	        p->n_members == q->n_members && same_text(p->source, q->source)) {
		return false;
	}
	redact_policy_unref(p->policy);
	p->secrets = q->secrets;
	p->n_patterns = q->n_patterns;
	p->n_members = q->n_members;
	p->policy = redact_policy_ref(q->policy);
	setting_replace(&p->source, q->source);
	return true;
}

const struct setting_type setting_redact = {
        .read = read_redact,
        .write = write_redact,
        .finish = finish_redact,
        .keep = keep_redact,
};
