#include "analyzer/meaning/prose.h"

#include <string.h>

#include "analyzer/meaning/number.h"
#include "analyzer/meaning/prose_marks.h"
#include "base/eight.h"
#include "base/letters.h"

#define BROKEN_FROM 40 /* bytes from which on a line without a stop may be a part of one */

struct reader {
	struct prose *to;
	bool starts;   /* a sentence begins */
	bool left_out; /* a "the" before the next word */
	bool begins;   /* ... with which a sentence begins */
	bool quotes;   /* a quotation was begun on this line */
	char stop;     /* what stands between the last word and the next: 0, ',' or '.' */
	size_t line;   /* where it begins: bytes into the text */
};

/* What is known of some words. */
enum known {
	KNOWN_THE = 1 << 0,
	KNOWN_JOINT = 1 << 1,  /* a comma before it is at its author's choice */
	KNOWN_PARTED = 1 << 2, /* it means another thing behind "the" */
	KNOWN_NEGATION = 1 << 3,
	KNOWN_NUMERAL = 1 << 4,
};

/* What is asked of each word, found in one go. */
struct look {
	uint64_t hash; /* in lower case */
	uint32_t known;
	const char *digits; /* of a numeral */
	bool digit;
	bool capital, capitals; /* the first letter; another one */
};

/* A short word as one number: its letters, and how many. */
#define SHORT_MOST 7
#define SHORT(letters, n) ((letters) | (uint64_t)(n) << 8 * SHORT_MOST)
#define IS(word) (is == SHORT(eight_load((word), sizeof(word) - 1), sizeof(word) - 1))

static uint32_t known_of(uint64_t is)
{
	switch ((char)is) {
	case 'a':
		return IS("and") ? KNOWN_JOINT : IS("all") ? KNOWN_PARTED : 0;
	case 'b':
		return IS("but") ? KNOWN_JOINT : 0;
	case 'c':
		return IS("cannot") ? KNOWN_NEGATION : 0;
	case 'e':
		return IS("eight") || IS("eleven") ? KNOWN_NUMERAL : 0;
	case 'f':
		return IS("few") || IS("fewer")   ? KNOWN_PARTED
		       : IS("false")              ? KNOWN_NEGATION
		       : IS("four") || IS("five") ? KNOWN_NUMERAL
		                                  : 0;
	case 'l':
		return IS("little") || IS("less") || IS("least") ? KNOWN_PARTED : 0;
	case 'm':
		return IS("most") || IS("more") ? KNOWN_PARTED : 0;
	case 'n':
		return IS("nor") ? KNOWN_JOINT | KNOWN_NEGATION
		       : IS("not") || IS("no") || IS("never") || IS("none") || IS("neither") ||
		                       IS("nothing") || IS("nobody")
		               ? KNOWN_NEGATION
		       : IS("nine") ? KNOWN_NUMERAL
		                    : 0;
	case 'o':
		return IS("or") ? KNOWN_JOINT
		       : IS("one") || IS("ones") || IS("only") || IS("other") || IS("others")
		               ? KNOWN_PARTED
		               : 0;
	case 's':
		return IS("same") ? KNOWN_PARTED : IS("six") || IS("seven") ? KNOWN_NUMERAL : 0;
	case 't':
		return IS("the")                                  ? KNOWN_THE
		       : IS("too")                                ? KNOWN_JOINT
		       : IS("two")                                ? KNOWN_PARTED | KNOWN_NUMERAL
		       : IS("three") || IS("ten") || IS("twelve") ? KNOWN_NUMERAL
		                                                  : 0;
	case 'u':
		return IS("untrue") ? KNOWN_NEGATION : 0;
	case 'w':
		return IS("who") ? KNOWN_PARTED : IS("without") || IS("wrong") ? KNOWN_NEGATION : 0;
	case 'z':
		return IS("zero") ? KNOWN_NUMERAL : 0;
	default:
		return 0;
	}
}

/* Small numerals, as digits; "one" is a pronoun as often. */
static const char *numeral(struct span w)
{
	static const struct {
		const char *word, *digits;
	} numerals[] = {{"two", "2"}, {"three", "3"}, {"four", "4"}, {"five", "5"}, {"six", "6"},
	        {"seven", "7"}, {"eight", "8"}, {"nine", "9"}, {"ten", "10"}, {"eleven", "11"},
	        {"twelve", "12"}, {"zero", "0"}};
	for (size_t i = 0; i < ARRAY_LEN(numerals); i++) {
		if (span_same(w, numerals[i].word)) {
			return numerals[i].digits;
		}
	}
	return NULL;
}

