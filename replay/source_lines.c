/*
 * source_lines - requests out of a file with one a line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "replay/source_kind.h"

#define LINE_LIMIT ((size_t)64 << 20)

/* A line, read. Spans are of the line. */
struct request_line {
	struct span body;
	char *target;
	enum endpoint endpoint;
};

/* False: the end, or an error of reading. */
static bool next_line(struct source *s, struct span *ret)
{
	ssize_t n = getline(&s->line, &s->line_room, s->file);
	if (n < 0) {
		return false;
	}
	while (n > 0 && strchr(" \t\r\n", s->line[n - 1])) {
		n--;
	}
	*ret = (struct span){s->line, (size_t)n};
	return true;
}

static bool has_member(struct span body, const char *name)
{
	struct json_token value;
	return json_find(body, &name, 1, &value, NULL);
}

static char *member_text(struct span line, const char *name)
{
	struct json_token value;
	bool found = json_find(line, &name, 1, &value, NULL) && value.type == JSON_STRING;
	return found ? json_dup(&value) : NULL;
}

/* NULL, or what is wrong with it. */
static const char *read_line(struct span line, struct request_line *ret)
{
	static const char *const BODY[] = {"body"};
	struct json_token value;
	struct request_line l = {.body = line};
	if (line.len > LINE_LIMIT) {
		return "a line of more than 64 MiB";
	}
	bool wrapped = json_find(line, BODY, 1, &value, &l.body) && value.type == JSON_OBJECT;
	l.body = wrapped ? l.body : line;
	l.target = wrapped ? member_text(line, "url") : NULL;
	if (!l.target && has_member(l.body, "messages")) {
		l.target = xstrdup("/v1/chat/completions");
	} else if (!l.target && has_member(l.body, "prompt")) {
		l.target = xstrdup("/v1/completions");
	} else if (!l.target) {
		return "neither a JSON object with messages or a prompt, nor a batch request";
	}
	l.endpoint = endpoint_of(SPAN("POST"), span_of(l.target));
	if (!endpoint_is_openai(l.endpoint) || *l.target != '/') {
		free(l.target);
		return "its url is neither a chat's nor a completion's";
	}
	*ret = l;
	return NULL;
}

/* Sorts by line; the same line of the same file is the same exchange. */
static struct id id_of(uint64_t number, struct span line)
{
	struct id id;
	XXH128_hash_t hash = XXH3_128bits(line.data, line.len);
	memcpy(id.bytes, &hash, sizeof(id.bytes));
	for (int i = 0; i < 6; i++) {
		id.bytes[i] = (uint8_t)(number >> (40 - 8 * i));
	}
	id.bytes[6] = (uint8_t)((id.bytes[6] & 0x0f) | 0x80); /* version 8: our own */
	id.bytes[8] = (uint8_t)((id.bytes[8] & 0x3f) | 0x80);
	return id;
}

static void tell_unfit(
        const struct source *s, struct source_scan *scan, uint64_t number, const char *why)
{
	char *text = xasprintf("%s:%llu: %s", s->path, (unsigned long long)number, why);
	reasons_add(scan->unfit, text);
	free(text);
}

static const char *consider_line(struct source *s, struct source_scan *scan, struct span line,
        uint64_t at, uint64_t number, bool *ret_room)
{
	struct request_line l;
	struct request_facts facts;
	struct request_hashes hashes;
	const char *why = read_line(line, &l);
	if (why) {
		return why;
	}
	request_read(l.endpoint, l.body, &facts);
	free(l.target);
	if (!facts.is_json || !request_hash(l.endpoint, l.body, s->hash_key, &hashes)) {
		return "its body is not one JSON object";
	}
	if (facts.stateful) {
		return "it refers to what the engine had stored";
	}
	struct plan_request request = {
	        .exchange = id_of(number, line),
	        .at = at,
	        .bytes = l.body.len,
	};
	memcpy(request.chain, hashes.chain, REQUEST_HASH_SIZE);
	memcpy(request.parent, hashes.parent, REQUEST_HASH_SIZE);
	const struct filter_request chosen = {
	        .exchange = request.exchange,
	        .model = facts.model,
	        .endpoint = l.endpoint,
	        .stream = facts.stream,
	        .tools = facts.has_tools,
	        .session = hashes.session,
	};
	*ret_room = source_consider(scan, &chosen, &request);
	return NULL;
}

int source_scan_lines(struct source *s, struct source_scan *scan)
{
	struct span line;
	bool room = true;
	rewind(s->file);
	off_t at = 0;
	for (uint64_t number = 1; room && next_line(s, &line); number++, at = ftello(s->file)) {
		if (line.len == 0) {
			continue;
		}
		scan->found++;
		const char *why = consider_line(s, scan, line, (uint64_t)at, number, &room);
		if (why) {
			tell_unfit(s, scan, number, why);
		}
	}
	if (ferror(s->file)) {
		return -EIO;
	}
	return room ? 0 : -E2BIG;
}

const char *source_load_line(
        struct source *s, const struct plan_request *r, struct source_body *ret)
{
	struct span line;
	struct request_line l;
	if (fseeko(s->file, (off_t)r->at, SEEK_SET) < 0 || !next_line(s, &line) ||
	        read_line(line, &l) != NULL) {
		return "the file has changed meanwhile";
	}
	struct source_body b = {
	        .endpoint = l.endpoint,
	        .target = l.target,
	        .from = &dialect_generic,
	        .told = s->told,
	        .is_new = true,
	};
	buf_append_span(&b.body, l.body);
	request_read(b.endpoint, l.body, &b.facts);
	b.row = (struct exchange_row){
	        .id = r->exchange,
	        .wall_ns = clock_wall(),
	        .method = xstrdup("POST"),
	        .target = xstrdup(l.target),
	        .endpoint = l.endpoint,
	        .content = CONTENT_FULL,
	        .body_bytes = l.body.len,
	        .streamed = b.facts.stream,
	        .model = *b.facts.model ? xstrdup(b.facts.model) : NULL,
	        .facts = b.facts,
	};
	if (!request_hash(l.endpoint, l.body, s->hash_key, &b.row.hashes)) {
		source_body_finish(&b);
		return "the file has changed meanwhile";
	}
	*ret = b;
	return NULL;
}
