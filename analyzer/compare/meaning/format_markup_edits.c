#include "analyzer/compare/meaning/format_markup.h"

#include <string.h>

#include "analyzer/compare/meaning/format_markup_math.h"
#include "base/ascii.h"

/* An opening emphasis mark whose closing one has not been found yet. */
struct opener {
	size_t edit; /* its index + 1; 0: none */
	const char *inside;
};

struct scan {
	const char *begin, *end; /* of the text */
	struct buf *edits;
	struct math math;
	struct opener emphasis[2][3]; /* * and _, by the length of the run */
};

static void add(struct scan *s, const char *at, size_t len, const char *with)
{
	struct markup_edit e = {at, len, with};
	buf_append(s->edits, &e, sizeof(e));
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

static bool has_lower(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (is_lower(s.data[i])) {
			return true;
		}
	}
	return false;
}

/* Underscores are emphasis only around words, not around identifiers and not in names such as
 * __FILE__. */
static bool is_emphasised(char mark, size_t run, struct span inside)
{
	if (mark == '*' || memchr(inside.data, ' ', inside.len)) {
		return true;
	}
	return is_upper(inside.data[0]) && !memchr(inside.data, '_', inside.len) &&
	       !memchr(inside.data, '(', inside.len) && (run == 1 || has_lower(inside));
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
		struct markup_edit *edits = (struct markup_edit *)(void *)s->edits->data;
		edits[o->edit - 1].len = n;
		add(s, p, n, NULL);
		o->edit = 0;
	} else if (tight_right && before_opens(s, p, n)) {
		add(s, p, 0, NULL);
		*o = (struct opener){s->edits->len / sizeof(struct markup_edit), after};
	}
	return after;
}

static void new_paragraph(struct scan *s)
{
	memset(s->emphasis, 0, sizeof(s->emphasis));
}

static const char *skip_blanks(const char *p, const char *stop)
{
	while (p < stop && is_blank(*p)) {
		p++;
	}
	return p;
}

/* Returns where the title after "#" begins; p if this is no heading, but a comment or a number. */
static const char *heading(const char *p, const char *feed)
{
	const char *q = p;
	while (q < feed && q < p + 6 && *q == '#') {
		q++;
	}
	const char *title = skip_blanks(q, feed), *letter = title;
	while (letter < feed && !is_letter(*letter)) {
		letter++;
	}
	bool begins = letter < feed && !is_lower(*title) &&
	              (letter == title || *title == '*' || is_digit(*title));
	return q > p && title > q && begins ? title : p;
}

/* Gives all list items the same mark: "* " and "• " become "- ", and "1) " becomes "1. ". A dash
 * counts only before words, because elsewhere it may be a minus sign. */
static void scan_item(struct scan *s, const char *p, const char *feed)
{
	static const char dot[] = "•";
	size_t mark = span_starts(span_between(p, feed), dot) ? strlen(dot) : *p == '*';
	const char *behind = p + mark, *item = skip_blanks(behind, feed);
	bool words = item > behind && item < feed && (is_letter(*item) || is_any(*item, "*`"));
	if (mark && words) {
		add(s, p, (size_t)(item - p), "- ");
		return;
	}
	const char *digits = p;
	while (digits < feed && is_digit(*digits)) {
		digits++;
	}
	if (digits > p && digits + 1 < feed && *digits == ')' && is_blank(digits[1])) {
		add(s, digits, 1, ".");
	}
}

/* Handles the marks at the beginning of a line. Returns where the line's text begins. */
static const char *scan_line(struct scan *s, const char *line, const char *stop)
{
	const char *feed = memchr(line, '\n', (size_t)(stop - line));
	feed = feed ? feed : stop;
	const char *p = skip_blanks(line, feed);
	if (p == feed) {
		return line;
	}
	const char *title = heading(p, feed);
	if (title > p) {
		add(s, line, (size_t)(title - line), NULL);
		return title;
	}
	scan_item(s, p, feed);
	return line;
}

/* Bytes that may begin a mark outside of formulas, or precede a line. */
static const char BEGINS[] = "\\$*_\n";

static void scan_prose(struct scan *s, struct span prose)
{
	const char *p = prose.data, *stop = prose.data + prose.len;
	while (p < stop) {
		if (p == s->begin || p[-1] == '\n') {
			if (*p == '\n') {
				new_paragraph(s);
			}
			p = scan_line(s, p, stop);
		}
		/* Skips the bytes that begin no mark, which most do not. */
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
		} else {
			p++;
		}
	}
}

void markup_edits_find(struct span text, const struct buf *pieces, struct buf *to)
{
	struct scan s = {.begin = text.data, .end = text.data + text.len, .edits = to};
	math_init(&s.math, text);
	for (size_t i = 0; i < markup_count(pieces); i++) {
		const struct markup_piece *p = markup_piece(pieces, i);
		if (p->kind == MARKUP_PIECE_PROSE) {
			scan_prose(&s, p->all);
		} else if (markup_is_block(p)) {
			new_paragraph(&s);
		}
	}
}
