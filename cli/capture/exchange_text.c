#include "cli/capture/exchange_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/scoring/score_request.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/terminal.h"
#include "base/sanitize_text.h"
#include "base/moment.h"
#include "cli/capture/differences_text.h"

#define NAME_WIDTH 12
#define TEXT_COLUMN (2 + NAME_WIDTH + 1)
#define BODY_EXCERPT 300 /* characters of the request's body */
#define EMBEDDINGS_SHOWN ((size_t)4)
#define EMBEDDING_HEAD 6u /* values of each */

/* Writes at most `limit` characters of text beside a name, on as many lines as it needs. */
static void put_named(struct buf *to, const char *name, struct span text, size_t limit)
{
	struct buf shown = {0};
	sanitize_put(&shown, text, limit);
	buf_printf(to, "  %-*s ", NAME_WIDTH, name);
	terminal_wrap(
	        to, buf_span(&shown), TEXT_COLUMN, TEXT_COLUMN, terminal_width(STDOUT_FILENO));
	buf_append_char(to, '\n');
	buf_finish(&shown);
}

static void put_line(struct buf *to, const char *name, const char *format, ...) PRINTF(3, 4);
static void put_line(struct buf *to, const char *name, const char *format, ...)
{
	char *text;
	va_list args;
	va_start(args, format);
	int n = vasprintf(&text, format, args);
	va_end(args);
	if (n < 0) {
		return;
	}
	put_named(to, name, span_of(text), SIZE_MAX);
	free(text);
}

static void put_marks(
        struct buf *to, const char *title, uint32_t marks, const char *(*name)(unsigned))
{
	struct buf text = {0};
	for (unsigned bit = 0; bit < 32; bit++) {
		if (marks & 1u << bit) {
			buf_printf(&text, "%s%s", text.len ? ", " : "",
			        name(bit) ? name(bit) : "unknown");
		}
	}
	if (text.len) {
		put_line(to, title, "%s", buf_cstr(&text));
	}
	buf_finish(&text);
}

/* Writes text of several lines. Each line begins with a bar, so that it cannot be mistaken for a
 * line of plumbline. On a terminal, long lines are wrapped; elsewhere a line stays one line. */
static void put_block(struct buf *to, const char *name, struct span text)
{
	if (text.len == 0) {
		return;
	}
	size_t width = isatty(STDOUT_FILENO) ? terminal_width(STDOUT_FILENO) - 4 : SIZE_MAX;
	struct buf clean = {0}, lines = {0};
	for (const char *p = text.data, *end = p + text.len; p < end;) {
		const char *line = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((line ? line : end) - p);
		buf_clear(&clean);
		sanitize_put(&clean, (struct span){p, n}, SIZE_MAX);
		terminal_wrap(&lines, buf_span(&clean), 0, 0, width);
		buf_append_char(&lines, '\n');
		p += n + (line != NULL);
	}
	buf_printf(to, "  %s\n", name);
	for (size_t at = 0; at < lines.len;) {
		size_t n = strcspn(lines.data + at, "\n") + 1;
		buf_append_str(to, "  | ");
		buf_append_span(to, (struct span){lines.data + at, n});
		at += n;
	}
	buf_finish(&clean);
	buf_finish(&lines);
}

/* Writes the parameters that the request sets besides its prompt. */
static void put_decoding(struct buf *to, const struct request_facts *f)
{
	const struct {
		const char *name;
		double value;
	} numbers[] = {
	        {"temperature", f->temperature},
	        {"top_p", f->top_p},
	        {"top_k", f->top_k},
	        {"min_p", f->min_p},
	        {"presence_penalty", f->presence_penalty},
	        {"frequency_penalty", f->frequency_penalty},
	        {"repetition_penalty", f->repetition_penalty},
	};
	struct buf text = {0};
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		if (!isnan(numbers[i].value)) {
			buf_printf(&text, "%s %g, ", numbers[i].name, numbers[i].value);
		}
	}
	if (f->has_seed) {
		buf_printf(&text, "seed %" PRId64 ", ", f->seed);
	}
	if (f->max_tokens >= 0) {
		buf_printf(&text, "max_tokens %" PRId64 ", ", f->max_tokens);
	}
	if (f->n != 1) {
		buf_printf(&text, "n %" PRId64 ", ", f->n);
	}
	buf_append_str(&text, f->has_tools ? "tools, " : "");
	buf_append_str(&text, f->has_logprobs ? "logprobs, " : "");
	put_line(to, "asked for", "%.*s", text.len ? (int)text.len - 2 : 24,
	        text.len ? text.data : "nothing but the defaults");
	buf_finish(&text);
}

