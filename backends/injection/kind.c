#include "backends/injection/kind.h"

#include <string.h>

#include <xxhash.h>

#include "backends/injection/cut.h"
#include "backends/injection/outline.h"
#include "base/ascii.h"
#include "base/sse.h"

bool kind_can_cut(enum kind_member m)
{
	return m == KIND_NULL || m == KIND_ABSENT;
}

bool kind_is_text(const struct json_token *key)
{
	return json_token_is_key(key, "text") || json_token_is_key(key, "delta");
}

enum kind_said kind_says(struct span value)
{
	struct json j;
	struct json_token t;
	enum kind_said most = KIND_SAYS_NOTHING;
	bool role = false;
	json_init_lenient(&j, value.data, value.len);
	while ((t = json_next(&j)).type != JSON_TOKEN_END && t.type != JSON_TOKEN_ERROR) {
		if (t.type == JSON_TOKEN_STRING && json_token_raw(&t).len && !role) {
			return KIND_SAYS_WORDS;
		}
		if (t.type == JSON_TOKEN_STRING && json_token_raw(&t).len) {
			most = MAX(most, KIND_SAYS_ROLE);
		} else if (t.type == JSON_TOKEN_NUMBER || t.type == JSON_TOKEN_TRUE ||
		           t.type == JSON_TOKEN_FALSE) {
			most = KIND_SAYS_FIGURE;
		}
		role = t.type == JSON_TOKEN_KEY && json_token_is_key(&t, "role");
	}
	return most;
}

bool kind_has_text(const struct json_token *key, struct span value)
{
	struct json j;
	struct json_token t;
	bool role = false;
	json_init_lenient(&j, value.data, value.len);
	if (!kind_is_text(key)) {
		return false;
	}
	while ((t = json_next(&j)).type != JSON_TOKEN_END && t.type != JSON_TOKEN_ERROR) {
		if (t.type == JSON_TOKEN_STRING && !role) {
			return true;
		}
		role = t.type == JSON_TOKEN_KEY && json_token_is_key(&t, "role");
	}
	return false;
}

void kind_observe(enum kind_member *known, enum kind_member seen)
{
	if (seen != KIND_UNKNOWN) {
		*known = *known == KIND_UNKNOWN || *known == seen ? seen : KIND_MIXED;
	}
}

static enum kind_member seen_as(const struct outline_member *m)
{
	return m->first.type == JSON_TOKEN_NULL ? KIND_NULL : KIND_MIXED;
}

bool kind_is_label(const struct json_token *key)
{
	static const char *const names[] = {"id", "object", "created", "model",
	        "system_fingerprint", "service_tier", "provider", "obfuscation"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (json_token_is_key(key, names[i])) {
			return true;
		}
	}
	return false;
}

/* What one JSON text reveals; UNKNOWN if it reveals nothing. */
struct seen {
	enum kind_member logprobs, usage, token_ids;
	bool has_choice, has_choices; /* has_choices: the array, which may be empty */
	bool other;                   /* a member outside of choices says something */
	bool error;                   /* it has an error instead of an answer's end */
	uint64_t names;               /* a hash of the names of its members but usage */
	uint64_t elsewhere;           /* cut_elsewhere() */
	uint64_t begun, finished;     /* bits of choices; finished: it has its finish_reason */
	bool says; /* a choice says something beside logprobs, or has an empty text */
};

/* begun: choices that earlier events have. */
static void read_choice(
        struct outline_members members, uint64_t bit, uint64_t begun, struct seen *seen)
{
	/* A member may occur more than once; a cut removes every occurrence. */
	enum kind_member logprobs = KIND_UNKNOWN;
	enum kind_said least = begun & bit ? KIND_SAYS_FIGURE : KIND_SAYS_ROLE;
	bool finished = false;
	for (size_t i = 0; i < members.n; i++) {
		const struct outline_member *m = &members.items[i];
		if (m->name == OUTLINE_LOGPROBS) {
			kind_observe(&logprobs, seen_as(m));
		} else if (m->name == OUTLINE_TOKEN_IDS) {
			kind_observe(&seen->token_ids, seen_as(m));
		} else if (m->name != OUTLINE_INDEX) {
			seen->says |=
			        kind_says(m->value) >= least || kind_has_text(&m->key, m->value);
		}
		finished |= m->name == OUTLINE_FINISH_REASON;
	}
	seen->begun |= bit;
	seen->finished |= finished && bit != OUTLINE_NO_BIT ? bit : 0;
	kind_observe(&seen->logprobs, logprobs == KIND_UNKNOWN ? KIND_ABSENT : logprobs);
}

