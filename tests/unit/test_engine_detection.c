#include "backends/engine_detection.h"

#include <poll.h>

#include "upstream_bench.h"

#define JSON_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define NOT_FOUND                                                                                  \
	"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n"              \
	"Connection: close\r\n\r\nnot found"

/* Paths and their answers; other paths give 404. NULL text: no answer. */
struct page {
	const char *path, *text;
};
static const struct page *pages;
static struct page any_path; /* with a text: the answer for all paths */
static bool stays_open;      /* connections stay open after the answer */

static const char *page_text(const char *path)
{
	if (any_path.path) {
		return any_path.text;
	}
	for (const struct page *p = pages; p && p->path; p++) {
		if (strcmp(p->path, path) == 0) {
			return p->text;
		}
	}
	return NOT_FOUND;
}

/* Serves one request for each connection; received: "METHOD path\n" of each. */
static void serve_pages(struct server *s)
{
	struct buf requests = {0};
	struct pollfd ready = {.fd = s->fd, .events = POLLIN};
	while (!atomic_load(&s->stage)) {
		if (poll(&ready, 1, 20) <= 0) {
			continue;
		}
		int fd = take(s);
		buf_clear(&s->received);
		if (read_head(s, fd)) {
			char method[16] = "", path[256] = "";
			sscanf(buf_cstr(&s->received), "%15s %255s", method, path);
			buf_printf(&requests, "%s %s\n", method, path);
			const char *text = page_text(path);
			if (text) {
				say(fd, text);
			}
			if (!text || stays_open) {
				char c;
				recv(fd, &c, 1, 0); /* until the client closes the connection */
			}
		}
		close(fd);
	}
	buf_finish(&s->received);
	s->received = requests;
}

static struct engine_identity *identify_so(
        struct engine_detection how, const struct page *list, const char *base, char **ret_requests)
{
	struct server s;
	pages = list;
	server_start(&s, serve_pages);
	char *url = xasprintf("http://127.0.0.1:%d%s", s.port, base), *error = NULL;
	struct call_line *c = call_line_create(&(struct call_line_settings){.url = url}, &error);
	cr_assert(c, "%s", error);
	struct engine_identity *i = engine_detect(c, &how);
	call_line_destroy(c);
	atomic_store(&s.stage, 1);
	server_stop(&s);
	*ret_requests = buf_steal(&s.received);
	free(url);
	return i;
}

static struct engine_identity *identify_pages(
        const struct page *list, const char *base, uint64_t timeout_ms, char **ret_requests)
{
	return identify_so(
	        (struct engine_detection){.timeout_ms = timeout_ms}, list, base, ret_requests);
}

static char *json_page(const char *body)
{
	return xasprintf(
	        JSON_HEAD "Content-Length: %zu\r\nConnection: close\r\n\r\n%s", strlen(body), body);
}

Test(engine_detection, asks_in_the_order_of_what_tells_most_and_each_path_once)
{
	static const char *const order[] = {"/v1/models", "/version", "/props", "/api/version",
	        "/api/v0/models", "/info", "/v1/status", "/openapi.json\n"};
	char *requests;
	struct engine_identity *i = identify_pages(NULL, "", 0, &requests);
	const char *at = requests;
	for (size_t k = 0; k < ARRAY_LEN(order); k++) {
		const char *found = strstr(requests, order[k]);
		cr_assert(found, "%s was not asked in\n%s", order[k], requests);
		cr_expect_geq(found, at, "%s came too early in\n%s", order[k], requests);
		at = found;
	}
	/* SGLang's /health generates; no sign needs it. */
	cr_expect_null(strstr(requests, "/health\n"), "%s", requests);
	for (const char *line = requests; *line; line = strchr(line, '\n') + 1) {
		cr_expect_eq(strncmp(line, "GET ", 4), 0, "%s", line);
		char *one = xstrndup(line, strcspn(line, "\n") + 1);
		cr_expect_null(strstr(line + 1, one), "asked twice: %s", one);
		free(one);
	}
	cr_expect_eq(i->dialect, &dialect_generic);
	cr_expect_eq(i->sure, SURE_NOT);
	cr_expect(i->reachable);
	engine_identity_destroy(i);
	free(requests);
}

Test(engine_detection, never_asks_what_generates_or_changes_something)
{
	static const char *const harmful[] = {"flush_cache", "terminate", "release_memory",
	        "slow_down", "health_generate", "generate", "sleep", "wakeup", "abort",
	        "load_model"};
	char *requests;
	engine_identity_destroy(identify_pages(NULL, "", 0, &requests));
	for (size_t k = 0; k < ARRAY_LEN(harmful); k++) {
		cr_expect_null(strstr(requests, harmful[k]), "%s in\n%s", harmful[k], requests);
	}
	free(requests);
}

Test(engine_detection, keeps_nothing_of_what_an_engine_says_that_a_terminal_would_obey)
{
	char *models = json_page(
	             "{\"data\":[{\"id\":\"m\\u001b]0;x\\u0007\",\"owned_by\":\"vllm\"}]}"),
	     *requests;
	char *version = json_page("{\"version\":\"0.9\\u001b[2J\\u009b\"}");
	struct engine_identity *i = identify_pages(
	        (struct page[]){{"/v1/models", models}, {"/version", version}, {NULL, NULL}}, "", 0,
	        &requests);
	cr_assert_eq(i->n_models, 1);
	cr_expect_str_eq(i->models[0], "m ]0;x ");
	cr_expect_str_eq(i->version, "0.9 [2J ");
	engine_identity_destroy(i);
	free(models);
	free(version);
	free(requests);
}

