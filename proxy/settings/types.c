#include "proxy/settings/types.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/authority.h"
#include "base/environment.h"
#include "base/mem.h"
#include "capture/privacy/privacy.h"

#define NAME_LIMIT 64
#define POLL_MIN UINT64_C(1000000000)

/* Addresses. */

static char *parse_address(const char *text, const char *any_host, int line, struct address *to)
{
	char *host;
	char *problem = authority_read_listen(text, any_host, &host, &to->port);
	if (problem) {
		return problem;
	}
	setting_replace(&to->text, text);
	free(to->host);
	to->host = host;
	to->line = line;
	return NULL;
}

static char *parse_listen(const char *text, int line, void *to)
{
	return parse_address(text, "0.0.0.0", line, to);
}

static char *parse_admin(const char *text, int line, void *to)
{
	return parse_address(text, "127.0.0.1", line, to);
}

static void write_address(struct json_writer *w, const char *key, const void *from)
{
	json_writer_text(w, key, ((const struct address *)from)->text);
}

static void finish_address(void *at)
{
	struct address *a = at;
	free(a->text);
	free(a->host);
}

static bool keep_address(void *to, const void *now)
{
	struct address *a = to;
	const struct address *b = now;
	bool same = same_text(a->text, b->text);
	setting_replace(&a->text, b->text);
	setting_replace(&a->host, b->host);
	a->port = b->port;
	return !same;
}

const struct setting_type setting_listen = {
        .parse = parse_listen,
        .write = write_address,
        .finish = finish_address,
        .keep = keep_address,
};

const struct setting_type setting_admin = {
        .parse = parse_admin,
        .write = write_address,
        .finish = finish_address,
        .keep = keep_address,
};

/* Values that may be off. */

static char *parse_poll(const char *text, int line, void *to)
{
	uint64_t poll = 0;
	if (strcmp(text, "off") != 0 && (!conf_parse_duration(text, &poll) || poll < POLL_MIN)) {
		return xstrdup("must be off, or a time of a second and more, like 10m");
	}
	*(uint64_t *)to = poll;
	return NULL;
}

static void write_poll(struct json_writer *w, const char *key, const void *from)
{
	uint64_t poll = *(const uint64_t *)from;
	if (poll) {
		json_writer_number(w, key, (double)poll / 1e9);
	} else {
		json_writer_text(w, key, "off");
	}
}

const struct setting_type setting_poll = {.parse = parse_poll, .write = write_poll};

static char *parse_slowdown(const char *text, int line, void *to)
{
	double value = -1;
	if (strcmp(text, "off") != 0 && (!conf_parse_decimal(text, &value) || value < 0)) {
		return xstrdup("must be off, or a number that is not negative, like 0.1");
	}
	*(double *)to = value;
	return NULL;
}

static void write_slowdown(struct json_writer *w, const char *key, const void *from)
{
	double slowdown = *(const double *)from;
	if (slowdown < 0) {
		json_writer_text(w, key, "off");
	} else {
		json_writer_number(w, key, slowdown);
	}
}

const struct setting_type setting_slowdown = {.parse = parse_slowdown, .write = write_slowdown};

/* What is replaced before it is recorded. */

static unsigned read_secrets(struct conf *y, const struct conf_node *n)
{
	if (!setting_is_list(y, n, "kinds of secrets")) {
		return SECRETS_ALL;
	}
	const char *words[N_SECRETS + 1] = {NULL};
	for (int i = 0; i < N_SECRETS; i++) {
		words[i] = secret_name((enum secret)i);
	}
	unsigned secrets = 0;
	for (size_t i = 0; i < conf_size(n); i++) {
		secrets |= 1u << conf_choice(y, conf_item(n, i), words, 0);
	}
	return secrets;
}

typedef char *(*add_fn)(struct redact_policy *p, const char *text);

static size_t read_rules(struct conf *y, const struct conf_node *n, struct privacy_settings *to,
        const char *what, add_fn add)
{
	if (!setting_is_list(y, n, what)) {
		return 0;
	}
	for (size_t i = 0; i < conf_size(n); i++) {
		const struct conf_node *item = conf_item(n, i);
		const char *text = conf_string(y, item, NULL);
		char *problem = text ? add(to->policy, text) : NULL;
		char *source = xasprintf("%s\n%s", to->source ? to->source : "", text ? text : "");
		free(to->source);
		to->source = source;
		setting_fail(y, item, problem);
	}
	return conf_size(n);
}

