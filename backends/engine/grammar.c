#include "backends/engine/grammar.h"

struct rule {
	uint8_t class;
	uint8_t percent;
};

#define RULES_MAX 8

struct row {
	struct rule without_verb[RULES_MAX];
	struct rule with_verb[RULES_MAX];
};

#define OBJECT                                                                                     \
	{WORD_DET, 56}, {WORD_PREPOSITION, 14}, {WORD_NAME, 8}, {WORD_PLURAL, 8},                  \
	        {WORD_NUMBER, 6},                                                                  \
	{                                                                                          \
		WORD_ADVERB, 8                                                                     \
	}
#define AFTER_OBJECT                                                                               \
	{WORD_STOP, 36}, {WORD_PREPOSITION, 32}, {WORD_CONJUNCTION, 14}, {WORD_COMMA, 12},         \
	{                                                                                          \
		WORD_ADVERB, 6                                                                     \
	}
#define AFTER_SUBJECT                                                                              \
	{WORD_VERB, 56}, {WORD_AUX, 20}, {WORD_PREPOSITION, 16}, {WORD_CONJUNCTION, 4},            \
	{                                                                                          \
		WORD_ADVERB, 4                                                                     \
	}

/* Percentages of a row add up to 100. */
static const struct row ROWS[WORD_CLASSES] = {
        [WORD_NONE] = {{{WORD_OPENER_BARE, 97}, {WORD_OPENER, 3}}, {{WORD_OPENER_BARE, 100}}},
        [WORD_SPECIAL] = {{{WORD_OPENER_BARE, 98}, {WORD_OPENER, 2}}, {{WORD_OPENER_BARE, 100}}},
        [WORD_BYTE] = {{AFTER_SUBJECT}, {AFTER_OBJECT}},
        [WORD_DET] = {{{WORD_NOUN, 52}, {WORD_ADJECTIVE, 38}, {WORD_PLURAL, 10}},
                {{WORD_NOUN, 52}, {WORD_ADJECTIVE, 38}, {WORD_PLURAL, 10}}},
        [WORD_ADJECTIVE] = {{{WORD_NOUN, 78}, {WORD_PLURAL, 14}, {WORD_ADJECTIVE, 8}},
                {{WORD_NOUN, 78}, {WORD_PLURAL, 14}, {WORD_ADJECTIVE, 8}}},
        [WORD_NOUN] = {{AFTER_SUBJECT}, {AFTER_OBJECT}},
        [WORD_PLURAL] = {{AFTER_SUBJECT}, {AFTER_OBJECT}},
        [WORD_PRONOUN] = {{{WORD_VERB, 64}, {WORD_AUX, 28}, {WORD_ADVERB, 8}}, {AFTER_OBJECT}},
        [WORD_NAME] = {{AFTER_SUBJECT}, {AFTER_OBJECT}},
        [WORD_VERB] = {{OBJECT}, {OBJECT}},
        [WORD_VERB_BASE] = {{OBJECT}, {OBJECT}},
        [WORD_AUX] = {{{WORD_VERB_BASE, 84}, {WORD_ADVERB, 16}}, {{WORD_VERB_BASE, 100}}},
        [WORD_ADVERB] = {{{WORD_VERB, 70}, {WORD_COMMA, 20}, {WORD_DET, 10}},
                {{WORD_PREPOSITION, 34}, {WORD_DET, 26}, {WORD_STOP, 30}, {WORD_COMMA, 10}}},
        [WORD_PREPOSITION] = {{{WORD_DET, 70}, {WORD_NAME, 14}, {WORD_PLURAL, 10},
                                      {WORD_NUMBER, 6}},
                {{WORD_DET, 70}, {WORD_NAME, 14}, {WORD_PLURAL, 10}, {WORD_NUMBER, 6}}},
        [WORD_CONJUNCTION] =
                {{{WORD_DET, 54}, {WORD_PRONOUN, 26}, {WORD_NAME, 12}, {WORD_PLURAL, 8}},
                        {{WORD_DET, 60}, {WORD_PRONOUN, 40}}},
        [WORD_NUMBER] = {{{WORD_PLURAL, 86}, {WORD_ADJECTIVE, 14}},
                {{WORD_PLURAL, 80}, {WORD_ADJECTIVE, 10}, {WORD_STOP, 10}}},
        [WORD_COMMA] = {{{WORD_CONJUNCTION, 46}, {WORD_DET, 30}, {WORD_PRONOUN, 12},
                                {WORD_PREPOSITION, 12}},
                {{WORD_CONJUNCTION, 100}}},
        [WORD_STOP] = {{{WORD_OPENER, 54}, {WORD_SUBJECT, 20}, {WORD_LEAD, 14}, {WORD_BREAK, 8},
                               {WORD_EMOJI, 4}},
                {{WORD_OPENER, 100}}},
        [WORD_BREAK] = {{{WORD_OPENER_BARE, 100}}, {{WORD_OPENER_BARE, 100}}},
        [WORD_MARK] = {{{WORD_DET, 40}, {WORD_PIECE, 30}, {WORD_NAME, 30}}, {AFTER_OBJECT}},
        [WORD_EMOJI] = {{{WORD_OPENER, 80}, {WORD_BREAK, 20}}, {{WORD_OPENER, 100}}},
        [WORD_PIECE] = {{AFTER_SUBJECT}, {AFTER_OBJECT}},
        [WORD_OPENER] = {{{WORD_NOUN, 50}, {WORD_ADJECTIVE, 36}, {WORD_PLURAL, 14}},
                {AFTER_OBJECT}},
        [WORD_SUBJECT] = {{{WORD_VERB, 64}, {WORD_AUX, 28}, {WORD_ADVERB, 8}}, {AFTER_OBJECT}},
        [WORD_LEAD] = {{{WORD_DET, 60}, {WORD_PRONOUN, 26}, {WORD_NAME, 14}}, {AFTER_OBJECT}},
        [WORD_OPENER_BARE] = {{{WORD_NOUN, 50}, {WORD_ADJECTIVE, 36}, {WORD_PLURAL, 14}},
                {AFTER_OBJECT}},
};

enum word_class grammar_next(enum word_class last, bool has_verb, double u)
{
	const struct rule *rules = has_verb ? ROWS[last].with_verb : ROWS[last].without_verb;
	int percent = (int)(u * 100);
	for (int i = 0; i < RULES_MAX - 1; i++) {
		percent -= rules[i].percent;
		if (percent < 0) {
			return rules[i].class;
		}
	}
	return rules[0].class;
}

bool grammar_has_verb(bool had, enum word_class added)
{
	switch (added) {
	case WORD_VERB:
	case WORD_VERB_BASE:
		return true;
	case WORD_CONJUNCTION:
	case WORD_COMMA:
	case WORD_STOP:
	case WORD_BREAK:
	case WORD_SPECIAL:
	case WORD_OPENER:
	case WORD_OPENER_BARE:
	case WORD_SUBJECT:
	case WORD_LEAD:
		return false;
	default:
		return had;
	}
}
