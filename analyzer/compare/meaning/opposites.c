#include "analyzer/compare/meaning/opposites.h"

#include "base/letters.h"

/* Stems: an ending may follow. */
static const char *const pairs[][2] = {{"above", "below"}, {"ahead", "behind"}, {"all", "one"},
        {"all", "some"}, {"always", "often"}, {"always", "sometimes"}, {"area", "volume"},
        {"asset", "liabilit"}, {"before", "after"}, {"both", "one"}, {"bottom", "top"},
        {"boy", "girl"}, {"buy", "sell"}, {"buyer", "seller"}, {"cheap", "expensive"},
        {"colder", "warmer"}, {"credit", "debit"}, {"daily", "weekly"}, {"day", "hour"},
        {"day", "month"}, {"day", "week"}, {"day", "year"}, {"deeper", "shallower"},
        {"deficit", "surplus"}, {"denominator", "numerator"}, {"deposit", "withdraw"},
        {"difference", "sum"}, {"discount", "price"}, {"distance", "speed"}, {"distance", "time"},
        {"downward", "upward"}, {"dropped", "rose"}, {"each", "together"}, {"earlier", "later"},
        {"early", "late"}, {"east", "west"}, {"entering", "leaving"}, {"even", "odd"},
        {"excluding", "including"}, {"fall", "rise"}, {"fast", "slow"}, {"father", "mother"},
        {"fell", "rose"}, {"female", "male"}, {"first", "last"}, {"first", "second"},
        {"gain", "lose"}, {"gain", "loss"}, {"gain", "lost"}, {"gave", "kept"}, {"gone", "left"},
        {"gone", "remain"}, {"heavier", "lighter"}, {"height", "length"}, {"height", "width"},
        {"high", "low"}, {"higher", "lower"}, {"horizontal", "vertical"}, {"hotter", "cooler"},
        {"hour", "minute"}, {"hour", "week"}, {"illegal", "legal"}, {"impossible", "possible"},
        {"increas", "decreas"}, {"inhal", "exhal"}, {"input", "output"}, {"inside", "outside"},
        {"interest", "principal"}, {"invalid", "valid"}, {"larger", "smaller"},
        {"largest", "smallest"}, {"length", "width"}, {"longer", "shorter"}, {"max", "min"},
        {"maximum", "minimum"}, {"mean", "median"}, {"mean", "mode"}, {"median", "mode"},
        {"men", "women"}, {"month", "week"}, {"month", "year"}, {"more", "fewer"}, {"more", "less"},
        {"most", "least"}, {"must", "may"}, {"north", "south"}, {"older", "younger"},
        {"owe", "own"}, {"owes", "has"}, {"perimeter", "area"}, {"positive", "negative"},
        {"product", "sum"}, {"profit", "cost"}, {"profit", "loss"}, {"quotient", "remainder"},
        {"radius", "diameter"}, {"safe", "unsafe"}, {"saved", "spent"}, {"speed", "time"},
        {"taller", "shorter"}, {"true", "false"}, {"week", "year"}, {"wider", "narrower"},
        {"with", "without"}};

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
	       (n == word.len || (n > 2 && span_in(span_from(word, n), ends, ARRAY_LEN(ends))));
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
	if (a.len == 0 || b.len == 0) {
		return false;
	}
	read_sides(a, &x);
	read_sides(b, &y);
	for (size_t k = 0; k < ARRAY_LEN(pairs); k++) {
		if (x.of[k] + y.of[k] == 3 && x.of[k] && y.of[k]) {
			return true;
		}
	}
	return false;
}
