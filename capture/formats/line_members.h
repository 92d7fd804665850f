#pragma once
/*
 * line_members - reads members of a line that is one JSON object, and distinguishes a missing
 * member from one with a wrong value.
 *
 * A member that is null counts as missing. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

enum line_result { LINE_MISSING, LINE_READ, LINE_WRONG };

bool line_is_object(struct span line);
/* True if the line is a conversation and not a request: its messages end with an assistant's
 * answer that is not marked as a prefix to continue, and it has no member of a request, such as
 * "model" or "temperature". */
bool line_is_conversation(struct span line);
#define LINE_CONVERSATION                                                                          \
	"its messages end with an answer, and nothing says that it is to be continued"
/* Finds a member's value in a line that is one JSON object: its first token, and its whole text.
 * Either may be NULL. False: the member is missing. */
bool line_find(struct span line, const char *name, struct json_token *ret, struct span *ret_all);
/* Reads a value of this type. Writes *ret_all if it returns LINE_READ. */
enum line_result line_value(
        struct span line, const char *name, enum json_token_type type, struct span *ret_all);
/* Reads a whole number from 0 to the limit. 12.0 counts as a whole number, because programs
 * write such numbers for columns with gaps. */
enum line_result line_count(struct span line, const char *name, int64_t limit, int64_t *ret);
/* Reads a time: a number, at least 0, in units of `unit` nanoseconds. It must be less than 1e10
 * seconds. */
enum line_result line_time(struct span line, const char *name, double unit, uint64_t *ret_ns);
/* Sets *to to a string's text or a number as written, or empties it. *ret: the content of *to. */
void line_text(struct span line, const char *name, struct buf *to, struct span *ret);
