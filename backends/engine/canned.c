#include "backends/engine/canned.h"

#include <stdlib.h>
#include <string.h>

#include "backends/engine/delivery.h"
#include "backends/engine/generated_answer.h"
#include "base/json.h"
#include "base/mem.h"

enum { SORT_COMPLETION = 1, SORT_STREAM = 2, SORT_LOGPROBS = 4, SORT_USAGE = 8, SORTS = 16 };

#define STATUS_LINE "HTTP/1.1 200 OK\r\n" /* the date follows it */

struct canned {
	struct buf responses[SORTS];
};

static void write_body(unsigned sort, struct buf *to)
{
	bool is_chat = !(sort & SORT_COMPLETION);
	buf_append_str(
	        to, is_chat ? "{\"messages\":[{\"role\":\"user\",\"content\":\"Tell me a story.\"}]"
	                    : "{\"prompt\":\"Once upon a time\"");
	buf_append_str(to, ",\"max_tokens\":32,\"temperature\":0,\"ignore_eos\":true");
	if (sort & SORT_STREAM) {
		buf_append_str(to, ",\"stream\":true");
	}
	if (sort & SORT_LOGPROBS) {
		buf_append_str(
		        to, is_chat ? ",\"logprobs\":true,\"top_logprobs\":5" : ",\"logprobs\":5");
	}
	if (sort & SORT_USAGE) {
		buf_append_str(to, ",\"stream_options\":{\"include_usage\":true}");
	}
	buf_append_char(to, '}');
}

/* Makes the response in the ordinary way, with a caller that has no socket: since no delay is
 * set, the answer is written at once. */
static void make(struct worker *w, unsigned sort, struct buf *ret)
{
	struct buf body = {0};
	struct engine_client c = {
	        .magic = ENGINE_CLIENT_MAGIC, .worker = w, .reading = true, .processing = true};
	write_body(sort, &body);
	c.request = (struct http_request){
	        .method = SPAN("POST"),
	        .minor = 1,
	        .keep_alive = true,
	        .body = buf_span(&body),
	};
	generated_answer_begin(
	        &c, &c.request, sort & SORT_COMPLETION ? ENDPOINT_COMPLETION : ENDPOINT_CHAT);
	expect(!c.responder && c.out.len > 0);
	*ret = c.out;
	buf_finish(&body);
}

struct canned *canned_create(const struct engine_options *options, const struct language *language)
{
	struct canned *canned = xcalloc(1, sizeof(*canned));
	struct engine_options plain = *options;
	plain.ttft_ns = plain.itl_ns = 0;
	plain.faults = (struct fault_set){0};
	struct worker w = {.options = &plain, .language = language};
	list_init(&w.waiting);
	batch_effects_init(&w.batch);
	for (unsigned sort = 0; sort < SORTS; sort++) {
		make(&w, sort, &canned->responses[sort]);
	}
	return canned;
}

void canned_destroy(struct canned *canned)
{
	for (unsigned sort = 0; canned && sort < SORTS; sort++) {
		buf_finish(&canned->responses[sort]);
	}
	free(canned);
}

/* Reads the top-level members that select the response. The rest of the body is not examined. */
static unsigned sort_of(struct span body)
{
	struct json j;
	struct json_token t;
	unsigned sort = 0;
	if (json_begin(&j, body).type != JSON_TOKEN_OBJECT) {
		return 0;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token value = json_next(&j);
		if (json_token_is_key(&t, "stream") && value.type == JSON_TOKEN_TRUE) {
			sort |= SORT_STREAM;
		} else if (json_token_is_key(&t, "logprobs") &&
		           (value.type == JSON_TOKEN_TRUE || value.type == JSON_TOKEN_NUMBER)) {
			sort |= SORT_LOGPROBS;
		} else if (json_token_is_key(&t, "stream_options") &&
		           value.type == JSON_TOKEN_OBJECT) {
			struct span options = json_skip(&j, &value);
			sort |= options.len && memmem(options.data, options.len, "true", 4)
			                ? SORT_USAGE
			                : 0;
			continue;
		}
		json_skip(&j, &value);
	}
	return sort;
}

bool canned_serve(const struct canned *canned, struct engine_client *c,
        const struct http_request *r, enum endpoint endpoint)
{
	if (r->faults.on || r->minor == 0 || !r->keep_alive) {
		return false;
	}
	unsigned sort = sort_of(r->body) | (endpoint == ENDPOINT_COMPLETION ? SORT_COMPLETION : 0);
	const struct buf *response = &canned->responses[sort];
	const char *date = engine_client_date(c->worker);
	size_t at = c->out.len + strlen(STATUS_LINE);
	engine_client_write(c, response->data, response->len);
	if (at < c->out.len) {
		memcpy(c->out.data + at, date, strlen(date));
	}
	engine_client_answered(c, ENGINE_CLIENT_KEEP);
	return true;
}
