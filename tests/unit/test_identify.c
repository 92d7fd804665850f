#include "backends/identify.h"

#include <poll.h>

#include "upstream_bench.h"

#define JSON_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define NOT_FOUND                                                                                  \
	"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n"              \
	"Connection: close\r\n\r\nnot found"

/* Paths and what is said at each; what is not listed is a 404. NULL text: no answer at all. */
struct page {
	const char *path, *text;
};
static const struct page *pages;
static struct page everywhere; /* with a text: for all paths */

static const char *page_text(const char *path)
{
	if (everywhere.path) {
		return everywhere.text;
	}
	for (const struct page *p = pages; p && p->path; p++) {
		if (strcmp(p->path, path) == 0) {
			return p->text;
		}
	}
	return NOT_FOUND;
}

/* One request a connection; "METHOD path\n" of each into seen. */
static void serve_pages(struct server *s)
{
	struct buf asked = {0};
	struct pollfd ready = {.fd = s->fd, .events = POLLIN};
	while (!atomic_load(&s->stage)) {
		if (poll(&ready, 1, 20) <= 0) {
			continue;
		}
		int fd = take(s);
		buf_clear(&s->seen);
		if (read_head(s, fd)) {
			char method[16] = "", path[256] = "";
			sscanf(buf_cstr(&s->seen), "%15s %255s", method, path);
			buf_printf(&asked, "%s %s\n", method, path);
			const char *text = page_text(path);
			if (text) {
				say(fd, text);
			} else {
				char c;
				recv(fd, &c, 1, 0); /* until the client has had enough */
			}
		}
		close(fd);
	}
	buf_finish(&s->seen);
	s->seen = asked;
}

typedef struct identity *identify_fn(struct call_line *c, uint64_t timeout_ms);

static struct identity *identify_so(identify_fn *how, const struct page *list, const char *base,
        uint64_t timeout_ms, char **ret_asked)
{
	struct server s;
	pages = list;
	server_start(&s, serve_pages);
	char *url = xasprintf("http://127.0.0.1:%d%s", s.port, base), *error = NULL;
	struct call_line *c = call_line_create(&(struct call_line_settings){.url = url}, &error);
	cr_assert(c, "%s", error);
	struct identity *i = how(c, timeout_ms);
	call_line_destroy(c);
	atomic_store(&s.stage, 1);
	server_stop(&s);
	*ret_asked = buf_steal(&s.seen);
	free(url);
	return i;
}

static struct identity *identify_pages(
        const struct page *list, const char *base, uint64_t timeout_ms, char **ret_asked)
{
	return identify_so(identify, list, base, timeout_ms, ret_asked);
}

static char *json_page(const char *body)
{
	return xasprintf(
	        JSON_HEAD "Content-Length: %zu\r\nConnection: close\r\n\r\n%s", strlen(body), body);
}

static void told(
        struct identity *i, const char *path, int status, const char *head, const char *body)
{
	identity_add(i, (struct seen){.path = xstrdup(path),
	                        .end = CALL_DONE,
	                        .status = status,
	                        .head = xstrdup(head),
	                        .body = body ? xstrdup(body) : NULL});
}

/* A recorded answer: status, head and body as the engine sent them. */
static void told_golden(struct identity *i, const char *engine, const char *name)
{
	struct buf text = {0};
	char *file = xasprintf("%s/%s/%s.response", getenv("GOLDEN_DIR"), engine, name), path[256];
	FILE *f = fopen(file, "rb");
	cr_assert_not_null(f, "%s", file);
	char piece[4096];
	for (size_t n; (n = fread(piece, 1, sizeof(piece), f)) > 0;) {
		buf_append(&text, piece, n);
	}
	fclose(f);
	char *request = xasprintf("%s/%s/%s.request", getenv("GOLDEN_DIR"), engine, name);
	f = fopen(request, "rb");
	cr_assert_not_null(f, "%s", request);
	cr_assert_eq(fscanf(f, "GET %255s", path), 1, "%s is no GET", request);
	fclose(f);
	char *all = buf_steal(&text), *end = strstr(all, "\r\n\r\n"), *first = strchr(all, '\n');
	cr_assert(end && first, "%s", file);
	struct buf head = {0};
	for (const char *p = first + 1; p < end + 2; p++) {
		if (*p != '\r') {
			buf_append_char(&head, *p);
		}
	}
	told(i, path, (int)strtol(all + 9, NULL, 10), buf_cstr(&head), end + 4);
	buf_finish(&head);
	free(request);
	free(file);
	free(all);
}

