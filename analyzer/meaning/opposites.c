#include "analyzer/meaning/opposites.h"

#include "base/letters.h"

/* Stems; those of three letters or less only as they stand. */
static const char *const pairs[][2] = {{"above", "below"}, {"ahead", "behind"},
        {"asset", "liabilit"}, {"before", "after"}, {"bottom", "top"}, {"boy", "girl"},
        {"buy", "sell"}, {"buyer", "seller"}, {"cheap", "expensive"}, {"colder", "warmer"},
        {"credit", "debit"}, {"deeper", "shallower"}, {"deficit", "surplus"},
        {"deposit", "withdraw"}, {"downward", "upward"}, {"early", "late"}, {"earlier", "later"},
        {"east", "west"}, {"entering", "leaving"}, {"even", "odd"}, {"fall", "rise"},
        {"fast", "slow"}, {"female", "male"}, {"gain", "loss"}, {"gain", "lose"}, {"gain", "lost"},
        {"heavier", "lighter"}, {"high", "low"}, {"higher", "lower"}, {"horizontal", "vertical"},
        {"hotter", "cooler"}, {"illegal", "legal"}, {"impossible", "possible"},
        {"increas", "decreas"}, {"inside", "outside"}, {"inhal", "exhal"}, {"input", "output"},
        {"invalid", "valid"}, {"largest", "smallest"}, {"larger", "smaller"}, {"longer", "shorter"},
        {"max", "min"}, {"maximum", "minimum"}, {"mean", "median"}, {"men", "women"},
        {"more", "fewer"}, {"more", "less"}, {"most", "least"}, {"north", "south"},
        {"older", "younger"}, {"owe", "own"}, {"owes", "has"}, {"perimeter", "area"},
        {"positive", "negative"}, {"profit", "loss"}, {"profit", "cost"}, {"radius", "diameter"},
        {"safe", "unsafe"}, {"taller", "shorter"}, {"true", "false"}, {"wider", "narrower"}};

struct sides {
	unsigned char of[ARRAY_LEN(pairs)]; /* 1 and 2: the left one, the right one */
};

static bool is_form(struct span word, const char *stem)
{
	static const char *const ends[] = {
	        "s", "es", "e", "ed", "d", "ing", "er", "ern", "ly", "al", "n", "ies"};
	size_t n = 0;
	while (n < word.len && stem[n] && to_lower(word.data[n]) == stem[n]) {
		n++;
	}
	return !stem[n] &&
	       (n == word.len || (n > 3 && span_in(span_from(word, n), ends, ARRAY_LEN(ends))));
}

static void read_sides(struct span s, struct sides *ret)
{
	*ret = (struct sides){{0}};
	for (size_t i = 0, n; i < s.len; i += MAX(n, (size_t)1)) {
		n = 0;
		while (i + n < s.len && is_letter(s.data[i + n])) {
			n++;
		}
		struct span word = {s.data + i, n};
		for (size_t k = 0; k < ARRAY_LEN(pairs) && n > 2; k++) {
			char first = to_lower(*word.data);
			ret->of[k] |= first == *pairs[k][0] && is_form(word, pairs[k][0]) ? 1 : 0;
			ret->of[k] |= first == *pairs[k][1] && is_form(word, pairs[k][1]) ? 2 : 0;
		}
	}
}

bool opposites_part(struct span a, struct span b)
{
	struct sides x, y;
	read_sides(a, &x);
	read_sides(b, &y);
	for (size_t k = 0; k < ARRAY_LEN(pairs); k++) {
		if (x.of[k] + y.of[k] == 3 && x.of[k] && y.of[k]) {
			return true;
		}
	}
	return false;
}
