#include "analyzer/compare/meaning/quantity.h"

#include <string.h>

#include "analyzer/compare/meaning/number_words.h"
#include "base/letters.h"

static size_t skip_blanks(struct span s, size_t at)
{
	while (at < s.len && s.data[at] == ' ') {
		at++;
	}
	return at;
}

static bool multiply(struct number *n, int32_t tens)
{
	struct fraction by;
	fraction_of_ratio(&by, 1, 1);
	by.ten = tens;
	n->has_other = n->has_other && fraction_multiply(&n->other, &by);
	n->decimals = (uint16_t)MAX(0, (int32_t)n->decimals - tens);
	n->trailing_zeros = false;
	return fraction_multiply(&n->value, &by);
}

/* "million", and the k, M, bn and B of money. Returns where it ends, `at` if there is none; 0: it
 * is too large. */
static size_t read_scale(struct span s, size_t at, struct quantity *q)
{
	static const struct {
		const char *text;
		int32_t tens;
	} letters[] = {{"bn", 9}, {"k", 3}, {"K", 3}, {"M", 6}, {"B", 9}};
	int32_t tens;
	size_t from = skip_blanks(s, at);
	size_t n = number_words_scale(span_from(s, from), &tens);
	if (n) {
		return multiply(&q->number, tens) ? from + n : 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(letters) && q->unit; i++) {
		size_t end = at + strlen(letters[i].text);
		if (span_starts(span_from(s, at), letters[i].text) &&
		        (end == s.len || !is_word(s.data[end]))) {
			return multiply(&q->number, letters[i].tens) ? end : 0;
		}
	}
	return at;
}

/* The currency before the number, with the sign before it. Returns where the number begins. */
static size_t read_currency(struct span s, bool *ret_minus, struct quantity *q)
{
	*ret_minus = span_starts(s, "-");
	size_t sign = *ret_minus, money = unit_read_currency(span_from(s, sign), &q->unit);
	return money ? skip_blanks(s, sign + money) : 0;
}

bool quantity_read(struct span text, struct quantity *ret)
{
	bool minus;
	*ret = (struct quantity){0};
	size_t at = read_currency(text, &minus, ret);
	size_t n = at < text.len ? number_read(span_from(text, at), &ret->number) : 0;
	if (!n) {
		return false;
	}
	ret->written = (struct span){text.data + at, n};
	if (at && minus) {
		ret->number.value.negative = !fraction_is_zero(&ret->number.value);
		ret->number.has_other = false;
	}
	at = read_scale(text, at + n, ret);
	if (!at) {
		return false;
	}
	const struct unit *unit;
	size_t gap = skip_blanks(text, at);
	n = gap < text.len ? unit_read(span_from(text, gap), &unit) : 0;
	if (n && ret->unit && ret->unit->dimension != unit->dimension) {
		return false;
	}
	if (n) {
		ret->unit = ret->unit && !unit->loose ? ret->unit : unit;
		at = gap + n;
	}
	return at == text.len;
}

/* Within a hundredth: one may be the other, converted and rounded. */
static bool is_close(const struct fraction *a, const struct fraction *b)
{
	struct fraction gap = *b, hundred;
	gap.negative = !gap.negative && !fraction_is_zero(b);
	fraction_of_ratio(&hundred, 100, 1);
	return !fraction_add(&gap, a) || !fraction_multiply(&gap, &hundred) ||
	       fraction_less(&gap, a);
}

static enum agreement across_units(const struct quantity *a, const struct quantity *b)
{
	struct fraction x = a->number.value, y = b->number.value;
	if (a->unit->dimension != b->unit->dimension) {
		/* "m" may be minutes or millions. */
		return fraction_equal(&x, &y) && (!a->unit->name[1] || !b->unit->name[1])
		               ? AGREE_UNDECIDED
		               : AGREE_CHANGED;
	}
	if (a->unit->loose || b->unit->loose || a->number.unsure || b->number.unsure ||
	        !unit_convert(a->unit, &x) || !unit_convert(b->unit, &y)) {
		return AGREE_UNDECIDED;
	}
	if (fraction_equal(&x, &y)) {
		return AGREE_SAME;
	}
	return is_close(&x, &y) ? AGREE_UNDECIDED : AGREE_CHANGED;
}

/* "9/11" may be a date where no number was asked for. */
static bool may_be_date(const struct quantity *q)
{
	return !q->unit && memchr(q->written.data, '/', q->written.len);
}

enum agreement quantity_agreement(const struct quantity *a, const struct quantity *b, bool bare)
{
	if (a->unit && b->unit && a->unit != b->unit) {
		return across_units(a, b);
	}
	if (a->unit != b->unit) {
		return AGREE_UNDECIDED;
	}
	enum agreement numbers = number_agreement(&a->number, &b->number, bare && !a->unit);
	bool dates =
	        bare && (may_be_date(a) || may_be_date(b)) && !span_equal(a->written, b->written);
	return numbers == AGREE_SAME && dates ? AGREE_UNDECIDED : numbers;
}
