#include "capture/privacy/pattern.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/mem.h"

#define EXPRESSION_LIMIT 4096
#define HEAP_LIMIT_KIB 4096

struct pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
};

struct pattern *pattern_create(const char *expression, char **ret_error, size_t *ret_at)
{
	int error = 0;
	PCRE2_SIZE where = 0;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	expect(context);
	pcre2_set_max_pattern_length(context, EXPRESSION_LIMIT);
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED,
	        PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C, &error, &where,
	        context);
	pcre2_compile_context_free(context);
	if (!code) {
		PCRE2_UCHAR text[256];
		pcre2_get_error_message(error, text, sizeof(text));
		*ret_error = xasprintf("%s", (const char *)text);
		*ret_at = where;
		return NULL;
	}
	/* Without JIT, PCRE2 interprets the pattern: slower, but with the same limits. */
	(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	struct pattern *p = xcalloc(1, sizeof(*p));
	p->code = code;
	p->limits = pcre2_match_context_create(NULL);
	expect(p->limits);
	pcre2_set_match_limit(p->limits, PATTERN_STEPS);
	pcre2_set_depth_limit(p->limits, PATTERN_STEPS);
	pcre2_set_heap_limit(p->limits, HEAP_LIMIT_KIB);
	return p;
}

bool pattern_may_be_empty(const struct pattern *p)
{
	uint32_t may = 0;
	return pcre2_pattern_info(p->code, PCRE2_INFO_MATCHEMPTY, &may) == 0 && may;
}

void pattern_destroy(struct pattern *p)
{
	if (p) {
		pcre2_match_context_free(p->limits);
		pcre2_code_free(p->code);
		free(p);
	}
}

struct pattern_scratch *pattern_scratch_create(void)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	expect(data);
	return (struct pattern_scratch *)data;
}

void pattern_scratch_destroy(struct pattern_scratch *s)
{
	pcre2_match_data_free((pcre2_match_data *)s);
}

int pattern_find(const struct pattern *p, struct pattern_scratch *scratch, struct span text,
        size_t from, size_t *ret_from, size_t *ret_to)
{
	pcre2_match_data *data = (pcre2_match_data *)scratch;
	int found = pcre2_match(p->code, (PCRE2_SPTR)(text.data ? text.data : ""), text.len, from,
	        PCRE2_NOTEMPTY, data, p->limits);
	if (found >= 0) {
		const PCRE2_SIZE *at = pcre2_get_ovector_pointer(data);
		*ret_from = at[0];
		*ret_to = at[1];
	}
	/* \K in a lookahead may put the match's start after its end: the match is then empty. */
	if (found >= 0 && *ret_from < *ret_to && *ret_from >= from) {
		return 1;
	}
	return found == PCRE2_ERROR_NOMATCH ? 0 : -E2BIG;
}
