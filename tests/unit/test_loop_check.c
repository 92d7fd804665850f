#include "proxy/loop_check.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <ifaddrs.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "settings_text.h"

/* Returns the check's error for these settings, or NULL. */
static char *problem_of(const char *text)
{
	struct settings *s = must_load(text);
	char *problem = loop_check(s, "");
	settings_unref(s);
	return problem;
}

static void assert_own(const char *text, const char *expected)
{
	char *problem = problem_of(text);
	cr_assert_not_null(problem, "accepted: %s", text);
	cr_assert_str_eq(problem, expected);
	free(problem);
}

static bool is_own(const char *listen, const char *url)
{
	char *text = xasprintf("listen: '%s'\n" PRIMARY "references: ['%s']\n", listen, url);
	char *said = xasprintf(":3: backend reference: \"%s\" is the proxy itself: requests would "
	                       "go round without end (listen %s)",
	        url, listen);
	char *problem = problem_of(text);
	bool own = problem;
	cr_expect(!own || strcmp(problem, said) == 0, "%s", problem);
	free(problem);
	free(said);
	free(text);
	return own;
}

Test(loop_check, a_backend_that_is_the_proxy_is_refused)
{
	static const char *const CASES[][2] = {
	        {"127.0.0.1:90", "http://127.0.0.1:90"},
	        {"127.0.0.1:90", "https://127.0.0.1:90/base"},
	        {"127.0.0.1:90", "http://LocalHost:90"},
	        {"127.0.0.1:90", "http://[::ffff:127.0.0.1]:90"},
	        {"127.0.0.1:90", "http://0.0.0.0:90"},
	        {"127.0.0.1:90", "http://127.1:90"},
	        {"127.0.0.1:80", "http://localhost"},
	        {"localhost:443", "https://localhost"},
	        {"[::1]:90", "http://localhost:90"},
	        {"[::1]:90", "http://[::]:90"},
	        {":90", "http://127.0.0.2:90"},
	        {"0.0.0.0:90", "http://0.0.0.0:90"},
	        {"[::]:90", "http://127.0.0.1:90"},
	        {"[::]:90", "http://localhost:90"},
	        {"[::]:90", "http://[::]:90"},
	        {"10.0.0.1:90", "http://10.0.0.1:90"},
	        {"[fd00::1]:90", "http://[FD00:0::1]:90"},
	};
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		cr_expect(is_own(CASES[i][0], CASES[i][1]), "%s %s", CASES[i][0], CASES[i][1]);
	}
}

Test(loop_check, a_backend_that_is_another_is_not)
{
	static const char *const CASES[][2] = {
	        {"127.0.0.1:90", "http://127.0.0.1:91"},
	        {"127.0.0.1:80", "https://127.0.0.1"},
	        {"127.0.0.1:90", "http://127.0.0.2:90"},
	        {"127.0.0.1:90", "http://[::1]:90"},
	        {"[::1]:90", "http://127.0.0.1:90"},
	        {"0.0.0.0:90", "http://[::1]:90"},
	        {"127.0.0.1:90", "http://10.0.0.1:90"},
	        {"10.0.0.1:90", "http://localhost:90"},
	        {"10.0.0.1:90", "http://0.0.0.0:90"},
	        {"0.0.0.0:90", "http://203.0.113.9:90"},
	        {"0.0.0.0:90", "http://engine:90"},
	        {"127.0.0.1:0", "http://127.0.0.1:90"},
	};
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		cr_expect_not(is_own(CASES[i][0], CASES[i][1]), "%s %s", CASES[i][0], CASES[i][1]);
	}
}

/* As clients elsewhere name this machine; where it is connected to nothing, there is no such name. */
Test(loop_check, any_address_is_each_that_the_machine_has)
{
	struct ifaddrs *all;
	char host[INET6_ADDRSTRLEN];
	cr_assert_eq(getifaddrs(&all), 0);
	for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET) {
			continue;
		}
		inet_ntop(AF_INET, &((struct sockaddr_in *)i->ifa_addr)->sin_addr, host,
		        sizeof(host));
		char *url = xasprintf("http://%s:90", host);
		cr_expect(is_own("0.0.0.0:90", url), "%s", url);
		cr_expect(is_own("[::]:90", url), "%s", url);
		free(url);
	}
	freeifaddrs(all);
	cr_expect_not(is_own("0.0.0.0:90", "http://203.0.113.1:90"), "kept for documents");
}

Test(loop_check, the_line_or_the_flag_that_says_so_is_named)
{
	const char *rest = " is the proxy itself: requests would go round without end (listen ";
	char *said =
	        xasprintf(":2: backend prod: \"http://localhost:8080\"%s127.0.0.1:8080)", rest);
	assert_own("primary:\n  url: http://localhost:8080/\n  name: prod\n", said);
	free(said);
	const struct option_value flags[] = {
	        {"listen", ":90"}, {"primary", "http://x"}, {"candidate", "http://127.0.0.1:90"}};
	char *error = NULL;
	struct settings *s = settings_load(NULL, flags, ARRAY_LEN(flags), &error);
	cr_assert_not_null(s, "%s", error);
	char *problem = loop_check(s, NULL);
	said = xasprintf("--candidate: \"http://127.0.0.1:90\"%s:90)", rest);
	cr_assert_str_eq(problem, said);
	free(said);
	free(problem);
	settings_unref(s);
}

Test(loop_check, a_flag_may_lead_the_primary_elsewhere)
{
	char *path = write_file("primary: http://127.0.0.1:8080\n"), *error = NULL;
	const struct option_value flag = {"primary", "http://127.0.0.1:1"};
	struct settings *s = settings_load(path, &flag, 1, &error);
	cr_assert_not_null(s, "%s", error);
	cr_assert_null(loop_check(s, path));
	settings_unref(s);
	unlink(path);
	free(path);
}

Test(loop_check, an_admin_port_that_is_the_clients_is_refused)
{
	static const char *const CASES[][2] = {
	        {"127.0.0.1:90", "localhost:90"},
	        {":90", ":90"},
	        {"10.0.0.1:90", "0.0.0.0:90"},
	        {"[::]:90", "127.0.0.1:90"},
	        {"[::1]:90", "[::]:90"},
	};
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		char *text =
		        xasprintf("listen: '%s'\nadmin: '%s'\n" PRIMARY, CASES[i][0], CASES[i][1]);
		char *said = xasprintf(":2: admin: \"%s\" is also the address for clients; give "
		                       "admin another one (listen %s)",
		        CASES[i][1], CASES[i][0]);
		assert_own(text, said);
		free(said);
		free(text);
	}
}

Test(loop_check, an_admin_port_beside_the_clients_is_not)
{
	static const char *const CASES[][2] = {
	        {"127.0.0.1:90", "127.0.0.1:91"},
	        {"127.0.0.1:90", "[::1]:90"},
	        {"0.0.0.0:90", "[::1]:90"},
	        {"127.0.0.1:90", "10.0.0.1:90"},
	        {"127.0.0.1:0", "127.0.0.1:0"},
	};
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		char *text =
		        xasprintf("listen: '%s'\nadmin: '%s'\n" PRIMARY, CASES[i][0], CASES[i][1]);
		cr_assert_null(problem_of(text), "%s", text);
		free(text);
	}
}
