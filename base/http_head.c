#include "base/http_head.h"

#include <errno.h>
#include <string.h>
#include "base/ascii.h"
#include "base/grow.h"

#define METHOD_LIMIT 64
#define LENGTH_MAX ((uint64_t)INT64_MAX)

/* A summary of a head's fields. */
struct summary {
	unsigned hosts;
	unsigned lengths;
	unsigned codings;
	struct span coding;
	bool close;
	bool keep_alive;
	bool upgrade_named; /* Connection: upgrade */
	bool upgrade_field;
};

static int refuse(struct http_problem *ret_problem, int status, const char *text)
{
	*ret_problem = (struct http_problem){.status = status, .text = text};
	return -EPROTO;
}

static bool is_token_byte(unsigned char c)
{
	static const uint32_t set[8] = {0, 0x03ff6cfa, 0xc7fffffe, 0x57ffffff};
	return set[c >> 5] >> (c & 31) & 1;
}

static size_t token_length(struct span s)
{
	size_t n = 0;
	while (n < s.len && is_token_byte((unsigned char)s.data[n])) {
		n++;
	}
	return n;
}

static struct span trim(struct span s)
{
	while (s.len && is_blank(*s.data)) {
		s = span_from(s, 1);
	}
	while (s.len && is_blank(s.data[s.len - 1])) {
		s.len--;
	}
	return s;
}

/* Whether the text has a control byte other than HT. Bytes from 0x80 up are allowed: engines send
 * UTF-8 in values. */
static bool has_control(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.data[i];
		if ((c < 0x20 && c != '\t') || c == 0x7f) {
			return true;
		}
	}
	return false;
}

ssize_t http_section_end(
        const char *data, size_t len, size_t *line, struct http_problem *ret_problem)
{
	while (*line < len) {
		const char *lf = memchr(data + *line, '\n', len - *line);
		if (!lf) {
			return 0;
		}
		size_t at = (size_t)(lf - data);
		if (at == *line || data[at - 1] != '\r') {
			return refuse(ret_problem, 400, "A line ends with LF alone.");
		}
		if (at == *line + 1) {
			return (ssize_t)(at + 1);
		}
		*line = at + 1;
	}
	return 0;
}

/* Cuts the next line, without its CR LF, off the front of a section whose ends were checked. */
static struct span next_line(struct span *section)
{
	const char *lf = memchr(section->data, '\n', section->len);
	expect(lf && lf > section->data);
	size_t n = (size_t)(lf - section->data);
	struct span line = {section->data, n - 1};
	*section = span_from(*section, n + 1);
	return line;
}

static int parse_field(
        struct span line, struct http_fields *fields, struct http_problem *ret_problem)
{
	if (fields->n == HTTP_FIELDS_LIMIT) {
		return refuse(ret_problem, 431, "The head has too many fields.");
	}
	if (is_blank(*line.data)) {
		return refuse(ret_problem, 400, "A field is folded over several lines.");
	}
	size_t n = token_length(line);
	if (n == 0 || n == line.len || line.data[n] != ':') {
		return refuse(
		        ret_problem, 400, "A field's name is not a token followed by a colon.");
	}
	struct span value = trim(span_from(line, n + 1));
	if (has_control(value)) {
		return refuse(ret_problem, 400, "The value of a field has a control character.");
	}
	fields->items = grow(fields->items, fields->n, &fields->cap, sizeof(*fields->items));
	fields->items[fields->n++] = (struct http_field){.name = {line.data, n}, .value = value};
	return 0;
}

bool http_list_next(struct span *list, struct span *ret_element)
{
	if (!list->data) {
		return false;
	}
	const char *comma = list->len ? memchr(list->data, ',', list->len) : NULL;
	size_t n = comma ? (size_t)(comma - list->data) : list->len;
	*ret_element = trim((struct span){list->data, n});
	*list = comma ? span_from(*list, n + 1) : (struct span){0};
	return true;
}

static void read_connection(struct summary *summary, struct span value)
{
	struct span option;
	while (http_list_next(&value, &option)) {
		summary->close |= span_is_nocase(option, "close");
		summary->keep_alive |= span_is_nocase(option, "keep-alive");
		summary->upgrade_named |= span_is_nocase(option, "upgrade");
	}
}

static int parse_length(struct span value, uint64_t *ret_length, struct http_problem *ret_problem)
{
	uint64_t length = 0;
	for (size_t i = 0; i < value.len; i++) {
		if (!is_digit(value.data[i])) {
			return refuse(ret_problem, 400, "Content-Length is not a number.");
		}
		if (length > (LENGTH_MAX - 9) / 10) {
			return refuse(ret_problem, 413, "Content-Length is too large.");
		}
		length = length * 10 + (uint64_t)(value.data[i] - '0');
	}
	if (value.len == 0) {
		return refuse(ret_problem, 400, "Content-Length is empty.");
	}
	*ret_length = length;
	return 0;
}

