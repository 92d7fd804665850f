#include "base/quoted.h"

#include <criterion/criterion.h>

static void assert_quoted(const char *bytes, const char *expected)
{
	json_t *value = quoted(bytes);
	cr_assert_str_eq(json_string_value(value), expected);
	json_decref(value);
}

Test(quoted, utf8_stays_and_every_other_byte_is_replaced)
{
	assert_quoted("na\xc3\xafve \xf0\x9f\x98\x80", "na\xc3\xafve \xf0\x9f\x98\x80");
	assert_quoted("", "");
	assert_quoted("a\xff"
	              "b\xc3",
	        "a\xef\xbf\xbd"
	        "b\xef\xbf\xbd");
	assert_quoted("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

Test(quoted, nothing_is_null)
{
	cr_assert(json_is_null(quoted(NULL)));
}
