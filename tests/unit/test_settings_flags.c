#include "proxy/settings/settings.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "settings_text.h"

Test(settings_flags, urls_that_hold_credentials_are_refused_and_never_repeated)
{
	assert_refused("primary: http://user:hunter2@host:80\n",
	        ":1: primary: \"http://***@host:80\" must not have a user name or password; put "
	        "the key into an environment variable and name it in api_key_env");
	const struct option_value flag = {"primary", "https://hunter2@host"};
	char *error = NULL;
	cr_assert_null(settings_load(NULL, &flag, 1, &error));
	cr_assert_null(strstr(error, "hunter2"), "%s", error);
	free(error);
}

static void assert_url_refused(const char *url, const char *quoted, const char *expected)
{
	const struct option_value flag = {"primary", url};
	char *error = NULL;
	cr_assert_null(settings_load(NULL, &flag, 1, &error), "accepted: %s", url);
	char *said = xasprintf("--primary: \"%s\" %s", quoted, expected);
	cr_assert_str_eq(error, said);
	free(said);
	free(error);
}

Test(settings_flags, urls_of_another_form_are_refused_and_quoted)
{
	static const char *const CASES[][2] = {
	        {"ftp://x", "must begin with http:// or https://"},
	        {"127.0.0.1:80", "must begin with http:// or https://, as in http://127.0.0.1:80"},
	        {"http://", "has no host that could be reached"},
	        {"http:///x", "has no host that could be reached"},
	        {"http://h:0", "has a port that is not a number from 1 to 65535"},
	        {"http://h:65536", "has a port that is not a number from 1 to 65535"},
	        {"http://h:", "has a port that is not a number from 1 to 65535"},
	        {"http://h/a b", "has a space or a character that is not valid in a URL"},
	        {"http://[::1", "must have the form http://HOST:PORT"},
	        {"http://[zz]:1", "has no host that could be reached"},
	};
	for (size_t i = 0; i < ARRAY_LEN(CASES); i++) {
		assert_url_refused(CASES[i][0], CASES[i][0], CASES[i][1]);
	}
}

Test(settings_flags, a_quoted_url_shows_no_secret_and_nothing_unprintable)
{
	const char *form = "must begin with http:// or https://";
	const char *unprintable = "has a space or a character that is not valid in a URL";
	assert_url_refused("ftp://me:hunter2@h/x", "ftp://***@h/x", form);
	assert_url_refused("me:hunter@2@h", "***@h", form);
	assert_url_refused(
	        "http://h/x?key=hunter2", "http://h/x?***", "must not hold a query or a fragment");
	assert_url_refused("http://h/\x1b[2J", "http://h/?[2J", unprintable);
}

Test(settings_flags, the_nameless_get_names_by_role)
{
	const struct option_value flags[] = {
	        {"primary", "http://p"},
	        {"reference", "http://a"},
	        {"candidate", "http://b"},
	        {"reference", "http://c"},
	};
	char *error = NULL;
	struct settings *s = settings_load(NULL, flags, ARRAY_LEN(flags), &error);
	cr_assert_not_null(s, "%s", error);
	cr_assert_str_eq(s->primary.name, "primary");
	cr_assert_str_eq(s->references[0].name, "reference");
	cr_assert_str_eq(s->references[1].name, "candidate");
	cr_assert_eq(s->references[1].role, ROLE_CANDIDATE);
	cr_assert_str_eq(s->references[2].name, "reference-2");
	settings_unref(s);
}

Test(settings_flags, flags_override_the_file_and_add_references)
{
	char *path = write_file("listen: 127.0.0.1:1\nprimary: {name: prod, url: http://x}\n"
	                        "references: [http://a]\nworkers: 2\n");
	const struct option_value flags[] = {
	        {"listen", ":2"},
	        {"primary", "http://y/"},
	        {"reference", "http://b"},
	        {"workers", "3"},
	        {"inject", "off"},
	        {"top-logprobs", "7"},
	        {"log-level", "warn"},
	        {"capture", "dir"},
	};
	char *error = NULL;
	struct settings *s = settings_load(path, flags, ARRAY_LEN(flags), &error);
	cr_assert_not_null(s, "%s", error);
	cr_assert_str_eq(s->listen.host, "0.0.0.0");
	cr_assert_eq(s->listen.port, 2);
	cr_assert_str_eq(s->primary.name, "prod");
	cr_assert_str_eq(s->primary.url, "http://y");
	cr_assert_eq(s->n_references, 2);
	cr_assert_str_eq(s->references[1].url, "http://b");
	cr_assert_eq(s->workers, 3);
	cr_assert_eq(s->inject, INJECT_OFF);
	cr_assert_eq(s->top_logprobs, 7);
	cr_assert_str_eq(s->capture_path, "dir");
	settings_unref(s);
	unlink(path);
	free(path);
}

