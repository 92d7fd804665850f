#include "backends/engine/canned.h"

#include <stdlib.h>
#include <string.h>

#include "backends/engine/generated_answer.h"
#include "base/json.h"
#include "base/mem.h"

enum { FORM_COMPLETION = 1, FORM_STREAM = 2, FORM_LOGPROBS = 4, FORM_USAGE = 8, FORMS = 16 };

#define STATUS_LINE "HTTP/1.1 200 OK\r\n" /* the date follows it */

struct canned {
	struct buf responses[FORMS];
};

static void write_body(unsigned form, struct buf *to)
{
	bool is_chat = !(form & FORM_COMPLETION);
	buf_append_str(
	        to, is_chat ? "{\"messages\":[{\"role\":\"user\",\"content\":\"Tell me a story.\"}]"
	                    : "{\"prompt\":\"Once upon a time\"");
	buf_append_str(to, ",\"max_tokens\":32,\"temperature\":0,\"ignore_eos\":true");
	if (form & FORM_STREAM) {
		buf_append_str(to, ",\"stream\":true");
	}
	if (form & FORM_LOGPROBS) {
		buf_append_str(
		        to, is_chat ? ",\"logprobs\":true,\"top_logprobs\":5" : ",\"logprobs\":5");
	}
	if (form & FORM_USAGE) {
		buf_append_str(to, ",\"stream_options\":{\"include_usage\":true}");
	}
	buf_append_char(to, '}');
}

/* Generates the response as for a client, but without a socket. No delay is set, so the answer is
 * written at once. */
static void make_response(struct worker *w, unsigned form, struct buf *ret)
{
	struct buf body = {0};
	struct engine_client c = {
	        .magic = ENGINE_CLIENT_MAGIC, .worker = w, .reading = true, .processing = true};
	write_body(form, &body);
	c.request = (struct http_request){
	        .method = SPAN("POST"),
	        .minor = 1,
	        .keep_alive = true,
	        .body = buf_span(&body),
	};
	generated_answer_begin(
	        &c, &c.request, form & FORM_COMPLETION ? ENDPOINT_COMPLETION : ENDPOINT_CHAT);
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
	for (unsigned form = 0; form < FORMS; form++) {
		make_response(&w, form, &canned->responses[form]);
	}
	return canned;
}

void canned_destroy(struct canned *canned)
{
	for (unsigned form = 0; canned && form < FORMS; form++) {
		buf_finish(&canned->responses[form]);
	}
	free(canned);
}

/* Reads the top-level members that select the response, and ignores the rest. */
static unsigned form_of(struct span body)
{
	struct json j;
	struct json_token t;
	unsigned form = 0;
	if (json_begin(&j, body).type != JSON_TOKEN_OBJECT) {
		return 0;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token value = json_next(&j);
		if (json_token_is_key(&t, "stream") && value.type == JSON_TOKEN_TRUE) {
			form |= FORM_STREAM;
		} else if (json_token_is_key(&t, "logprobs") &&
		           (value.type == JSON_TOKEN_TRUE || value.type == JSON_TOKEN_NUMBER)) {
			form |= FORM_LOGPROBS;
		} else if (json_token_is_key(&t, "stream_options") &&
		           value.type == JSON_TOKEN_OBJECT) {
			struct span options = json_skip(&j, &value);
			form |= options.len && memmem(options.data, options.len, "true", 4)
			                ? FORM_USAGE
			                : 0;
			continue;
		}
		json_skip(&j, &value);
	}
	return form;
}

bool canned_serve(const struct canned *canned, struct engine_client *c,
        const struct http_request *r, enum endpoint endpoint)
{
	if (r->faults.on || r->minor == 0 || !r->keep_alive) {
		return false;
	}
	unsigned form = form_of(r->body) | (endpoint == ENDPOINT_COMPLETION ? FORM_COMPLETION : 0);
	const struct buf *response = &canned->responses[form];
	const char *date = engine_client_date(c->worker);
	size_t at = c->out.len + strlen(STATUS_LINE);
	engine_client_write(c, response->data, response->len);
	if (at < c->out.len) {
		memcpy(c->out.data + at, date, strlen(date));
	}
	engine_client_answered(c, ENGINE_CLIENT_KEEP);
	return true;
}