static void read_choices(
        const struct outline *o, const struct outline_member *m, uint64_t begun, struct seen *seen)
{
	struct outline_choices choices = outline_choices(o, m);
	seen->has_choices = true;
	for (size_t i = 0; i < choices.n; i++) {
		seen->has_choice = true;
		if (choices.items[i].text.data[0] == '{') {
			read_choice(outline_choice_members(o, &choices.items[i]),
			        choices.items[i].bit, begun, seen);
		}
	}
}

static struct seen read_outline(const struct outline *o, uint64_t begun)
{
	struct seen seen = {0};
	struct outline_members members = outline_members(o);
	for (size_t i = 0; o->object.len && i < members.n; i++) {
		const struct outline_member *m = &members.items[i];
		struct span name = json_token_raw(&m->key);
		if (m->name != OUTLINE_USAGE && m->name != OUTLINE_TOKEN_IDS) {
			seen.names = XXH3_64bits_withSeed(name.data, name.len, seen.names);
		}
		if (m->name == OUTLINE_CHOICES) {
			read_choices(o, m, begun, &seen);
		} else if (m->name == OUTLINE_TOKEN_IDS) {
			kind_observe(&seen.token_ids, seen_as(m));
		} else if (m->name == OUTLINE_USAGE) {
			kind_observe(&seen.usage, seen_as(m));
		} else {
			seen.other |=
			        !kind_is_label(&m->key) && kind_says(m->value) != KIND_SAYS_NOTHING;
			seen.error |= json_token_is_key(&m->key, "error") &&
			              m->first.type != JSON_TOKEN_NULL;
		}
	}
	/* Without a choice, a text tells of usage only if the member is there. */
	if (seen.has_choice && seen.usage == KIND_UNKNOWN) {
		seen.usage = KIND_ABSENT;
	}
	return seen;
}

/* injection: what the request does not ask for. */
static struct seen read_text(struct span text, uint64_t begun, const struct injection *injection)
{
	struct outline o = {0};
	outline_read(&o, text);
	struct seen seen = read_outline(&o, begun);
	seen.elsewhere = cut_elsewhere(text, injection);
	outline_finish(&o);
	return seen;
}

/* A plain stream in progress. The texts point into the body. */
struct stream {
	struct kind kind;
	const struct injection *injection; /* what the request does not ask for */
	struct span body;
	size_t at;                /* where in it the next event begins */
	struct span before, last; /* events with choices */
	bool last_finished;       /* a choice of the last one has its reason */
	bool error;
	uint64_t begun, finished; /* choices, as in struct seen */
	/* After the choices there is an event that has none, but says something. If usage were
	 * requested, the event could become the usage event, which a cut removes. */
	bool has_summary;
	/* Events with choices have various members. If there are late events, too, the one that
	 * would lose a member to the usage event is not the last one. */
	bool varied;
	uint64_t names; /* of the last one */
	size_t n_tails; /* of them that have the tail */
};

static void note_elsewhere(struct kind *kind, uint64_t seen)
{
	if (seen && kind->elsewhere && seen != kind->elsewhere) {
		kind->logprobs = KIND_MIXED;
	}
	kind->elsewhere = seen ? seen : kind->elsewhere;
}

static void read_event(void *arg, const struct sse_event *e)
{
	struct stream *s = arg;
	const char *raw = s->body.data + s->at;
	s->at += e->raw.len;
	if (!e->has_data) {
		return;
	}
	struct seen seen = read_text(e->data, s->begun, s->injection);
	s->kind.late |=
	        s->begun && s->begun == s->finished && !span_is(span_trim(e->data), "[DONE]");
	note_elsewhere(&s->kind, seen.elsewhere);
	kind_observe(&s->kind.logprobs, seen.logprobs);
	kind_observe(&s->kind.usage, seen.usage);
	kind_observe(&s->kind.token_ids, seen.token_ids);
	s->has_summary |= s->last.len && seen.has_choices && !seen.has_choice && seen.other;
	s->error |= seen.error;
	s->begun |= seen.begun;
	s->finished |= seen.finished;
	if (seen.has_choice) {
		s->varied |= s->last.len && seen.names != s->names;
		s->names = seen.names;
		s->kind.silent |= !seen.says && seen.usage != KIND_MIXED;
		s->before = s->last;
		/* The event's spans are invalid after this call; the body stays. */
		s->last = e->data_raw.len ? (struct span){raw + (e->data_raw.data - e->raw.data),
		                                    e->data_raw.len}
		                          : (struct span){0};
		s->last_finished = seen.finished != 0;
	}
}