static void put_labels(struct buf *to, const struct exchange_labels *l)
{
	const struct {
		const char *name, *text;
	} labels[] = {
	        {"suite", l->suite},
	        {"item", l->item},
	        {"category", l->category},
	        {"right answer", l->gold},
	};
	for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
		if (labels[i].text) {
			put_line(to, labels[i].name, "%s", labels[i].text);
		}
	}
}

static void put_hash(struct buf *to, const char *name, const uint8_t hash[REQUEST_HASH_SIZE])
{
	static const uint8_t none[REQUEST_HASH_SIZE];
	if (memcmp(hash, none, sizeof(none)) == 0) {
		return;
	}
	buf_printf(to, "  %-*s ", NAME_WIDTH, name);
	buf_append_hex(to, hash, REQUEST_HASH_SIZE);
	buf_append_char(to, '\n');
}

/* Writes whether placeholders replace secrets in the text; where: "the answer". */
static void put_redacted(
        struct buf *to, const char *where, enum content content, uint32_t redactions)
{
	if (redactions > 0) {
		put_line(to, "redacted",
		        "in %s, about %" PRIu32 " secret%s or list%s of token ids %s replaced; "
		        "equal secrets have equal placeholders",
		        where, redactions, plural(redactions, "", "s"), plural(redactions, "", "s"),
		        plural(redactions, "was", "were"));
	} else if (content == CONTENT_REDACTED) {
		put_line(to, "redacted", "no secret was found in %s", where);
	}
}

static void put_request(struct buf *to, const struct capture_exchange *e)
{
	const struct exchange_row *row = &e->row;
	char id[ID_TEXT_SIZE];
	buf_printf(to, "exchange %s\n", id_format(row->id, id));
	if (e->absent) {
		put_line(to, "request", "is in another capture; this one has only answers to it");
		return;
	}
	struct buf time = {0};
	moment_put(&time, row->wall_ns);
	put_line(to, "time", "%s", buf_cstr(&time));
	buf_finish(&time);
	const char *content = content_name(row->content);
	bool is_coded = row->content_encoding && !row->facts.is_json;
	put_line(to, "request", "%s %s (%s%s, %" PRIu64 " bytes%s%s%s%s)",
	        row->method ? row->method : "?", row->target ? row->target : "?",
	        endpoint_name(row->endpoint), row->streamed ? ", streamed" : "", row->body_bytes,
	        row->facts.is_json ? ""
	        : is_coded         ? ", not read as JSON, content coding "
	                           : ", not JSON",
	        is_coded ? row->content_encoding : "",
	        row->content == CONTENT_FULL ? "" : ", content ",
	        row->content == CONTENT_FULL ? ""
	        : content                    ? content
	                                     : "unknown");
	put_line(to, "model", "%s", row->model ? row->model : "-");
	if (row->facts.is_json) {
		put_decoding(to, &row->facts);
	}
	put_labels(to, &row->labels);
	put_redacted(to, "the request", row->content, row->redactions);
	put_line(to, "outcome", "%s", outcome_name(row->outcome));
	put_marks(to, "marks", row->marks, exchange_mark_name);
	put_line(to, "in progress", "%" PRIu32 " when it began", row->in_flight);
	put_hash(to, "prompt hash", row->hashes.prompt);
	/* A request without earlier turns is its own session: the hash says nothing more. */
	if (memcmp(row->hashes.session, row->hashes.chain, REQUEST_HASH_SIZE) != 0) {
		put_hash(to, "session hash", row->hashes.session);
		put_hash(to, "chain hash", row->hashes.chain);
	}
	put_hash(to, "parent hash", row->hashes.parent);
}

/* Writes the beginning of the body on one line. */
static void put_body(struct buf *to, struct capture *c, const struct capture_exchange *e)
{
	struct buf body = {0};
	if (capture_request_body(c, e, &body) == 0 && body.len) {
		put_named(to, "body", buf_span(&body), BODY_EXCERPT);
	}
	buf_finish(&body);
}

static void put_ms(struct buf *to, const char *before, const char *name, uint64_t us)
{
	if (us != UINT64_MAX) {
		buf_printf(to, "%s%s %.1f ms", before, name, (double)us / 1000);
	}
}

