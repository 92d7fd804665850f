#include "proxy/settings/settings.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "settings_text.h"

#define SECOND UINT64_C(1000000000)

Test(settings, what_is_left_out_has_its_default)
{
	struct settings *s = must_load("primary: {url: 'http://127.0.0.1:8101'}\n"
	                               "references: [{url: 'http://127.0.0.1:8102'}]\n"
	                               "capture: {path: c}\n");
	cr_assert_str_eq(s->listen.text, "127.0.0.1:8080");
	cr_assert_null(s->admin.host);
	cr_assert_eq(s->workers, 1);
	cr_assert_not(s->by_curl);
	cr_assert_not(s->half_close_keep);
	cr_assert_eq(s->drain_timeout, 30 * SECOND);
	cr_assert_eq(s->clients.limit, 20000);
	cr_assert_eq(s->clients.head_timeout, 60 * SECOND);
	cr_assert_eq(s->clients.body_timeout, 60 * SECOND);
	cr_assert_eq(s->clients.idle_timeout, 600 * SECOND);
	cr_assert_eq(s->clients.stall_timeout, 300 * SECOND);
	cr_assert_eq(s->memory_limit, 256 << 20);
	cr_assert_eq(s->relay_window, 64 << 10);
	cr_assert_str_eq(s->primary.name, "primary");
	cr_assert_eq(s->primary.role, ROLE_PRIMARY);
	cr_assert_eq(s->primary.idle_timeout, 0);
	cr_assert_eq(s->primary.on_client_gone, GONE_CANCEL);
	const struct backend_settings *r = &s->references[0];
	cr_assert_str_eq(r->name, "reference");
	cr_assert_eq(r->role, ROLE_REFERENCE);
	cr_assert_eq(r->idle_timeout, 600 * SECOND);
	cr_assert_eq(r->total_timeout, 3600 * SECOND);
	cr_assert_eq(r->on_client_gone, GONE_FINISH);
	cr_assert_float_eq(r->sample.share, 1, 0);
	cr_assert_not(r->sample.by_exchange);
	cr_assert_eq(r->max_concurrency, 64);
	cr_assert_eq(r->queue_limit, 32 << 20);
	cr_assert_eq(r->answer_limit, 64 << 20);
	cr_assert_eq(s->inject, INJECT_BOTH);
	cr_assert_float_eq(s->plain_share, 0.01, 0);
	cr_assert_float_eq(s->max_slowdown, 0.1, 0);
	cr_assert_eq(s->top_logprobs, 5);
	cr_assert_eq(s->inject_limit, 8 << 20);
	cr_assert_eq(s->capture_max_size, UINT64_C(20) << 30);
	cr_assert_eq(s->segment_size, 1 << 30);
	cr_assert_not(s->capture_stop_when_full);
	cr_assert_eq(s->recorder_queue, 64 << 20);
	settings_unref(s);
}

static void assert_process(const struct settings *s)
{
	cr_assert_str_eq(s->listen.host, "::1");
	cr_assert_eq(s->listen.port, 80);
	cr_assert_str_eq(s->admin.host, "127.0.0.1");
	cr_assert_eq(s->admin.port, 9464);
	cr_assert_eq(s->workers, 4);
	cr_assert(s->by_curl);
	cr_assert(s->half_close_keep);
	cr_assert_eq(s->drain_timeout, 5 * SECOND);
	cr_assert_eq(s->clients.limit, 7);
	cr_assert_eq(s->clients.head_timeout, 1 * SECOND);
	cr_assert_eq(s->clients.body_timeout, 2 * SECOND);
	cr_assert_eq(s->clients.idle_timeout, 3 * SECOND);
	cr_assert_eq(s->clients.stall_timeout, 0);
	cr_assert_eq(s->memory_limit, 1 << 30);
	cr_assert_eq(s->relay_window, 128 << 10);
	cr_assert_str_eq(s->primary.name, "prod");
	cr_assert_str_eq(s->primary.url, "https://Engine.example:443/base");
	cr_assert_str_eq(s->primary.base_path, "/base");
	cr_assert_str_eq(s->primary.ca_file, "/dev/null");
	cr_assert_eq(s->primary.connect_timeout, SECOND);
	cr_assert_eq(s->primary.idle_timeout, 60 * SECOND);
	cr_assert_eq(s->primary.on_client_gone, GONE_FINISH);
}

