#include "answers/reasoning_marks.h"

#include <string.h>

#include "answers/calls/call_forms.h"
#include "answers/calls/text_calls.h"
#include "answers/code_fence.h"
#include "answers/finish.h"
#include "answers/thought_forms.h"
#include "answers/tokens/alignment.h"
#include "base/ascii.h"
#include "base/mem.h"

#define HEADER_LIMIT 200
#define CALL_FAILURES_LIMIT 64

/* A mark between two of these is mentioned, not used. */
static const struct {
	const char *before, *after;
} quotes[] = {{"`", "`"}, {"\"", "\""}, {"'", "'"}, {"(", ")"}, {"“", "”"}, {"‘", "’"}, {"«", "»"}};

/* The text being searched. */
struct search {
	const char *begin, *end;
	bool may_stay_open;            /* the text was truncated */
	const struct offered *offered; /* NULL: no tools */
	struct suffixed suffixed;
	bool exhausted[FAMILIES_LIMIT]; /* the closing mark does not occur any more */
	struct thought *thoughts;
	size_t n;
	uint32_t marks;
};

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_layout(*p)) {
		p++;
	}
	return p;
}

static bool begins(const char *p, const char *end, const char *literal)
{
	return span_starts(span_between(p, end), literal);
}

static bool ends(const char *begin, const char *p, const char *literal)
{
	return span_ends(span_between(begin, p), literal);
}

static const char *find(const char *p, const char *end, const char *literal)
{
	return p ? memmem(p, (size_t)(end - p), literal, strlen(literal)) : NULL;
}

static bool is_quoted(const struct search *s, const char *from, const char *to)
{
	for (size_t i = 0; i < ARRAY_LEN(quotes); i++) {
		if (ends(s->begin, from, quotes[i].before) && begins(to, s->end, quotes[i].after)) {
			return true;
		}
	}
	return false;
}

/* Updates the state of code blocks over the lines [from, to). */
static void update_fence(struct code_fence *f, const char *from, const char *to)
{
	while (from < to) {
		code_fence_line(f, from, to);
		const char *line_end = memchr(from, '\n', (size_t)(to - from));
		from = line_end ? line_end + 1 : to;
	}
}

/*
 * Returns the closing mark of a thought that begins at `from`: the first that is neither quoted nor
 * in a code block. A block that is never closed hides no mark. NULL: there is none.
 */
static const char *find_close(const struct search *s, const char *from, const char *close)
{
	const char *in_block = NULL, *line = from, *checked = from;
	size_t n = strlen(close);
	struct code_fence fence = {0};
	for (const char *p = from; (p = find(p, s->end, close)); p += n) {
		if (is_quoted(s, p, p + n)) {
			continue;
		}
		const char *line_end = memrchr(checked, '\n', (size_t)(p - checked));
		if (line_end) {
			update_fence(&fence, line, line_end + 1);
			line = line_end + 1;
		}
		checked = p;
		if (fence.open == 0) {
			return p;
		}
		in_block = in_block ? in_block : p;
	}
	return in_block;
}

/* Skips the mark of the answer's beginning after a closing mark. */
static const char *skip_wrapper(const struct search *s, const char *close_end)
{
	const struct wrapper *w;
	for (size_t i = 0; (w = thought_wrapper_at(&s->suffixed, i)); i++) {
		if (ends(s->begin, close_end, w->close) && begins(close_end, s->end, w->begin)) {
			return close_end + strlen(w->begin);
		}
	}
	return close_end;
}

/* Adds the thought [open, close) and returns where the text continues. If there are too many
 * thoughts, that is its end, which stops the search. */
static const char *add_thought(
        struct search *s, const char *open, const char *from, const char *to, const char *close)
{
	if (s->n == READING_THOUGHTS_LIMIT) {
		s->marks |= READING_TOO_LARGE;
		return s->end;
	}
	s->thoughts = xrealloc(s->thoughts, (s->n + 1) * sizeof(*s->thoughts));
	s->thoughts[s->n++] = (struct thought){
	        .open = (uint32_t)(open - s->begin),
	        .from = (uint32_t)(from - s->begin),
	        .to = (uint32_t)(to - s->begin),
	        .close = (uint32_t)(close - s->begin),
	};
	return close;
}