static inline uint64_t hash_more(uint64_t hash, uint64_t lower)
{
	hash = (hash ^ lower) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static inline uint64_t hash_end(uint64_t hash, size_t n)
{
	return (hash ^ n) * UINT64_C(0xbf58476d1ce4e5b9);
}

static bool is_long_negation(struct span w)
{
	bool is_not = w.len > 3 && to_lower(w.data[w.len - 1]) == 't' &&
	              span_same((struct span){w.data + w.len - 3, 3}, "n't");
	return is_not || (w.len == 9 && span_same(w, "incorrect")) ||
	       (w.len == 10 && span_same(w, "impossible"));
}

/* first: its first letters in lower case. */
static inline void look_up(struct look *l, struct span w, uint64_t first)
{
	l->known = w.len <= SHORT_MOST ? known_of(SHORT(first, w.len)) : 0;
	if (l->known & KNOWN_NUMERAL) {
		l->digits = numeral(w);
	}
}

static struct look look_at(struct span w)
{
	struct look l = {0};
	uint64_t digits = 0, first = 0, upper = 0, hash = 0;
	for (size_t i = 0; i < w.len; i += 8) {
		uint64_t eight = eight_load(w.data + i, w.len - i), uppers = eight_uppers(eight);
		uint64_t lower = eight | uppers >> 2;
		l.capital |= i == 0 && uppers & 0x80;
		upper |= i == 0 ? uppers & ~UINT64_C(0x80) : uppers;
		digits |= eight_between(eight, '0', '9');
		first = i == 0 ? lower : first;
		hash = hash_more(hash, lower);
	}
	l.hash = hash_end(hash, w.len);
	l.digit = digits != 0;
	l.capitals = upper != 0;
	look_up(&l, w, first);
	l.known |= is_long_negation(w) ? KNOWN_NEGATION : 0;
	return l;
}

size_t prose_count(const struct prose *p)
{
	return p->words.len / sizeof(struct prose_word);
}

static void finish_word(struct prose *to, uint64_t hash, uint32_t flags)
{
	struct prose_word word = {hash, flags};
	buf_append_char(&to->form, '\n');
	memcpy(buf_reserve(&to->words, sizeof(word)), &word, sizeof(word));
	to->words.len += sizeof(word);
}

/* What stands between two words: a stop, or a comma that is not at its author's choice. */
static void put_stop(struct reader *r, const struct look *next)
{
	if (r->stop != '.' && (next->known & KNOWN_JOINT)) {
		buf_append_char(&r->to->joints, r->stop ? ',' : ' ');
	}
	if (r->stop == '.' || (r->stop && !(next->known & KNOWN_JOINT))) {
		buf_append_char(&r->to->form, r->stop);
		buf_append_char(&r->to->form, '\n');
	}
	r->stop = 0;
}

/* "In the front of" is not "in front of", nor are "the few" and "the Who" "few" and "who". */
static void put_article(struct reader *r, const struct look *next)
{
	if (r->left_out && (!r->begins || (next->known & KNOWN_PARTED))) {
		buf_append_str(&r->to->form, "the\n");
	}
	r->left_out = false;
}

static void put_number(struct prose *to, struct span w)
{
	size_t from = to->form.len;
	if (!number_spell(w, &to->form)) {
		buf_append_span(&to->form, w);
	}
	struct span spelt = {to->form.data + from, to->form.len - from};
	finish_word(to, look_at(spelt).hash, PROSE_NUMBER);
}

/* A word that is none but letters. */
static void put_looked(struct reader *r, struct span w, const struct look *look, bool starts)
{
	struct prose *to = r->to;
	size_t from = to->form.len;
	buf_append_span(&to->form, w);
	bool title = look->capital && !look->capitals;
	/* "K" and "k" are two symbols. */
	if (starts && title && (w.len > 1 || *w.data == 'A')) {
		to->form.data[from] = to_lower(to->form.data[from]);
	}
	uint32_t flags = look->known & KNOWN_NEGATION ? PROSE_NEGATION : 0;
	bool pronoun = w.data[0] == 'I' && (w.len == 1 || w.data[1] == '\'');
	if (look->known & KNOWN_NUMERAL) {
		finish_word(to, look_at(span_of(look->digits)).hash, flags | PROSE_NUMBER);
		return;
	}
	bool name = (look->capital || look->capitals) && !(starts && title) && !pronoun;
	finish_word(to, look->hash, flags | (name ? PROSE_NAME : 0));
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
	put_stop(r, &look);
	if (more && (look.known & KNOWN_THE) && (starts || is_lower(*w.data))) {
		r->left_out = true;
		r->begins = starts;
		return;
	}
	put_article(r, &look);
	if (look.digit) {
		put_number(r->to, w);
	} else {
		put_looked(r, w, &look, starts);
	}
}

/*
 * The same of a word whose letters are small but for the first, and which is mostly all small and no numeral. Bytes up to
 * the next eight behind it may be read: they are copied with it, and written over by what comes next.
 */
static inline void put_plain(struct reader *r, struct span w, const struct look *look, bool starts)
{
	struct prose *to = r->to;
	if (look->capital || (look->known & KNOWN_NUMERAL)) {
		put_looked(r, w, look, starts);
		return;
	}
	char *form = buf_reserve(&to->form, w.len + 8);
	for (size_t i = 0; i < w.len; i += 8) {
		memcpy(form + i, w.data + i, 8);
	}
	to->form.len += w.len;
	finish_word(to, look->hash, look->known & KNOWN_NEGATION ? PROSE_NEGATION : 0);
}

#define PLAIN_LEAST 10 /* bytes: seven letters, a stop, a blank and what is behind it */

/* How many small letters the eight begin with. */
static inline size_t small_letters(uint64_t eight)
{
	return eight_first(~eight_between(eight, 'a', 'z') & EIGHT_BITS);
}

/* The first n of the eight; zeros behind them. */
static inline uint64_t first_of(uint64_t eight, size_t n)
{
	return n < 8 ? eight & ~(UINT64_MAX << 8 * n) : eight;
}

/*
 * A word of letters, small but for the first, one blank behind it, and at most a comma or a point between, as most are: read
 * in one go, the same as by take_run(). Returns where the next word begins; NULL: it is another one.
 */
static inline const char *take_plain(struct reader *r, const char *at, const char *end)
{
	struct look look = {.capital = is_upper(*at)};
	if (end - at < PLAIN_LEAST) {
		return NULL;
	}
	uint64_t first = eight_load(at, 8) | (uint64_t)look.capital << 5;
	size_t n = small_letters(first);
	first = first_of(first, n);
	uint64_t hash = hash_more(0, first);
	for (size_t here = n; here == 8; n += here) {
		if (end - at < (ptrdiff_t)n + PLAIN_LEAST) {
			return NULL;
		}
		uint64_t eight = eight_load(at + n, 8);
		here = small_letters(eight);
		hash = here ? hash_more(hash, first_of(eight, here)) : hash;
	}
	struct span w = {at, n};
	const char *blank = at + n;
	char stop = '\0';
	if (*blank == ',' || *blank == '.') {
		stop = *blank++;
	}
	if (n == 0 || *blank != ' ' || is_space(blank[1]) ||
	        (look.capital && prose_marks_shorten(w, span_between(at + n, blank)))) {
		return NULL;
	}
	look.hash = hash_end(hash, n);
	look_up(&look, w, first);
	if (n > SHORT_MOST && is_long_negation(w)) {
		look.known |= KNOWN_NEGATION;
	}
	put_stop(r, &look);
	if ((look.known & KNOWN_THE) && !stop && (r->starts || !look.capital)) {
		r->left_out = true;
		r->begins = r->starts;
	} else {
		put_article(r, &look);
		put_plain(r, w, &look, r->starts);
	}
	r->starts = stop == '.';
	r->stop = stop;
	return blank + 1;
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
	if (more && prose_marks_shorten(word, span_between(close, to))) {
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

/* Goes on at *m. On return that is the last mark of which all that was read, and AHEAD bytes more, lie within
 * `shared` bytes. */
static void read_on(struct mark *m, struct span plain, size_t shared)
{
	struct reader r = m->reader;
	const char *at = plain.data + m->at, *end = plain.data + plain.len;
	const char *marked = plain.data + (shared > AHEAD ? shared - AHEAD : 0);
	while (at < end) {
		const char *from = at;
		if (at < marked) {
			*m = (struct mark){r, (size_t)(at - plain.data), r.to->form.len,
			        r.to->words.len, r.to->joints.len};
		}
		const char *next = take_plain(&r, at, end);
		if (next) {
			at = next;
			continue;
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