static void assert_reference(const struct backend_settings *r)
{
	cr_assert_eq(r->role, ROLE_CANDIDATE);
	cr_assert_float_eq(r->sample.share, 0.2, 1e-12);
	cr_assert_float_eq(r->sample.max_rate, 5, 0);
	cr_assert(r->sample.by_exchange);
	cr_assert_str_eq(r->sample.salt, "s");
	cr_assert_eq(r->sample.n_keys, 2);
	cr_assert_not(r->sample.keys[0].body);
	cr_assert_str_eq(r->sample.keys[0].name, "x-session-id");
	cr_assert(r->sample.keys[1].body);
	cr_assert_str_eq(r->api_key, "sk-secret");
	cr_assert_str_eq(r->rules.models[0].from, "a");
	cr_assert_str_eq(r->rules.models[0].to, "b");
	cr_assert_eq(r->rules.n_members, 3);
	cr_assert_str_eq(r->rules.members[0].json, "0");
	cr_assert_str_eq(r->rules.members[1].json, "[\"x\"]");
	cr_assert_str_eq(r->rules.members[2].name, "user");
	cr_assert_null(r->rules.members[2].json);
	cr_assert_eq(r->max_concurrency, 2);
	cr_assert_eq(r->total_timeout, 60 * SECOND);
}

Test(settings, every_key_of_the_file_is_read)
{
	setenv("TEST_KEY", "sk-secret", 1);
	setenv("TEST_HASH", "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF", 1);
	struct settings *s = must_load(
	        "listen: '[::1]:80'\n"
	        "admin: :9464\n"
	        "workers: 4\n"
	        "transport: curl\n"
	        "half_close: keep\n"
	        "drain_timeout: 5s\n"
	        "clients: {limit: 7, head_timeout: 1s, body_timeout: 2s, idle_timeout: 3s, "
	        "stall_timeout: 0}\n"
	        "memory_limit: 1GiB\n"
	        "relay_window: 128KiB\n"
	        "primary: {name: prod, url: 'HTTPS://Engine.example:443/base//', ca_file: "
	        "/dev/null,\n"
	        "  connect_timeout: 1s, idle_timeout: 1m, on_client_gone: finish}\n"
	        "references:\n"
	        "- name: trusted\n"
	        "  url: http://127.0.0.1:8102\n"
	        "  role: candidate\n"
	        "  sample: {share: 20%, max_rate: 5/s, by: exchange, salt: s, session_key: "
	        "[header:x-session-id, body:user]}\n"
	        "  api_key_env: TEST_KEY\n"
	        "  models: {a: b}\n"
	        "  set: {temperature: 0, stop: [x]}\n"
	        "  unset: [user]\n"
	        "  max_concurrency: 2\n"
	        "  queue_limit: 1MiB\n"
	        "  answer_limit: 2MiB\n"
	        "  timeout: 1m\n"
	        "mirror: {routes: [/v1/embeddings]}\n"
	        "logprobs: {inject: references, top: 20, share: 50%, limit: 1MiB, "
	        "plain_share: 5%, max_slowdown: off}\n"
	        "capture: {path: c, max_size: 8MiB, when_full: stop, segment_size: 4MiB, durable: "
	        "true,\n"
	        "  record: mirrored, encoders: 2, scheduling: idle, queue_limit: 1MiB, "
	        "hash_key_env: TEST_HASH, "
	        "headers: [x-request-id]}\n"
	        "log: {level: debug, format: json}\n");
	assert_process(s);
	assert_reference(&s->references[0]);
	cr_assert_str_eq(s->mirror_routes.items[0], "/v1/embeddings");
	cr_assert_eq(s->inject, INJECT_REFERENCES);
	cr_assert_float_eq(s->plain_share, 0.05, 0);
	cr_assert_lt(s->max_slowdown, 0);
	cr_assert_eq(s->top_logprobs, 20);
	cr_assert_float_eq(s->inject_share, 0.5, 0);
	cr_assert_eq(s->segment_size, 4 << 20);
	cr_assert(s->capture_stop_when_full);
	cr_assert(s->durable);
	cr_assert(s->record_mirrored_only);
	cr_assert_eq(s->encoders, 2);
	cr_assert_eq(s->recorder_scheduling, SCHEDULING_IDLE);
	cr_assert_str_eq(s->hash_key_env, "TEST_HASH");
	cr_assert_str_eq(s->record_headers.items[0], "x-request-id");
	cr_assert_eq(s->log_format, LOG_FORMAT_JSON);
	settings_unref(s);
}

