#pragma once
/*
 * spelling - do the tokens of the logprobs spell the texts of a choice?
 */
#include "answers/draft.h"

/*
 * stretches: where the texts' bytes came, in order of generation. What may differ: marker tokens
 * (such as </think>) before, between and after reasoning and answer, which engines take out of
 * both; white space trimmed from the front; tokens after the end of the text that stop words, tool
 * calls and ends of sequence leave; broken bytes that became U+FFFD in the text, or in tokens that
 * came without their bytes; a last character that is cut; reasoning without tokens.
 */
bool spelling_matches(const struct choice *c, const struct stretch *stretches, size_t n);
/* Do they spell all but the reasoning, of which the engine gave no tokens (Responses, tabbyAPI)? */
bool spelling_is_of_text_alone(const struct choice *c, const struct stretch *stretches, size_t n);
/*
 * The text is what the tokens spell less all characters of several tokens: an engine lost them. For
 * a choice whose tokens do not spell its text.
 */
bool spelling_has_lost(const struct choice *c);
/* For a choice of which only the texts are left: reasoning, answer, refusal, in this order. */
bool spelling_matches_whole(const struct choice *c);

/*
 * Walks a text along the tokens' bytes at p. Where the text has U+FFFD and the tokens have broken
 * bytes, or the tokens have U+FFFD and the text has characters, runs of both stand for each other.
 * NULL: they differ; otherwise where the tokens' bytes go on.
 */
const char *spelling_walk(struct span text, const char *p, const char *end);
/* The same from where the text begins at or after p, markers skipped; *ret_from (may be NULL): it. */
const char *spelling_find(struct span text, const char *p, const char *end, const char **ret_from);
/* The text of a stretch that begins at from of the choice's text of its kind. */
struct span spelling_stretch(const struct choice *c, const struct stretch *s, size_t from);
/* As spelling_walk() for one stretch, past what may differ before it; *ret_from: where it begins. */
const char *spelling_place(struct span text, enum stretch_kind kind, bool is_first, const char *p,
        const char *end, const char **ret_from);
