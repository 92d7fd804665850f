#include "answers/pulse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/api/failure.h"
#include "answers/api/framing.h"
#include "answers/api/usage.h"
#include "answers/finish.h"
#include "answers/json_key.h"
#include "answers/reasoning.h"
#include "base/ascii.h"
#include "base/check.h"
#include "base/json.h"
#include "base/mem.h"

#define EVENT_LIMIT ((size_t)4 << 20)
#define WHOLE_LIMIT ((size_t)64 << 20)
#define GAPS_LIMIT ((size_t)1 << 20)

/* What one document of the answer contains. */
struct document_facts {
	bool choices, thought, output, error, whole;
	int64_t choice; /* the index of the last one */
};

/* What one choice of the document contains. */
struct choice_facts {
	struct json_token text;
	bool has_text;
	int64_t index;
	bool open; /* the finish reason is null, or "" */
	struct json_token finish;
	struct usage usage;
};

#define NO_USAGE                                                                                   \
	{                                                                                          \
		-1, -1, -1, -1, -1                                                                 \
	}

static bool holds_text(const struct json_token *t)
{
	return t->type == JSON_TOKEN_STRING && t->len > 2;
}

/* Reads a finish reason: a text, or SGLang's object with a "type". */
static void read_finish(const struct json_token *t, struct span value, struct choice_facts *choice)
{
	static const char *const path[] = {"type"};
	struct json_token type;
	bool inner = t->type == JSON_TOKEN_OBJECT && json_find(value, path, 1, &type, NULL);
	const struct json_token *word = inner ? &type : t;
	choice->open |=
	        t->type == JSON_TOKEN_NULL || (t->type == JSON_TOKEN_STRING && !holds_text(t));
	if (holds_text(word) || word->type == JSON_TOKEN_NUMBER || word->type == JSON_TOKEN_TRUE) {
		choice->finish = *word;
	}
}

/* The first text that is not empty counts. */
static void note_text(struct choice_facts *choice, const struct json_token *text)
{
	if (text->type == JSON_TOKEN_STRING && !holds_text(&choice->text)) {
		choice->text = *text;
		choice->has_text = true;
	}
}

