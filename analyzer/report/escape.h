#pragma once
/*
 * escape - makes untrusted texts of a document safe for Markdown and XML.
 *
 * Tabs and line ends become blanks. Bytes that are not UTF-8, and characters that control a
 * terminal or the direction of writing, become U+FFFD.
 */
#include "base/buf.h"

#define ESCAPE_LIMIT 2000 /* the most bytes of a text that are shown; "…" replaces the rest */

/*
 * Appends the text for GitHub-like Markdown, within a line or a table's cell. It is shown
 * literally, never as a mark, a tag, a link or a mention.
 */
void escape_markdown(struct buf *to, const char *text);
/* Appends the text as code in Markdown. */
void escape_markdown_code(struct buf *to, const char *text);
/* Appends the text for an attribute or text in XML 1.0. */
void escape_xml(struct buf *to, const char *text);
/* Appends the text as code in HTML. */
void escape_html_code(struct buf *to, const char *text);
