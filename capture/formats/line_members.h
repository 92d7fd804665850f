#pragma once
/*
 * line_members - members of a line that is one JSON object: what is missing is told from what is there and is not what it should be.
 *
 * null counts as missing. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

enum told { TOLD_NOT, TOLD, TOLD_WRONG };

bool line_is_object(struct span line);
/* Of the whole line, which is one JSON object: the token that a member's value begins with, and all of it. Either may be NULL. */
bool line_find(struct span line, const char *name, struct json_token *ret, struct span *ret_all);
/* A value of that type; *ret_all is written if it is TOLD. */
enum told line_value(struct span line, const char *name, enum json_type type, struct span *ret_all);
/* A whole number from 0 to the limit; 12.0 is one, as tables with gaps have it. */
enum told line_count(struct span line, const char *name, int64_t limit, int64_t *ret);
/* A number from 0 on, in units of so many nanoseconds, below 1e10 seconds. */
enum told line_time(struct span line, const char *name, double unit, uint64_t *ret_ns);
/* A string's text, or a number as it is written, in place of what is in *to; else it is empty. */
void line_text(struct span line, const char *name, struct buf *to, struct span *ret);
