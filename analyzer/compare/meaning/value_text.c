#include "analyzer/compare/meaning/value_text.h"

#include <string.h>

#include "base/letters.h"

#define WORDS_MAX 10
#define BYTES_MAX 160

struct words {
	struct span at[WORDS_MAX];
	size_t n;
	bool too_many;
	bool article; /* one in front was left out */
	/* Bits of the words with a mark behind them that parts them from the next; with a comma before an "and"; with a
	 * point. */
	uint32_t parted, joined, pointed;
};

bool value_text_is_factorial(struct span s)
{
	if (s.len < 2 || s.data[s.len - 1] != '!') {
		return false;
	}
	char last = s.data[s.len - 2];
	bool lone = is_latin(last) && (s.len == 2 || !is_word(s.data[s.len - 3]));
	return is_digit(last) || last == ')' || lone;
}

/* Without the marks behind it, which are noted. */
static struct span strip(struct words *w, struct span word)
{
	bool parted = false, pointed = false;
	while (word.len && word.data[word.len - 1] && strchr(".,;:!\"", word.data[word.len - 1]) &&
	        !value_text_is_factorial(word)) {
		char mark = word.data[--word.len];
		parted |= strchr(",;:!", mark) != NULL;
		pointed |= mark == '.';
	}
	if (word.len && w->n < WORDS_MAX) {
		w->parted |= (uint32_t)parted << w->n;
		w->pointed |= (uint32_t)pointed << w->n;
	} else if (w->n) {
		/* "ice , cream" */
		w->parted |= (uint32_t)parted << (w->n - 1);
	}
	return word;
}

static void add(struct words *w, struct span word)
{
	static const char *const joints[] = {"and", "but", "nor", "or", "too"};
	word = strip(w, word);
	if (word.len == 0) {
		return;
	}
	w->too_many = w->n == WORDS_MAX;
	if (w->too_many) {
		return;
	}
	/* "a, b, and c": its author may leave it out. */
	if (w->n && span_in(word, joints, ARRAY_LEN(joints))) {
		w->joined |= w->parted & 1u << (w->n - 1);
		w->parted &= ~w->joined;
	}
	w->at[w->n++] = word;
}

static struct words split(struct span s)
{
	static const char *const articles[] = {"the", "a", "an"};
	/* "The Who", "a few", "the most" are not these words alone. */
	static const char *const parted[] = {"all", "few", "fewer", "least", "less", "little",
	        "lot", "more", "most", "number", "one", "ones", "only", "other", "others", "same",
	        "the", "who"};
	struct words w = {.too_many = s.len > BYTES_MAX};
	const char *p = s.data, *end = s.data + s.len;
	while (p < end && !w.too_many) {
		while (p < end && (is_space(*p) || *p == '"')) {
			p++;
		}
		const char *from = p;
		while (p < end && !is_space(*p)) {
			p++;
		}
		add(&w, span_between(from, p));
	}
	if (w.n > 1 && span_in(w.at[0], articles, ARRAY_LEN(articles)) &&
	        !span_in(w.at[1], parted, ARRAY_LEN(parted))) {
		memmove(w.at, w.at + 1, --w.n * sizeof(*w.at));
		w.parted >>= 1;
		w.joined >>= 1;
		w.pointed >>= 1;
		w.article = true;
	}
	/* What stands behind the last one parts nothing. */
	w.parted &= w.n ? (1u << (w.n - 1)) - 1 : 0;
	return w;
}

/* All capitals: an abbreviation, or a single letter. */
static bool is_capitals(struct span w)
{
	size_t n = 0;
	for (size_t i = 0; i < w.len; i++) {
		if (is_lower(w.data[i])) {
			return false;
		}
		n += is_upper(w.data[i]);
	}
	return n > 0 && (n > 1 || w.len == 1);
}

