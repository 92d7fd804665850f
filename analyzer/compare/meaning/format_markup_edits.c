#include "analyzer/compare/meaning/format_markup_edits.h"

#include <string.h>

#include "base/letters.h"
#include "analyzer/compare/meaning/format_markup_lines.h"
#include "analyzer/compare/meaning/format_markup_math.h"

/* An emphasis mark or a tag that waits for its other half. */
struct opener {
	size_t edit; /* its index + 1; 0: none */
	const char *inside;
};

static const char *const tags[] = {"b", "strong", "i", "em", "p"};

struct scan {
	const char *begin, *end; /* of the text */
	struct buf *edits;
	struct lines lines;
	struct math math;
	struct opener emphasis[2][3]; /* * and _, by the length of the run */
	struct opener tag[ARRAY_LEN(tags)];
	bool tags_read, tags_meant; /* whether it was looked for; they are what the text is about */
};

static void add(struct scan *s, const char *at, size_t len, const char *with)
{
	struct edit e = {at, len, with};
	buf_append(s->edits, &e, sizeof(e));
}

static struct edit *edit_at(struct scan *s, size_t index)
{
	return (struct edit *)(void *)s->edits->data + index;
}

static size_t count(const struct scan *s)
{
	return s->edits->len / sizeof(struct edit);
}

static bool before_opens(const struct scan *s, const char *p, size_t run)
{
	if (p == s->begin || is_space(p[-1])) {
		return true;
	}
	return strchr("([{|*_>", p[-1]) || (run == 2 && ((unsigned char)p[-1] & 0x80));
}

static bool after_closes(const struct scan *s, const char *p, size_t run)
{
	if (p == s->end || is_space(*p)) {
		return true;
	}
	return strchr(".,;:!?)]}|'\"-*_<", *p) || (run == 2 && ((unsigned char)*p & 0x80));
}

/* As in __FILE__, which C knows. */
static bool is_macro(struct span s)
{
	static const char *const names[] = {"COUNTER", "DATE", "FILE", "FUNCTION", "LINE", "STDC",
	        "TIME", "TIMESTAMP", "VERSION"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (span_is(s, names[i])) {
			return true;
		}
	}
	return false;
}

/* Underscores are emphasis only around words, not around identifiers. */
static bool is_emphasised(char mark, size_t run, struct span inside)
{
	if (mark == '*') {
		return true;
	}
	if (run == 2 && is_macro(inside)) {
		return false;
	}
	return memchr(inside.data, ' ', inside.len) ||
	       (is_upper(inside.data[0]) && !memchr(inside.data, '_', inside.len) &&
	               !memchr(inside.data, '(', inside.len));
}

static const char *scan_emphasis(struct scan *s, const char *p, const char *stop)
{
	size_t n = 1;
	while (p + n < stop && p[n] == *p) {
		n++;
	}
	const char *after = p + n;
	if (n > 3) {
		return after;
	}
	struct opener *o = &s->emphasis[*p == '_'][n - 1];
	bool tight_left = p > s->begin && !is_space(p[-1]);
	bool tight_right = after < s->end && !is_space(*after);
	if (o->edit && tight_left && after_closes(s, after, n) && p > o->inside &&
	        is_emphasised(*p, n, span_between(o->inside, p))) {
		edit_at(s, o->edit - 1)->len = n;
		add(s, p, n, NULL);
		o->edit = 0;
	} else if (tight_right && before_opens(s, p, n)) {
		add(s, p, 0, NULL);
		*o = (struct opener){count(s), after};
	}
	return after;
}

/* In a text about writing HTML, tags may be content. */
static bool speaks_of_tags(struct span text)
{
	static const char *const words[] = {
	        "element", "elements", "html", "markup", "tag", "tags", "wrap", "write"};
	for (size_t i = 0; i < text.len; i++) {
		size_t from = i;
		while (i < text.len && is_word(text.data[i])) {
			i++;
		}
		struct span word = {text.data + from, i - from};
		if (word.len && span_in(word, words, ARRAY_LEN(words))) {
			return true;
		}
	}
	return false;
}

static bool means_tags(struct scan *s)
{
	if (!s->tags_read) {
		s->tags_read = true;
		s->tags_meant = speaks_of_tags(span_between(s->begin, s->end));
	}
	return s->tags_meant;
}

static const char *scan_tag(struct scan *s, const char *p, const char *stop)
{
	static const char *const breaks[] = {"<br>", "<br/>", "<br />"};
	struct span rest = span_between(p, stop);
	for (size_t i = 0; i < ARRAY_LEN(breaks); i++) {
		if (span_starts_nocase(rest, breaks[i])) {
			const char *after = p + strlen(breaks[i]);
			/* Between two words of a sentence it may be what is spoken of. */
			bool word =
			        p > s->begin && is_blank(p[-1]) && after < stop && is_blank(*after);
			if (!word) {
				add(s, p, strlen(breaks[i]), "\n");
			}
			return after;
		}
	}
	bool closing = rest.len > 1 && p[1] == '/';
	const char *name = p + 1 + closing;
	for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
		size_t n = strlen(tags[i]);
		if (!span_starts_nocase(span_between(name, stop), tags[i]) || name + n == stop ||
		        name[n] != '>') {
			continue;
		}
		size_t len = n + 2 + closing;
		if (means_tags(s)) {
			return p + len;
		}
		const char *with = i == 4 ? "\n" : NULL;
		if (closing && s->tag[i].edit) {
			edit_at(s, s->tag[i].edit - 1)->len = len - 1;
			add(s, p, len, with);
			s->tag[i].edit = 0;
		} else if (!closing) {
			add(s, p, 0, with);
			s->tag[i] = (struct opener){count(s), p + len};
		}
		return p + len;
	}
	return p + 1;
}

static void new_paragraph(struct scan *s)
{
	memset(s->emphasis, 0, sizeof(s->emphasis));
}

/* What may be a mark outside of formulas, or goes before a line. */
static const char BEGINS[] = "\\$*_<\n";

static void scan_prose(struct scan *s, struct span prose)
{
	const char *p = prose.data, *stop = prose.data + prose.len;
	while (p < stop) {
		if (p == s->begin || p[-1] == '\n') {
			if (*p == '\n') {
				new_paragraph(s);
			}
			p = lines_scan(&s->lines, p, stop, s->edits);
			if (p == stop) {
				break;
			}
		}
		/* Most bytes begin nothing. */
		if (!s->math.depth) {
			p = find_any(p, stop, BEGINS);
			if (p == stop || *p == '\n') {
				p += p < stop;
				continue;
			}
		}
		const char *math = math_scan(&s->math, p, stop, s->edits);
		if (math) {
			p = math;
		} else if (*p == '*' || *p == '_') {
			p = scan_emphasis(s, p, stop);
		} else if (*p == '<') {
			p = scan_tag(s, p, stop);
		} else {
			p++;
		}
	}
}

void markup_edits_find(struct span text, const struct buf *pieces, struct buf *to)
{
	struct scan s = {.begin = text.data, .end = text.data + text.len, .edits = to};
	lines_init(&s.lines, text);
	math_init(&s.math, text);
	for (size_t i = 0; i < markup_count(pieces); i++) {
		const struct piece *p = markup_piece(pieces, i);
		if (p->kind == PIECE_PROSE) {
			scan_prose(&s, p->all);
		} else if (piece_is_block(p)) {
			new_paragraph(&s);
		}
	}
}
