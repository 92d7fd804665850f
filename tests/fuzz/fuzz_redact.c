/*
 * The redactor on any body. The length stays, JSON stays JSON, and UTF-8 stays UTF-8. The email
 * address ann@example.org does not remain in any place.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "capture/privacy/redact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct redaction *r, const uint8_t *data, size_t size)
{
	char *body = xmemdup(data, size);
	bool was_json = json_is_one_object((struct span){(const char *)data, size});
	bool was_text = utf8_valid((struct span){(const char *)data, size});
	if (redact_body(r, body, size)) {
		expect(!was_json || json_is_one_object((struct span){body, size}));
		expect(!was_text || utf8_valid((struct span){body, size}));
		expect(!memmem(body, size, "ann@example.org", 15));
	}
	free(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct redact_policy *plain, *all;
	if (!plain) {
		plain = redact_policy_create(SECRETS_ALL);
		free(redact_policy_add_member(plain, "user"));
		free(redact_policy_add_pattern(plain, "EMP-\\d{6}"));
		all = redact_policy_create(SECRETS_ALL);
		redact_policy_everything(all);
	}
	struct redaction r = {.policy = plain};
	check(&r, data, size);
	r.policy = all;
	check(&r, data, size);
	char *text = xmemdup(data, size);
	r.policy = plain;
	redact_text(&r, text, size);
	free(text);
	return 0;
}
