#pragma once
/*
 * words - the word lists that the simulated vocabulary is made of.
 *
 * Each list is one string, words separated by single spaces. Order matters twice: token ids follow
 * from it, and words near the front are more probable than those near the end.
 */

enum word_class {
	WORD_NONE,
	WORD_SPECIAL, /* control tokens: no text of their own */
	WORD_BYTE,
	WORD_DET,
	WORD_ADJECTIVE,
	WORD_NOUN,
	WORD_PLURAL,
	WORD_PRONOUN,
	WORD_NAME,
	WORD_VERB,      /* past tense: agrees with every subject */
	WORD_VERB_BASE, /* after an auxiliary */
	WORD_AUX,
	WORD_ADVERB,
	WORD_PREPOSITION,
	WORD_CONJUNCTION,
	WORD_NUMBER,
	WORD_COMMA,
	WORD_STOP,  /* ends a sentence */
	WORD_BREAK, /* line breaks */
	WORD_MARK,  /* other punctuation */
	WORD_EMOJI,
	WORD_PIECE,       /* parts of words, without a space before them */
	WORD_OPENER,      /* begins a sentence, a noun phrase follows: "The" */
	WORD_SUBJECT,     /* begins a sentence, a verb follows: "They" */
	WORD_LEAD,        /* begins a sentence, a clause follows: "However" */
	WORD_OPENER_BARE, /* an opener without a space before it: begins a text or a line */
	WORD_CLASSES,
};

struct word_list {
	enum word_class class;
	const char *words;
};

/* Made into " word" each, and, where it begins sentences, also into "Word". Ends with class
 * WORD_NONE. */
extern const struct word_list WORDS[];
/* Taken as they are, escapes and all; separated by \x01 because some hold spaces. */
extern const struct word_list WORDS_LITERAL[];
/* Characters that have no token of their own: the model spells them with byte tokens. */
extern const char *const WORDS_SPELLED[];
