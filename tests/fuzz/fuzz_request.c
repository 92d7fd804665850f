/*
 * Any bytes as a request. Facts and hashes agree on what is JSON, and the canonical form of a
 * canonical form is itself.
 */
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "answers/canonical.h"
#include "answers/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_canonical(struct span body)
{
	struct canonical once = {0}, twice = {0};
	struct json j;
	json_init_lenient(&j, body.data, body.len);
	struct json_token t = json_next(&j);
	struct span a = canonical_value(&once, &j, &t);
	if (a.len) {
		json_init_lenient(&j, a.data, a.len);
		t = json_next(&j);
		struct span b = canonical_value(&twice, &j, &t);
		expect(json_next(&j).type == JSON_TOKEN_END);
		expect(span_equal(a, b));
	}
	canonical_finish(&once);
	canonical_finish(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t key[32] = {1};
	struct request_facts facts;
	struct request_hashes hashes, again;
	if (size == 0) {
		return 0;
	}
	enum endpoint endpoint = data[0] % N_ENDPOINTS;
	bool has_prompts = endpoint != ENDPOINT_OTHER && endpoint != ENDPOINT_MESSAGES;
	struct span body = {(const char *)data + 1, size - 1};
	request_read(endpoint, body, &facts);
	bool hashed = request_hash(endpoint, body, key, &hashes);
	expect(hashed == (has_prompts && facts.is_json));
	expect(request_hash(endpoint, body, key, &again) == hashed);
	expect(memcmp(&hashes, &again, sizeof(hashes)) == 0);
	expect(memchr(facts.model, '\0', sizeof(facts.model)));
	(void)endpoint_of(body, body);
	check_canonical(body);
	return 0;
}