static bool has_evidence(const struct identity *i, const char *words)
{
	for (size_t k = 0; k < i->n_evidence; k++) {
		if (i->evidence[k].dialect == i->dialect && strstr(i->evidence[k].text, words)) {
			return true;
		}
	}
	return false;
}

Test(identify, asks_in_the_order_of_what_tells_most_and_each_path_once)
{
	static const char *const order[] = {"/v1/models", "/version", "/props", "/api/version",
	        "/api/v0/models", "/info", "/v1/status", "/openapi.json\n"};
	char *asked;
	struct identity *i = identify_pages(NULL, "", 0, &asked);
	const char *at = asked;
	for (size_t k = 0; k < ARRAY_LEN(order); k++) {
		const char *found = strstr(asked, order[k]);
		cr_assert(found, "%s was not asked in\n%s", order[k], asked);
		cr_expect_geq(found, at, "%s came too early in\n%s", order[k], asked);
		at = found;
	}
	/* SGLang's /health generates; no sign needs it. */
	cr_expect_null(strstr(asked, "/health\n"), "%s", asked);
	for (const char *line = asked; *line; line = strchr(line, '\n') + 1) {
		cr_expect_eq(strncmp(line, "GET ", 4), 0, "%s", line);
		char *one = xstrndup(line, strcspn(line, "\n") + 1);
		cr_expect_null(strstr(line + 1, one), "asked twice: %s", one);
		free(one);
	}
	cr_expect_eq(i->dialect, &dialect_generic);
	cr_expect_eq(i->sure, SURE_NOT);
	cr_expect(i->reachable);
	identity_destroy(i);
	free(asked);
}

Test(identify, never_asks_what_generates_or_changes_something)
{
	static const char *const harmful[] = {"flush_cache", "terminate", "release_memory",
	        "slow_down", "health_generate", "generate", "sleep", "wakeup", "abort",
	        "load_model"};
	char *asked;
	identity_destroy(identify_pages(NULL, "", 0, &asked));
	for (size_t k = 0; k < ARRAY_LEN(harmful); k++) {
		cr_expect_null(strstr(asked, harmful[k]), "%s in\n%s", harmful[k], asked);
	}
	free(asked);
}

Test(identify, keeps_nothing_of_what_an_engine_says_that_a_terminal_would_obey)
{
	char *models = json_page(
	             "{\"data\":[{\"id\":\"m\\u001b]0;x\\u0007\",\"owned_by\":\"vllm\"}]}"),
	     *asked;
	char *version = json_page("{\"version\":\"0.9\\u001b[2J\\u009b\"}");
	struct identity *i = identify_pages(
	        (struct page[]){{"/v1/models", models}, {"/version", version}, {NULL, NULL}}, "", 0,
	        &asked);
	cr_assert_eq(i->n_models, 1);
	cr_expect_str_eq(i->models[0], "m ]0;x ");
	cr_expect_str_eq(i->version, "0.9 [2J ");
	identity_destroy(i);
	free(models);
	free(version);
	free(asked);
}

Test(identify, asks_below_a_base_path_for_models_alone)
{
	char *models = json_page("{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\"}]}"), *asked;
	struct identity *i = identify_pages(
	        (struct page[]){{"/tenant/v1/models", models}, {NULL, NULL}}, "/tenant", 0, &asked);
	cr_expect_str_eq(i->dialect->name, "vllm");
	cr_expect_not_null(strstr(asked, "GET /version\n"), "%s", asked);
	cr_expect_null(strstr(asked, "/tenant/version"), "%s", asked);
	identity_destroy(i);
	free(models);
	free(asked);
}