/* Words that mean another thing with a capital: peoples, places, months, planets, names, products. */
static bool is_capitonym(struct span w)
{
	static const char *const words[] = {"access", "amazon", "apple", "april", "art", "august",
	        "basic", "bath", "bill", "bob", "buffalo", "calvary", "cancer", "catholic", "chad",
	        "chase", "chile", "china", "cologne", "concord", "congress", "cork", "cuba", "dart",
	        "dawn", "dean", "democrat", "django", "don", "drew", "duke", "earl", "earth",
	        "east", "edge", "elixir", "excel", "faith", "fortran", "flash", "frank", "gemini",
	        "ginger", "go", "god", "grace", "grant", "greens", "guinea", "guy", "hamlet",
	        "harry", "hawthorn", "heather", "holly", "hope", "iris", "iron", "ivy", "jack",
	        "jasmine", "java", "jersey", "job", "john", "jordan", "joy", "julia", "june",
	        "jupiter", "labour", "lent", "libra", "lily", "lima", "limerick", "lisp", "mali",
	        "march", "mark", "mars", "mass", "may", "mercury", "mike", "mobile", "moon", "muse",
	        "neptune", "nice", "nick", "node", "norm", "north", "oracle", "orange", "orlando",
	        "pages", "pat", "patience", "pearl", "penny", "perl", "peter", "phoenix", "pluto",
	        "polish", "python", "rails", "rainier", "ray", "reading", "republican", "rich",
	        "rob", "robin", "rose", "ruby", "rust", "safari", "sandy", "saturn", "scala",
	        "scheme", "scratch", "section", "shell", "sierra", "slack", "sol", "south", "spark",
	        "stoic", "sue", "sun", "swede", "swift", "teams", "tangier", "titanic", "tonic",
	        "tours", "trinity", "turkey", "union", "unionist", "uranus", "venus", "vim",
	        "violet", "virgin", "wales", "welsh", "west", "will", "windows", "word", "worms"};
	return span_in(w, words, ARRAY_LEN(words));
}

/* In a short word, a flag or a path each letter counts: "Mg", "-V". */
static bool has_marks(struct span w)
{
	for (size_t i = 0; i < w.len; i++) {
		if (!is_letter(w.data[i]) && w.data[i] != '\'') {
			return true;
		}
	}
	return w.len < 3;
}

/* But for a capital in front. */
static bool same_word(struct span a, struct span b)
{
	static const char *const small[] = {"an", "as", "at", "by", "he", "if", "in", "is", "it",
	        "my", "no", "of", "on", "or", "so", "to", "we"};
	if (span_equal(a, b)) {
		return true;
	}
	bool title = a.len == b.len && a.len > 1 && to_lower(*a.data) == to_lower(*b.data) &&
	             span_equal(span_from(a, 1), span_from(b, 1));
	size_t capitals = 0;
	for (size_t i = 1; i < a.len; i++) {
		capitals += is_upper(a.data[i]);
	}
	/* "FooBar" and "fooBar" are two names. */
	bool common = (!has_marks(a) && (capitals == 0 || capitals + 1 == a.len)) ||
	              span_in(a, small, ARRAY_LEN(small));
	return title && common && is_capitals(a) == is_capitals(b) && !is_capitonym(a);
}

static bool same_words(const struct words *a, const struct words *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++) {
		if (!same_word(a->at[i], b->at[i])) {
			return false;
		}
	}
	/* "The Cure" and "cure" */
	bool alike = a->article == b->article || (a->n && b->n && span_equal(a->at[0], b->at[0]));
	return a->n == b->n && a->n > 0 && alike;
}

static bool holds(const struct words *all, struct span word)
{
	for (size_t i = 0; i < all->n; i++) {
		if (span_equal_nocase(all->at[i], word)) {
			return true;
		}
	}
	return false;
}

static bool holds_all(const struct words *all, const struct words *some)
{
	size_t n = 0;
	for (size_t i = 0; i < some->n; i++) {
		n += holds(all, some->at[i]);
	}
	return n == some->n;
}

/* "USA", "U.S." for words with these first letters, small ones left out or not. */
static bool abbreviates(const struct words *brief, const struct words *full)
{
	if (brief->n != 1 || full->n < 2) {
		return false;
	}
	size_t k = 0;
	struct span b = brief->at[0];
	for (size_t i = 0; i < b.len; i++) {
		if (b.data[i] == '.') {
			continue;
		}
		while (k < full->n && to_lower(full->at[k].data[0]) != to_lower(b.data[i])) {
			k++;
		}
		if (k++ >= full->n) {
			/* "USA" for "United States" */
			return i > 1;
		}
	}
	return true;
}

/* ASCII's part of a text and nothing else, so that accents do not tell. */
static size_t bare(struct span s, char to[BYTES_MAX])
{
	size_t n = 0;
	for (size_t i = 0; i < s.len && n < BYTES_MAX; i++) {
		if (!((unsigned char)s.data[i] & 0x80) && is_word(s.data[i])) {
			to[n++] = to_lower(s.data[i]);
		}
	}
	return n;
}

