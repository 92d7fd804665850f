#include "analyzer/compare/meaning/sentence.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/compare/meaning/number.h"
#include "base/ascii.h"
#include "base/rng.h"

#define LOOP_PERIOD_MAX 64
#define LOOP_PERIODS_MIN 4
#define LOOP_WORDS_MIN 20
#define LOOP_ONE_WORD_MIN 10

enum token_kind {
	TOKEN_WORD,
	TOKEN_NUMBER,
	TOKEN_MARK, /* one byte of punctuation */
};

struct token {
	enum token_kind kind;
	bool starts_line;
	struct span text;
};

static const struct token *tokens_of(const struct sentence *s, size_t *ret_n)
{
	*ret_n = s->tokens.len / sizeof(struct token);
	return (const struct token *)(const void *)s->tokens.data;
}

/* A hyphen or an apostrophe within a word belongs to it. */
static size_t word_length(struct span s)
{
	size_t n = 0;
	while (n < s.len) {
		bool joins = n && (s.data[n] == '-' || s.data[n] == '\'') && n + 1 < s.len &&
		             is_letter(s.data[n + 1]);
		if (!is_word(s.data[n]) && !joins) {
			break;
		}
		n++;
	}
	return n;
}

/* Digits, with separators between them. */
static size_t number_length(struct span s)
{
	size_t n = 0;
	while (n < s.len) {
		bool separates = (s.data[n] == '.' || s.data[n] == ',') && n + 1 < s.len &&
		                 is_digit(s.data[n + 1]);
		if (!is_digit(s.data[n]) && !(n && separates)) {
			break;
		}
		n++;
	}
	return n;
}

static struct token token_at(struct span s)
{
	if (is_digit(*s.data)) {
		return (struct token){TOKEN_NUMBER, false, {s.data, number_length(s)}};
	}
	if (is_word(*s.data)) {
		return (struct token){TOKEN_WORD, false, {s.data, word_length(s)}};
	}
	return (struct token){TOKEN_MARK, false, {s.data, 1}};
}

static uint64_t hash_of(struct span word)
{
	uint64_t hash = word.len;
	for (size_t i = 0; i < word.len; i++) {
		hash = rng_mix(hash ^ (uint8_t)to_lower(word.data[i])) + i;
	}
	return hash;
}

