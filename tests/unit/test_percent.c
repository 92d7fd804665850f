#include "base/percent.h"

#include <criterion/criterion.h>

Test(percent, only_none_is_0_and_only_all_is_100)
{
	static const struct {
		double share;
		const char *text;
	} cases[] = {
	        {0, "0.0 %"},
	        {0.0004, "0.04 %"},
	        {0.00996, "1.0 %"},
	        {0.9948, "99.5 %"},
	        {0.01, "1.0 %"},
	        {0.526, "52.6 %"},
	        {0.99, "99.0 %"},
	        {0.9997, "99.97 %"},
	        {1, "100.0 %"},
	        {-0.005, "-0.5 %"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[PERCENT_SIZE];
		cr_expect_str_eq(percent_text(cases[i].share, text), cases[i].text);
	}
}
