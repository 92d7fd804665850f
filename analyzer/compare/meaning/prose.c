#include "analyzer/compare/meaning/prose.h"

#include <string.h>

#include "analyzer/compare/meaning/number.h"
#include "analyzer/compare/meaning/prose_known.h"
#include "analyzer/compare/meaning/prose_marks.h"
#include "base/dice.h"
#include "base/letters.h"

#define BROKEN_FROM 40 /* bytes from which on a line without a stop may be a part of one */

struct reader {
	struct prose *to;
	bool starts;   /* a sentence begins */
	uint32_t kept; /* with which flags a word keeps the "the" before it; 0: none is there */
	bool quotes;   /* a quotation was begun on this line */
	char stop;     /* what stands between the last word and the next: 0, ',' or '.' */
	size_t line;   /* where it begins: bytes into the text */
};

/* What is asked of each word. */
struct look {
	uint64_t hash;          /* in lower case */
	uint32_t known;         /* enum prose_known_flag */
	const char *digits;     /* of a numeral */
	bool digit, whole;      /* has one; is none but digits, at most eight */
	bool capital, capitals; /* the first letter; another one */
};

static uint64_t hash_of(struct span w)
{
	uint64_t hash = w.len;
	for (size_t i = 0; i < w.len; i++) {
		hash = dice_mix(hash ^ (uint8_t)to_lower(w.data[i])) + i;
	}
	return hash;
}

/* "Isn't" */
static bool is_shortened_negation(struct span w)
{
	return w.len > 3 && span_same((struct span){w.data + w.len - 3, 3}, "n't");
}

/* w is not empty. */
static struct look look_at(struct span w)
{
	const struct prose_known *known = prose_known(w);
	struct look l = {.hash = hash_of(w), .known = known->flags, .digits = known->digits};
	size_t digits = 0;
	l.capital = is_upper(*w.data);
	for (size_t i = 0; i < w.len; i++) {
		digits += is_digit(w.data[i]);
		l.capitals |= i > 0 && is_upper(w.data[i]);
	}
	l.digit = digits > 0;
	l.whole = digits == w.len && w.len <= 8;
	l.known |= is_shortened_negation(w) ? KNOWN_NEGATION : 0;
	return l;
}

size_t prose_count(const struct prose *p)
{
	return p->words.len / sizeof(struct prose_word);
}

/* Behind what was written from to->form's end on. */
static inline void finish_word(struct prose *to, char *end, uint64_t hash, uint32_t flags)
{
	struct prose_word word = {hash, flags};
	*end++ = '\n';
	to->form.len = (size_t)(end - to->form.data);
	memcpy(buf_reserve(&to->words, sizeof(word)), &word, sizeof(word));
	to->words.len += sizeof(word);
}

#define BEFORE_MOST strlen(".\nthe\n")

/* What stands between two words: a stop, or a comma that is not at its author's choice. It is written in any case, since
 * a branch would be foreseen too seldom; returns its end. */
static inline char *write_stop(struct reader *r, const struct look *next, char *form)
{
	char stop = r->stop;
	if ((next->known & KNOWN_JOINT) && stop != '.') {
		buf_append_char(&r->to->joints, stop ? ',' : ' ');
		stop = '\0';
	}
	form[0] = stop;
	form[1] = '\n';
	r->stop = 0;
	return form + 2 * (stop != 0);
}

/* "In the front of" is not "in front of", nor are "the few" and "the Who" "few" and "who". Written as a stop is. */
static inline char *write_article(struct reader *r, const struct look *next, char *form)
{
	bool kept = r->kept & (next->known | KNOWN_ANY);
	memcpy(form, "the\n", 4);
	r->kept = 0;
	return form + 4 * kept;
}

/* An article that may be left out. */
static inline bool leave_out(struct reader *r, const struct look *look, bool starts, bool small)
{
	bool out = (look->known & KNOWN_THE) && (starts || small);
	if (out) {
		r->kept = starts ? KNOWN_PARTED : KNOWN_ANY;
	}
	return out;
}

static void put_number(struct prose *to, struct span w, const struct look *look)
{
	size_t from = to->form.len;
	if (look->whole || !number_spell(w, &to->form)) {
		buf_append_span(&to->form, w);
	}
	struct span spelt = {to->form.data + from, to->form.len - from};
	uint64_t hash = look->whole ? look->hash : hash_of(spelt);
	finish_word(to, buf_reserve(&to->form, 1), hash, PROSE_NUMBER);
}

