#include "replay/repro/repro_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/mem.h"

/* Runs the script with a curl that only prints its arguments; returns the output. */
static void run(struct buf *script, struct buf *to)
{
	char dir[] = "/tmp/test_repro_XXXXXX";
	cr_assert_not_null(mkdtemp(dir));
	char *curl = xasprintf("%s/curl", dir), *file = xasprintf("%s/script", dir);
	FILE *f = fopen(curl, "we");
	fputs("#!/bin/sh\nfor word; do printf '<%s>\\n' \"$word\"; done\ncat\n", f);
	fclose(f);
	chmod(curl, 0700);
	f = fopen(file, "we");
	fwrite(script->data, 1, script->len, f);
	fclose(f);
	char *command =
	        xasprintf("cd %s && PATH=%s:$PATH PROD_API_KEY=secret sh ./script 2>&1", dir, dir);
	FILE *output = popen(command, "re");
	char block[4096];
	for (size_t n; (n = fread(block, 1, sizeof(block), output)) > 0;) {
		buf_append(to, block, n);
	}
	pclose(output);
	unlink(curl);
	unlink(file);
	cr_assert_eq(rmdir(dir), 0, "the script made nothing: %s", buf_cstr(to));
	free(curl);
	free(file);
	free(command);
}

static void make(const char *backend, const char *url, const char *target, struct span body,
        bool recast, struct buf *script)
{
	struct exchange_row row = {.method = "POST", .target = (char *)target};
	struct leg_row leg = {.backend = (char *)backend, .url = (char *)url, .role = ROLE_PRIMARY};
	const struct repro_leg each = {&leg, body, recast, false, SPAN("an\nanswer $(touch hurt)")};
	repro_script_begin(script, &row);
	repro_script_leg(script, &row, &each);
	repro_script_end(script);
}

static void check_body(struct span body)
{
	struct buf script = {0}, output = {0};
	make("prod", "http://127.0.0.1:1", "/v1/chat/completions", body, false, &script);
	run(&script, &output);
	/* It comes behind curl's last word, and before the end of a line. */
	static const char word[] = "<http://127.0.0.1:1/v1/chat/completions>\n";
	const char *found = memmem(output.data, output.len, word, strlen(word));
	cr_assert_not_null(found);
	found += strlen(word);
	cr_assert_eq((size_t)(output.data + output.len - found), body.len + 1);
	cr_assert_eq(body.len ? memcmp(found, body.data, body.len) : 0, 0);
	buf_finish(&script);
	buf_finish(&output);
}

Test(repro, the_body_is_sent_byte_for_byte_whatever_it_holds)
{
	check_body(SPAN("{\"prompt\":\"$(touch hurt) `touch hurt` $HOME \\\\ 'x' \\\"y\\\"\"}"));
	check_body(SPAN("line\nREQUEST\ntouch hurt\n)\nREQUEST_1\ntouch hurt"));
	check_body(SPAN("ends in lines\n\n\n"));
	check_body(SPAN("a\0b\xff\xfe\r\n"));
	check_body(SPAN(""));
}

static void check_url(const char *base, const char *target, bool recast, const char *wanted)
{
	struct buf script = {0}, output = {0};
	make("prod", base, target, SPAN("{}"), recast, &script);
	run(&script, &output);
	char *word = xasprintf("<%s>\n", wanted);
	cr_assert_not_null(strstr(buf_cstr(&output), word), "%s", buf_cstr(&output));
	free(word);
	buf_finish(&script);
	buf_finish(&output);
}

Test(repro, the_url_is_the_backend_s_and_the_request_s)
{
	check_url("http://h:1", "/v1/completions", false, "http://h:1/v1/completions");
	check_url("http://h:1/base", "/v1/completions?x=1&y='2'", false,
	        "http://h:1/base/v1/completions?x=1&y='2'");
	check_url("http://h:1/v1", "/v1/completions", false, "http://h:1/v1/completions");
	check_url("https://h", "/v1/chat/completions", true, "https://h/v1/completions");
	check_url("http://h:1", "/$(touch hurt)';touch hurt;'", false,
	        "http://h:1/$(touch hurt)';touch hurt;'");
}

Test(repro, keys_are_names_in_the_script_and_values_only_for_curl)
{
	struct buf script = {0}, output = {0}, name = {0};
	make("prod", "http://h:1", "/", SPAN("{}"), false, &script);
	run(&script, &output);
	cr_assert_null(strstr(buf_cstr(&script), "secret"));
	cr_assert_not_null(strstr(buf_cstr(&output), "<Authorization: Bearer secret>"));
	buf_clear(&output);
	buf_clear(&script);
	make("2nd-ref'$(touch hurt)\n", "http://h:1", "/", SPAN("{}"), false, &script);
	run(&script, &output);
	cr_assert_null(strstr(buf_cstr(&output), "Authorization"), "it has no key");
	repro_script_key(&name, "2nd-ref.b");
	cr_assert_str_eq(buf_cstr(&name), "_2ND_REF_B_API_KEY");
	buf_finish(&script);
	buf_finish(&output);
	buf_finish(&name);
}