/* Returns a call that ends a thought without a closing mark, or NULL. */
static const char *find_call(const struct search *s, const char *from)
{
	struct call_list list = {.offered = s->offered};
	const char *p = from, *found = NULL;
	size_t failures = 0;
	while (s->offered && p < s->end && !found && failures < CALL_FAILURES_LIMIT) {
		struct cursor at = {p, s->end};
		bool leads = p == from || p[-1] == '\n';
		const struct call_form *form = call_form_at(&at, leads);
		bool is_read = form && call_form_read(form, &at, &list);
		bool is_used = is_read && call_form_is_used(form, span_between(from, s->end),
		                                  span_between(p, at.p), leads);
		found = is_used ? p : NULL;
		failures += form && !is_read;
		p = is_read ? at.p : p + 1;
		call_list_cut(&list, 0);
	}
	call_list_finish(&list);
	return found;
}

/*
 * Handles the thought whose opening mark is at p, or returns NULL. leads: only other thoughts
 * precede it. A thought without an end must be truncated, or must lead and not be part of a
 * sentence ("<think> is a tag").
 */
static const char *thought_at(struct search *s, const char *p, bool leads)
{
	const struct family *f;
	for (size_t i = 0; (f = thought_family_at(&s->suffixed, i)); i++) {
		bool is_words = f->flags & FAMILY_WORDS;
		if (s->exhausted[i] || (is_words && !leads) || !begins(p, s->end, f->open)) {
			continue;
		}
		const char *from = p + strlen(f->open);
		const char *to = find_close(s, from, f->close);
		if (to) {
			const char *close = to + strlen(f->close) - f->keeps;
			return add_thought(s, p, from, to, skip_wrapper(s, close));
		}
		s->exhausted[i] = true;
		const char *call = is_words ? NULL : find_call(s, from);
		if (call) {
			return add_thought(s, p, from, call, call);
		}
		bool is_mark = f->flags & FAMILY_TOKENS || from == s->end || *from != ' ';
		if (!is_words && (s->may_stay_open || (leads && is_mark))) {
			s->marks |= READING_THOUGHT_OPEN;
			return add_thought(s, p, from, s->end, s->end);
		}
	}
	return NULL;
}

/* Whether the closing mark [p, after) is where a thought opened by the template may end, and is
 * not part of a sentence. */
static bool is_lone_close(const struct search *s, const char *p, const char *after)
{
	const char *before = memrchr(s->begin, '\n', (size_t)(p - s->begin));
	const char *line = before ? before + 1 : s->begin;
	struct code_fence fence = {0};
	size_t ticks = 0;
	for (const char *q = line; q < p; q++) {
		ticks += *q == '`';
	}
	if (ticks % 2 || is_quoted(s, p, after)) {
		return false;
	}
	update_fence(&fence, s->begin, line);
	if (fence.open) {
		return false;
	}
	bool blank_before = p > line && is_layout(p[-1]) && skip_blanks(line, p) < p;
	bool in_sentence =
	        after < s->end && *after != '\n' && *after != '\r' && strchr(" \t.,;:!?)", *after);
	return !(blank_before && in_sentence);
}

/* Finds a closing mark without an opening one: all text before it is a thought. */
static const char *find_lone_close(struct search *s, bool only_at_start)
{
	const char *first = NULL;
	const struct family *family = NULL;
	const struct family *f;
	for (size_t i = 0; (f = thought_family_at(&s->suffixed, i)); i++) {
		const char *p = f->flags & FAMILY_ALONE ? find(s->begin, s->end, f->close) : NULL;
		if (p && (!first || p < first)) {
			first = p;
			family = f;
		}
	}
	if (!first || find(s->begin, first, family->open)) {
		return NULL;
	}
	const char *after = first + strlen(family->close);
	bool at_start = skip_blanks(s->begin, first) == first;
	if ((only_at_start && !at_start) || !is_lone_close(s, first, after)) {
		return NULL;
	}
	return add_thought(s, s->begin, s->begin, first, skip_wrapper(s, after));
}

/* Returns the first thought that begins a line after p, outside of code blocks, or NULL. */
static const char *find_on_lines(struct search *s, struct code_fence *fence, const char *p)
{
	while (p < s->end) {
		const char *next = fence->open ? NULL : thought_at(s, p, false);
		if (next) {
			return next;
		}
		const char *line_end = memchr(p, '\n', (size_t)(s->end - p));
		if (!line_end) {
			return NULL;
		}
		p = line_end + 1;
		code_fence_line(fence, p, s->end);
		while (p < s->end && (*p == ' ' || *p == '\t')) {
			p++;
		}
	}
	return NULL;
}