/* Checks the characters of a host and port (reg-name, IPv4 or bracketed IPv6), not the meaning. */
static bool is_host(struct span value)
{
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.data[i];
		if (c <= ' ' || c >= 0x7f || strchr("/?#@\\\"<>^`{|}", c)) {
			return false;
		}
	}
	return true;
}

/* Checks and records the fields that determine framing, routing and the connection. They are
 * distinguished by length first. */
static int check_field(const struct http_field *field, enum http_parser_kind kind,
        struct http_head *head, struct summary *summary, struct http_problem *ret_problem)
{
	bool request = kind == HTTP_REQUEST;
	switch (field->name.len) {
	case 4:
		if (request && span_is_nocase(field->name, "host")) {
			summary->hosts++;
			if (!is_host(field->value)) {
				return refuse(
				        ret_problem, 400, "Host is not a host name and port.");
			}
		}
		break;
	case 6:
		if (request && span_is_nocase(field->name, "expect")) {
			if (!span_is_nocase(field->value, "100-continue")) {
				return refuse(
				        ret_problem, 417, "Only 100-continue may be expected.");
			}
			head->expects_continue = head->minor == 1;
		}
		break;
	case 7:
		summary->upgrade_field |= span_is_nocase(field->name, "upgrade");
		break;
	case 10:
		if (span_is_nocase(field->name, "connection")) {
			head->n_connection++;
			read_connection(summary, field->value);
		}
		break;
	case 14:
		if (span_is_nocase(field->name, "content-length")) {
			if (summary->lengths++) {
				return refuse(
				        ret_problem, 400, "There is more than one Content-Length.");
			}
			head->has_length = true;
			return parse_length(field->value, &head->length, ret_problem);
		}
		break;
	case 17:
		if (span_is_nocase(field->name, "transfer-encoding")) {
			summary->codings++;
			summary->coding = field->value;
		}
		break;
	default:
		break;
	}
	return 0;
}

/* A well-formed list with unsupported codings is 501. Anything that another parser could
 * interpret as chunked in a different way is 400. */
static int check_coding(struct span value, struct http_problem *ret_problem)
{
	if (span_is_nocase(value, "chunked")) {
		return 0;
	}
	bool chunked = false;
	struct span element;
	while (http_list_next(&value, &element)) {
		if (chunked || element.len == 0 || token_length(element) != element.len) {
			return refuse(ret_problem, 400, "Transfer-Encoding is ambiguous.");
		}
		chunked = span_is_nocase(element, "chunked");
	}
	return refuse(ret_problem, 501, "Only the transfer coding chunked is supported.");
}

static int decide_framing(enum http_parser_kind kind, struct http_head *head,
        const struct summary *summary, struct http_problem *ret_problem)
{
	bool response = kind == HTTP_RESPONSE;
	if (summary->codings > 1) {
		return refuse(ret_problem, 400, "There is more than one Transfer-Encoding.");
	}
	if (summary->codings && summary->lengths) {
		return refuse(ret_problem, 400,
		        "Transfer-Encoding and Content-Length exclude each other.");
	}
	if (summary->codings && head->minor == 0) {
		return refuse(ret_problem, 400, "HTTP/1.0 has no Transfer-Encoding.");
	}
	if (summary->codings && check_coding(summary->coding, ret_problem) < 0) {
		return -EPROTO;
	}
	if (response && (head->status < 200 || head->status == 204 || head->status == 304)) {
		head->framing = HTTP_NO_BODY;
	} else if (summary->codings) {
		head->framing = HTTP_CHUNKED;
	} else if (summary->lengths) {
		head->framing = HTTP_LENGTH;
	} else {
		head->framing = response ? HTTP_UNTIL_CLOSE : HTTP_NO_BODY;
	}
	return 0;
}

static int parse_version(struct span s, struct http_head *head, struct http_problem *ret_problem)
{
	if (s.len != 8 || memcmp(s.data, "HTTP/", 5) != 0 || !is_digit(s.data[5]) ||
	        s.data[6] != '.' || !is_digit(s.data[7])) {
		return refuse(ret_problem, 400, "The start line names no HTTP version.");
	}
	if (s.data[5] != '1' || s.data[7] > '1') {
		return refuse(ret_problem, 505, "Only HTTP/1.1 and HTTP/1.0 are supported.");
	}
	head->minor = s.data[7] - '0';
	return 0;
}