/* Whether a word with capitals, which was written at `form`, is a name; what begins a sentence is written small. */
static inline bool take_capitals(struct span w, const struct look *look, bool starts, char *form)
{
	bool title = starts & !look->capitals;
	/* "K" and "k" are two symbols. */
	bool lowers = title & ((w.len > 1) | (*w.data == 'A'));
	*form = (char)(*form | lowers << 5);
	bool pronoun = w.data[0] == 'I' && (w.len == 1 || w.data[1] == '\'');
	return !title & !pronoun;
}

/* A word that is none but letters, which was written at `form`. */
static inline void finish_looked(
        struct prose *to, struct span w, const struct look *look, bool starts, char *form)
{
	bool capital = look->capital | look->capitals;
	bool name = capital && take_capitals(w, look, starts, form);
	uint32_t flags =
	        (look->known & KNOWN_NEGATION ? PROSE_NEGATION : 0) | (name ? PROSE_NAME : 0);
	uint64_t hash = look->hash;
	if (look->known & KNOWN_NUMERAL) {
		hash = hash_of(span_of(look->digits));
		flags = PROSE_NUMBER;
	}
	finish_word(to, form + w.len, hash, flags);
}

/* A word without punctuation around it. */
static void put_word(struct reader *r, struct span w, bool more)
{
	bool starts = r->starts;
	r->starts = false;
	if (w.len == 0) {
		return;
	}
	struct look look = look_at(w);
	struct buf *to = &r->to->form;
	char *form = write_stop(r, &look, buf_reserve(to, BEFORE_MOST + w.len + 1));
	bool left_out = more && leave_out(r, &look, starts, is_lower(*w.data));
	form = left_out ? form : write_article(r, &look, form);
	to->len = (size_t)(form - to->data);
	if (left_out) {
		return;
	}
	if (look.digit) {
		put_number(r->to, w, &look);
	} else {
		memcpy(form, w.data, w.len);
		finish_looked(r->to, w, &look, starts, form);
	}
}

/* "5km" is two words, as is "$5" or "5%": people write them both ways. */
static void split_word(struct reader *r, struct span w, bool more)
{
	static const char *const money[] = {"$", "€", "£", "¥", "₹"};
	bool may_be = w.len && (*w.data == '$' || (*w.data & 0x80));
	for (size_t i = 0; i < ARRAY_LEN(money) && may_be; i++) {
		size_t n = strlen(money[i]);
		if (span_starts(w, money[i]) && w.len > n) {
			put_word(r, (struct span){w.data, n}, true);
			w = span_from(w, n);
			break;
		}
	}
	size_t digits = 0;
	while (digits < w.len &&
	        (is_digit(w.data[digits]) || w.data[digits] == '.' || w.data[digits] == ',')) {
		digits++;
	}
	size_t letters = digits;
	while (digits && letters < w.len &&
	        (is_letter(w.data[letters]) || w.data[letters] == '%')) {
		letters++;
	}
	bool unit = digits && is_digit(w.data[digits - 1]) && letters == w.len &&
	            letters > digits && letters - digits <= 4;
	if (unit) {
		put_word(r, (struct span){w.data, digits}, true);
		put_word(r, span_from(w, digits), more);
		return;
	}
	put_word(r, w, more);
}

/* Runs of blanks that were not folded stand in code or between quotation marks, or indent. */
static void put_gap(struct reader *r, struct span gap)
{
	size_t blanks = 0;
	for (size_t i = 0; i < gap.len; i++) {
		blanks = gap.data[i] == '\n' ? 0 : blanks + 1;
	}
	if (blanks > 1) {
		buf_append(&r->to->form, gap.data + gap.len - blanks, blanks);
		buf_append_char(&r->to->form, '\n');
	}
}

static void unname_from(struct prose *to, size_t at)
{
	struct prose_word *words = (struct prose_word *)(void *)to->words.data;
	for (; at < prose_count(to); at++) {
		words[at].flags &= ~(uint32_t)PROSE_NAME;
	}
}