static void read_redact(struct conf *y, const struct conf_node *n, void *to)
{
	struct privacy_settings *p = to;
	p->secrets = read_secrets(y, conf_get(y, n, "secrets"));
	p->policy = redact_policy_create(p->secrets);
	p->n_patterns =
	        read_rules(y, conf_get(y, n, "patterns"), p, "patterns", redact_policy_add_pattern);
	p->n_members =
	        read_rules(y, conf_get(y, n, "members"), p, "members", redact_policy_add_member);
	conf_check_keys(y, n);
}

static void write_redact(struct json_writer *w, const char *key, const void *from)
{
	const struct privacy_settings *p = from;
	json_writer_open(w, key, '{');
	json_writer_open(w, "secrets", '[');
	for (int i = 0; i < N_SECRETS; i++) {
		if (p->secrets & 1u << i) {
			json_writer_text(w, NULL, secret_name((enum secret)i));
		}
	}
	json_writer_close(w, "]");
	json_writer_count(w, "patterns", p->n_patterns);
	json_writer_count(w, "members", p->n_members);
	json_writer_close(w, "}");
}

static void finish_redact(void *at)
{
	struct privacy_settings *p = at;
	redact_policy_unref(p->policy);
	free(p->source);
}

static bool keep_redact(void *to, const void *now)
{
	struct privacy_settings *p = to;
	const struct privacy_settings *q = now;
	if (p->secrets == q->secrets && p->n_patterns == q->n_patterns &&
	        p->n_members == q->n_members && same_text(p->source, q->source)) {
		return false;
	}
	redact_policy_unref(p->policy);
	p->secrets = q->secrets;
	p->n_patterns = q->n_patterns;
	p->n_members = q->n_members;
	p->policy = redact_policy_ref(q->policy);
	setting_replace(&p->source, q->source);
	return true;
}

const struct setting_type setting_redact = {
        .read = read_redact,
        .write = write_redact,
        .finish = finish_redact,
        .keep = keep_redact,
};

/* Texts. */

char *setting_check_name(const char *text)
{
	size_t len = strlen(text);
	if (len == 0 || len > NAME_LIMIT) {
		return xstrdup("a name has 1 to 64 characters");
	}
	for (const char *p = text; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p)) {
			return xstrdup("a name is made of letters, digits, '.', '_' and '-'");
		}
	}
	if (strcmp(text, "exchanges") == 0) {
		return xstrdup("the metrics use the name exchanges; choose another");
	}
	return NULL;
}

char *setting_check_file(const char *text)
{
	return access(text, R_OK) < 0 ? xasprintf("can't be read: %s", strerror(errno)) : NULL;
}

/* "capture: no" is meant to switch the capture off, not to name the directory "no". */
char *setting_check_directory(const char *text)
{
	static const char *const SWITCHES[] = {
	        "no", "off", "false", "none", "null", "~", "yes", "on", "true"};
	for (size_t i = 0; i < ARRAY_LEN(SWITCHES); i++) {
		if (strcasecmp(text, SWITCHES[i]) == 0) {
			return xasprintf("\"%s\" is no directory; to record nothing, leave "
			                 "capture out (./%s is a directory of this name)",
			        text, text);
		}
	}
	return *text ? NULL : xstrdup("must name a directory");
}

char *setting_check_header(const char *text)
{
	if (!*text || strpbrk(text, " \t\r\n:")) {
		return xstrdup("is not the name of a header");
	}
	return privacy_is_credential(span_of(text))
	               ? xasprintf("%s carries a secret and is never recorded", text)
	               : NULL;
}

char *setting_check_variable(const char *text)
{
	const char *value;
	return environment_read(text, &value);
}

char *setting_check_hash_key(const char *text)
{
	const char *value = NULL;
	char *problem = environment_read(text, &value);
	if (value && (strlen(value) != 64 || strspn(value, "0123456789abcdefABCDEF") != 64)) {
		return xstrdup("the variable must hold 64 hexadecimal digits");
	}
	return problem;
}

char *setting_check_route(const char *text)
{
	return *text == '/' && text[1]
	               ? NULL
	               : xstrdup("must begin with a slash and name a path, like /v1/embeddings");
}

char *setting_check_model(const char *text)
{
	const char *star = strchr(text, '*');
	return *text && !(star && star[1])
	               ? NULL
	               : xstrdup("must be a model's name, or its beginning and a *");
}
