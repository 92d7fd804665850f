#pragma once
/*
 * words - the word lists of the simulated vocabulary.
 *
 * Each list is one string of words, separated by single spaces. The order matters: token ids follow
 * from it, and earlier words are more probable.
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
	WORD_VERB_BASE, /* the form after an auxiliary */
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
	WORD_PIECE,       /* parts and other forms of words */
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

/* Each word becomes a token with a space before it. Without the space, or with a capital letter, it
 * becomes other tokens: WORD_OPENER_BARE or WORD_PIECE. Class WORD_NONE ends the array. */
extern const struct word_list WORDS[];
/* Tokens without change; may have C escapes. \x01 separates them, because some contain spaces.
 * Class WORD_NONE ends the array. */
extern const struct word_list WORDS_LITERAL[];
/* Characters without a token: the model spells them with byte tokens. NULL ends the array. */
extern const char *const WORDS_SPELLED[];
