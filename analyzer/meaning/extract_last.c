#include "analyzer/meaning/extract_last.h"

#include <string.h>

#include "base/letters.h"

#define MENTIONS_MAX 200

struct walk {
	const char *begin, *p, *end;
	const char *word; /* the last word before the number */
	size_t word_len;
	bool concludes; /* the sentence has said "=", "is", "total", ... */
	bool later;     /* doubts since the last number */
	bool doubts;    /* ... "if", "not", "wrong", ... */
	size_t n;
};

static bool is_cue(struct span w)
{
	static const char *const cues[] = {"is", "are", "equals", "total", "therefore", "thus",
	        "so", "hence", "gives", "get", "has", "have", "costs", "left", "answer", "was",
	        "makes"};
	return span_in(w, cues, ARRAY_LEN(cues));
}

/* What makes a sentence no statement of a result. */
static bool is_doubt(struct span w)
{
	static const char *const words[] = {"if", "whether", "not", "wrong", "incorrect", "suppose",
	        "assume", "unless", "maybe", "perhaps", "might", "isn", "doesn", "never", "wasn"};
	return span_in(w, words, ARRAY_LEN(words));
}

/* "Step 3" and its like number something else. */
static bool is_label(struct span w)
{
	static const char *const labels[] = {"step", "part", "question", "section", "example",
	        "figure", "chapter", "page", "line", "case", "problem", "equation", "table",
	        "option", "no", "number", "item", "point", "note", "steps", "version", "day"};
	return span_in(w, labels, ARRAY_LEN(labels));
}

/* The next number; *ret_from is where it begins. A minus after a word or number is no sign. */
static bool next_number(struct walk *w, const char **ret_from, struct number *ret)
{
	while (w->p < w->end) {
		char c = *w->p;
		const char *before = w->p > w->begin ? w->p - 1 : NULL;
		bool free = !before || !(is_word(*before) || *before == '.' || *before == ',');
		bool sign = c == '-' && w->p + 1 < w->end && is_digit(w->p[1]) && free &&
		            !(before && strchr(")]}", *before));
		if ((is_digit(c) && free) || sign) {
			size_t n = number_read(span_between(w->p, w->end), ret);
			*ret_from = w->p;
			/* What goes on is a code, a date, a version: passed over whole. */
			const char *after = w->p + MAX(n, (size_t)1);
			bool whole =
			        n && (after == w->end || !is_word(*after) || is_letter(*after));
			while (after < w->end && is_word(*after)) {
				after++;
			}
			w->p = after;
			if (whole) {
				return true;
			}
			continue;
		}
		if (is_letter(c) && (!before || !is_word(*before))) {
			size_t n = 1;
			while (w->p + n < w->end && is_word(w->p[n])) {
				n++;
			}
			w->word = w->p;
			w->word_len = n;
			w->concludes |= is_cue((struct span){w->p, n});
			bool doubt = is_doubt((struct span){w->p, n});
			w->doubts |= doubt;
			w->later |= doubt;
			w->p += n;
			continue;
		}
		bool ends = c == '\n' || ((c == '.' || c == '!' || c == '?') &&
		                                 (w->p + 1 == w->end || is_space(w->p[1])));
		w->concludes = (w->concludes && !ends) || c == '=';
		w->doubts &= !ends;
		w->word_len = c == ' ' || c == '#' ? w->word_len : 0;
		w->p++;
	}
	return false;
}

bool extract_last(struct span words, struct extract *ret)
{
	struct walk w = {.begin = words.data, .p = words.data, .end = words.data + words.len};
	struct number number, last;
	const char *from, *at = NULL, *to = NULL;
	bool concludes = false, doubts = false;
	size_t n = 0;
	while (next_number(&w, &from, &number)) {
		n++;
		if (!is_label((struct span){w.word, w.word_len})) {
			last = number;
			at = from;
			to = w.p;
			concludes = w.concludes;
			doubts = w.doubts;
			w.later = false;
		}
		w.word_len = 0;
	}
	if (!at) {
		return false;
	}
	*ret = (struct extract){.source = SOURCE_LAST, .words = words};
	ret->concluded = (concludes || n == 1) && !doubts && !w.later;
	size_t len = quantity_read(span_between(at, w.end), &ret->value.quantity);
	if (!len) {
		ret->value.quantity = (struct quantity){.number = last};
		len = (size_t)(to - at);
	}
	ret->value.kind = VALUE_NUMBER;
	ret->value.text = (struct span){at, len};
	return true;
}

bool extract_last_mentions(struct span words, const struct number *number)
{
	struct walk w = {.begin = words.data, .p = words.data, .end = words.data + words.len};
	struct number other;
	const char *from;
	for (size_t n = 0; next_number(&w, &from, &other); n++) {
		if (n == MENTIONS_MAX || number_agreement(number, &other, true) != AGREE_CHANGED) {
			return true;
		}
	}
	return false;
}
