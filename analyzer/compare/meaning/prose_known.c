#include "analyzer/compare/meaning/prose_known.h"

#include "base/letters.h"

static const struct prose_known WORDS[] = {
        {"all", KNOWN_PARTED},
        {"and", KNOWN_JOINT},
        {"but", KNOWN_JOINT},
        {"cannot", KNOWN_NEGATION},
        {"eight", KNOWN_NUMERAL, "8"},
        {"eleven", KNOWN_NUMERAL, "11"},
        {"false", KNOWN_NEGATION},
        {"few", KNOWN_PARTED},
        {"fewer", KNOWN_PARTED},
        {"five", KNOWN_NUMERAL, "5"},
        {"four", KNOWN_NUMERAL, "4"},
        {"impossible", KNOWN_NEGATION},
        {"incorrect", KNOWN_NEGATION},
        {"least", KNOWN_PARTED},
        {"less", KNOWN_PARTED},
        {"little", KNOWN_PARTED},
        {"more", KNOWN_PARTED},
        {"most", KNOWN_PARTED},
        {"neither", KNOWN_NEGATION},
        {"never", KNOWN_NEGATION},
        {"nine", KNOWN_NUMERAL, "9"},
        {"no", KNOWN_NEGATION},
        {"nobody", KNOWN_NEGATION},
        {"none", KNOWN_NEGATION},
        {"nor", KNOWN_JOINT | KNOWN_NEGATION},
        {"not", KNOWN_NEGATION},
        {"nothing", KNOWN_NEGATION},
        {"one", KNOWN_PARTED},
        {"ones", KNOWN_PARTED},
        {"only", KNOWN_PARTED},
        {"or", KNOWN_JOINT},
        {"other", KNOWN_PARTED},
        {"others", KNOWN_PARTED},
        {"same", KNOWN_PARTED},
        {"seven", KNOWN_NUMERAL, "7"},
        {"six", KNOWN_NUMERAL, "6"},
        {"ten", KNOWN_NUMERAL, "10"},
        {"the", KNOWN_THE},
        {"three", KNOWN_NUMERAL, "3"},
        {"too", KNOWN_JOINT},
        {"twelve", KNOWN_NUMERAL, "12"},
        {"two", KNOWN_PARTED | KNOWN_NUMERAL, "2"},
        {"untrue", KNOWN_NEGATION},
        {"who", KNOWN_PARTED},
        {"without", KNOWN_NEGATION},
        {"wrong", KNOWN_NEGATION},
        {"zero", KNOWN_NUMERAL, "0"},
};

const struct prose_known *prose_known(struct span word)
{
	static const struct prose_known NONE = {"", 0};
	for (size_t i = 0; i < ARRAY_LEN(WORDS); i++) {
		if (span_same(word, WORDS[i].word)) {
			return &WORDS[i];
		}
	}
	return &NONE;
}