Test(settings, a_wrong_file_is_refused_with_line_key_and_the_nearest_right_one)
{
	assert_refused(PRIMARY "\nlisten_to: x\n",
	        ":3: listen_to: is not a known key; did you mean listen?");
	assert_refused("primary:\n  url: http://a\n  conect_timeout: 1s\n",
	        ":3: primary.conect_timeout: is not a known key; did you mean connect_timeout?");
	assert_refused(PRIMARY "references:\n- url: http://b\n  sampel: 20%\n",
	        ":4: references[1].sampel: is not a known key; did you mean sample?");
	assert_refused(PRIMARY "references:\n- url: http://b\n  sample: {shar: 1}\n",
	        ":4: references[1].sample.shar: is not a known key; did you mean share?");
	assert_refused(PRIMARY "capture: {path: x, max_size: big}\n",
	        ":2: capture.max_size: must be a size like 64KiB, 20GiB or 10MB, not \"big\"");
	assert_refused(PRIMARY "logprobs: {inject: referenses}\n",
	        ":2: logprobs.inject: must be both, references, off or always, not \"referenses\"; "
	        "did you "
	        "mean references?");
	assert_refused(PRIMARY "logprobs: {max_slowdown: -1}\n",
	        ":2: logprobs.max_slowdown: must be off, or a number that is not negative, like "
	        "0.1");
	assert_refused(PRIMARY "workers: 0\n",
	        ":2: workers: must be a whole number from 1 to 256, not \"0\"");
	assert_refused(PRIMARY "references: http://x\n",
	        ":2: references: must be a list of backends, like [a, b]");
	assert_refused(PRIMARY "references: [{name: x}]\n", ":2: references[1]: has no url");
	assert_refused(PRIMARY "capture: {max_size: 1GiB}\n",
	        ":2: capture: has no path, and there is no --capture");
	assert_refused(
	        "primary: {name: x}\n", ":1: primary: has no url, and there is no --primary");
	assert_refused(PRIMARY "mirror: {routes: [v1]}\n",
	        ":2: mirror.routes[1]: must begin with a slash and name a path, like "
	        "/v1/embeddings");
	assert_refused("- a\n", ":1: must be a map of keys and values, one of them listen");
}

Test(settings, names_are_unique_and_plain)
{
	assert_refused(
	        "primary: {name: a, url: http://x}\nreferences: [{name: a, url: http://y}]\n",
	        ":2: references[1].name: another backend is named a; give each its own name");
	assert_refused(PRIMARY "references:\n- {name: a, url: http://x}\n- url: http://y\n"
	                       "  name: a\n",
	        ":5: references[2].name: another backend is named a; give each its own name");
	assert_refused("primary: {name: 'a b', url: http://x}\n",
	        ":1: primary.name: a name is made of letters, digits, '.', '_' and '-'");
	assert_refused("primary: {name: exchanges, url: http://x}\n",
	        ":1: primary.name: the metrics use the name exchanges; choose another");
}