/* llama-cpp-python breaks off a running stream when it is asked for its models. */
Test(identify, an_engine_that_a_question_may_disturb_is_asked_one_that_does_not)
{
	char *models = json_page("{\"data\":[{\"id\":\"m\",\"owned_by\":\"me\"}]}");
	char *openapi = json_page("{\"info\":{\"title\":\"\xf0\x9f\xa6\x99 llama.cpp Python API\","
	                          "\"version\":\"0.3.36\"}}");
	const struct page there[] = {
	        {"/v1/models", models}, {"/openapi.json", openapi}, {NULL, NULL}};
	char *asked;
	struct identity *i = identify_so(identify_gently, there, "", 0, &asked);
	cr_expect_str_eq(asked, "GET /openapi.json\n");
	cr_expect_str_eq(i->dialect->name, "llama-cpp-python");
	cr_expect_str_eq(i->version, "0.3.36");
	cr_expect(i->spared && !i->n_models);
	identity_destroy(i);
	free(asked);
	i = identify_so(identify, there, "", 0, &asked);
	cr_expect(!i->spared && i->n_models == 1, "who asks for it gets all");
	identity_destroy(i);
	free(asked);
	free(openapi);
	free(models);
}

Test(identify, a_gentle_question_tells_as_much_of_all_other_engines)
{
	char *models = json_page("{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\"}]}");
	char *openapi = json_page("{\"info\":{\"title\":\"FastAPI\",\"version\":\"0.1.0\"}}"),
	     *asked;
	const struct page there[] = {
	        {"/v1/models", models}, {"/openapi.json", openapi}, {NULL, NULL}};
	struct identity *i = identify_so(identify_gently, there, "", 0, &asked);
	cr_expect_str_eq(i->dialect->name, "vllm");
	cr_expect(!i->spared && i->n_models == 1);
	static const char order[] = "GET /openapi.json\nGET /v1/models\nGET /version\n";
	cr_expect_eq(strncmp(asked, order, strlen(order)), 0, "%s", asked);
	char *first = strstr(asked, "/openapi.json");
	cr_expect_null(strstr(first + 1, "/openapi.json"), "%s", asked);
	identity_destroy(i);
	free(asked);
	free(openapi);
	free(models);
}

Test(identify, names_each_recorded_engine_with_its_version_and_models)
{
	static const struct {
		const char *directory, *name, *version, *model, *evidence;
	} engines[] = {
	        {"vllm-0.32.0", "vllm", "0.32.0+cpu", "g", "owned_by: vllm"},
	        {"llama-cpp-python-0.3.36", "llama-cpp-python", NULL, "gemma.gguf", "owned_by: me"},
	        {"transformers-5.19.0", "transformers", NULL, NULL, "x-request-id"},
	        {"mlx-lm-0.32.2", "mlx-lm", NULL, NULL, "BaseHTTP"},
	        {"ollama-0.17.4", "ollama", NULL, "g:latest", "owned_by: library"},
	};
	static const char *const names[] = {"models", "version", "props"};
	for (size_t e = 0; e < ARRAY_LEN(engines); e++) {
		struct identity *i = identity_create();
		for (size_t n = 0; n < ARRAY_LEN(names); n++) {
			told_golden(i, engines[e].directory, names[n]);
		}
		identity_conclude(i);
		cr_expect_str_eq(i->dialect->name, engines[e].name, "%s", i->dialect->name);
		cr_expect_geq(i->sure, SURE_WEAK, "%s", engines[e].name);
		cr_expect(has_evidence(i, engines[e].evidence), "%s", engines[e].name);
		if (engines[e].version) {
			cr_expect(i->version && strncmp(i->version, engines[e].version, 6) == 0,
			        "%s: %s", engines[e].name, i->version ? i->version : "none");
		}
		if (engines[e].model) {
			cr_assert_geq(i->n_models, 1u, "%s", engines[e].name);
			cr_expect_str_eq(i->models[0], engines[e].model);
		}
		identity_destroy(i);
	}
}

