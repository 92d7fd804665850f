#include "capture/formats/address.h"

#include <criterion/criterion.h>

static struct buf target;

static void let_go(void)
{
	buf_finish(&target);
}

TestSuite(address, .fini = let_go);

static void check(const char *url, const char *kept)
{
	cr_expect(address_target(span_of(url), &target), "%s", url);
	cr_expect_str_eq(buf_cstr(&target), kept);
}

Test(address, path_and_query_of_a_url_or_of_a_path)
{
	check("https://host:8000/v1/chat/completions?a=b", "/v1/chat/completions?a=b");
	check("/v1/completions", "/v1/completions");
	check("/go?to=http://other/v1", "/go?to=http://other/v1");
	check("https://host", "");
	check("about:blank", "");
	check("", "");
}

Test(address, no_key_and_no_fragment_is_kept)
{
	check("https://user:SECRET@host/v1/completions", "/v1/completions");
	check("http://h/v1/completions?api_key=SECRET", "/v1/completions?api_key=...");
	check("http://h/v1/completions?key=SECRET#SECRET", "/v1/completions?key=...");
	check("/v1/completions#SECRET", "/v1/completions");
	check("https://h#/SECRET", "");
}

Test(address, what_would_end_a_request_line_or_begin_another_is_refused)
{
	static const char *const BAD[] = {
	        "http://h/v1?a=b c", "/v1\r\nX: y", "/v1\n", "/v1\tx", "http://h/\x7f"};
	for (size_t i = 0; i < sizeof(BAD) / sizeof(*BAD); i++) {
		cr_expect_not(address_target(span_of(BAD[i]), &target), "%s", BAD[i]);
	}
	cr_expect_not(address_target((struct span){"/v\0x", 4}, &target));
}

static void check_origin(const char *url, const char *kept)
{
	address_origin(span_of(url), &target);
	cr_expect_str_eq(buf_cstr(&target), kept, "%s", url);
}

Test(address, an_origin_has_no_user_and_nothing_of_the_path)
{
	check_origin("https://host:8000/v1/chat/completions?a=b", "https://host:8000");
	check_origin("HTTP://Host", "http://Host");
	check_origin("http://me:SECRET@host:1/v1", "http://host:1");
	check_origin("http://me:SECRET@o@host?a@b", "http://host");
	check_origin("http://host\\@SECRET/", "http://host");
	check_origin("http://[::1]:8000#x", "http://[::1]:8000");
}

Test(address, what_is_no_origin_is_none)
{
	static const char *const NONE[] = {"", "/v1", "host:8000", "ftp://host/", "http://",
	        "http:///v1", "http://unknown/v1", "http://me:SECRET@/v1", "http://a b/",
	        "http://h\r\nX: y/"};
	for (size_t i = 0; i < sizeof(NONE) / sizeof(*NONE); i++) {
		check_origin(NONE[i], "");
	}
}
