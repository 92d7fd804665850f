#pragma once
/*
 * number_words - whole numbers in English words: zero, forty-two, three hundred and five, two
 * million.
 */
#include "analyzer/compare/meaning/number.h"

/* Those that text begins with; returns their bytes, 0: none. Only value is set. */
size_t number_words_read(struct span text, struct number *ret);
/* "thousand", "million", "billion", "trillion" that text begins with: the power of ten; 0: none. */
size_t number_words_scale(struct span text, int32_t *ret_ten);