/* Summarizes an answer on one line. */
static void put_summary(struct buf *to, const struct leg_row *row, const struct usage *u)
{
	struct buf text = {0};
	if (row->status) {
		buf_printf(&text, "%d, ", row->status);
	}
	buf_append_str(&text, outcome_name(row->outcome));
	if (row->finish) {
		buf_printf(&text, ", finish %s", row->finish);
	}
	if (u->prompt_tokens >= 0) {
		buf_printf(&text, ", prompt %" PRId64 " tokens", u->prompt_tokens);
	}
	if (u->completion_tokens >= 0) {
		buf_printf(&text, ", answer %" PRId64 " tokens", u->completion_tokens);
	}
	put_ms(&text, ", ", "first content", row->first_content_us);
	put_ms(&text, ", ", "total", row->end_us);
	put_line(to, "answer", "%s", buf_cstr(&text));
	buf_finish(&text);
}

static void put_timing(struct buf *to, const struct leg_row *row)
{
	struct buf text = {0};
	if (row->queued_us) {
		put_ms(&text, "", "queued for", row->queued_us);
	}
	put_ms(&text, text.len ? ", " : "", "head", row->head_us);
	put_ms(&text, text.len ? ", " : "", "first byte", row->first_body_us);
	buf_printf(&text, "%s%" PRIu32 " in progress at the backend", text.len ? ", " : "",
	        row->in_flight);
	put_line(to, "timing", "%s", buf_cstr(&text));
	buf_finish(&text);
}

/* Writes where the reasoning was found, unless it has a member of its own. */
static void put_place(struct buf *to, const struct choice *choice)
{
	switch (choice->place) {
	case REASONING_INLINE:
	case REASONING_BOTH:
		put_line(to, "thoughts", "%zu in the text", choice->n_thoughts);
		break;
	case REASONING_HIDDEN:
		put_line(to, "thoughts", "counted, not shown");
		break;
	default:
		break;
	}
}

/* Some engines give ids of the prompt's tokens, but no scores. */
static void put_prompt(struct buf *to, const struct columns *prompt)
{
	uint32_t scored = 0;
	for (uint32_t i = 0; i < prompt->n; i++) {
		scored += isfinite(prompt->lp[i]);
	}
	if (scored > 0) {
		put_line(to, "scores", "of %" PRIu32 " tokens of the prompt", scored);
	} else {
		put_line(to, "prompt", "ids of %" PRIu32 " tokens", prompt->n);
	}
}

static void put_choice(struct buf *to, const struct choice *choice, bool several)
{
	if (several) {
		put_line(to, "choice", "%" PRId32, choice->index);
	}
	put_block(to, "reasoning", buf_span(&choice->reasoning));
	put_place(to, choice);
	put_block(to, "refusal", buf_span(&choice->refusal));
	put_block(to, "text", buf_span(&choice->text));
	for (size_t i = 0; i < choice->n_calls; i++) {
		const struct tool_call *call = &choice->calls[i];
		put_line(to, "tool call", "%s(%s)%s", call->name ? call->name : "?",
		        call->arguments ? call->arguments : "",
		        call->in_text ? ", found in the text" : "");
	}
	if (several) {
		put_line(to, "finish", "%s", choice->finish ? choice->finish : "-");
	}
	if (choice->has_columns) {
		put_line(to, "logprobs", "%" PRIu32 " tokens", choice->columns.n);
	}
	if (choice->has_prompt) {
		put_prompt(to, &choice->prompt);
	}
}

static void put_embedding(struct buf *to, const struct embedding *e)
{
	struct buf head = {0};
	for (uint32_t i = 0; i < MIN(e->n, EMBEDDING_HEAD); i++) {
		buf_printf(&head, "%s%.4g", i ? ", " : "", (double)e->values[i]);
	}
	put_line(to, "embedding", "%" PRIu32 ": %" PRIu32 " values, %s%s", e->index, e->n,
	        buf_cstr(&head), e->n > EMBEDDING_HEAD ? ", ..." : "");
	buf_finish(&head);
}

/* What plumbline did with the leg, for people; the names are leg_mark_name()'s. */
static const char *leg_mark_text(unsigned bit)
{
	static const char *const texts[32] = {
	        "logprobs requested by plumbline",
	        "token counts requested by plumbline",
	        [7] = "no answer to the prompt",
	        [13] = "scored after the recorded tokens of the prompt",
	        [14] = "scored after the scoring engine's own tokens of the prompt, which differ",
	        [15] = "token ids requested by plumbline",
	};
	return texts[bit] ? texts[bit] : leg_mark_name(bit);
}