Test(identify, knows_a_model_by_each_name_that_its_engine_takes_for_it)
{
	static const char *const engines[] = {"ollama-0.17.4", "vllm-0.32.0"};
	for (size_t e = 0; e < ARRAY_LEN(engines); e++) {
		struct identity *i = identity_create();
		told_golden(i, engines[e], "models");
		identity_conclude(i);
		cr_expect(identity_lists(i, "g"));
		cr_expect_eq(identity_lists(i, "g:latest"), e == 0, "a tag is Ollama's");
		cr_expect_not(identity_lists(i, "g:lat"));
		cr_expect_not(identity_lists(i, ""));
		cr_expect_not(identity_lists(i, "ge"));
		identity_destroy(i);
	}
}

Test(identify, tells_how_sure_it_is_by_weight_and_by_the_next)
{
	/* A weak sign alone. */
	struct identity *i = identity_create();
	told(i, "/version", 200, "Server: uvicorn\n", "{\"release\":1}");
	identity_conclude(i);
	cr_expect_eq(i->sure, SURE_WEAK);
	cr_expect_eq(i->score, SIGN_WEAK);
	identity_destroy(i);
	/* A strong one. */
	i = identity_create();
	told(i, "/model_info", 200, "", "{\"is_generation\":true}");
	identity_conclude(i);
	cr_expect_str_eq(i->dialect->name, "sglang");
	cr_expect_eq(i->sure, SURE_LIKELY);
	cr_expect_eq(i->score, SIGN_STRONG);
	identity_destroy(i);
	/* Two engines at one address: whichever came first is no answer. */
	i = identity_create();
	told(i, "v1/models", 200, "", "{\"data\":[{\"id\":\"m\",\"owned_by\":\"sglang\"}]}");
	told(i, "/props", 200, "", "{\"build_info\":\"b1\"}");
	identity_conclude(i);
	cr_expect_eq(i->dialect, &dialect_generic);
	cr_expect_eq(i->sure, SURE_NOT);
	cr_expect_geq(i->n_evidence, 2u);
	identity_destroy(i);
}

Test(identify, sets_evidence_of_the_engine_before_that_against_it)
{
	struct identity *i = identity_create();
	told(i, "/version", 200, "Server: uvicorn\n", "{\"version\":\"0.9\"}");
	told(i, "/v1/models", 200, "", "{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\"}]}");
	identity_conclude(i);
	cr_expect_str_eq(i->dialect->name, "vllm");
	cr_expect_str_eq(i->version, "0.9");
	bool other = false;
	for (size_t k = 0; k < i->n_evidence; k++) {
		bool own = i->evidence[k].dialect == i->dialect;
		cr_expect_not(own && other, "%s", i->evidence[k].text);
		other |= !own;
	}
	cr_expect(other, "TensorRT-LLM has /version, too");
	identity_destroy(i);
}

Test(identify, a_server_that_never_answers_ends_it_after_two_timeouts)
{
	char *asked;
	uint64_t start = clock_mono();
	everywhere = (struct page){.path = "all"};
	struct identity *i = identify_pages(NULL, "", 100, &asked);
	cr_expect_lt(clock_mono() - start, 2000 * MS);
	cr_expect_not(i->reachable);
	cr_expect_not_null(i->problem);
	cr_expect_not_null(strstr(i->problem, "no whole answer within"), "%s", i->problem);
	cr_expect_eq(i->n_seen, 2u, "%s", asked);
	identity_destroy(i);
	free(asked);
}

