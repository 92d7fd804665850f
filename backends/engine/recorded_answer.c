#include "backends/engine/recorded_answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/injection/inject.h"
#include "capture/privacy/privacy.h"
#include "base/mem.h"
#include "capture/resend.h"
#include "answers/reading.h"

#define EVENT_LIMIT ((size_t)8 << 20)

const char *recorded_answer_unfit(const struct capture_exchange *e, size_t leg)
{
	const struct leg_row *row = &e->legs[leg].row;
	if (row->marks & LEG_SCORED) {
		return "it is a score, an opinion or a grade, not an answer";
	}
	if (row->status == 0 ||
	        (row->outcome != OUTCOME_COMPLETE && row->outcome != OUTCOME_BROKEN)) {
		return "the answer is not complete";
	}
	if ((row->marks & LEG_TRUNCATED) || e->row.content == CONTENT_METADATA ||
	        row->content == CONTENT_METADATA) {
		return "the answer was not recorded completely";
	}
	if (resend_is_redacted(&e->row) || row->redactions > 0) {
		return "private text in it was replaced";
	}
	return row->body_bytes > RECORDED_ANSWER_LIMIT ? "the answer is longer than 64 MiB" : NULL;
}

struct kind_key recorded_answer_kind(const struct capture_exchange *e, size_t leg)
{
	return (struct kind_key){
	        .backend = e->legs[leg].row.backend ? e->legs[leg].row.backend : "",
	        .model = e->row.model ? e->row.model : "",
	        .endpoint = e->row.endpoint,
	        .stream = e->row.streamed,
	        .tools = e->row.facts.has_tools,
	};
}

/* Whether the field concerns the connection, not the answer (hop-by-hop). */
static bool is_hop_by_hop(struct span name)
{
	static const char *const NAMES[] = {"connection", "content-length", "date", "keep-alive",
	        "proxy-connection", "server", "te", "trailer", "transfer-encoding", "upgrade",
	        "via"};
	for (size_t i = 0; i < ARRAY_LEN(NAMES); i++) {
		if (span_is_nocase(name, NAMES[i])) {
			return true;
		}
	}
	return false;
}

/* The capture may be hostile: a control character could begin another field. */
static bool is_safe_line(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.data[i];
		if ((c < ' ' && c != '\t') || c == 0x7f) {
			return false;
		}
	}
	return s.len > 0;
}

static void put_field(struct recorded_answer *r, struct span line)
{
	const char *colon = line.len ? memchr(line.data, ':', line.len) : NULL;
	if (!colon || !is_safe_line(line)) {
		return;
	}
	struct span name = {line.data, (size_t)(colon - line.data)};
	bool is_token = name.len > 0 && !memchr(name.data, ' ', name.len) &&
	                !memchr(name.data, '\t', name.len);
	if (is_token && !is_hop_by_hop(name) && !privacy_is_credential(name)) {
		buf_append_span(&r->fields, line);
		buf_append_str(&r->fields, "\r\n");
	}
}

/* The first line is the status. */
static void put_fields(struct recorded_answer *r, struct span head)
{
	for (const char *at = head.data, *end = at + head.len, *next; at < end; at = next) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		next = lf ? lf + 1 : end;
		struct span line = {at, (size_t)((lf ? lf : end) - at)};
		put_field(r, line);
	}
}

static void add_moment(struct recorded_answer *r, uint64_t us)
{
	expect(r->moments);
	struct recorded_answer_moment *last = r->n_moments ? &r->moments[r->n_moments - 1] : NULL;
	if (last && last->bytes == r->body.len) {
		return;
	}
	us = MAX(us, last ? last->us : r->head_us);
	r->moments[r->n_moments++] = (struct recorded_answer_moment){us, r->body.len};
}