static int check_target(const struct http_head *head, struct http_problem *ret_problem)
{
	struct span target = head->target;
	if (span_is(head->method, "CONNECT")) {
		return refuse(ret_problem, 501, "CONNECT is not supported.");
	}
	bool star = span_is(target, "*") && span_is(head->method, "OPTIONS");
	if (!star && (target.len == 0 || *target.data != '/')) {
		return refuse(ret_problem, 400, "The request target does not begin with a slash.");
	}
	for (size_t i = 0; i < target.len; i++) {
		unsigned char c = (unsigned char)target.data[i];
		if (c <= ' ' || c >= 0x7f || c == '#') {
			return refuse(ret_problem, 400,
			        "The request target has a byte that must be escaped.");
		}
	}
	return 0;
}

static int parse_request_line(
        struct span line, struct http_head *head, struct http_problem *ret_problem)
{
	size_t n = token_length(line);
	if (n == 0 || n == line.len || line.data[n] != ' ') {
		return refuse(ret_problem, 400, "The request line does not begin with a method.");
	}
	if (n > METHOD_LIMIT) {
		return refuse(ret_problem, 501, "The method is not known.");
	}
	head->method = (struct span){line.data, n};
	struct span rest = span_from(line, n + 1);
	const char *space = memchr(rest.data, ' ', rest.len);
	if (!space) {
		return refuse(ret_problem, 400, "The start line names no HTTP version.");
	}
	head->target = (struct span){rest.data, (size_t)(space - rest.data)};
	int r = parse_version(span_from(rest, head->target.len + 1), head, ret_problem);
	return r < 0 ? r : check_target(head, ret_problem);
}

static int parse_status_line(
        struct span line, struct http_head *head, struct http_problem *ret_problem)
{
	int r = parse_version(
	        (struct span){line.data, MIN(line.len, (size_t)8)}, head, ret_problem);
	if (r < 0) {
		return r;
	}
	const char *s = line.data + 8;
	if (line.len < 12 || s[0] != ' ' || !is_digit(s[1]) || !is_digit(s[2]) || !is_digit(s[3]) ||
	        s[1] == '0') {
		return refuse(ret_problem, 400, "The status line has no status of three digits.");
	}
	head->status = (s[1] - '0') * 100 + (s[2] - '0') * 10 + (s[3] - '0');
	if (line.len > 12) {
		if (s[4] != ' ') {
			return refuse(
			        ret_problem, 400, "The status line has no status of three digits.");
		}
		head->reason = span_from(line, 13);
	}
	if (has_control(head->reason)) {
		return refuse(ret_problem, 400, "The status line holds a control character.");
	}
	return 0;
}

int http_head_parse(enum http_parser_kind kind, struct span raw, struct http_fields *fields,
        struct http_head *ret_head, struct http_problem *ret_problem)
{
	struct http_head head = {.raw = raw};
	struct summary summary = {0};
	struct span rest = {raw.data, raw.len - 2};
	fields->n = 0;
	struct span line = next_line(&rest);
	int r = kind == HTTP_REQUEST ? parse_request_line(line, &head, ret_problem)
	                             : parse_status_line(line, &head, ret_problem);
	while (r == 0 && rest.len) {
		r = parse_field(next_line(&rest), fields, ret_problem);
		if (r == 0) {
			r = check_field(
			        &fields->items[fields->n - 1], kind, &head, &summary, ret_problem);
		}
	}
	if (r == 0) {
		r = decide_framing(kind, &head, &summary, ret_problem);
	}
	if (r < 0) {
		return r;
	}
	if (kind == HTTP_REQUEST &&
	        (summary.hosts > 1 || (head.minor == 1 && summary.hosts == 0))) {
		return refuse(ret_problem, 400, "A request must have exactly one Host field.");
	}
	head.keep_alive = !summary.close && (head.minor == 1 || summary.keep_alive);
	head.upgrade = summary.upgrade_field && summary.upgrade_named;
	head.fields = fields->items;
	head.n_fields = fields->n;
	*ret_head = head;
	return 0;
}

int http_trailers_check(
        struct span raw, struct http_fields *fields, struct http_problem *ret_problem)
{
	static const char *const forbidden[] = {"content-length", "transfer-encoding", "host"};
	struct span rest = {raw.data, raw.len - 2};
	fields->n = 0;
	while (rest.len) {
		int r = parse_field(next_line(&rest), fields, ret_problem);
		if (r < 0) {
			return r;
		}
		for (size_t i = 0; i < ARRAY_LEN(forbidden); i++) {
			if (span_is_nocase(fields->items[fields->n - 1].name, forbidden[i])) {
				return refuse(
				        ret_problem, 400, "A trailer tries to frame the message.");
			}
		}
	}
	return 0;
}
