#pragma once
/*
 * escape - makes untrusted texts of a document safe for Markdown, XML and HTML. Pure.
 *
 * Tabs and line ends become blanks. Bytes that are not UTF-8, and characters that control a
 * terminal or the direction of writing, become U+FFFD.
 */
#include "base/buf.h"

#define ESCAPE_LIMIT 2000 /* the most bytes of a text that are kept; "…" replaces the rest */

/* Appends the text for a line or a table's cell of GitHub-like Markdown. A reader sees it
 * literally, never as markup, a link or a mention. */
void escape_markdown(struct buf *to, const char *text);
/* Appends the text as code in Markdown; nothing if it is empty. */
void escape_markdown_code(struct buf *to, const char *text);
/* Appends the text for the value of an attribute, or for the content of an element. */
void escape_xml(struct buf *to, const char *text);
/* Appends the text as a <code> element. */
void escape_html_code(struct buf *to, const char *text);
