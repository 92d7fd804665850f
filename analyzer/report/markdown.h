#pragma once
/*
 * markdown - an analysis as a comment on a pull request, in the Markdown of GitHub and GitLab.
 *
 * Well under the 65,536 characters that such a comment may have, whatever the document holds.
 */
#include <stdio.h>

#include <jansson.h>

void markdown_write(const json_t *document, FILE *to);