Test(identify, nobody_listening_is_said_after_one_try)
{
	struct server s = {0};
	server_listen(&s);
	close(s.fd);
	char *url = xasprintf("http://127.0.0.1:%d", s.port), *error = NULL;
	struct call_line *c = call_line_create(&(struct call_line_settings){.url = url}, &error);
	struct identity *i = identify(c, 0);
	cr_expect_not(i->reachable);
	cr_expect_eq(i->n_seen, 1u);
	cr_expect_not_null(strstr(i->problem, "no connection"), "%s", i->problem);
	identity_destroy(i);
	call_line_destroy(c);
	free(url);
}

Test(identify, a_missing_key_and_a_redirect_are_named)
{
	struct identity *i = identity_create();
	told(i, "v1/models", 401, "", "{\"error\":\"no key\"}");
	identity_conclude(i);
	cr_assert_not_null(i->problem);
	cr_expect_not_null(strstr(i->problem, "API key"), "%s", i->problem);
	identity_destroy(i);
	i = identity_create();
	told(i, "v1/models", 301, "Location: https://elsewhere.example/v1/models\n", "");
	identity_conclude(i);
	cr_assert_not_null(i->problem);
	cr_expect_not_null(strstr(i->problem, "elsewhere.example"), "%s", i->problem);
	identity_destroy(i);
}

Test(identify, a_gateway_is_named_beside_the_engine)
{
	struct identity *i = identity_create();
	told(i, "v1/models", 200, "Server: nginx/1.22\n",
	        "{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\"}]}");
	identity_conclude(i);
	cr_expect_str_eq(i->dialect->name, "vllm");
	cr_assert_not_null(i->gateway);
	cr_expect_str_eq(i->gateway, "nginx");
	identity_destroy(i);
}

/* A web application that answers every path with its one page is no engine. */
Test(identify, the_same_page_everywhere_is_no_engine)
{
	static const char page[] =
	        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 28"
	        "\r\nConnection: close\r\n\r\n<!doctype html><p>Hello</p>\n";
	char *asked;
	everywhere = (struct page){"all", page};
	struct identity *i = identify_pages(NULL, "", 0, &asked);
	cr_expect(i->reachable);
	cr_expect_eq(i->dialect, &dialect_generic, "%s", i->dialect->name);
	cr_expect_eq(i->sure, SURE_NOT);
	identity_destroy(i);
	free(asked);
}

Test(identify, what_is_no_json_or_too_deep_or_of_other_types_tells_nothing)
{
	struct buf deep = {0};
	for (int k = 0; k < 100000; k++) {
		buf_append_char(&deep, '[');
	}
	const char *const bodies[] = {"", "{", "null", "[]", "[{}]", "{\"data\":7}",
	        "{\"data\":[]}", "{\"data\":[null]}", "{\"data\":[{\"owned_by\":7}]}", "\xff\xfe{}",
	        buf_cstr(&deep)};
	for (size_t k = 0; k < ARRAY_LEN(bodies); k++) {
		struct identity *i = identity_create();
		told(i, "v1/models", 200, "", bodies[k]);
		told(i, "/version", 200, "", bodies[k]);
		told(i, "/props", 200, "", bodies[k]);
		identity_conclude(i);
		cr_expect_leq(i->sure, SURE_WEAK, "%.30s: %s", bodies[k], i->dialect->name);
		cr_expect_null(i->version);
		identity_destroy(i);
	}
	buf_finish(&deep);
}

Test(identify, a_thousand_models_are_not_all_kept)
{
	struct buf body = {0};
	buf_append_str(&body, "{\"data\":[");
	for (int k = 0; k < 1000; k++) {
		buf_printf(&body, "%s{\"id\":\"m%d\"}", k ? "," : "", k);
	}
	buf_append_str(&body, "]}");
	struct identity *i = identity_create();
	told(i, "v1/models", 200, "", buf_cstr(&body));
	identity_conclude(i);
	cr_expect_eq(i->n_models, 256u);
	cr_expect_str_eq(i->models[255], "m255");
	identity_destroy(i);
	buf_finish(&body);
}
