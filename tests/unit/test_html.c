#include "analyzer/report/forms/html.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/check.h"

#define BEGIN "<script type=\"application/json\" id=\"document\">"

/* Writes a page and reads its document again. */
static char *page_of(const json_t *document, json_t **ret_read)
{
	char *page = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&page, &size);
	cr_assert_not_null(to);
	html_write(document, to);
	fclose(to);
	cr_assert_eq(strlen(page), size, "no NUL");
	const char *from = strstr(page, BEGIN);
	cr_assert_not_null(from);
	from += strlen(BEGIN);
	const char *end = strstr(from, "</script>");
	cr_assert_not_null(end);
	*ret_read = json_loadb(from, (size_t)(end - from), JSON_ALLOW_NUL, NULL);
	return page;
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;
	for (const char *p = text; (p = strstr(p, part)); p += strlen(part)) {
		n++;
	}
	return n;
}

static json_t *document_with(const char *text)
{
	return json_pack(
	        "{s:[{s:s,s:s,s:b,s:{s:s},s:[{s:s,s:s}]}],s:{s:i,s:[{s:s,s:s,s:[{s:s}]}]},s:[s]}",
	        "groups", "test", text, "base", "trusted", "is_floor", 0, "verdict", "sentence",
	        text, "next", "text", text, "command", text, "exhibits", "left_out", 3, "items",
	        "exchange", text, "model", text, "prompt", "text", text, "problems", text);
}

Test(html, no_text_is_markup_and_the_document_reads_back)
{
	static const char *const TEXTS[] = {"plain", "</script><script>alert(1)</script>",
	        "<!--<script>", "<img src=x onerror=alert(1)>", "&lt; \" '", "</section><b>",
	        "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa6\xe2\x82\xac", "]]>", "\\u003c", "{{title}}"};
	json_t *empty = json_object(), *read = NULL;
	char *bare = page_of(empty, &read);
	json_decref(read);
	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
		json_t *document = document_with(TEXTS[i]);
		cr_assert_not_null(document);
		char *page = page_of(document, &read);
		cr_assert(json_equal(read, document), "%s", TEXTS[i]);
		cr_assert_eq(count(page, "<script"), 2);
		cr_assert_eq(count(page, "</script"), 2);
		cr_assert_eq(count(page, "</section>"), count(bare, "</section>"));
		cr_assert_eq(count(page, "<img"), 0);
		cr_assert_eq(count(page, "<!--"), 0);
		cr_assert_null(strstr(strstr(page, BEGIN), "\xe2\x80\xa8"));
		cr_assert_null(strstr(strstr(page, BEGIN), "\xe2\x80\xa9"));
		json_decref(read);
		json_decref(document);
		free(page);
	}
	json_decref(empty);
	free(bare);
}

Test(html, characters_of_three_bytes_survive)
{
	json_t *read, *document = json_pack("{s:s}", "a",
	                      "\xe2\x82\xac\xe2\x80\x9c\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa6");
	char *page = page_of(document, &read);
	cr_assert(json_equal(read, document));
	cr_assert_not_null(strstr(page, "\xe2\x82\xac\xe2\x80\x9c\\u2028\\u2029\xe2\x80\xa6"));
	json_decref(read);
	json_decref(document);
	free(page);
}

Test(html, without_scripts_it_says_what_was_found)
{
	json_t *document = document_with("prod"), *read;
	char *page = page_of(document, &read);
	const char *verdict = strstr(page, "UNCLEAR</h2>\n<p class=\"sentence\">prod</p>");
	const char *next = strstr(page, "<h3>Next</h3>\n<ul>\n<li>prod\n"
	                                "<div class=\"command\"><code>prod</code></div>\n</ul>");
	cr_assert(verdict && next && verdict < next, "the verdict comes first");
	cr_assert_not_null(strstr(page, "<title>plumbline: prod against trusted</title>"));
	json_decref(read);
	json_decref(document);
	free(page);
}
