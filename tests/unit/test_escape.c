#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/mem.h"
#include "analyzer/report/escape.h"

typedef void (*escape_fn)(struct buf *to, const char *text);

static void assert_escaped(escape_fn how, const char *text, const char *expected)
{
	struct buf b = {0};
	how(&b, text);
	cr_assert_str_eq(buf_cstr(&b), expected, "\"%s\" became \"%s\"", text, buf_cstr(&b));
	buf_finish(&b);
}

Test(escape, markdown_is_shown_and_not_obeyed)
{
	assert_escaped(escape_markdown, "prod-2 (7b), 5.3 %: a_b", "prod-2 (7b), 5.3 %: a_b");
	assert_escaped(
	        escape_markdown, "**a** _b_ `c`", "&#42;&#42;a&#42;&#42; &#95;b&#95; &#96;c&#96;");
	assert_escaped(escape_markdown, "[x](http://y)", "&#91;x&#93;(http&#58;//y)");
	assert_escaped(escape_markdown, "<img src=x> &lt; | \\|",
	        "&#60;img src=x&#62; &#38;lt; &#124; &#92;&#124;");
	assert_escaped(escape_markdown, "see WWW.x.com", "see WWW&#46;x.com");
	assert_escaped(escape_markdown, "@all #12", "&#64;&#8203;all &#35;&#8203;12");
	assert_escaped(escape_markdown, "a\n\n# b\t|", "a  &#35;&#8203; b &#124;");
	assert_escaped(
	        escape_markdown_code, "`</code>@x", "<code>&#96;&#60;/code&#62;&#64;x</code>");
	assert_escaped(escape_markdown_code, "", "");
}

Test(escape, xml_holds_only_what_xml_may_hold)
{
	assert_escaped(escape_xml, "a<b>&\"'", "a&#60;b&#62;&#38;&#34;&#39;");
	assert_escaped(escape_xml, "]]>", "]]&#62;");
	assert_escaped(escape_xml, "\x01\x1b[31m\x7f", "\xef\xbf\xbd\xef\xbf\xbd[31m\xef\xbf\xbd");
	assert_escaped(escape_xml, "\xef\xbf\xbe|\xf0\x9f\xbf\xbf|\xc2\x85",
	        "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd");
	assert_escaped(escape_xml, "\xe2\x80\xae x", "\xef\xbf\xbd x");
	assert_escaped(escape_xml, "\xff\xc3", "\xef\xbf\xbd\xef\xbf\xbd");
	assert_escaped(
	        escape_xml, "\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80");
}

Test(escape, a_long_text_is_cut_between_characters)
{
	for (size_t shift = 0; shift < 3; shift++) {
		struct buf text = {0}, out = {0};
		for (size_t i = 0; i < shift; i++) {
			buf_append_char(&text, 'x');
		}
		for (size_t i = 0; i < 1000; i++) {
			buf_append_str(&text, "\xe2\x82\xac");
		}
		escape_xml(&out, buf_cstr(&text));
		cr_assert_leq(out.len, ESCAPE_LIMIT + 3);
		cr_assert_eq(out.len % 3, shift, "whole characters of three bytes");
		cr_assert_str_eq(buf_cstr(&out) + out.len - 6, "\xe2\x82\xac\xe2\x80\xa6");
		buf_finish(&text);
		buf_finish(&out);
	}
}