Test(settings_flags, what_the_flags_give_the_file_may_leave_out)
{
	char *path = write_file("primary: {name: prod}\ncapture: {record: mirrored}\n");
	const struct option_value flags[] = {{"primary", "http://y"}, {"capture", "dir"}};
	char *error = NULL;
	struct settings *s = settings_load(path, flags, ARRAY_LEN(flags), &error);
	cr_assert_not_null(s, "%s", error);
	cr_assert_str_eq(s->primary.name, "prod");
	cr_assert_str_eq(s->primary.url, "http://y");
	cr_assert_str_eq(s->capture_path, "dir");
	cr_assert(s->record_mirrored_only);
	settings_unref(s);
	cr_assert_null(settings_load(path, flags, 1, &error));
	cr_assert_not_null(strstr(error, ":2: capture: has no path"), "%s", error);
	free(error);
	unlink(path);
	free(path);
}

static void assert_flag_refused(const char *name, const char *value, const char *expected)
{
	const struct option_value flags[] = {{"primary", "http://x"}, {name, value}};
	char *error = NULL;
	cr_assert_null(settings_load(NULL, flags, 2, &error), "accepted --%s %s", name, value);
	cr_assert_str_eq(error, expected);
	free(error);
}

Test(settings_flags, wrong_flags_are_refused_by_name)
{
	assert_flag_refused(
	        "worker", "1", "--worker is not a known option; did you mean --workers?");
	assert_flag_refused("workers", "-1", "--workers needs a number from 1 to 256, not -1");
	assert_flag_refused("workers", "2x", "--workers needs a number from 1 to 256, not 2x");
	assert_flag_refused(
	        "inject", "none", "--inject is both, references, off or always, not none");
	assert_flag_refused("plain-share", "2", "--plain-share needs a share (5%), not 2");
	assert_flag_refused("max-slowdown", "x",
	        "--max-slowdown: must be off, or a number that is not negative, like 0.1");
	assert_flag_refused("listen", "example.com:80",
	        "--listen: must be HOST:PORT, [V6]:PORT or :PORT, with an IP address or localhost "
	        "as host and a port of at most 65535, not \"example.com:80\"");
	assert_flag_refused("listen", "127.0.0.1",
	        "--listen: must be HOST:PORT, [V6]:PORT or :PORT, with an IP address or localhost "
	        "as host and a port of at most 65535, not \"127.0.0.1\"");
	assert_flag_refused("listen", "127.0.0.1:65536",
	        "--listen: must be HOST:PORT, [V6]:PORT or :PORT, with an IP address or localhost "
	        "as host and a port of at most 65535, not \"127.0.0.1:65536\"");
}

Test(settings_flags, without_a_primary_there_is_nothing_to_do)
{
	char *error = NULL;
	cr_assert_null(settings_load(NULL, NULL, 0, &error));
	cr_assert_eq(strncmp(error, "there is no primary; ", 21), 0, "%s", error);
	free(error);
}

static const char *help_of(const char *flag)
{
	for (const struct option_row *row = settings_options(); row->help; row++) {
		if (row->name && strcmp(row->name, flag) == 0) {
			return row->help;
		}
	}
	return "";
}

Test(settings_flags, the_help_of_an_option_ends_with_its_default)
{
	cr_expect_str_eq(help_of("workers"), "event loops (1)");
	cr_expect(strstr(help_of("listen"), " (127.0.0.1:8080)"));
	cr_expect(strstr(help_of("inject"), " (both)"));
	cr_expect(strstr(help_of("plain-share"), " (1%)"));
	cr_expect_null(strchr(help_of("capture"), '('), "it has none");
}
