#pragma once
/*
 * escape - makes untrusted texts of a document safe for Markdown and XML.
 *
 * White space becomes a blank; invalid characters and those that control a terminal or the
 * direction of writing become U+FFFD.
 */
#include "base/buf.h"

/* True unless c is a control character or one that controls a terminal or the direction of
 * writing. */
bool escape_is_shown(uint32_t c);

#define ESCAPE_LIMIT 2000 /* bytes shown of a text; the rest becomes "…" */

/*
 * For GitHub-like Markdown, within a line and within a table's cell: shown literally, never read as
 * a mark, a tag, a link or a mention.
 */
void escape_markdown(struct buf *to, const char *text);
/* The same, as code. */
void escape_markdown_code(struct buf *to, const char *text);
/* For an attribute or text in XML 1.0. */
void escape_xml(struct buf *to, const char *text);
