#include "analyzer/compare/meaning/format_inline_code.h"

#include "analyzer/compare/meaning/format_markup.h"

static const struct markup_place *places_of(const struct buf *places, size_t *ret_n)
{
	*ret_n = places->len / sizeof(struct markup_place);
	return (const struct markup_place *)(const void *)places->data;
}

static bool is_within(struct markup_place a, struct markup_place b)
{
	return a.from >= b.from && a.to <= b.to;
}

/* What lies there is in no code, in one, or around one; *k is the first code that may reach into it, of all that are
 * asked for in order. */
static bool is_one(struct markup_place here, const struct buf *others, size_t *k)
{
	size_t n, i;
	const struct markup_place *places = places_of(others, &n);
	while (*k < n && places[*k].to <= here.from) {
		(*k)++;
	}
	i = *k;
	while (i < n && places[i].from == places[i].to) {
		i++;
	}
	if (i == n || places[i].from >= here.to) {
		return true;
	}
	bool more = i + 1 < n && places[i + 1].from < here.to;
	return !more && (is_within(here, places[i]) || is_within(places[i], here));
}

static bool are_ones(const struct buf *a, const struct buf *b)
{
	size_t n, k = 0;
	const struct markup_place *places = places_of(a, &n);
	for (size_t i = 0; i < n; i++) {
		if (places[i].from < places[i].to && !is_one(places[i], b, &k)) {
			return false;
		}
	}
	return true;
}

bool inline_code_borders_agree(const struct buf *a, const struct buf *b)
{
	return are_ones(a, b) && are_ones(b, a);
}
