#pragma once
/*
 * templates - writes a chat as one prompt in the template of a model family, for an engine that
 * gets chats on /completions.
 *
 * It writes no beginning-of-sequence token: engines add it to a prompt themselves. It refuses chats
 * with tools, tool calls or images. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "answers/request.h"

struct chat_template;

/* template_find(): the template, or NULL. template_names(): NULL ends the list. */
const struct chat_template *template_find(const char *name);
const char *const *template_names(void);
const char *template_name(const struct chat_template *t);

/*
 * Appends the prompt of a chat request's body to *to. It ends where the assistant's turn begins, or
 * where the last message is to be continued. False: the chat has no messages, or something that no
 * turn can hold; *to is then undefined.
 */
bool template_write(const struct chat_template *t, struct span body, struct buf *to) MUST_CHECK;

/*
 * Converts a chat request's body to a completion's. Messages become the prompt, members that only
 * chats have are removed, limits and logprobs are renamed, and everything else is unchanged.
 * Returns as template_write() does.
 */
bool template_recast(const struct chat_template *t, const struct request_facts *facts,
        struct span body, struct buf *to) MUST_CHECK;