/* Returns the end mark of a message at or after p; *ret_after is after that mark. */
static const char *message_end(const struct search *s, const char *p, const char **ret_after)
{
	static const char *const ends_of[] = {
	        "<|end|>", "<|return|>", "<|call|>", "<|eom|>", "<|eot|>"};
	while ((p = find(p, s->end, "<|"))) {
		*ret_after = p;
		if (begins(p, s->end, "<|start|>")) {
			return p;
		}
		for (size_t i = 0; i < ARRAY_LEN(ends_of); i++) {
			if (begins(p, s->end, ends_of[i])) {
				*ret_after = p + strlen(ends_of[i]);
				return p;
			}
		}
		p += 2;
	}
	*ret_after = s->end;
	return s->end;
}

enum message_kind { MESSAGE_ANSWER, MESSAGE_THOUGHT, MESSAGE_CALL };

/* header: what precedes a message's "<|message|>". body: what follows it. */
static enum message_kind kind_of_message(
        const struct search *s, struct span header, const char *body)
{
	const char *to = find(header.data, header.data + header.len, "to=");
	struct span recipient = {to, to ? (size_t)(header.data + header.len - to) : 0};
	if (to && !span_is(recipient, "to=user") && !span_is(recipient, "to=self")) {
		/* The calls of Muse have marks of their own, so that its header is none of them. */
		return begins(body, s->end, "<atem:") ? MESSAGE_ANSWER : MESSAGE_CALL;
	}
	bool is_thought =
	        span_starts(header, "<|channel|>analysis") || span_is(recipient, "to=self");
	return is_thought ? MESSAGE_THOUGHT : MESSAGE_ANSWER;
}

/*
 * Searches a text of gpt-oss or Muse: messages, each on a channel or to a recipient. Messages on
 * "analysis" and to "self" are thoughts. Messages to a function are left for the search for calls.
 * The marks of other messages are removed as empty thoughts. False: the text has another form.
 */
static bool search_messages(struct search *s)
{
	const char *p = skip_blanks(s->begin, s->end);
	bool any = false;
	while (p < s->end) {
		bool starts = begins(p, s->end, "<|start|>assistant");
		const char *header = p + (starts ? strlen("<|start|>assistant") : 0);
		const char *header_end = header + MIN(s->end - header, HEADER_LIMIT);
		const char *message = find(header, header_end, "<|message|>");
		header = message ? skip_blanks(header, message) : header;
		if (!message ||
		        !(begins(header, s->end, "<|channel|>") || begins(header, s->end, "to=") ||
		                (any && header == message))) {
			break;
		}
		const char *from = message + strlen("<|message|>"), *after;
		const char *to = message_end(s, from, &after);
		enum message_kind kind = kind_of_message(s, span_between(header, message), from);
		any = true;
		if (kind == MESSAGE_THOUGHT) {
			s->marks |= to == s->end ? READING_THOUGHT_OPEN : 0;
			(void)add_thought(s, p, from, to, after);
		} else if (kind == MESSAGE_ANSWER) {
			(void)add_thought(s, p, p, p, from);
			(void)(after > to ? add_thought(s, to, to, to, after) : NULL);
		}
		p = skip_blanks(after, s->end);
	}
	return any;
}

/* Finds the marks around an answer without thoughts before it. */
static const char *find_lone_wrapper(struct search *s)
{
	const char *p = skip_blanks(s->begin, s->end);
	const struct wrapper *w;
	for (size_t i = 0; (w = thought_wrapper_at(&s->suffixed, i)); i++) {
		if (w->alone && begins(p, s->end, w->begin)) {
			const char *after = p + strlen(w->begin);
			return add_thought(s, p, p, p, after);
		}
	}
	return NULL;
}

static void search(struct search *s, bool has_field)
{
	if (search_messages(s)) {
		return;
	}
	const char *next = thought_at(s, skip_blanks(s->begin, s->end), true);
	if (!next) {
		next = find_lone_close(s, has_field);
	}
	if (!next) {
		next = find_lone_wrapper(s);
	}
	/* Another thought may follow: directly, or at the beginning of a later line. */
	struct code_fence fence = {0};
	while (next && next < s->end) {
		const char *at = skip_blanks(next, s->end);
		next = thought_at(s, at, true);
		if (!next) {
			code_fence_line(&fence, at, s->end);
			next = find_on_lines(s, &fence, at);
		}
	}
}

