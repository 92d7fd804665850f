#include "replay/haystack.h"

#include <string.h>

#include <criterion/criterion.h>
#include <xxhash.h>

static struct haystack hay(enum haystack_style style, uint32_t tokens, uint64_t seed)
{
	return (struct haystack){.style = style, .tokens = tokens, .seed = seed};
}

static struct buf made(const struct haystack *h)
{
	struct buf text = {0};
	haystack_make(h, &text);
	return text;
}

static size_t count(struct span text, const char *what)
{
	size_t n = 0, len = strlen(what);
	const char *p = text.data, *end = text.data + text.len;
	while (p < end && (p = memmem(p, (size_t)(end - p), what, len))) {
		n++;
		p += len;
	}
	return n;
}

Test(haystack, it_is_as_long_as_asked_for)
{
	for (int style = 0; style < N_HAYSTACK_STYLES; style++) {
		const uint32_t sizes[] = {64, 4000, 64000};
		for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
			struct haystack h = hay((enum haystack_style)style, sizes[i], 5);
			struct buf text = made(&h);
			size_t wanted = (size_t)sizes[i] * haystack_bytes(h.style);
			cr_expect_geq(text.len + 2, wanted);
			cr_expect_leq(text.len, wanted + 800);
			buf_finish(&text);
		}
	}
}

/* Old and new runs must have the same long prompts, so these numbers must not change. */
Test(haystack, the_same_seed_gives_the_same_bytes_on_every_machine)
{
	static const uint64_t WANTED[N_HAYSTACK_STYLES] = {0x9859db18fa0049a8, 0x4fd246bc558ce7bf,
	        0x14e7569a52aba38d, 0x55610c35e8f4d872, 0x6b479eb18491fcdc};
	for (int style = 0; style < N_HAYSTACK_STYLES; style++) {
		struct haystack h = hay((enum haystack_style)style, 4000, 42);
		struct buf text = made(&h);
		uint64_t hash = XXH3_64bits(text.data, text.len);
		cr_expect_eq(
		        hash, WANTED[style], "style %d: %#llx", style, (unsigned long long)hash);
		buf_finish(&text);
	}
}

Test(haystack, another_seed_gives_another_text)
{
	struct haystack a = hay(HAYSTACK_PROSE, 500, 1), b = hay(HAYSTACK_PROSE, 500, 2);
	struct buf x = made(&a), y = made(&b);
	cr_expect(!span_equal(buf_span(&x), buf_span(&y)));
	buf_finish(&x);
	buf_finish(&y);
}

Test(haystack, each_needle_stands_once_on_a_line_of_its_own_where_it_is_wanted)
{
	for (int style = 0; style < N_HAYSTACK_STYLES; style++) {
		struct haystack h = hay((enum haystack_style)style, 8000, 9);
		const double places[] = {0, 0.25, 0.5, 0.5, 1};
		const char *texts[] = {
		        "FIRST needle", "NEEDLE two", "NEEDLE three", "NEEDLE beside it", "LAST"};
		h.n_needles = ARRAY_LEN(places);
		for (size_t i = 0; i < h.n_needles; i++) {
			h.needles[i] = (struct haystack_needle){places[i], span_of(texts[i])};
		}
		struct buf text = made(&h);
		const char *before = text.data;
		for (size_t i = 0; i < h.n_needles; i++) {
			const char *at = memmem(text.data, text.len, texts[i], strlen(texts[i]));
			cr_assert(at && count(buf_span(&text), texts[i]) == 1);
			double share = (double)(at - text.data) / (double)text.len;
			cr_expect(share > places[i] - 0.02 && share < places[i] + 0.02, "%f for %f",
			        share, places[i]);
			cr_expect(at == text.data || at[-1] == '\n');
			cr_expect(at >= before);
			before = at;
		}
		cr_expect_eq(memcmp(text.data, "FIRST", 5), 0);
		cr_expect_eq(memcmp(text.data + text.len - 4, "LAST", 4), 0);
		buf_finish(&text);
	}
}

Test(haystack, styles_have_names)
{
	enum haystack_style style;
	cr_expect(haystack_style_parse(SPAN("ledger"), &style) && style == HAYSTACK_LEDGER);
	cr_expect(!haystack_style_parse(SPAN("Ledger"), &style));
	cr_expect(!haystack_style_parse(SPAN(""), &style));
}
