#pragma once
/*
 * escape - texts from a document, which anybody may have written, where Markdown or XML is read.
 *
 * White space becomes a blank; what is no character, or one that steers a terminal or the direction of writing, U+FFFD.
 */
#include "base/buf.h"

/* Neither a control character nor one that steers a terminal or the direction of writing. */
bool escape_is_shown(uint32_t c);

#define ESCAPE_LIMIT 2000 /* bytes of a text that are shown; the rest is "…" */

/*
 * As GitHub and its kin read it, within a line and within a table's cell: shown as it is, never a mark, a tag, a link or
 * a mention.
 */
void escape_markdown(struct buf *to, const char *text);
/* The same, as code. */
void escape_markdown_code(struct buf *to, const char *text);
/* In an attribute or between tags, of XML 1.0. */
void escape_xml(struct buf *to, const char *text);