/* At most two letters put in, taken out or exchanged, in texts of some length. */
static bool spelt_alike(struct span a, struct span b)
{
	char x[BYTES_MAX], y[BYTES_MAX];
	size_t n = bare(a, x), m = bare(b, y);
	if (n == m && memcmp(x, y, n) == 0) {
		return true;
	}
	size_t head = 0, tail = 0;
	while (head < n && head < m && x[head] == y[head]) {
		head++;
	}
	while (tail < n - head && tail < m - head && x[n - 1 - tail] == y[m - 1 - tail]) {
		tail++;
	}
	size_t left = MAX(n, m) - head - tail;
	return left <= 2 && head + tail >= 4 && MIN(n, m) - head - tail <= 1 &&
	       left * 3 <= MAX(n, m);
}

static bool has_digit(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (is_digit(s.data[i])) {
			return true;
		}
	}
	return false;
}

static bool is_whole(struct span s)
{
	size_t n = 0;
	while (n < s.len && is_digit(s.data[n])) {
		n++;
	}
	return n == s.len && n > 0 && (n == 1 || *s.data != '0');
}

/* The same words but for whole numbers: Apollo 11 and Apollo 13. */
static bool differ_in_numbers(const struct words *a, const struct words *b)
{
	size_t differ = 0;
	for (size_t i = 0; i < a->n && a->n == b->n; i++) {
		bool same = same_word(a->at[i], b->at[i]);
		if (!same && !(is_whole(a->at[i]) && is_whole(b->at[i]))) {
			return false;
		}
		differ += !same;
	}
	return differ > 0;
}

/* "Mt. Fuji", "Mount Fuji": the first letter, and others of it in their order. */
static bool shortens(struct span brief, bool pointed, struct span full)
{
	size_t k = 0;
	bool vowel = false;
	for (size_t i = 0; i < brief.len; i++) {
		char c = to_lower(brief.data[i]);
		vowel |= c && strchr("aeiou", c);
		while (k < full.len && to_lower(full.data[k]) != c) {
			k++;
		}
		if (k++ >= full.len || !is_latin(c)) {
			return false;
		}
	}
	return (pointed || !vowel) && brief.len < full.len &&
	       to_lower(*brief.data) == to_lower(*full.data);
}

/* Letters, and none of them Latin. */
static bool is_foreign(struct span s)
{
	bool other = false;
	for (size_t i = 0; i < s.len; i++) {
		if (is_alnum(s.data[i])) {
			return false;
		}
		other |= is_letter(s.data[i]);
	}
	return other;
}

/* The same words, but for some that one side shortens, or that stand there in another script: "α", "東京". */
static bool may_be_spelt(const struct words *a, const struct words *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++) {
		struct span x = a->at[i], y = b->at[i];
		if (!same_word(x, y) && is_foreign(x) == is_foreign(y) &&
		        !shortens(x, a->pointed >> i & 1, y) &&
		        !shortens(y, b->pointed >> i & 1, x)) {
			return false;
		}
	}
	return a->n == b->n;
}

static bool has_run(struct span s)
{
	for (size_t i = 1; i < s.len; i++) {
		if (is_space(s.data[i]) && is_space(s.data[i - 1])) {
			return true;
		}
	}
	return false;
}

enum agreement value_text_agreement(struct span a, struct span b)
{
	struct words x = split(a), y = split(b);
	if (x.too_many || y.too_many || x.n == 0 || y.n == 0) {
		return AGREE_UNDECIDED;
	}
	if (same_words(&x, &y)) {
		/* Runs of blanks that were not folded stand in code. */
		/* "a, and b and c", "a and b, and c" */
		bool joins = (x.joined & ~y.joined) && (y.joined & ~x.joined);
		bool alike = !has_run(a) && !has_run(b) && x.parted == y.parted && !joins;
		return alike ? AGREE_SAME : AGREE_UNDECIDED;
	}
	if (differ_in_numbers(&x, &y)) {
		return AGREE_CHANGED;
	}
	bool digits = has_digit(a) || has_digit(b);
	if (holds_all(&x, &y) || holds_all(&y, &x) || abbreviates(&x, &y) || abbreviates(&y, &x) ||
	        digits || spelt_alike(a, b) || may_be_spelt(&x, &y) ||
	        is_foreign(a) != is_foreign(b)) {
		return AGREE_UNDECIDED;
	}
	return AGREE_CHANGED;
}