Test(settings, a_key_whose_variable_is_unset_is_refused)
{
	unsetenv("TEST_UNSET");
	assert_refused(PRIMARY "references: [{url: http://x, api_key_env: TEST_UNSET}]\n",
	        ":2: references[1].api_key_env: the environment variable TEST_UNSET is not set");
	setenv("TEST_SPLIT", "a\r\nb", 1);
	assert_refused(PRIMARY "references: [{url: http://x, api_key_env: TEST_SPLIT}]\n",
	        ":2: references[1].api_key_env: the environment variable TEST_SPLIT has a "
	        "control character, such as a line end");
	setenv("TEST_SPLIT", "", 1);
	assert_refused(PRIMARY "references: [{url: http://x, api_key_env: TEST_SPLIT}]\n",
	        ":2: references[1].api_key_env: the environment variable TEST_SPLIT is empty");
}

Test(settings, secrets_are_never_recorded_on_demand)
{
	assert_refused(PRIMARY "capture: {path: x, headers: [Authorization]}\n",
	        ":2: capture.headers[1]: Authorization carries a secret and is never recorded");
}

Test(settings, a_parameter_is_set_or_unset_but_not_both)
{
	assert_refused(PRIMARY "references: [{url: http://x, set: {user: 1}, unset: [user]}]\n",
	        ":2: references[1].unset[1]: the parameter user is named twice in set and unset");
}

Test(settings, the_model_is_replaced_in_one_place)
{
	assert_refused(PRIMARY "references: [{url: http://x, models: {a: b}, set: {model: c}}]\n",
	        ":2: references[1].set.model: the model is already replaced by models");
}

Test(settings, a_limited_capture_is_made_of_several_segments)
{
	struct settings *s = must_load(PRIMARY "capture: {path: c, max_size: 100MiB}\n");
	cr_assert_eq(s->segment_size, 25 << 20);
	settings_unref(s);
	s = must_load(PRIMARY "capture: {path: c, max_size: 0}\n");
	cr_assert_eq(s->segment_size, 1 << 30);
	settings_unref(s);
	assert_refused(PRIMARY "capture: {path: c, max_size: 1GiB, segment_size: 1GiB}\n",
	        ":2: capture.max_size: must be at least twice segment_size (and 2MiB), since only "
	        "whole segments are deleted");
}

Test(settings, json_tells_everything_but_secrets)
{
	setenv("TEST_KEY", "sk-secret", 1);
	struct settings *s = must_load(
	        PRIMARY "references: [{url: http://x, api_key_env: TEST_KEY, set: {a: {b: 1}}, "
	                "unset: [user]}]\ncapture: c\n");
	char *json = settings_json(s);
	cr_assert_null(strstr(json, "sk-secret"));
	cr_assert_not_null(strstr(json, "TEST_KEY"));
	struct json j;
	json_init(&j, json, strlen(json));
	struct json_token first = json_next(&j);
	cr_assert_eq(json_skip(&j, &first).len, strlen(json));
	cr_assert_eq(json_next(&j).type, JSON_TOKEN_END);
	struct span set;
	const char *path[] = {"capture", "segment_size"};
	struct json_token value;
	cr_assert(json_find(span_of(json), path, 2, &value, &set));
	cr_assert(span_is(set, "1073741824"));
	free(json);
	settings_unref(s);
}

