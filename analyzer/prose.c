#include "analyzer/prose.h"

#include <string.h>

#include "analyzer/number.h"
#include "base/eight.h"
#include "base/letters.h"

#define LOOP_PERIOD_MAX 64
#define LOOP_WORDS_MIN 32

struct reader {
	struct prose *to;
	bool starts;   /* a sentence begins */
	bool left_out; /* a "the" before the next word */
	char stop;     /* what stands between the last word and the next: 0, ',' or '.' */
};

/* What is asked of each word, found in one go. */
struct look {
	uint64_t hash; /* in lower case */
	bool digit;
	bool capital, capitals; /* the first letter; another one */
};

static struct look look_at(struct span w)
{
	struct look l = {.hash = w.len};
	uint64_t digits = 0;
	unsigned upper = 0;
	for (size_t i = 0; i < w.len; i += 8) {
		uint64_t eight = eight_load(w.data + i, w.len - i), uppers = eight_uppers(eight);
		upper += (unsigned)__builtin_popcountll(uppers);
		digits |= eight_between(eight, '0', '9');
		l.hash = (l.hash ^ (eight | uppers >> 2)) * UINT64_C(0x9e3779b97f4a7c15);
		l.hash ^= l.hash >> 32;
	}
	l.hash *= UINT64_C(0xbf58476d1ce4e5b9);
	l.digit = digits != 0;
	l.capital = w.len && is_upper(*w.data);
	l.capitals = upper > l.capital;
	return l;
}

/* A word in lower case. */
#define WORD(literal)                                                                              \
	{                                                                                          \
		(literal), sizeof(literal) - 1                                                     \
	}

static bool is_one(struct span w, const struct span *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (w.len == words[i].len && span_same(w, words[i].data)) {
			return true;
		}
	}
	return false;
}

size_t prose_count(const struct prose *p)
{
	return p->words.len / sizeof(struct prose_word);
}

static bool is_negation(struct span w)
{
	static const bool begins[256] = {
	        ['n'] = true, ['c'] = true, ['w'] = true, ['f'] = true, ['i'] = true, ['u'] = true};
	static const struct span words[] = {WORD("not"), WORD("no"), WORD("never"), WORD("none"),
	        WORD("nor"), WORD("neither"), WORD("cannot"), WORD("without"), WORD("nothing"),
	        WORD("nobody"), WORD("false"), WORD("incorrect"), WORD("wrong"), WORD("impossible"),
	        WORD("untrue")};
	bool may_be = begins[(unsigned char)to_lower(*w.data)];
	return (may_be && is_one(w, words, ARRAY_LEN(words))) ||
	       (w.len > 3 && span_same((struct span){w.data + w.len - 3, 3}, "n't"));
}

/* Small numerals, as digits; "one" is a pronoun as often. */
static const char *numeral(struct span w)
{
	static const bool begins[256] = {
	        ['t'] = true, ['f'] = true, ['s'] = true, ['e'] = true, ['n'] = true, ['z'] = true};
	static const struct {
		struct span word;
		const char *digits;
	} numerals[] = {{WORD("two"), "2"}, {WORD("three"), "3"}, {WORD("four"), "4"},
	        {WORD("five"), "5"}, {WORD("six"), "6"}, {WORD("seven"), "7"}, {WORD("eight"), "8"},
	        {WORD("nine"), "9"}, {WORD("ten"), "10"}, {WORD("eleven"), "11"},
	        {WORD("twelve"), "12"}, {WORD("zero"), "0"}};
	bool may_be = w.len > 2 && w.len <= 6 && begins[(unsigned char)to_lower(*w.data)];
	for (size_t i = 0; i < ARRAY_LEN(numerals) && may_be; i++) {
		if (is_one(w, &numerals[i].word, 1)) {
			return numerals[i].digits;
		}
	}
	return NULL;
}

static void finish_word(struct prose *to, uint64_t hash, uint32_t flags)
{
	struct prose_word word = {hash, flags};
	buf_append_char(&to->form, '\n');
	buf_append(&to->words, &word, sizeof(word));
}

/* What stands between two words of a line: a stop, or a comma that is not at its author's choice. */
static void put_stop(struct reader *r, struct span next)
{
	static const char *const joints[] = {"and", "or", "but", "nor", "too"};
	if (r->stop == '.' || (r->stop && !span_in(next, joints, ARRAY_LEN(joints)))) {
		buf_append_char(&r->to->form, r->stop);
		buf_append_char(&r->to->form, '\n');
	}
	r->stop = 0;
}

