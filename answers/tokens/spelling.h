#pragma once
/*
 * spelling - whether the tokens of the logprobs spell the texts of a choice.
 */
#include "answers/draft.h"

/*
 * stretches: the texts' parts in order of generation. Allowed differences: marker tokens (such as
 * </think>) before, between and after reasoning and answer, which engines remove; white space
 * trimmed from the front; tokens after the end of the text (stop words, tool calls, end of
 * sequence); broken bytes that are U+FFFD in the text, or in tokens without bytes; a last character
 * that is cut; reasoning without tokens.
 */
bool spelling_matches(const struct choice *c, const struct stretch *stretches, size_t n);
/* True if they spell everything except the reasoning, for which the engine gave no tokens
 * (Responses, tabbyAPI). */
bool spelling_is_of_text_alone(const struct choice *c, const struct stretch *stretches, size_t n);
/*
 * True if the text is what the tokens spell without all characters of several tokens: the engine
 * lost them. For a choice whose tokens do not spell its text.
 */
bool spelling_has_lost(const struct choice *c);
/* As spelling_matches() for a choice without stretches: reasoning, answer, refusal, in this
 * order. */
bool spelling_matches_whole(const struct choice *c);

/*
 * Matches a text with the tokens' bytes at p. Runs of U+FFFD in the text match broken bytes of
 * tokens, and runs of U+FFFD in tokens match characters. Returns NULL if they differ, else where
 * the tokens' bytes continue.
 */
const char *spelling_walk(struct span text, const char *p, const char *end);
/* Skips markers to where the text begins at or after p, then as spelling_walk(). *ret_from (may be
 * NULL): where it begins. */
const char *spelling_find(struct span text, const char *p, const char *end, const char **ret_from);
/* The text of a stretch that begins at offset `from` of the choice's text of its kind. */
struct span spelling_stretch(const struct choice *c, const struct stretch *s, size_t from);
/* As spelling_walk() for one stretch, after skipping what may differ before it; *ret_from: where it
 * begins. */
const char *spelling_place(struct span text, enum stretch_kind kind, bool is_first, const char *p,
        const char *end, const char **ret_from);