static bool has_member(struct span text, const char *name)
{
	struct json_token value;
	return json_find_member(text, name, &value, NULL);
}

static void count_tails(void *arg, const struct sse_event *e)
{
	struct stream *s = arg;
	s->n_tails += has_member(e->data, s->kind.tail);
}

/*
 * Finds the tail: the one member at the end of the last event with choices that the previous event
 * lacks. False: there are several such members, or one that cannot be restored.
 */
static bool find_tail(struct stream *s)
{
	struct json j;
	size_t n = 0;
	struct buf name = {0};
	struct json_token t = json_begin_lenient(&j, s->last);
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct buf key = {0};
		json_token_unescape(&t, &key);
		bool is_new =
		        !has_member(s->before, buf_cstr(&key)) && !span_is(buf_span(&key), "usage");
		struct json_token value = json_next(&j);
		json_skip(&j, &value);
		if (is_new) {
			n++;
			buf_finish(&name);
			name = key;
		} else {
			buf_finish(&key);
			/* A member followed by others is not a tail. */
			n += n > 0;
		}
	}
	bool ok = n == 0 || (n == 1 && name.len < KIND_TAIL_SIZE && s->last_finished);
	if (n == 1 && ok) {
		memcpy(s->kind.tail, name.data, name.len);
	}
	buf_finish(&name);
	return ok;
}

static struct kind read_stream(struct span body, const struct injection *injection)
{
	struct stream s = {.injection = injection, .body = body};
	sse_read(body, read_event, &s);
	s.kind.error = s.error;
	if (s.kind.usage == KIND_UNKNOWN) {
		/* Nothing to look at. */
	} else if (!s.before.len || !s.last.len || s.error || s.begun != s.finished) {
		/* A single event with choices cannot show what only the last event has, and a stream
		 * that breaks off cannot show what comes at the end. */
		s.kind.usage = KIND_UNKNOWN;
	} else if (s.has_summary || !find_tail(&s) || (s.varied && s.kind.late)) {
		s.kind.usage = KIND_MIXED;
	} else if (s.kind.tail[0]) {
		sse_read(body, count_tails, &s);
		s.kind.usage = s.n_tails == 1 ? s.kind.usage : KIND_MIXED;
	}
	return s.kind;
}

struct kind kind_of_answer(struct span body, bool stream, const struct request_facts *facts,
        const struct injection *injected)
{
	struct kind kind = {0};
	const struct injection not_asked = {
	        .logprobs = !facts->has_logprobs && !(injected && injected->logprobs),
	        .token_ids = !facts->has_token_ids && !(injected && injected->token_ids),
	};
	if (stream) {
		kind = read_stream(body, &not_asked);
	} else {
		struct seen seen = read_text(body, 0, &not_asked);
		kind.logprobs = seen.logprobs;
		kind.token_ids = seen.token_ids;
		kind.elsewhere = seen.elsewhere;
	}
	if (kind.token_ids == KIND_UNKNOWN && kind.logprobs != KIND_UNKNOWN) {
		kind.token_ids = KIND_ABSENT; /* no choice has any */
	}
	if (!not_asked.token_ids) {
		kind.token_ids = KIND_UNKNOWN;
	}
	if (!not_asked.logprobs) {
		kind.logprobs = KIND_UNKNOWN;
		kind.silent = false;
	}
	if (facts->has_stream_options || (injected && injected->usage)) {
		kind.usage = KIND_UNKNOWN;
		kind.late = false;
	}
	if (!kind_can_cut(kind.usage)) {
		kind.tail[0] = '\0';
	}
	if (!kind_can_cut(kind.logprobs)) {
		kind.elsewhere = 0;
	}
	return kind;
}