/* One run of the text without white space: a word with what stands around it. more: it is not the last. */
static void take_run(struct reader *r, struct span text, struct span run, bool dash, bool more)
{
	const char *from = run.data, *to = run.data + run.len, *close = to;
	while (from < to && (*from == '"' || *from == '\'')) {
		from++;
	}
	r->quotes |= from > run.data;
	bool ends = false, asks = false, comma = false, quoted = r->quotes;
	size_t marks = 0;
	while (close > from && prose_marks_closing[(unsigned char)close[-1]] &&
	        !(marks = prose_marks_of_symbol(span_between(from, close), quoted))) {
		close--;
		ends |= *close == '.' || *close == '!' || *close == '?' || *close == ':';
		asks |= *close == '?';
		comma |= *close == ',' || *close == ';';
		r->quotes &= *close != '"' && *close != '\'';
	}
	/* The factorial of a number is another number; of what others are, nothing is known. */
	marks = marks && close[-1] == '!' && is_digit(close[-1 - (ptrdiff_t)marks]) ? 0 : marks;
	struct span word = span_between(from, close - marks);
	size_t before = prose_count(r->to);
	split_word(r, word, close == to && more && !dash);
	/* "Mt. Fuji" may stand for "Mount Fuji". */
	if (more && close < to && prose_marks_shorten(word, span_between(close, to))) {
		ends = prose_marks_may_end(text, run, word);
		unname_from(r->to, before);
	}
	if (marks) {
		put_word(r, span_between(close - marks, close), true);
	}
	if (close < to && prose_marks_count(run, span_between(close, to))) {
		put_word(r, SPAN("..."), true);
	}
	if (asks) {
		put_word(r, SPAN("?"), true);
	}
	r->starts = ends;
	r->stop = ends ? '.' : comma || dash ? ',' : r->stop;
}

/* White space that is one blank. */
static inline bool is_lone_blank(const char *at, const char *end)
{
	return end - at > 1 && *at == ' ' && !is_space(at[1]);
}

/* Where a text has been read up to, between two of its runs. */
struct mark {
	struct reader reader;
	size_t at, form, words, joints; /* bytes: of the text, and of what was made of it */
};

/* What stands there decides how the bytes before it are read. */
#define AHEAD strlen("—")

/* A line ends as a sentence does, or was broken where it became too long. */
static void end_line(struct reader *r, struct span before)
{
	bool broken = before.len - r->line >= BROKEN_FROM && r->stop != '.';
	r->stop = broken || r->to->form.len == 0 ? r->stop : '.';
	r->starts = true;
	r->quotes = false;
}

/* Goes on at *m, and leaves there a mark of which all that was read, and AHEAD bytes more, lie within `shared` bytes. It need not
 * be the last such: each next one is set where half of what was left has been read. */
static void read_on(struct mark *m, struct span plain, size_t shared)
{
	struct reader r = m->reader;
	const char *at = plain.data + m->at, *end = plain.data + plain.len;
	const char *marked = plain.data + (shared > AHEAD ? shared - AHEAD : 0), *next_mark = at;
	while (at < end) {
		const char *from = at;
		if (at < marked && at >= next_mark) {
			*m = (struct mark){r, (size_t)(at - plain.data), r.to->form.len,
			        r.to->words.len, r.to->joints.len};
			next_mark = at + (marked - at) / 2;
		}
		if (is_space(*at)) {
			bool line = false;
			while (at < end && is_space(*at)) {
				line |= *at++ == '\n';
			}
			if (line) {
				end_line(&r, span_between(plain.data, from));
				r.line = (size_t)(at - plain.data);
			}
			put_gap(&r, span_between(from, at));
			continue;
		}
		at = prose_marks_run_end(at, end);
		struct span run = span_between(from, at);
		bool dash = at < end && !is_space(*at);
		at += dash ? strlen("—") : 0;
		take_run(&r, plain, run, dash, at < end);
		at += is_lone_blank(at, end); /* says nothing */
	}
}

static struct mark begin(struct prose *p)
{
	buf_clear(&p->form);
	buf_clear(&p->words);
	buf_clear(&p->joints);
	return (struct mark){.reader = {.to = p, .starts = true}};
}

void prose_read_both(struct prose *p, struct span plain, struct prose *q, struct span other)
{
	struct mark m = begin(p);
	read_on(&m, plain, span_shared(plain, other));
	(void)begin(q);
	buf_append(&q->form, p->form.data, m.form);
	buf_append(&q->words, p->words.data, m.words);
	buf_append(&q->joints, p->joints.data, m.joints);
	m.reader.to = q;
	read_on(&m, other, 0);
}

void prose_finish(struct prose *p)
{
	buf_finish(&p->form);
	buf_finish(&p->words);
	buf_finish(&p->joints);
	buf_finish(&p->order);
}
