#include "analyzer/meaning/prose_known.h"

#define SLOT(a, b, c, n)                                                                           \
	PROSE_KNOWN_SLOT((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16, (uint32_t)(n))
#define NUMERAL(a, b, c, word, digits, flags)                                                      \
	[SLOT(a, b, c, sizeof(word) - 1)] = {word, digits, sizeof(word) - 1, flags}
#define WORD(a, b, c, word, flags) NUMERAL(a, b, c, word, "", flags)

/* No word may have the first slot. */
const struct prose_known prose_known_words[1 << PROSE_KNOWN_BITS] = {
        [0] = {.word = ""},
        WORD('a', 'l', 'l', "all", KNOWN_PARTED),
        WORD('a', 'n', 'd', "and", KNOWN_JOINT),
        WORD('b', 'u', 't', "but", KNOWN_JOINT),
        WORD('c', 'a', 'n', "cannot", KNOWN_NEGATION),
        NUMERAL('e', 'i', 'g', "eight", "8", KNOWN_NUMERAL),
        NUMERAL('e', 'l', 'e', "eleven", "11", KNOWN_NUMERAL),
        WORD('f', 'a', 'l', "false", KNOWN_NEGATION),
        WORD('f', 'e', 'w', "few", KNOWN_PARTED),
        WORD('f', 'e', 'w', "fewer", KNOWN_PARTED),
        NUMERAL('f', 'i', 'v', "five", "5", KNOWN_NUMERAL),
        NUMERAL('f', 'o', 'u', "four", "4", KNOWN_NUMERAL),
        WORD('l', 'e', 'a', "least", KNOWN_PARTED),
        WORD('l', 'e', 's', "less", KNOWN_PARTED),
        WORD('l', 'i', 't', "little", KNOWN_PARTED),
        WORD('m', 'o', 'r', "more", KNOWN_PARTED),
        WORD('m', 'o', 's', "most", KNOWN_PARTED),
        WORD('n', 'e', 'i', "neither", KNOWN_NEGATION),
        WORD('n', 'e', 'v', "never", KNOWN_NEGATION),
        NUMERAL('n', 'i', 'n', "nine", "9", KNOWN_NUMERAL),
        WORD('n', 'o', '\0', "no", KNOWN_NEGATION),
        WORD('n', 'o', 'b', "nobody", KNOWN_NEGATION),
        WORD('n', 'o', 'n', "none", KNOWN_NEGATION),
        WORD('n', 'o', 'r', "nor", KNOWN_JOINT | KNOWN_NEGATION),
        WORD('n', 'o', 't', "not", KNOWN_NEGATION),
        WORD('n', 'o', 't', "nothing", KNOWN_NEGATION),
        WORD('o', 'n', 'e', "one", KNOWN_PARTED),
        WORD('o', 'n', 'e', "ones", KNOWN_PARTED),
        WORD('o', 'n', 'l', "only", KNOWN_PARTED),
        WORD('o', 'r', '\0', "or", KNOWN_JOINT),
        WORD('o', 't', 'h', "other", KNOWN_PARTED),
        WORD('o', 't', 'h', "others", KNOWN_PARTED),
        WORD('s', 'a', 'm', "same", KNOWN_PARTED),
        NUMERAL('s', 'e', 'v', "seven", "7", KNOWN_NUMERAL),
        NUMERAL('s', 'i', 'x', "six", "6", KNOWN_NUMERAL),
        NUMERAL('t', 'e', 'n', "ten", "10", KNOWN_NUMERAL),
        WORD('t', 'h', 'e', "the", KNOWN_THE),
        NUMERAL('t', 'h', 'r', "three", "3", KNOWN_NUMERAL),
        WORD('t', 'o', 'o', "too", KNOWN_JOINT),
        NUMERAL('t', 'w', 'e', "twelve", "12", KNOWN_NUMERAL),
        NUMERAL('t', 'w', 'o', "two", "2", KNOWN_PARTED | KNOWN_NUMERAL),
        WORD('u', 'n', 't', "untrue", KNOWN_NEGATION),
        WORD('w', 'h', 'o', "who", KNOWN_PARTED),
        WORD('w', 'i', 't', "without", KNOWN_NEGATION),
        WORD('w', 'r', 'o', "wrong", KNOWN_NEGATION),
        NUMERAL('z', 'e', 'r', "zero", "0", KNOWN_NUMERAL),
};
