#pragma once
/*
 * templates - chats written out as one prompt, for engines that are asked on /completions: the turns of
 * the common families, by name.
 *
 * No beginning-of-sequence token is written: engines put it before a prompt themselves. Tool calls,
 * tools and pictures have no place in these: such a chat is refused. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "answers/request.h"

struct chat_template;

/* By name, or NULL; names: ended by NULL. */
const struct chat_template *template_find(const char *name);
const char *const *template_names(void);
const char *template_name(const struct chat_template *t);

/*
 * The prompt of a chat request's body, appended to *to, ready for the assistant's next turn (or, where
 * the last message is the assistant's, for its continuation). False: there is something in it that no
 * turn can hold, or no messages; nothing that was written counts.
 */
bool template_write(const struct chat_template *t, struct span body, struct buf *to) MUST_CHECK;

/*
 * A chat request's body as a completion's: messages become the prompt, what only chats have goes, limits
 * and logprobs take their names there; all else stays as it is. False as above.
 */
bool template_recast(const struct chat_template *t, const struct request_facts *facts,
        struct span body, struct buf *to) MUST_CHECK;
