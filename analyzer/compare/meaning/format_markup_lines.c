#include "analyzer/compare/meaning/format_markup_lines.h"

#include <string.h>

#include "base/letters.h"

static void replace(struct buf *edits, const char *at, const char *to, const char *with)
{
	struct edit e = {at, (size_t)(to - at), with};
	buf_append(edits, &e, sizeof(e));
}

static void add(struct buf *edits, const char *at, const char *to)
{
	replace(edits, at, to, NULL);
}

static const char *skip_blanks(const char *p, const char *stop)
{
	while (p < stop && is_blank(*p)) {
		p++;
	}
	return p;
}

static const char *line_end(const char *p, const char *end)
{
	const char *feed = memchr(p, '\n', (size_t)(end - p));
	return feed ? feed : end;
}

/* "12. " or "12) "; its number, and where the mark ends. 0: none. */
static int ordered_mark(const char *p, const char *stop, const char **ret_end)
{
	int n = 0;
	const char *from = p;
	while (p < stop && p < from + 3 && is_digit(*p)) {
		n = n * 10 + (*p++ - '0');
	}
	if (p == from || p + 1 >= stop || (*p != '.' && *p != ')') || !is_blank(p[1])) {
		return 0;
	}
	*ret_end = skip_blanks(p + 1, stop);
	return n;
}

void lines_init(struct lines *l, struct span text)
{
	*l = (struct lines){.begin = text.data, .end = text.data + text.len, .ordered = true};
	int expects = 1;
	bool any = false;
	for (const char *p = l->begin; p < l->end;) {
		const char *feed = line_end(p, l->end), *after;
		const char *q = skip_blanks(p, feed);
		int n = ordered_mark(q, feed, &after);
		if (n == 1) {
			l->ordered &= expects != 2;
			expects = 2;
			any = true;
		} else if (n) {
			l->ordered &= n == expects;
			expects++;
		}
		bool marked = q + 1 < feed && is_blank(q[1]);
		l->dashes += marked && *q == '-';
		l->signs |= marked && (*q == '+' || *q == '=');
		p = feed + (feed < l->end);
	}
	l->ordered &= any && expects > 2;
}

static bool has_letter(const char *p, const char *stop)
{
	while (p < stop && !is_letter(*p)) {
		p++;
	}
	return p < stop;
}

static size_t words(const char *p, const char *stop)
{
	size_t n = 0;
	for (; p < stop; p++) {
		n += !is_space(*p) && (p + 1 == stop || is_space(p[1]));
	}
	return n;
}

/* Words that begin with a capital, and nothing that a sign may belong to. */
static bool is_phrase(const char *item, const char *feed)
{
	if (feed - item < 2 || !is_upper(item[0]) || !is_letter(item[1])) {
		return false;
	}
	while (item < feed && (is_letter(*item) || is_blank(*item) || is_any(*item, ".,'"))) {
		item++;
	}
	return item == feed;
}

/* Where the item begins; p itself: no mark. A dash may be a sign, and a plus is one. */
static const char *bullet(const struct lines *l, const char *p, const char *feed)
{
	static const char *const dots[] = {"•", "◦", "▪"};
	for (size_t i = 0; i < ARRAY_LEN(dots); i++) {
		if (span_starts(span_between(p, feed), dots[i])) {
			return skip_blanks(p + strlen(dots[i]), feed);
		}
	}
	if (p + 1 >= feed || (*p != '-' && *p != '*') || !is_blank(p[1])) {
		return p;
	}
	const char *item = skip_blanks(p + 1, feed);
	if (*p == '-') {
		bool letters = item < feed && (is_letter(*item) || *item == '*' || *item == '`');
		bool listed = l->dashes > 1 && (letters || has_letter(item, feed));
		if (l->signs || !(listed || is_phrase(item, feed))) {
			return p;
		}
	}
	return item < feed ? item : p;
}

static const char *heading(const char *p, const char *feed)
{
	const char *q = p;
	while (q < feed && q < p + 7 && *q == '#') {
		q++;
	}
	if (q == p || q - p > 6 || q == feed || !is_blank(*q)) {
		return p;
	}
	const char *title = skip_blanks(q, feed);
	if (title == feed || is_lower(*title) ||
	        !(is_letter(*title) || *title == '*' || is_digit(*title)) ||
	        !has_letter(title, feed)) {
		return p;
	}
	return title;
}

/* A rule: three marks or more and nothing else, between blank lines. */
static bool is_rule(const struct lines *l, const char *line, const char *p, const char *feed)
{
	size_t marks = 0;
	for (const char *q = p; q < feed; q++) {
		if (*q == *p) {
			marks++;
		} else if (!is_blank(*q)) {
			return false;
		}
	}
	bool alone_before = line == l->begin || line - 1 == l->begin || line[-2] == '\n';
	bool alone_after = feed == l->end || feed + 1 == l->end || feed[1] == '\n';
	bool whole = line == l->begin && feed == l->end;
	return marks >= 3 && alone_before && alone_after && !whole;
}

/* The line under a table's head: how wide it is, and how it aligns, is of no account. */
static bool table_line(const char *p, const char *feed, struct buf *edits)
{
	size_t bars = 0, dashes = 0;
	for (const char *q = p; q < feed; q++) {
		bars += *q == '|';
		dashes += *q == '-';
		if (*q != '|' && *q != '-' && *q != ':' && !is_blank(*q)) {
			return false;
		}
	}
	if (bars < 2 || dashes == 0) {
		return false;
	}
	for (const char *q = p; q < feed; q++) {
		if (is_blank(*q) || *q == ':' || (*q == '-' && q[-1] == '-')) {
			add(edits, q, q + 1);
		}
	}
	return true;
}

/* How deep an item lies, as indentation: two blanks each, however many it has. NULL: too deep. */
static const char *item_indent(struct lines *l, size_t indent)
{
	static const char blanks[] = "              ";
	while (l->depth && l->indents[l->depth - 1] >= indent) {
		l->depth--;
	}
	if (l->depth == LINES_DEPTH) {
		return NULL;
	}
	l->indents[l->depth++] = indent;
	return blanks + strlen(blanks) - 2 * (l->depth - 1);
}

const char *lines_scan(struct lines *l, const char *line, const char *stop, struct buf *edits)
{
	const char *feed = line_end(line, stop);
	const char *p = skip_blanks(line, feed);
	if (p == feed) {
		return line;
	}
	if (*p == '|' && table_line(p, feed, edits)) {
		return feed;
	}
	if ((*p == '-' || *p == '*' || *p == '_') && is_rule(l, line, p, feed)) {
		add(edits, line, feed);
		return feed;
	}
	const char *item = p;
	if (*p == '>' && p + 2 < feed && is_blank(p[1]) && is_letter(p[2]) &&
	        words(p + 2, feed) > 2) {
		item = p + 2;
	}
	const char *title = heading(item, feed);
	const char *entry = title > item ? title : bullet(l, item, feed);
	const char *after = entry;
	bool numbered = ordered_mark(item, feed, &after) != 0;
	if (entry == item && l->ordered && numbered) {
		entry = after;
	}
	bool listed = title == item && (entry > item || numbered);
	const char *indent = listed ? item_indent(l, (size_t)(p - line)) : NULL;
	if (!listed && p == line) {
		l->depth = 0; /* a paragraph ends the list */
	}
	if (entry > p && (!listed || indent)) {
		replace(edits, line, entry, indent);
		return entry;
	}
	return line;
}
