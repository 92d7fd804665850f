#pragma once
/*
 * spelling - checks whether the tokens of the logprobs spell the texts of a choice. Pure.
 */
#include "answers/draft.h"

/*
 * True if the tokens spell the texts. stretches: the texts' parts in order of generation. These
 * differences are allowed:
 *	- marker tokens, such as </think>, that the engine removed from the text before,
 *	  between and after reasoning and answer
 *	- white space trimmed from the front of the text
 *	- tokens after the end of the text: stop words, tool calls, end of sequence
 *	- bytes of a broken character that are U+FFFD in the text, or in tokens without bytes
 *	- a last character that is cut off
 *	- reasoning without tokens
 */
bool spelling_matches(const struct choice *c, const struct stretch *stretches, size_t n);
/* True if the tokens spell everything except the reasoning, for which the engine sent no tokens
 * (Responses, tabbyAPI). */
bool spelling_is_text_only(const struct choice *c, const struct stretch *stretches, size_t n);
/* For a choice whose tokens do not spell its text: true if the text lacks exactly the characters
 * that are spread over several tokens, because the engine lost them. */
bool spelling_has_lost(const struct choice *c);
/* As spelling_matches(), for a choice without stretches: the order is reasoning, answer,
 * refusal. */
bool spelling_matches_whole(const struct choice *c);

/* Matches a text with the tokens' bytes from p to end. A run of U+FFFD in the text matches broken
 * bytes of the tokens, and a run of U+FFFD in the tokens matches characters of the text. Returns
 * the end of the match in the tokens' bytes; NULL: they differ. */
const char *spelling_walk(struct span text, const char *p, const char *end);
/* The bytes of a stretch. from: its offset in the choice's text of that kind. */
struct span spelling_stretch(const struct choice *c, const struct stretch *s, size_t from);
/* As spelling_walk(), for the text of one stretch, after skipping the differences that are allowed
 * before it. is_first: it is the choice's first stretch. *ret_from: where the match begins. */
const char *spelling_place(struct span text, enum stretch_kind kind, bool is_first, const char *p,
        const char *end, const char **ret_from);