/* Reads a delta, a message, or a choice itself (text). The object has been opened. */
static void read_choice(struct json *j, struct document_facts *doc, struct choice_facts *choice)
{
	struct json_token t;
	while ((t = json_next(j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(j);
		bool inner = KEY_IS(&t, "delta") || KEY_IS(&t, "message");
		if (inner && v.type == JSON_TOKEN_OBJECT) {
			read_choice(j, doc, choice);
			continue;
		}
		if (KEY_IS(&t, "provider_specific_fields") && v.type == JSON_TOKEN_OBJECT) {
			/* Of the engine's message that a gateway moved, only the content counts. */
			struct choice_facts moved = {0};
			read_choice(j, doc, &moved);
			note_text(choice, &moved.text);
			continue;
		}
		if (KEY_IS(&t, "content") || KEY_IS(&t, "text")) {
			note_text(choice, &v);
		}
		if (v.type == JSON_TOKEN_NUMBER && KEY_IS(&t, "index")) {
			(void)!json_token_integer(&v, &choice->index);
		}
		if (KEY_IS(&t, "content") || KEY_IS(&t, "text") || KEY_IS(&t, "refusal")) {
			doc->output |= holds_text(&v);
		} else if (reasoning_source_of(&t) != N_REASONING_SOURCES) {
			doc->thought |= holds_text(&v);
		}
		if (KEY_IS(&t, "usage")) {
			usage_read(&choice->usage, j, &v);
			continue;
		}
		bool calls = KEY_IS(&t, "tool_calls") || KEY_IS(&t, "function_call");
		bool finish = KEY_IS(&t, "finish_reason");
		bool is_list = v.type == JSON_TOKEN_ARRAY || v.type == JSON_TOKEN_OBJECT;
		struct span value = json_skip(j, &v);
		if (finish) {
			read_finish(&v, value, choice);
		}
		doc->output |= calls && is_list && value.len > 2;
		doc->error |= KEY_IS(&t, "error") && failure_is_reported(&v, value);
	}
}

static enum finish record_finish(struct pulse *p, const struct json_token *t)
{
	struct buf word = {0};
	if (t->type == JSON_TOKEN_STRING) {
		json_token_unescape(t, &word);
	} else {
		buf_append(&word, t->start, t->len);
	}
	enum finish f = finish_of_span(buf_span(&word));
	if (f == FINISH_ABORTED || f == FINISH_UNKNOWN) {
		p->marks |= f == FINISH_ABORTED ? READING_ABORTED : READING_UNKNOWN_FINISH;
		snprintf(p->finish, sizeof(p->finish), "%s", buf_cstr(&word));
	}
	buf_finish(&word);
	return f;
}

static void note_counts(struct pulse *p, int64_t choice, const struct usage *u)
{
	if (choice < 0 || choice >= READING_CHOICES_LIMIT) {
		return;
	}
	p->choices[choice].tokens = MAX(p->choices[choice].tokens, u->completion_tokens);
	p->prompt_of_choices = MAX(p->prompt_of_choices, u->prompt_tokens);
}

static void record_choice(struct pulse *p, const struct choice_facts *choice)
{
	if (choice->index < 0 || choice->index >= READING_CHOICES_LIMIT) {
		p->marks |= READING_TOO_LARGE;
		return;
	}
	p->choices[choice->index].begun |= p->stream || choice->open;
	note_counts(p, choice->index, &choice->usage);
	if (choice->finish.type != JSON_TOKEN_ERROR) {
		p->choices[choice->index].ended = record_finish(p, &choice->finish) != FINISH_NONE;
	}
}

static void compare_bytes(struct pulse *p, struct span piece)
{
	const char *expected = p->expected.data + p->expected_at;
	size_t left = p->expected.len - p->expected_at, n = 0;
	if (piece.len <= left && memcmp(piece.data, expected, piece.len) == 0) {
		p->expected_at += piece.len;
		return;
	}
	while (n < left && n < piece.len && piece.data[n] == expected[n]) {
		n++;
	}
	p->expected_at += n;
	p->differs = true;
}

/* Compares the next piece of the first choice's text with the expected text. */
static void compare_text(struct pulse *p, const struct json_token *text)
{
	buf_clear(&p->unescaped);
	if (p->half) {
		buf_append_str(&p->unescaped, JSON_LONE_HALF);
	}
	(void)json_token_unescape_piece(text, &p->half, &p->unescaped);
	struct span piece = buf_span(&p->unescaped);
	if (p->half) {
		piece.len -= JSON_LONE_HALF_SIZE; /* the next piece may complete it */
	}
	compare_bytes(p, piece);
}

static void read_choices(struct pulse *p, struct json *j, struct document_facts *doc)
{
	for (int64_t i = 0; json_next(j).type == JSON_TOKEN_OBJECT; i++) {
		struct choice_facts choice = {.index = i, .usage = NO_USAGE};
		doc->choices = true;
		read_choice(j, doc, &choice);
		record_choice(p, &choice);
		doc->choice = choice.index;
		if (p->compared && !p->differs && choice.has_text && choice.index == 0) {
			compare_text(p, &choice.text);
		}
	}
}

/* Reads a member beside the choices. choice: the index of the last one. j: after the member's first
 * token. */
static void read_usage(struct pulse *p, int64_t choice, struct json j, const struct json_token *key,
        const struct json_token *first)
{
	struct usage timings = NO_USAGE;
	if (KEY_IS(key, "timings")) {
		usage_read_timings(&timings, &j, first);
		note_counts(p, choice, &timings);
	} else {
		usage_find(&p->usage, j, key, first);
	}
}

static struct document_facts read_document(struct pulse *p, struct span text)
{
	struct json j;
	struct document_facts doc = {0};
	struct json_token t = json_begin_lenient(&j, text);
	if (t.type != JSON_TOKEN_OBJECT) {
		return doc;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		if (KEY_IS(&t, "choices") && v.type == JSON_TOKEN_ARRAY) {
			read_choices(p, &j, &doc);
		} else {
			struct json before = j;
			struct span value = json_skip(&j, &v);
			read_usage(p, doc.choice, before, &t, &v);
			doc.error |= (KEY_IS(&t, "error") && failure_is_reported(&v, value)) ||
			             ((KEY_IS(&t, "object") || KEY_IS(&t, "type")) &&
			                     json_token_is_string(&v, "error")) ||
			             failure_of_gateway(&t, value).len > 0;
		}
	}
	doc.whole = t.type == JSON_TOKEN_OBJECT_END && json_next(&j).type == JSON_TOKEN_END;
	return doc;
}

static void add_gap(struct pulse *p)
{
	if (p->n_gaps == p->gaps_cap && p->gaps_cap < GAPS_LIMIT) {
		p->gaps_cap = p->gaps_cap ? 2 * p->gaps_cap : 64;
		p->gaps = xrealloc(p->gaps, p->gaps_cap * sizeof(*p->gaps));
	}
	if (p->n_gaps < p->gaps_cap) {
		uint64_t us = (p->now - p->last_choice) / 1000;
		p->gaps[p->n_gaps++] = (uint32_t)MIN(us, (uint64_t)UINT32_MAX);
	}
}

static void record_document(struct pulse *p, const struct document_facts *doc)
{
	p->error |= doc->error;
	p->marks |= doc->whole ? 0 : READING_NOT_JSON;
	if (doc->choices) {
		if (p->n_choices++) {
			add_gap(p);
		} else {
			p->first_choice = p->now;
		}
		p->last_choice = p->now;
	}
	if (doc->thought || doc->output) {
		p->n_contents++;
		p->first_content = p->first_content ? p->first_content : p->now;
		p->last_content = p->now;
	}
	if (doc->output && !p->first_output) {
		p->first_output = p->now;
	}
}

static void on_event(void *arg, const struct sse_event *event)
{
	struct pulse *p = arg;
	p->marks |= event->piece ? READING_TOO_LARGE : 0;
	struct span data = span_trim(event->data);
	if (event->has_data && !event->piece && data.len && !span_is(data, "[DONE]")) {
		struct document_facts doc = read_document(p, event->data);
		doc.error |= span_is(event->name, "error");
		record_document(p, &doc);
	}
}

void pulse_begin(struct pulse *p, bool stream)
{
	*p = (struct pulse){.stream = stream, .usage = NO_USAGE, .prompt_of_choices = -1};
	sse_init(&p->sse, EVENT_LIMIT);
}

void pulse_compare(struct pulse *p, struct span text)
{
	p->compared = true;
	p->expected = text.len ? text : SPAN("");
}

bool pulse_differs(const struct pulse *p, size_t *ret_at)
{
	*ret_at = p->expected_at;
	return p->differs || p->expected_at < p->expected.len;
}

/* Keeps the last of the blanks at the end, so that an endless row of them takes no memory. */
static void drop_blanks(struct buf *head)
{
	size_t n = head->len;
	while (n >= 2 && is_layout(head->data[n - 1]) && is_layout(head->data[n - 2])) {
		n--;
	}
	if (n < head->len) {
		head->data[n - 1] = head->data[head->len - 1];
		head->len = n;
	}
}

/* An engine may answer with one document although its head promises events. The bytes wait in
 * `whole` until they show which it is. */
static void begin_stream(struct pulse *p, const char *data, size_t len)
{
	buf_append(&p->whole, data, len);
	enum framing framing = framing_of_bytes(buf_span(&p->whole), FRAMING_SSE);
	p->framed = framing != FRAMING_UNKNOWN;
	p->stream = framing != FRAMING_UNARY;
	if (!p->framed) {
		drop_blanks(&p->whole);
	} else if (p->stream) {
		p->overflow = sse_feed(&p->sse, p->whole.data, p->whole.len, on_event, p) < 0;
		buf_finish(&p->whole);
	}
}

void pulse_feed(struct pulse *p, uint64_t now, const char *data, size_t len)
{
	p->now = now;
	if (p->overflow) {
		return;
	}
	if (p->stream && !p->framed) {
		begin_stream(p, data, len);
	} else if (p->stream) {
		p->overflow = sse_feed(&p->sse, data, len, on_event, p) < 0;
	} else if (p->whole.len + len > WHOLE_LIMIT) {
		p->overflow = true;
		buf_finish(&p->whole);
	} else {
		buf_append(&p->whole, data, len);
	}
}

/* Uses the choices' own counts where the answer states none beside them. */
static void add_choices_usage(struct pulse *p)
{
	int64_t tokens = 0;
	for (size_t i = 0; i < ARRAY_LEN(p->choices); i++) {
		tokens += MIN(p->choices[i].tokens, (int64_t)INT32_MAX);
	}
	if (p->usage.completion_tokens < 0 && tokens > 0) {
		p->usage.completion_tokens = tokens;
	}
	if (p->usage.prompt_tokens < 0) {
		p->usage.prompt_tokens = p->prompt_of_choices;
	}
}

void pulse_end(struct pulse *p, uint64_t now)
{
	/* The last event lacks its blank line, or the single document is complete. Either had
	 * arrived by now. */
	p->now = p->stream && p->now ? p->now : now;
	if (p->stream && !p->overflow) {
		sse_end(&p->sse, on_event, p);
	} else if (p->whole.len) {
		struct document_facts doc = read_document(p, buf_span(&p->whole));
		doc.error |= failure_is_message(buf_span(&p->whole));
		bool events = framing_of_bytes(buf_span(&p->whole), FRAMING_UNARY) != FRAMING_UNARY;
		p->marks |= !doc.whole && events ? READING_NOT_READ : 0;
		record_document(p, &doc);
	}
	if (p->half && !p->differs) {
		compare_bytes(p, SPAN(JSON_LONE_HALF));
	}
	add_choices_usage(p);
	buf_finish(&p->whole);
}

uint32_t pulse_marks(const struct pulse *p)
{
	uint32_t marks = p->marks;
	bool open = false;
	for (size_t i = 0; i < ARRAY_LEN(p->choices); i++) {
		open |= p->choices[i].begun && !p->choices[i].ended;
	}
	marks |= open ? READING_CUT : 0;
	marks |= p->error ? READING_ERROR_BODY : 0;
	marks |= p->overflow ? READING_TOO_LARGE : 0;
	marks |= p->n_choices == 0 ? READING_EMPTY : 0;
	return marks;
}

const char *pulse_failure(const struct pulse *p, char text[FLAW_TEXT_SIZE])
{
	enum flaw f = p->coded ? FLAW_NONE : flaw_of_marks(pulse_marks(p));
	if (f == FLAW_NONE) {
		return NULL;
	}
	flaw_print(f, p->finish[0] ? p->finish : NULL, text);
	return text;
}

void pulse_finish(struct pulse *p)
{
	sse_finish(&p->sse);
	buf_finish(&p->whole);
	buf_finish(&p->unescaped);
	free(p->gaps);
	*p = (struct pulse){0};
}
