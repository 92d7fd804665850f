#include "base/authority.h"

#include <criterion/criterion.h>

static void check(const char *text, const char *host, const char *port, bool v6)
{
	struct span found, found_port;
	bool found_v6;
	cr_assert(authority_split(span_of(text), &found, &found_port, &found_v6), "%s", text);
	cr_expect(span_is(found, host), "%s", text);
	cr_expect(port ? span_is(found_port, port) : !found_port.data, "%s", text);
	cr_expect_eq(found_v6, v6, "%s", text);
}

Test(authority, host_and_port_are_split_and_not_checked)
{
	check("host", "host", NULL, false);
	check("host:80", "host", "80", false);
	check("host:", "host", "", false);
	check(":80", "", "80", false);
	check("", "", NULL, false);
	check("[::1]", "::1", NULL, true);
	check("[::1]:80", "::1", "80", true);
	check("[]:", "", "", true);
	check("::1", "", ":1", false);
}

Test(authority, results_are_written_on_success_only)
{
	struct span host = SPAN("a"), port = SPAN("b");
	bool v6 = false;
	uint16_t n = 7;
	cr_expect_not(authority_split(SPAN("[::1"), &host, &port, &v6));
	cr_expect_not(authority_split(SPAN("[::1]80"), &host, &port, &v6));
	cr_expect(span_is(host, "a") && span_is(port, "b") && !v6);
	cr_expect_not(authority_port(SPAN("65536"), &n));
	cr_expect_not(authority_port(SPAN(""), &n));
	cr_expect_not(authority_port(SPAN("+1"), &n));
	cr_expect_eq(n, 7);
	cr_expect(authority_port(SPAN("65535"), &n));
	cr_expect_eq(n, 65535);
}