static int compare_hashes(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static const uint64_t *hashes_of(const struct buf *b, size_t *ret_n)
{
	*ret_n = b->len / sizeof(uint64_t);
	return (const uint64_t *)(const void *)b->data;
}

void sentence_read(struct sentence *s, struct span text)
{
	bool line = true;
	buf_clear(&s->tokens);
	buf_clear(&s->hashes);
	buf_clear(&s->sorted);
	for (size_t i = 0; i < text.len;) {
		if (is_space(text.data[i])) {
			line |= text.data[i++] == '\n';
			continue;
		}
		struct token t = token_at(span_from(text, i));
		t.starts_line = line;
		line = false;
		buf_append(&s->tokens, &t, sizeof(t));
		if (t.kind != TOKEN_MARK) {
			uint64_t hash = hash_of(t.text);
			buf_append(&s->hashes, &hash, sizeof(hash));
		}
		i += t.text.len;
	}
	if (s->hashes.len) {
		buf_append_span(&s->sorted, buf_span(&s->hashes));
		qsort(s->sorted.data, s->sorted.len / sizeof(uint64_t), sizeof(uint64_t),
		        compare_hashes);
	}
}

void sentence_finish(struct sentence *s)
{
	buf_finish(&s->tokens);
	buf_finish(&s->hashes);
	buf_finish(&s->sorted);
}

static bool is_equal(const struct token *a, const struct token *b)
{
	return span_equal(a->text, b->text);
}

bool sentence_is_negation(struct span word)
{
	static const char *const words[] = {"not", "no", "never"};
	return span_in(word, words, ARRAY_LEN(words)) ||
	       (word.len > 3 && span_is_nocase(span_from(word, word.len - 3), "n't"));
}

/* Whether `other` is the negation of `word`: "is" and "isn't", "can" and "can't" or "cannot". */
static bool is_negated(struct span word, struct span other)
{
	static const char *const ends[] = {"n't", "'t", "not"};
	struct span end = span_from(other, word.len);
	bool begins =
	        word.len && other.len > word.len && memcmp(word.data, other.data, word.len) == 0;
	for (size_t i = 0; i < ARRAY_LEN(ends) && begins; i++) {
		if (span_is(end, ends[i]) && (i == 0 || word.data[word.len - 1] == 'n')) {
			return true;
		}
	}
	return false;
}

/* Whether the token is a name: it has a capital within a sentence, after a word without one.
 * That leaves out titles, in which all words have capitals. */
static bool is_name(const struct token *all, size_t i)
{
	const struct token *t = &all[i], *before = i ? t - 1 : NULL;
	if (!before || t->starts_line || before->kind != TOKEN_WORD || t->kind != TOKEN_WORD ||
	        !is_lower(*before->text.data) || !is_upper(*t->text.data) || t->text.len < 2) {
		return false;
	}
	for (size_t k = 0; k < t->text.len; k++) {
		if (!is_letter(t->text.data[k])) {
			return false;
		}
	}
	return true;
}

static bool ends_with(struct span s, struct span end)
{
	return s.len >= end.len && span_equal_nocase(span_from(s, s.len - end.len), end);
}

/* Whether two names may be one, spelt differently or abbreviated: "Gandhi", "Ghandi"; "Dr",
 * "Doctor"; "Yuri", "Juri". Such names share the first letter, or everything after it. */
static bool may_be_one_name(struct span a, struct span b)
{
	return to_lower(*a.data) == to_lower(*b.data) || ends_with(a, span_from(b, 1)) ||
	       ends_with(b, span_from(a, 1));
}

static bool are_unequal_numbers(struct span a, struct span b)
{
	struct number x, y;
	return number_read(a, &x) == a.len && number_read(b, &y) == b.len &&
	       number_agreement(&x, &y, true) == AGREE_CHANGED;
}

/* Classifies the difference between the two texts' tokens at i. */
static enum sentence_difference difference_at(
        const struct token *a, const struct token *b, size_t i)
{
	struct span x = a[i].text, y = b[i].text;
	if (a[i].kind == TOKEN_NUMBER && b[i].kind == TOKEN_NUMBER) {
		return are_unequal_numbers(x, y) ? SENTENCE_NUMBER : SENTENCE_OTHER;
	}
	if (is_negated(x, y) || is_negated(y, x)) {
		return SENTENCE_NEGATION;
	}
	bool names = is_name(a, i) && is_name(b, i) && !may_be_one_name(x, y);
	return names ? SENTENCE_NAME : SENTENCE_OTHER;
}

/* Compares two texts with the same number of tokens. They may differ in one token that is
 * replaced by the same other one wherever it occurs. */
static enum sentence_difference compare_exchanged(
        const struct token *a, const struct token *b, size_t n)
{
	enum sentence_difference found = SENTENCE_EQUAL;
	size_t first = n;
	for (size_t i = 0; i < n; i++) {
		if (is_equal(&a[i], &b[i])) {
			continue;
		}
		if (first < n && !(is_equal(&a[i], &a[first]) && is_equal(&b[i], &b[first]))) {
			return SENTENCE_OTHER;
		}
		if (first == n) {
			first = i;
			found = difference_at(a, b, i);
		}
	}
	return found;
}

/* Compares two texts; the longer one has one token more. */
static enum sentence_difference compare_inserted(
        const struct token *more, const struct token *less, size_t n_less)
{
	size_t at = 0;
	while (at < n_less && is_equal(&more[at], &less[at])) {
		at++;
	}
	for (size_t i = at; i < n_less; i++) {
		if (!is_equal(&more[i + 1], &less[i])) {
			return SENTENCE_OTHER;
		}
	}
	bool negation = more[at].kind == TOKEN_WORD && sentence_is_negation(more[at].text);
	return negation ? SENTENCE_NEGATION : SENTENCE_OTHER;
}

enum sentence_difference sentence_compare(const struct sentence *a, const struct sentence *b)
{
	size_t n, m;
	const struct token *x = tokens_of(a, &n), *y = tokens_of(b, &m);
	if (n == m) {
		return compare_exchanged(x, y, n);
	}
	return n == m + 1   ? compare_inserted(x, y, m)
	       : m == n + 1 ? compare_inserted(y, x, n)
	                    : SENTENCE_OTHER;
}

double sentence_similarity(const struct sentence *a, const struct sentence *b)
{
	size_t n, m, common = 0;
	const uint64_t *x = hashes_of(&a->sorted, &n), *y = hashes_of(&b->sorted, &m);
	for (size_t i = 0, k = 0; i < n && k < m;) {
		uint64_t first = x[i], second = y[k];
		common += first == second;
		i += first <= second;
		k += second <= first;
	}
	return n + m ? 2.0 * (double)common / (double)(n + m) : 0;
}

double sentence_similarity_of(struct span a, struct span b)
{
	struct sentence x = {0}, y = {0};
	if (span_equal(a, b)) {
		return 1;
	}
	sentence_read(&x, a);
	sentence_read(&y, b);
	double similarity = sentence_similarity(&x, &y);
	sentence_finish(&x);
	sentence_finish(&y);
	return similarity;
}

/* Whether the text ends in a closing mark: then it is complete, however much its items repeat. */
static bool is_closed(const struct sentence *s)
{
	size_t n;
	const struct token *tokens = tokens_of(s, &n);
	return n && is_any(*tokens[n - 1].text.data, ")]}|`");
}

bool sentence_loops(const struct sentence *s)
{
	size_t n;
	const uint64_t *hashes = hashes_of(&s->hashes, &n);
	if (is_closed(s)) {
		return false;
	}
	for (size_t period = 1; period <= LOOP_PERIOD_MAX; period++) {
		size_t least = period == 1 ? LOOP_ONE_WORD_MIN : LOOP_WORDS_MIN;
		size_t wants = MAX(LOOP_PERIODS_MIN * period, least);
		if (n < wants) {
			return false;
		}
		size_t same = period;
		while (same < wants && hashes[n - 1 - same + period] == hashes[n - 1 - same]) {
			same++;
		}
		if (same == wants) {
			return true;
		}
	}
	return false;
}

struct span sentence_next_word(struct span *rest)
{
	struct span s = *rest;
	while (s.len && !is_letter(*s.data)) {
		s = span_from(s, 1);
	}
	if (s.len == 0) {
		*rest = s;
		return s;
	}
	struct span word = {s.data, word_length(s)};
	*rest = span_from(s, word.len);
	return word;
}
