/*
 * Any bytes as a judge's reply, and as an answer in the request to a judge. A verdict is the same
 * after any other text. The request is JSON, whatever it quotes.
 */
#include <stdint.h>
#include <stdlib.h>

#include "backends/judge_opinion.h"
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void reply(struct span s)
{
	enum opinion one, other;
	if (!opinion_read(s, &one)) {
		if (one != OPINION_CANNOT_TELL) {
			abort();
		}
		return;
	}
	struct buf longer = {0};
	buf_append_str(&longer, "On the one hand, on the other.\n");
	buf_append_span(&longer, s);
	if (!opinion_read(buf_span(&longer), &other) || one != other) {
		abort();
	}
	buf_finish(&longer);
}

static void question(struct span s)
{
	struct opinion_question q = {
	        .dialect = &dialect_generic,
	        .request = s,
	        .first = s,
	        .second = s,
	        .with_schema = true,
	        .max_tokens = 1,
	};
	struct buf to = {0};
	struct json j;
	opinion_code(&q);
	opinion_put(&q, &to);
	json_init(&j, to.data, to.len);
	struct json_token t = json_next(&j);
	if (!json_skip(&j, &t).len || json_next(&j).type != JSON_TOKEN_END) {
		abort();
	}
	buf_finish(&to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span s = {(const char *)data, size};
	if (size > 0) {
		reply(s);
		question(s);
	}
	return 0;
}
