#include "base/k_smallest.h"

#include <string.h>

#include "base/mem.h"

#define ROOM_AT_FIRST 4

/* Returns the number of items with smaller keys. */
static size_t rank_of(const struct k_smallest *s, const char *items, size_t n, const void *key)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->compare(items + middle * s->size, key) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

/* The capacity doubles, so that it follows from the length. */
static char *grow(const struct k_smallest *s, char *items, size_t n)
{
	bool is_full = n == 0 || (n >= ROOM_AT_FIRST && (n & (n - 1)) == 0);
	size_t room = n == 0 ? ROOM_AT_FIRST : 2 * n;
	return is_full ? xrealloc(items, room * s->size) : items;
}

void *k_smallest_place(const struct k_smallest *s, void *array, size_t *n, const void *key,
        void *arg, bool *ret_new)
{
	char *items;
	memcpy(&items, array, sizeof(items));
	size_t at = rank_of(s, items, *n, key);
	bool is_new = at < s->limit && (at == *n || s->compare(items + at * s->size, key) != 0);
	if (is_new) {
		if (*n == s->limit) {
			--*n;
			if (s->drop) {
				s->drop(items + *n * s->size, arg);
			}
		} else {
			items = grow(s, items, *n);
			memcpy(array, &items, sizeof(items));
		}
		char *place = items + at * s->size;
		memmove(place + s->size, place, (*n - at) * s->size);
		memcpy(place, key, s->size);
		++*n;
	}
	if (ret_new) {
		*ret_new = is_new;
	}
	return at < s->limit ? items + at * s->size : NULL;
}