/* "NAME (ROLE, URL)", without the role if it is the name. */
static void put_leg_title(struct buf *to, const struct leg_row *row)
{
	const char *name = row->backend ? row->backend : "?", *role = role_name(row->role);
	bool shows_role = strcmp(name, role) != 0;
	buf_append_char(to, '\n');
	sanitize_put(to, span_of(name), 64);
	buf_printf(to, " (%s%s", shows_role ? role : "", shows_role ? ", " : "");
	sanitize_put(to, span_of(row->url ? row->url : "-"), 200);
	buf_printf(to, "%s%s)\n", row->repeat ? ", repeated" : "",
	        leg_has_scores(row->marks) ? ", scores" : "");
}

/* Appends the number of scored tokens, and their perplexity. */
static void put_scores(struct buf *to, const struct leg_row *scored, const struct reading *reading)
{
	struct score_place place;
	if (!score_columns(reading, &place) || scored->score_at > place.columns->n - place.tail) {
		buf_append_str(to, "none that can be read");
		return;
	}
	double sum = 0;
	uint32_t n = 0, end = place.columns->n - place.tail;
	for (uint32_t i = scored->score_at; i < end; i++) {
		if (isfinite(place.columns->lp[i])) {
			sum += (double)place.columns->lp[i];
			n++;
		}
	}
	buf_printf(to, "of %" PRIu32 " tokens, from number %" PRIu32 " of %" PRIu32 " on",
	        end - scored->score_at, scored->score_at, end);
	if (n > 0) {
		buf_printf(to, "; perplexity %.3f", exp(-sum / n));
	}
}

static void put_leg_reading(struct buf *to, const struct capture_exchange *e,
        const struct leg_row *row, const struct reading *reading)
{
	put_marks(to, "marks", reading->marks, reading_mark_name);
	if (row->model) {
		put_line(to, "model", "%s%s%s", row->model,
		        row->fingerprint ? ", fingerprint " : "",
		        row->fingerprint ? row->fingerprint : "");
	}
	if (reading->unknown) {
		put_line(to, "not read", "%s", reading->unknown);
	}
	if (reading->error) {
		put_line(to, "error", "%s", reading->error);
	}
	if (row->marks & LEG_GRADING) {
		put_line(to, "grades", "%s's answer", capture_leg_backend(e, row->score_of));
	} else if (row->marks & LEG_JUDGING) {
		put_line(to, "judges", "%s's answer, and %s's after it",
		        capture_leg_backend(e, row->score_of),
		        capture_leg_backend(e, row->judged_against));
	} else if (row->marks & LEG_SCORED) {
		/* the text that the engine had to generate after these tokens has no meaning */
		struct buf line = {0};
		put_scores(&line, row, reading);
		put_line(to, "scores", "of %s's answer: %s", capture_leg_backend(e, row->score_of),
		        buf_cstr(&line));
		buf_finish(&line);
		return;
	}
	for (size_t i = 0; i < reading->n_choices; i++) {
		put_choice(to, &reading->choices[i], reading->n_choices > 1);
	}
	for (size_t i = 0; i < MIN(reading->n_embeddings, EMBEDDINGS_SHOWN); i++) {
		put_embedding(to, &reading->embeddings[i]);
	}
	if (reading->n_embeddings > EMBEDDINGS_SHOWN) {
		put_line(to, "embedding", "%zu more", reading->n_embeddings - EMBEDDINGS_SHOWN);
	}
}

static void put_leg(struct buf *to, const struct capture_exchange *e, const struct leg_row *row,
        const struct reading *reading)
{
	put_leg_title(to, row);
	put_summary(to, row, reading ? &reading->usage : &row->usage);
	if (row->error) {
		put_line(to, "error", "%s", row->error);
	}
	put_timing(to, row);
	put_redacted(to, "the answer", row->content, row->redactions);
	put_marks(to, "plumbline", row->marks, leg_mark_text);
	if (reading) {
		put_leg_reading(to, e, row, reading);
	} else if (row->body_bytes) {
		bool left_out = row->content == CONTENT_METADATA;
		put_line(to, "text",
		        left_out ? "not kept (content: metadata)"
		                 : "its bytes are damaged or missing");
	}
}

void exchange_text_put(struct buf *to, struct capture *c, const struct capture_exchange *e)
{
	put_request(to, e);
	put_body(to, c, e);
	struct reading **readings = xcalloc(e->n_legs + 1, sizeof(*readings));
	for (size_t i = 0; i < e->n_legs; i++) {
		if (capture_reading(c, e, i, &readings[i]) < 0) {
			readings[i] = NULL;
		}
		put_leg(to, e, &e->legs[i].row, readings[i]);
	}
	differences_text_put(to, e, readings);
	for (size_t i = 0; i < e->n_legs; i++) {
		reading_destroy(readings[i]);
	}
	free(readings);
}
