#pragma once
/* redacting - helpers for tests of redaction: one redaction for each test, and the redacted form of
 * a body. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "answers/reading.h"
#include "capture/privacy/redact.h"

static struct redact_policy *policy;
static struct redaction redaction;

static inline void setup(void)
{
	policy = redact_policy_create(SECRETS_ALL);
	redaction = (struct redaction){.policy = policy, .key = "a key of 16 byt"};
}

static inline void teardown(void)
{
	redact_policy_unref(policy);
}

/* The redacted body. The caller frees it. */
static inline char *redacted(const char *body)
{
	char *copy = xstrdup(body);
	cr_assert(redact_body(&redaction, copy, strlen(body)), "refused: %s", body);
	cr_assert_eq(strlen(copy), strlen(body), "the length changed: %s", copy);
	return copy;
}

static inline void expect_gone(const char *body, const char *secret)
{
	char *copy = redacted(body);
	cr_expect_null(strstr(copy, secret), "%s is still in %s", secret, copy);
	if (json_is_one_object(span_of(body))) {
		cr_expect(json_is_one_object(span_of(copy)), "no JSON any more: %s", copy);
	}
	free(copy);
}

static inline void expect_same(const char *body)
{
	char *copy = redacted(body);
	cr_expect_str_eq(copy, body);
	free(copy);
}

static inline struct reading *read_body(const char *body, enum framing framing)
{
	const struct reading_hints hints = {.endpoint = ENDPOINT_CHAT,
	        .status = 200,
	        .framing = framing,
	        .wants_logprobs = true};
	struct reader *r = reader_create(&hints);
	reader_feed(r, body, strlen(body));
	return reader_end(r, true);
}
