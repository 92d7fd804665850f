#pragma once
/*
 * templates - writes chats as one prompt, for engines that are asked on /completions, in the
 * templates of common model families.
 *
 * It writes no beginning-of-sequence token: engines put it before a prompt themselves. Chats with
 * tools, tool calls or images are refused. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "answers/request.h"

struct chat_template;

/* template_find(): by name, or NULL. template_names(): ended by NULL. */
const struct chat_template *template_find(const char *name);
const char *const *template_names(void);
const char *template_name(const struct chat_template *t);

/*
 * Appends the prompt of a chat request's body to *to, ready for the assistant's turn, or for the
 * continuation of its last message. False: the chat has no messages, or something that no turn can
 * hold; what was written is then useless.
 */
bool template_write(const struct chat_template *t, struct span body, struct buf *to) MUST_CHECK;

/*
 * Converts a chat request's body to a completion's: messages become the prompt, members that only
 * chats have are removed, limits and logprobs are renamed; all else is unchanged. False: as for
 * template_write().
 */
bool template_recast(const struct chat_template *t, const struct request_facts *facts,
        struct span body, struct buf *to) MUST_CHECK;
