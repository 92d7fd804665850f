#include "analyzer/compare/meaning/prose.h"

#include <string.h>

#include <criterion/criterion.h>

#include "base/mem.h"
#include "seeded.h"

/* Words of every kind that prose tells apart, with what stands around them. */
static const char *const pieces[] = {"the", "The", "a", "house", "internationally", "eightchr",
        "sixteen-lettered", "abcdefghijklmnop", "two", "Twelve", "eleven", "zero", "one", "not",
        "never", "isn't", "can't", "cannot", "incorrect", "impossible", "Impossible", "without",
        "and", "too", "or", "most", "others", "who", "few", "Anna", "Peter", "NASA", "iPhone", "I",
        "I'm", "5km", "$5", "3.5%", "1,250", "2021", "Zürich", "€20", "x", "that.", "word,", "end.",
        "end!", "why?", "so:", "\"quoted\"", "(in", "brackets)", "a.b", "etc.,", "wait...", "—",
        "left—right", "the,", "The.", "and,", "o'clock", "'tis"};

/* ret: so many of them, each with `gap` behind it, or a line feed or two blanks now and then. */
static void say(struct buf *ret, size_t n, const char *gap)
{
	for (size_t i = 0; i < n; i++) {
		size_t which = below(20);
		buf_append_str(ret, pieces[below(ARRAY_LEN(pieces))]);
		buf_append_str(ret, which == 0 ? "\n" : which == 1 ? "  " : gap);
	}
}

static void replace(struct buf *b, char from, char to)
{
	for (size_t i = 0; i < b->len; i++) {
		b->data[i] = b->data[i] == from ? to : b->data[i];
	}
}

static bool is_same(const struct prose *p, const struct prose *q)
{
	bool same = span_equal(buf_span(&p->form), buf_span(&q->form)) &&
	            prose_count(p) == prose_count(q);
	for (size_t i = 0; same && i < prose_count(p); i++) {
		const struct prose_word *a = &prose_words(p)[i], *b = &prose_words(q)[i];
		same = a->hash == b->hash && a->flags == b->flags;
	}
	return same;
}

Test(prose, a_word_is_read_alike_whatever_single_blank_is_behind_it)
{
	struct prose p = {0}, q = {0}, none = {0}, other = {0};
	struct buf text = {0};
	for (size_t i = 0; i < 4000; i++) {
		buf_clear(&text);
		say(&text, below(30), "\f");
		prose_read_both(&p, buf_span(&text), &none, SPAN(""));
		replace(&text, '\f', ' ');
		prose_read_both(&q, buf_span(&text), &other, SPAN(""));
		cr_assert(is_same(&p, &q), "%.*s", (int)text.len, text.data);
	}
	prose_finish(&p);
	prose_finish(&q);
	prose_finish(&none);
	prose_finish(&other);
	buf_finish(&text);
}

Test(prose, of_two_texts_is_read_as_each_by_itself)
{
	struct prose p = {0}, q = {0}, alone = {0}, none = {0};
	struct buf a = {0}, b = {0};
	for (size_t i = 0; i < 2000; i++) {
		buf_clear(&a);
		buf_clear(&b);
		say(&a, below(20), " ");
		size_t cut = below(4); /* anywhere, in a character too */
		a.len -= MIN(a.len, cut);
		buf_append_span(&b, buf_span(&a));
		say(&a, below(10), " ");
		say(&b, below(10), " ");
		prose_read_both(&p, buf_span(&a), &q, buf_span(&b));
		prose_read_both(&alone, buf_span(&b), &none, SPAN(""));
		cr_assert(is_same(&q, &alone));
	}
	prose_finish(&p);
	prose_finish(&q);
	prose_finish(&alone);
	prose_finish(&none);
	buf_finish(&a);
	buf_finish(&b);
}

static size_t count(const struct prose *p, uint64_t hash, uint32_t flag)
{
	size_t n = 0;
	for (size_t i = 0; i < prose_count(p); i++) {
		const struct prose_word *w = &prose_words(p)[i];
		n += w->hash == hash && (w->flags & flag) == flag;
	}
	return n;
}

/* What one side has and the other lacks, word by word. */
struct lack {
	size_t common;
	bool number, name;
	size_t negations;
};

static struct lack lacks(const struct prose *p, const struct prose *q)
{
	struct lack l = {0};
	for (size_t i = 0; i < prose_count(p); i++) {
		const struct prose_word *w = &prose_words(p)[i];
		bool first = true;
		for (size_t k = 0; k < i; k++) {
			first &= prose_words(p)[k].hash != w->hash;
		}
		l.common += first ? MIN(count(p, w->hash, 0), count(q, w->hash, 0)) : 0;
		l.number |= count(p, w->hash, PROSE_NUMBER) > count(q, w->hash, PROSE_NUMBER);
		l.name |= (w->flags & PROSE_NAME) && count(q, w->hash, 0) == 0;
		l.negations += (w->flags & PROSE_NEGATION) != 0;
	}
	return l;
}

static void expect_difference(struct prose *p, struct prose *q)
{
	struct prose_difference d;
	if (prose_agreement(p, q, &d) == AGREE_SAME) {
		return;
	}
	struct lack a = lacks(p, q), b = lacks(q, p);
	size_t all = prose_count(p) + prose_count(q);
	cr_assert_float_eq(d.similarity, 2.0f * (float)a.common / (float)MAX(all, 1), 1e-6f);
	cr_assert_eq(d.numbers, a.number && b.number);
	cr_assert_eq(d.names, a.name && b.name);
	cr_assert_eq(d.negations, a.negations != b.negations);
	cr_assert_eq(d.any, a.number || b.number || a.name || b.name || d.negations);
}

Test(prose, differs_by_what_one_text_has_and_the_other_lacks_wherever_it_stands)
{
	struct prose p = {0}, q = {0};
	struct buf a = {0}, b = {0};
	for (size_t i = 0; i < 1500; i++) {
		buf_clear(&a);
		buf_clear(&b);
		say(&a, below(60), " ");
		buf_append_span(&b, buf_span(&a));
		say(&a, below(i % 3 ? 4 : 60), " ");
		say(&b, below(i % 3 ? 4 : 60), " ");
		size_t from = a.len;
		say(&a, below(60), " ");
		buf_append(&b, a.data + from, a.len - from);
		prose_read_both(&p, buf_span(&a), &q, buf_span(&b));
		expect_difference(&p, &q);
	}
	prose_finish(&p);
	prose_finish(&q);
	buf_finish(&a);
	buf_finish(&b);
}

/* More names than are looked for one by one, all of them in what both begin with. */
Test(prose, of_many_names_that_are_elsewhere_in_both_has_none_of_its_own)
{
	struct prose p = {0}, q = {0};
	struct buf a = {0}, b = {0};
	for (size_t i = 0; i < 200; i++) {
		buf_printf(&a, "so Name%c%c was ", (int)('a' + i / 20), (int)('a' + i % 20));
	}
	buf_append_span(&b, buf_span(&a));
	for (size_t i = 0; i < 100; i++) {
		buf_printf(&a, "with Name%c%c ", (int)('a' + i / 20), (int)('a' + i % 20));
	}
	buf_append_str(&b, "and then nothing else happened");
	prose_read_both(&p, buf_span(&a), &q, buf_span(&b));
	expect_difference(&p, &q);
	buf_append_str(&a, "with Namezz");
	prose_read_both(&p, buf_span(&a), &q, buf_span(&b));
	expect_difference(&p, &q);
	prose_finish(&p);
	prose_finish(&q);
	buf_finish(&a);
	buf_finish(&b);
}
