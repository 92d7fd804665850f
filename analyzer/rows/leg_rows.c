#include "analyzer/rows/leg_rows.h"

#include <endian.h>
#include <string.h>

#include <xxhash.h>

#include "analyzer/rows/part.h"
#include "base/histogram.h"
#include "capture/leg_flaw.h"
#include "answers/pulse.h"

#define EPOCH UINT64_C(1000000000) /* ns; not 0, because a pulse reads 0 as never */
#define GAP_BITS 5                 /* 16 bins to a power of two */

static bool has_copy(const struct capture_exchange *e, const struct leg_row *of)
{
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *leg = &e->legs[i].row;
		if (leg->role != ROLE_PRIMARY && !(leg->marks & LEG_SCORED) &&
		        id_compare(leg->run, of->run) == 0) {
			return true;
		}
	}
	return false;
}

static enum leg_lists lists_of(
        const struct capture_exchange *e, const struct leg_row *leg, bool of_client)
{
	if (!of_client || e->row.facts.has_logprobs) {
		return LEG_LISTS_OTHER;
	}
	return !(leg->marks & LEG_INJECTED_LOGPROBS) ? LEG_LISTS_NONE
	       : leg->marks & LEG_AUDITED            ? LEG_LISTS_AUDIT
	                                             : LEG_LISTS_ORDINARY;
}

bool leg_row_summary(const struct capture_exchange *e, size_t number, struct leg_summary *ret)
{
	const struct leg_row *leg = &e->legs[number].row;
	bool primary = leg->role == ROLE_PRIMARY;
	bool of_client = primary && !e->absent && endpoint_is_openai(e->row.endpoint);
	const char *suite = e->row.labels.suite ? e->row.labels.suite : "";
	enum flaw flaw = leg_flaw(leg, NULL);
	if (leg->marks & LEG_SCORED) {
		return false;
	}
	*ret = (struct leg_summary){
	        .exchange = e->row.id,
	        .leg = leg->id,
	        .run = leg->run,
	        .pass = XXH3_64bits_withSeed(suite, strlen(suite), leg->repeat),
	        .backend = names_of_backend(leg),
	        .role = leg->role,
	        .streamed = framing_of_type(span_of(leg->content_type)) == FRAMING_SSE,
	        .of_client = of_client,
	        .injected = leg->marks & (LEG_INJECTED_LOGPROBS | LEG_INJECTED_USAGE),
	        .lists = lists_of(e, leg, of_client),
	        .mirrored = primary && has_copy(e, leg),
	        .start_ns = leg->start_ns,
	        .queued_us = leg->queued_us,
	        .first_content_us = leg->first_content_us,
	        .end_us = leg->end_us,
	        .body_bytes = leg->body_bytes,
	        .prompt_tokens = leg->usage.prompt_tokens,
	        .completion_tokens = leg->usage.completion_tokens,
	        .cached_tokens = leg->usage.cached_tokens,
	};
	if (leg->outcome == OUTCOME_CLIENT_GONE || leg->outcome == OUTCOME_STOPPED) {
		ret->end = LEG_END_CUT;
	} else if (flaw != FLAW_NONE) {
		ret->end = LEG_END_FAILED;
		leg_flaw_print(leg, NULL, flaw, ret->failure);
	}
	return true;
}

size_t times_gap_bin(uint64_t us)
{
	return MIN(histogram_index(us, GAP_BITS), (size_t)TIMES_GAP_BINS - 1);
}

uint64_t times_gap_us(size_t bin)
{
	uint64_t low = histogram_index_low(bin, GAP_BITS);
	return low + (histogram_index_high(bin, GAP_BITS) - low) / 2;
}

bool leg_times_wanted(const struct leg_summary *leg, uint64_t exchanges)
{
	uint64_t hash = XXH3_64bits(leg->leg.bytes, sizeof(leg->leg.bytes));
	return leg->end == LEG_END_COMPLETE && part_chooses(hash, LEG_TIMES_EXCHANGES, exchanges);
}

/* Returns false if the body or its arrival times are missing or do not belong together. */
static bool feed(struct capture *c, const struct capture_exchange *e, size_t leg, struct pulse *p)
{
	struct buf body = {0}, arrivals = {0};
	bool known = capture_response_body(c, e, leg, &body) == 0 &&
	             capture_arrivals(c, e, leg, &arrivals) == 0 && arrivals.len >= 8;
	size_t from = 0;
	for (size_t i = 0; known && i + 8 <= arrivals.len; i += 8) {
		uint32_t pair[2];
		memcpy(pair, arrivals.data + i, sizeof(pair));
		size_t until = MIN((size_t)le32toh(pair[1]), body.len);
		if (until > from) {
			uint64_t now = EPOCH + (uint64_t)le32toh(pair[0]) * 1000;
			pulse_feed(p, now, body.data + from, until - from);
			from = until;
		}
	}
	known = known && from == body.len;
	pulse_end(p, p->now);
	buf_finish(&body);
	buf_finish(&arrivals);
	return known && p->n_choices > 0;
}

static uint64_t us(uint64_t from, uint64_t to)
{
	return to > from ? (to - from) / 1000 : 0;
}

static void read_stream(const struct pulse *p, int64_t tokens, struct times_row *ret)
{
	ret->ttft_us = us(EPOCH, p->first_choice);
	ret->e2e_us = us(EPOCH, p->last_choice);
	for (size_t i = 0; i < p->n_gaps; i++) {
		ret->gaps[times_gap_bin(p->gaps[i])]++;
	}
	if (tokens > 1) {
		ret->tpot_us = us(p->first_choice, p->last_choice) / ((uint64_t)tokens - 1);
	}
}

void leg_times_row(struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct row_sink *sink)
{
	const struct leg_row *row = &e->legs[leg].row;
	bool streamed = framing_of_type(span_of(row->content_type)) == FRAMING_SSE;
	bool coded = row->content_encoding && *row->content_encoding &&
	             strcmp(row->content_encoding, "identity") != 0;
	struct row times = {.type = TIMES_ROW};
	times.times = (struct times_row){
	        .leg = row->id,
	        .backend = names_of_backend(row),
	        .ttft_us = UINT64_MAX,
	        .tpot_us = UINT64_MAX,
	        .e2e_us = streamed ? UINT64_MAX : row->end_us,
	};
	struct pulse p;
	pulse_begin(&p, true);
	if (streamed && !coded && feed(c, e, leg, &p)) {
		read_stream(&p, row->usage.completion_tokens, &times.times);
	}
	pulse_finish(&p);
	row_sink_put(sink, &times, NULL);
}
