#include "capture/privacy/redact_policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MEMBER_DEPTH 16

struct redact_policy *redact_policy_create(unsigned secrets)
{
	struct redact_policy *p = xcalloc(1, sizeof(*p));
	p->secrets = secrets;
	atomic_init(&p->refs, 1);
	return p;
}

struct redact_policy *redact_policy_ref(struct redact_policy *p)
{
	if (p) {
		atomic_fetch_add_explicit(&p->refs, 1, memory_order_relaxed);
	}
	return p;
}

void redact_policy_unref(struct redact_policy *p)
{
	if (!p || atomic_fetch_sub_explicit(&p->refs, 1, memory_order_acq_rel) != 1) {
		return;
	}
	for (size_t i = 0; i < p->n_patterns; i++) {
		pattern_destroy(p->patterns[i]);
	}
	for (size_t i = 0; i < p->n_members; i++) {
		for (size_t k = 0; p->members[i][k]; k++) {
			free(p->members[i][k]);
		}
		free(p->members[i]);
	}
	free(p->patterns);
	free(p->members);
	free(p);
}

char *redact_policy_add_pattern(struct redact_policy *p, const char *expression)
{
	char *error = NULL;
	size_t at = 0;
	struct pattern *pattern = pattern_create(expression, &error, &at);
	if (!pattern) {
		char *sentence = xasprintf(
		        "is not a regular expression: %s at character %zu", error, at + 1);
		free(error);
		return sentence;
	}
	if (pattern_may_be_empty(pattern)) {
		pattern_destroy(pattern);
		return xstrdup("matches the empty text, which cannot be replaced: use + instead of "
		               "* or ?, or write out the text");
	}
	p->patterns = xrealloc(p->patterns, (p->n_patterns + 1) * sizeof(struct pattern *));
	p->patterns[p->n_patterns++] = pattern;
	return NULL;
}

char *redact_policy_add_member(struct redact_policy *p, const char *path)
{
	struct span parts[MEMBER_DEPTH];
	size_t n = 0;
	for (const char *at = path;; at++) {
		size_t len = strcspn(at, ".");
		if (!len || n == MEMBER_DEPTH) {
			return xasprintf(
			        "must be at most %d names joined by dots, like metadata.email",
			        MEMBER_DEPTH);
		}
		parts[n++] = (struct span){at, len};
		at += len;
		if (!*at) {
			break;
		}
	}
	char **names = xcalloc(n + 1, sizeof(*names));
	for (size_t i = 0; i < n; i++) {
		names[i] = span_dup(parts[n - 1 - i]);
	}
	p->members = xrealloc(p->members, (p->n_members + 1) * sizeof(char **));
	p->members[p->n_members++] = names;
	return NULL;
}

void redact_policy_everything(struct redact_policy *p)
{
	p->everything = true;
}

uint64_t redact_counts_sum(const struct redact_counts *c)
{
	uint64_t sum = c->patterns + c->members + c->ids;
	for (int i = 0; i < N_SECRETS; i++) {
		sum += c->secrets[i];
	}
	return sum;
}

void redact_counts_add(struct redact_counts *to, const struct redact_counts *c)
{
	for (int i = 0; i < N_SECRETS; i++) {
		to->secrets[i] += c->secrets[i];
	}
	to->patterns += c->patterns;
	to->members += c->members;
	to->alternatives += c->alternatives;
	to->ids += c->ids;
	to->refused += c->refused;
	to->no_room += c->no_room;
}