/* The build sets CONFIGS_DIR. */
Test(settings, every_example_configuration_loads)
{
	const char *dir = getenv("CONFIGS_DIR");
	cr_assert_not_null(dir, "CONFIGS_DIR is not set");
	DIR *d = opendir(dir);
	cr_assert_not_null(d);
	int n = 0;
	for (struct dirent *e; (e = readdir(d));) {
		size_t len = strlen(e->d_name);
		if (len < 6 || strcmp(e->d_name + len - 5, ".yaml") != 0) {
			continue;
		}
		char *path = xasprintf("%s/%s", dir, e->d_name);
		char *error = NULL;
		struct settings *s = settings_load(path, NULL, 0, &error);
		cr_assert_not_null(s, "%s", error);
		settings_unref(s);
		free(path);
		n++;
	}
	closedir(d);
	cr_assert_geq(n, 2);
}

Test(settings, a_backend_says_which_engine_it_is_and_how_it_is_asked)
{
	struct settings *s =
	        must_load("primary:\n  url: http://h:1\n  dialect: vllm\n  poll: off\n"
	                  "  replica_header: x-served-by\n  stack: {hardware.cpu: EPYC, rack: 7}\n"
	                  "references:\n  - url: http://h:2\n    align: greedy\n    thinking: off\n"
	                  "    completions_template: chatml\n    poll: 5s\n    max_concurrency: 3\n"
	                  "  - http://h:3\n");
	cr_assert_eq(s->primary.dialect, dialect_find("vllm"));
	cr_assert_eq(s->primary.poll, 0);
	cr_assert_str_eq(s->primary.replica_header, "x-served-by");
	cr_assert_eq(s->primary.n_stack, 2);
	cr_assert_str_eq(s->primary.stack[0].name, "hardware.cpu");
	cr_assert_str_eq(s->primary.stack[1].value, "7");
	const struct backend_settings *r = s->references;
	cr_assert_null(r[0].dialect);
	cr_assert_eq(r[0].rules.align, ALIGN_GREEDY);
	cr_assert_eq(r[0].rules.thinking, THINKING_OFF);
	cr_assert_eq(r[0].rules.completions_template, template_find("chatml"));
	cr_assert_eq(r[0].poll, 5 * SECOND);
	cr_assert(r[0].has_max_concurrency);
	cr_assert_eq(r[1].poll, 600 * SECOND);
	cr_assert_eq(r[1].rules.align, ALIGN_NONE);
	cr_assert_not(r[1].has_max_concurrency);
	char *json = settings_json(s);
	cr_assert(strstr(json, "\"dialect\": \"vllm\""));
	cr_assert(strstr(json, "\"align\": \"greedy\""));
	cr_assert(strstr(json, "\"poll\": \"off\""));
	cr_assert(strstr(json, "\"hardware.cpu\": \"EPYC\""));
	free(json);
	settings_unref(s);
}

Test(settings, wrong_words_for_engines_are_refused)
{
	char *error = NULL;
	struct settings *s = load_text("primary: {url: http://h:1, dialect: vlm}\n", &error);
	cr_assert_null(s);
	cr_assert(strstr(error, "primary.dialect") && strstr(error, "did you mean vllm?"), "%s",
	        error);
	free(error);
	assert_refused("primary: {url: http://h:1, poll: 10ms}\n",
	        ":1: primary.poll: must be off, or a time of a second and more, like 10m");
	assert_refused("primary: {url: http://h:1, align: greedy}\n",
	        ":1: primary.align: is not a known key");
	assert_refused("primary: {url: http://h:1, replica_header: 'a b'}\n",
	        ":1: primary.replica_header: is not the name of a header");
	assert_refused("primary: {url: http://h:1, replica_header: Set-Cookie}\n",
	        ":1: primary.replica_header: Set-Cookie carries a secret and is never recorded");
	assert_refused("primary: {url: http://h:1, replica_header: x-api-key}\n",
	        ":1: primary.replica_header: x-api-key carries a secret and is never recorded");
	assert_refused("primary: {url: http://h:1, stack: [a]}\n",
	        ":1: primary.stack: must be a map of at most 128 facts, like {accelerator: 2 x "
	        "H100}");
}