Test(engine_detection, asks_everything_below_a_base_path)
{
	char *models = json_page("{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\"}]}"), *requests;
	struct engine_identity *i =
	        identify_pages((struct page[]){{"/tenant/v1/models", models}, {NULL, NULL}},
	                "/tenant", 0, &requests);
	cr_expect_str_eq(i->dialect->name, "vllm");
	cr_expect_not_null(strstr(requests, "GET /tenant/version\n"), "%s", requests);
	cr_expect_null(strstr(requests, "GET /version"), "another engine may be at the root: %s",
	        requests);
	engine_identity_destroy(i);
	free(models);
	free(requests);
}

/* llama-cpp-python aborts a running stream when its models are requested. */
Test(engine_detection, an_engine_that_a_question_may_disturb_is_asked_one_that_does_not)
{
	char *models = json_page("{\"data\":[{\"id\":\"m\",\"owned_by\":\"me\"}]}");
	char *openapi = json_page("{\"info\":{\"title\":\"\xf0\x9f\xa6\x99 llama.cpp Python API\","
	                          "\"version\":\"0.3.36\"}}");
	const struct page there[] = {
	        {"/v1/models", models}, {"/openapi.json", openapi}, {NULL, NULL}};
	char *requests;
	struct engine_identity *i =
	        identify_so((struct engine_detection){.gently = true}, there, "", &requests);
	cr_expect_str_eq(requests, "GET /openapi.json\n");
	cr_expect_str_eq(i->dialect->name, "llama-cpp-python");
	cr_expect_str_eq(i->version, "0.3.36");
	cr_expect(i->spared && !i->n_models);
	engine_identity_destroy(i);
	free(requests);
	i = identify_so((struct engine_detection){0}, there, "", &requests);
	cr_expect(!i->spared && i->n_models == 1, "who asks for it gets all");
	engine_identity_destroy(i);
	free(requests);
	free(openapi);
	free(models);
}

Test(engine_detection, a_gentle_question_tells_as_much_of_all_other_engines)
{
	char *models = json_page("{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\"}]}");
	char *openapi = json_page("{\"info\":{\"title\":\"FastAPI\",\"version\":\"0.1.0\"}}"),
	     *requests;
	const struct page there[] = {
	        {"/v1/models", models}, {"/openapi.json", openapi}, {NULL, NULL}};
	struct engine_identity *i =
	        identify_so((struct engine_detection){.gently = true}, there, "", &requests);
	cr_expect_str_eq(i->dialect->name, "vllm");
	cr_expect(!i->spared && i->n_models == 1);
	static const char order[] = "GET /openapi.json\nGET /v1/models\nGET /version\n";
	cr_expect_eq(strncmp(requests, order, strlen(order)), 0, "%s", requests);
	char *first = strstr(requests, "/openapi.json");
	cr_expect_null(strstr(first + 1, "/openapi.json"), "%s", requests);
	engine_identity_destroy(i);
	free(requests);
	free(openapi);
	free(models);
}

Test(engine_detection, a_server_that_never_answers_ends_it_after_two_timeouts)
{
	char *requests;
	uint64_t start = clock_mono();
	any_path = (struct page){.path = "all"};
	struct engine_identity *i = identify_pages(NULL, "", PATIENCE, &requests);
	cr_expect_lt(clock_mono() - start, 2 * PATIENCE * MS + 20000 * MS);
	cr_expect_not(i->reachable);
	cr_expect_not_null(i->problem);
	cr_expect_not_null(strstr(i->problem, "no complete answer within"), "%s", i->problem);
	cr_expect_eq(i->n_responses, 2u, "%s", requests);
	engine_identity_destroy(i);
	free(requests);
}

Test(engine_detection, a_server_whose_answers_never_end_ends_it_after_two_timeouts_too)
{
	char *requests;
	uint64_t start = clock_mono();
	stays_open = true;
	any_path = (struct page){"all", JSON_HEAD "Content-Length: 12\r\n\r\n{\"data\":[]}"};
	struct engine_identity *i = identify_pages(NULL, "", PATIENCE, &requests);
	cr_expect_lt(clock_mono() - start, 2 * PATIENCE * MS + 20000 * MS);
	cr_expect(i->reachable && !engine_identity_any_complete(i));
	cr_expect_not_null(i->problem);
	cr_expect_not_null(strstr(i->problem, "no complete answer within"), "%s", i->problem);
	cr_expect_eq(i->n_responses, 2u, "%s", requests);
	engine_identity_destroy(i);
	free(requests);
}

Test(engine_detection, nobody_listening_is_said_after_one_try)
{
	struct server s = {0};
	server_bind(&s);
	char *url = xasprintf("http://127.0.0.1:%d", s.port), *error = NULL;
	struct call_line *c = call_line_create(&(struct call_line_settings){.url = url}, &error);
	struct engine_identity *i = engine_detect(c, &(struct engine_detection){0});
	cr_expect_not(i->reachable);
	cr_expect_eq(i->n_responses, 1u);
	cr_expect_not_null(strstr(i->problem, "connection refused"), "%s", i->problem);
	engine_identity_destroy(i);
	call_line_destroy(c);
	free(url);
	close(s.fd);
}

Test(engine_detection, the_same_page_everywhere_is_no_engine)
{
	static const char page[] =
	        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 28"
	        "\r\nConnection: close\r\n\r\n<!doctype html><p>Hello</p>\n";
	char *requests;
	any_path = (struct page){"all", page};
	struct engine_identity *i = identify_pages(NULL, "", 0, &requests);
	cr_expect(i->reachable);
	cr_expect_eq(i->dialect, &dialect_generic, "%s", i->dialect->name);
	cr_expect_eq(i->sure, SURE_NOT);
	engine_identity_destroy(i);
	free(requests);
}