/* Some entries are empty and only remove the marks of an answer. */
static bool has_thoughts(const struct choice *c)
{
	for (size_t i = 0; i < c->n_thoughts; i++) {
		if (c->thoughts[i].to > c->thoughts[i].open) {
			return true;
		}
	}
	return false;
}

static enum reasoning_place place_of(const struct choice *c, int64_t reasoning_tokens)
{
	bool is_inline = has_thoughts(c);
	if (c->reasoning.len) {
		return is_inline ? REASONING_BOTH : REASONING_FIELD;
	}
	if (is_inline) {
		return REASONING_INLINE;
	}
	return reasoning_tokens > 0 ? REASONING_HIDDEN : REASONING_NONE;
}

void reasoning_marks_find(
        struct draft *d, struct choice *c, const struct stretch *stretches, size_t n, bool spelled)
{
	enum finish finish = finish_of(c->finish);
	bool ended = finish != FINISH_NONE && finish != FINISH_LENGTH && finish != FINISH_ABORTED;
	struct search s = {.begin = c->text.data,
	        .may_stay_open = !ended,
	        .offered = d->has_tools ? &d->offered : NULL};
	if (c->text.len) {
		s.end = s.begin + c->text.len;
		thought_suffixed_find(buf_span(&c->text), &s.suffixed);
		search(&s, c->reasoning.len > 0);
	}
	c->thoughts = s.thoughts;
	c->n_thoughts = s.n;
	d->marks |= s.marks;
	if (c->n_calls == 0 && c->text.len && d->has_tools) {
		struct buf calls = {0};
		c->n_calls = text_calls_find(c, &d->offered, &calls, NULL);
		c->calls = (struct tool_call *)(void *)calls.data;
	}
	c->place = place_of(c, d->usage.reasoning_tokens);
	if (spelled && c->columns.n) {
		alignment_flag(c, stretches, n);
	}
}

/* Removes blanks at both ends, and the end mark of an answer that had a begin mark. */
static struct span unwrapped(const struct choice *c, struct span answer)
{
	struct suffixed suffixed;
	const struct wrapper *w;
	struct span last = {0};
	if (c->n_thoughts) {
		const struct thought *t = &c->thoughts[c->n_thoughts - 1];
		last = buf_part(&c->text, t->to, t->close);
	}
	const char *from = answer.data, *to = answer.data + answer.len;
	while (to > from && is_layout(to[-1])) {
		to--;
	}
	thought_suffixed_find(buf_span(&c->text), &suffixed);
	for (size_t i = 0; last.len && (w = thought_wrapper_at(&suffixed, i)); i++) {
		if (span_ends(last, w->begin) && ends(from, to, w->end)) {
			to -= strlen(w->end);
			break;
		}
	}
	while (to > from && is_layout(to[-1])) {
		to--;
	}
	from = skip_blanks(from, to);
	return (struct span){from, (size_t)(to - from)};
}

void choice_answer(const struct choice *c, struct buf *to)
{
	struct buf places = {0}, rest = {0};
	text_calls_places(c, &places);
	const struct text_place *calls = (const struct text_place *)(const void *)places.data;
	size_t n_calls = places.len / sizeof(*calls), i_call = 0;
	size_t i_thought = 0, at = 0;
	if (c->n_thoughts == 0 && n_calls == 0) {
		buf_append_span(to, buf_span(&c->text));
		buf_finish(&places);
		return;
	}
	while (at < c->text.len) {
		size_t from = c->text.len, until = c->text.len;
		if (i_thought < c->n_thoughts) {
			from = c->thoughts[i_thought].open;
			until = c->thoughts[i_thought].close;
		}
		if (i_call < n_calls && calls[i_call].from < from) {
			from = calls[i_call].from;
			until = calls[i_call++].to;
		} else {
			i_thought++;
		}
		buf_append(&rest, c->text.data + at, from - at);
		at = until;
	}
	buf_append_span(to, unwrapped(c, buf_span(&rest)));
	buf_finish(&rest);
	buf_finish(&places);
}

void choice_reasoning(const struct choice *c, struct buf *to)
{
	struct span field = span_trim(buf_span(&c->reasoning));
	buf_append_span(to, buf_span(&c->reasoning));
	for (size_t i = 0; i < c->n_thoughts; i++) {
		const struct thought *t = &c->thoughts[i];
		struct span thought = buf_part(&c->text, t->from, t->to);
		/* Some gateways put it in the member and leave it in the text, too. */
		if (!field.len || !span_equal(span_trim(thought), field)) {
			buf_append_span(to, thought);
		}
	}
}