/* "The few", "the most", "the Who" are not "few", "most" and "who". */
static void put_article(struct reader *r, struct span next)
{
	static const char *const words[] = {"most", "more", "few", "fewer", "little", "less",
	        "least", "who", "one", "ones", "only", "other", "others", "same", "two", "all"};
	if (r->left_out && span_in(next, words, ARRAY_LEN(words))) {
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

/* A word without punctuation around it. */
static void put_word(struct reader *r, struct span w, bool more)
{
	struct prose *to = r->to;
	bool starts = r->starts;
	r->starts = false;
	if (w.len == 0) {
		return;
	}
	put_stop(r, w);
	if (more && span_same(w, "the") && (starts || is_lower(*w.data))) {
		r->left_out = true;
		return;
	}
	put_article(r, w);
	struct look look = look_at(w);
	if (look.digit) {
		put_number(to, w);
		return;
	}
	size_t from = to->form.len;
	buf_append_span(&to->form, w);
	const char *digits = numeral(w);
	bool title = look.capital && !look.capitals;
	if (starts && title) {
		to->form.data[from] = to_lower(to->form.data[from]);
	}
	uint32_t flags = is_negation(w) ? PROSE_NEGATION : 0;
	bool pronoun = w.data[0] == 'I' && (w.len == 1 || w.data[1] == '\'');
	if (digits) {
		finish_word(to, look_at(span_of(digits)).hash, flags | PROSE_NUMBER);
		return;
	}
	bool name = (look.capital || look.capitals) && !(starts && title) && !pronoun;
	finish_word(to, look.hash, flags | (name ? PROSE_NAME : 0));
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

static const bool closing[256] = {['.'] = true,
        [','] = true,
        [';'] = true,
        [':'] = true,
        ['!'] = true,
        ['?'] = true,
        ['"'] = true,
        ['\''] = true};

/* One run without white space: a word with what stands around it. */
static void take_run(struct reader *r, struct span run, bool dash, bool more)
{
	const char *from = run.data, *to = run.data + run.len, *close = to;
	while (from < to && (*from == '"' || *from == '\'')) {
		from++;
	}
	bool ends = false, asks = false, comma = false;
	while (close > from && closing[(unsigned char)close[-1]]) {
		/* A factorial is no exclamation. */
		if (close[-1] == '!' && close - 1 > from && is_digit(close[-2])) {
			break;
		}
		close--;
		ends |= *close == '.' || *close == '!' || *close == '?' || *close == ':';
		asks |= *close == '?';
		comma |= *close == ',' || *close == ';';
	}
	split_word(r, span_between(from, close), close == to && more && !dash);
	if (asks) {
		put_word(r, SPAN("?"), true);
	}
	r->starts = ends;
	r->stop = ends ? '.' : comma || dash ? ',' : r->stop;
}

static inline bool is_dash(const char *at, const char *end)
{
	return *at == '\xe2' && span_starts(span_between(at, end), "—");
}

/* The next white space or dash. */
static const char *run_end(const char *at, const char *end)
{
	while (at < end) {
		uint64_t eight = eight_load(at, (size_t)(end - at));
		size_t n = eight_first(eight_spaces(eight) | eight_are(eight, '\xe2'));
		at += MIN(n, (size_t)(end - at));
		if (at < end && n < 8) {
			if (is_space(*at) || is_dash(at, end)) {
				break;
			}
			at++;
		}
	}
	return at;
}

/* Where a text has been read up to, between two of its runs. */
struct mark {
	struct reader reader;
	size_t at, form, words; /* bytes: of the text, and of what was made of it */
};

/* What stands there decides how the bytes before it are read. */
#define AHEAD strlen("—")

/* Goes on at *m. On return that is the last mark of which all that was read, and AHEAD bytes more, lie within
 * `shared` bytes. */
static void read_on(struct mark *m, struct span plain, size_t shared)
{
	struct reader r = m->reader;
	const char *at = plain.data + m->at, *end = plain.data + plain.len;
	while (at < end) {
		const char *from = at;
		if ((size_t)(at - plain.data) + AHEAD < shared) {
			*m = (struct mark){
			        r, (size_t)(at - plain.data), r.to->form.len, r.to->words.len};
		}
		if (is_space(*at)) {
			bool line = false;
			while (at < end && is_space(*at)) {
				line |= *at++ == '\n';
			}
			if (line) {
				r.starts = true;
				r.stop = 0;
			}
			put_gap(&r, span_between(from, at));
			continue;
		}
		at = run_end(at, end);
		struct span run = span_between(from, at);
		bool dash = at < end && !is_space(*at);
		at += dash ? strlen("—") : 0;
		take_run(&r, run, dash, at < end);
	}
}

static struct mark begin(struct prose *p)
{
	buf_clear(&p->form);
	buf_clear(&p->words);
	return (struct mark){.reader = {.to = p, .starts = true}};
}

void prose_read_both(struct prose *p, struct span plain, struct prose *q, struct span other)
{
	struct mark m = begin(p);
	read_on(&m, plain, span_shared(plain, other));
	(void)begin(q);
	buf_append(&q->form, p->form.data, m.form);
	buf_append(&q->words, p->words.data, m.words);
	m.reader.to = q;
	read_on(&m, other, 0);
}

void prose_finish(struct prose *p)
{
	buf_finish(&p->form);
	buf_finish(&p->words);
	buf_finish(&p->order);
}

bool prose_loops(const struct prose *p)
{
	const struct prose_word *w = prose_words(p);
	size_t n = prose_count(p);
	for (size_t period = 1; period <= LOOP_PERIOD_MAX && period < n; period++) {
		size_t wants = MAX(4 * period, (size_t)LOOP_WORDS_MIN);
		if (n < wants) {
			break;
		}
		size_t same = period;
		while (same < wants && w[n - 1 - same + period].hash == w[n - 1 - same].hash) {
			same++;
		}
		if (same == wants) {
			return true;
		}
	}
	return false;
}
