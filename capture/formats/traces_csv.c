/*
 * CSV traces that contain only lengths: BurstGPT's and Azure's. Prompts of these lengths are
 * generated.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capture/formats/filler.h"
#include "base/ascii.h"
#include "base/moment.h"
#include "capture/formats/request_format.h"

#define COLUMNS 12

struct row {
	struct span cells[COLUMNS];
	size_t n;
};

/* These files contain no quoted values. */
static void split(struct span line, struct row *c)
{
	c->n = 0;
	for (size_t from = 0, i = 0; i <= line.len && c->n < COLUMNS; i++) {
		if (i == line.len || line.data[i] == ',') {
			c->cells[c->n++] = (struct span){line.data + from, i - from};
			from = i + 1;
		}
	}
}

static bool count_of(struct span s, size_t limit, size_t *ret)
{
	size_t n = 0;
	/* Tables with missing values are written with floats: 12 becomes 12.0. */
	size_t len = s.len > 2 && span_ends(s, ".0") ? s.len - 2 : s.len;
	for (size_t i = 0; i < len; i++) {
		if (s.data[i] < '0' || s.data[i] > '9' || n > limit) {
			return false;
		}
		n = 10 * n + (size_t)(s.data[i] - '0');
	}
	*ret = n;
	return len > 0 && n <= limit;
}

static const char *deliver(
        struct request_lines *r, uint64_t wall_ns, struct span input, struct span output)
{
	size_t words, most;
	if (!count_of(input, FILLER_LIMIT, &words) || !count_of(output, INT32_MAX, &most)) {
		return "its lengths are not numbers, or over a million";
	}
	struct request_found found = {.wall_ns = wall_ns};
	buf_clear(&r->body);
	buf_append_str(&r->body, "{\"prompt\":\"");
	filler_words(&r->body, r->line, words);
	buf_printf(&r->body, "\",\"max_tokens\":%zu}", MAX(most, (size_t)1));
	request_deliver(r, REQUEST_COMPLETION, &found);
	return NULL;
}

/* BurstGPT: Timestamp,[Session ID,Elapsed time,]Model,Request tokens,Response tokens,Total tokens,Log Type */

static const char *take_burstgpt(struct request_lines *r, struct span line)
{
	struct row c;
	split(line, &c);
	size_t skip = c.n >= 8 ? 2 : 0;
	if (r->line == 1) {
		return NULL;
	}
	if (c.n < 6) {
		return "it has fewer than six columns";
	}
	char seconds[32], *end;
	struct span s = c.cells[0];
	size_t len = MIN(s.len, sizeof(seconds) - 1);
	memcpy(seconds, s.data, len);
	seconds[len] = '\0';
	double at = strtod(seconds, &end);
	if (end == seconds || *end || !(at >= 0 && at < 1e9)) {
		return "its timestamp is not a number of seconds";
	}
	size_t answered;
	if (count_of(c.cells[3 + skip], INT32_MAX, &answered) && answered == 0) {
		/* It is unknown what was requested; the publishers of the trace call these
		 * failures. */
		r->sink->unfit(r->sink->arg, 0,
		        "the request failed when it was recorded: it has no response tokens");
		return NULL;
	}
	uint64_t wall_ns = r->file->time_ns + (uint64_t)llround(at * request_time_unit(r, 1e9));
	return deliver(r, wall_ns, c.cells[2 + skip], c.cells[3 + skip]);
}

static bool fits_burstgpt(const struct sniff *s)
{
	return span_starts(buf_span(&s->begin), "Timestamp,Model,Request tokens") ||
	       span_starts(buf_span(&s->begin), "Timestamp,Session ID");
}

const struct request_format request_format_burstgpt = {
        .name = "burstgpt",
        .title = "BurstGPT's traces (CSV): seconds and lengths",
        .made_up = true,
        .fits = fits_burstgpt,
        .take = take_burstgpt,
};

/* Azure: TIMESTAMP,ContextTokens,GeneratedTokens; of 2025 with NumImages between. */

static const char *take_azure(struct request_lines *r, struct span line)
{
	struct row c;
	uint64_t wall_ns;
	split(line, &c);
	if (r->line == 1) {
		return NULL;
	}
	if (c.n < 3) {
		return "it has fewer than three columns";
	}
	if (!moment_begins(c.cells[0], &wall_ns)) {
		return "its timestamp is not a time";
	}
	size_t last = c.n - 1, images = 0;
	if (c.n > 3 && (!count_of(c.cells[1], INT32_MAX, &images) || images > 0)) {
		return "it had images, which the trace does not contain";
	}
	return deliver(r, wall_ns, c.cells[last - 1], c.cells[last]);
}

static bool fits_azure(const struct sniff *s)
{
	return span_starts(buf_span(&s->begin), "TIMESTAMP,ContextTokens,GeneratedTokens") ||
	       span_starts(
	               buf_span(&s->begin), "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens");
}

const struct request_format request_format_azure = {
        .name = "azure",
        .title = "Azure's LLM traces (CSV): times and lengths",
        .made_up = true,
        .fits = fits_azure,
        .take = take_azure,
};