static uint32_t u32_at(const struct buf *b, size_t i)
{
	const unsigned char *p = (const unsigned char *)b->data + i * 4;
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void cut_stream(struct recorded_answer *r, const struct buf *raw, const struct buf *arrivals,
        const struct injection *cut, struct kind kind)
{
	struct cut_stream *cutter = cut_stream_create(cut, kind, EVENT_LIMIT);
	size_t at = 0;
	bool uncut = false;
	for (size_t i = 0; i < arrivals->len / 8; i++) {
		size_t arrived = MIN((size_t)u32_at(arrivals, 2 * i + 1), raw->len);
		if (arrived > at) {
			cut_stream_feed(cutter, raw->data + at, arrived - at, &r->body, &uncut);
			add_moment(r, u32_at(arrivals, 2 * i));
			at = arrived;
		}
	}
	if (raw->len > at) {
		cut_stream_feed(cutter, raw->data + at, raw->len - at, &r->body, &uncut);
	}
	cut_stream_end(cutter, &r->body, &uncut);
	cut_stream_destroy(cutter);
}

static void copy_unchanged(
        struct recorded_answer *r, const struct buf *raw, const struct buf *arrivals)
{
	for (size_t i = 0; i < arrivals->len / 8; i++) {
		size_t arrived = MIN((size_t)u32_at(arrivals, 2 * i + 1), raw->len);
		if (arrived > r->body.len) {
			buf_append(&r->body, raw->data + r->body.len, arrived - r->body.len);
			add_moment(r, u32_at(arrivals, 2 * i));
		}
	}
	buf_append_span(&r->body, buf_part(raw, r->body.len, raw->len));
}

/* Returns the kind of answers with this form, or else the kind of all answers. */
static struct kind kind_of(struct kinds *kinds, const struct kind_key *key, struct span body,
        bool stream, const struct injection *cut)
{
	bool refused;
	struct kind kind = kinds_get(kinds, key, RECORDED_ANSWER_NOW, &refused), own;
	struct signature s;
	if (signature_of_answer(0, body, stream, &s) &&
	        kinds_find(kinds, key, s, cut, RECORDED_ANSWER_NOW, &own)) {
		kind = own;
	}
	return kind;
}

static void make_body(struct recorded_answer *r, const struct capture_exchange *e, size_t leg,
        const struct buf *raw, const struct buf *arrivals, const struct request_facts *requested,
        struct kinds *kinds)
{
	const struct leg_row *row = &e->legs[leg].row;
	struct kind_key key = recorded_answer_kind(e, leg);
	/* The members that the proxy added, unless this client requests them. */
	struct injection cut = {
	        .logprobs = (row->marks & LEG_INJECTED_LOGPROBS) && !requested->has_logprobs,
	        .usage = (row->marks & LEG_INJECTED_USAGE) && !requested->include_usage,
	        .token_ids = (row->marks & LEG_INJECTED_TOKEN_IDS) && !requested->has_token_ids,
	};
	struct kind kind = kind_of(kinds, &key, buf_span(raw), r->stream, &cut);
	bool coded = row->content_encoding && strcmp(row->content_encoding, "identity") != 0;
	bool fits = (!cut.logprobs || kind_can_cut(kind.logprobs)) &&
	            (!cut.usage || kind_can_cut(kind.usage)) &&
	            (!cut.token_ids || kind_can_cut(kind.token_ids));
	if ((!cut.logprobs && !cut.usage && !cut.token_ids) || !fits || coded ||
	        row->status >= 300) {
		copy_unchanged(r, raw, arrivals);
	} else if (r->stream) {
		cut_stream(r, raw, arrivals, &cut, kind);
	} else {
		(void)cut_json(buf_span(raw), &cut, kind, &r->body);
	}
	add_moment(r, row->end_us != UINT64_MAX ? row->end_us : r->head_us);
}

int recorded_answer_load(struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct request_facts *requested, struct kinds *kinds, struct recorded_answer *ret)
{
	const struct leg_row *row = &e->legs[leg].row;
	struct buf raw = {0}, arrivals = {0}, head = {0};
	int r = capture_response_body(c, e, leg, &raw);
	if (r == 0) {
		r = capture_arrivals(c, e, leg, &arrivals);
		r = r == -ENOENT ? 0 : r; /* the arrivals were not recorded */
	}
	if (r == 0) {
		r = capture_response_head(c, e, leg, &head);
		r = r == -ENOENT ? 0 : r;
	}
	if (r == -ENOENT && row->body_bytes == 0) {
		r = 0;
	}
	if (r == 0 && raw.len != row->body_bytes) {
		r = -EBADMSG;
	}
	if (r == 0) {
		*ret = (struct recorded_answer){
		        .status = row->status,
		        .stream = framing_of_type(span_of(row->content_type)) == FRAMING_SSE,
		        .broken = row->outcome == OUTCOME_BROKEN,
		        .head_us = row->head_us != UINT64_MAX ? row->head_us : 0,
		};
		ret->moments = xcalloc(arrivals.len / 8 + 2, sizeof(*ret->moments));
		put_fields(ret, buf_span(&head));
		make_body(ret, e, leg, &raw, &arrivals, requested, kinds);
		ret->end_us = MAX(row->end_us != UINT64_MAX ? row->end_us : 0,
		        ret->moments[ret->n_moments - 1].us);
	}
	buf_finish(&raw);
	buf_finish(&arrivals);
	buf_finish(&head);
	return r;
}

void recorded_answer_finish(struct recorded_answer *r)
{
	buf_finish(&r->fields);
	buf_finish(&r->body);
	free(r->moments);
	*r = (struct recorded_answer){0};
}
