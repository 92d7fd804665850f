/*
 * plumbline capture scrub: copy a capture without its texts, for readers who may see figures but no
 * texts.
 *
 * The copy is written next to its destination and renamed when it is complete. Placeholders and
 * hashes are made with secrets that are discarded when the command ends, so nobody can reverse
 * them. Ids and times stay. By these, the rows of two copies of one capture, or of a copy and its
 * original, can be joined.
 */
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/inflate.h"
#include "base/mem.h"
#include "base/plural.h"
#include "capture/recorder/recorder.h"
#include "capture/privacy_filter.h"
#include "cli/input.h"
#include "cli/verb.h"
#include "cli/capture/capture_commands.h"
#include "cli/progress_count.h"
#include "cli/written.h"
#include "cli/atomic_directory.h"
#include "capture/privacy/redact_form.h"

#define BODY_LIMIT ((size_t)256 << 20)
#define FLUSH_NS UINT64_C(600000000000)

struct scrub {
	struct capture *from;
	struct recorder *to;
	struct ledger *ledger;
	struct ledger_book *book;
	struct privacy_filter texts;
	uint8_t secret[32];
	uint64_t exchanges, answers, judging, without_content;
	bool failed;
};

static void put_parts(struct scrub *s, struct id owner, enum part_type type, const struct buf *data)
{
	bool whole = !s->failed;
	if (whole) {
		recorder_put(s->to, owner, type, buf_span(data), true, &whole);
	}
	s->failed = !whole;
}

/* Replaces a hash. Equal hashes stay equal, but the old capture's key no longer helps to guess what
 * was hashed. */
static void hash_anew(const struct scrub *s, uint8_t hash[16])
{
	static const uint8_t none[16];
	uint8_t was[16];
	memcpy(was, hash, sizeof(was));
	if (memcmp(was, none, sizeof(none)) != 0) {
		crypto_generichash(hash, 16, was, sizeof(was), s->secret, sizeof(s->secret));
	}
}

/* Replaces the client's hash, which is stored as text. */
static void client_anew(const struct scrub *s, struct exchange_row *row)
{
	uint8_t hash[16];
	if (!row->client) {
		return;
	}
	crypto_generichash(hash, sizeof(hash), (const uint8_t *)row->client, strlen(row->client),
	        s->secret, sizeof(s->secret));
	free(row->client);
	row->client = xmalloc(2 * sizeof(hash) + 1);
	sodium_bin2hex(row->client, 2 * sizeof(hash) + 1, hash, sizeof(hash));
}

/* Keeps what a client or an engine wrote in the place of a name only if it has the form of a
 * name. */
static void keep_label(char **text)
{
	if (*text && !redact_form_is_label(span_of(*text))) {
		free(*text);
		*text = NULL;
	}
}

static void keep_leg_labels(struct leg_row *row)
{
	if (row->content_type) {
		row->content_type[strcspn(row->content_type, "; ")] = '\0';
	}
	if (row->finish && !redact_form_is_value(SPAN("finish_reason"), span_of(row->finish))) {
		free(row->finish);
		row->finish = NULL;
	}
	keep_label(&row->content_type);
	keep_label(&row->content_encoding);
	keep_label(&row->model);
	keep_label(&row->fingerprint);
	keep_label(&row->replica);
}

static void keep_exchange_labels(struct exchange_row *row)
{
	keep_label(&row->method);
	keep_label(&row->model);
	keep_label(&row->content_encoding);
	if (!redact_form_is_label(span_of(row->facts.model))) {
		row->facts.model[0] = '\0';
	}
	if (row->target) {
		row->target[strcspn(row->target, "?")] = '\0';
	}
	free(row->labels.gold);
	row->labels.gold = NULL;
}

/* Removes the content coding of an answer's body. False: it cannot be decoded. */
static bool decode(struct leg_row *row, struct buf *body)
{
	struct span coding = span_of(row->content_encoding);
	struct buf text = {0};
	if (!coding.len || span_is_nocase(coding, "identity")) {
		return true;
	}
	if (inflate_body(coding, buf_span(body), BODY_LIMIT, &text) < 0) {
		buf_finish(&text);
		return false;
	}
	buf_finish(body);
	*body = text;
	free(row->content_encoding);
	row->content_encoding = NULL;
	row->body_bytes = body->len;
	return true;
}

/* Writes the answer's body. If the text did not have to be decoded, also writes when its bytes
 * arrived. */
static bool put_answer(struct scrub *s, struct capture_exchange *e, size_t i, struct leg_row *row)
{
	struct buf body = {0}, arrivals = {0};
	bool kept = capture_response_body(s->from, e, i, &body) >= 0 && decode(row, &body) &&
	            privacy_filter_answer(&s->texts, row, &body);
	if (kept) {
		const struct reading_hints hints = capture_leg_hints(s->from, e, i);
		recorder_leg_begin(s->to, row->id, &hints, NULL);
		put_parts(s, row->id, PART_RESPONSE_BODY, &body);
	}
	if (capture_arrivals(s->from, e, i, &arrivals) >= 0) {
		put_parts(s, row->id, PART_ARRIVALS, &arrivals);
	}
	buf_finish(&body);
	buf_finish(&arrivals);
	return kept;
}

static void put_leg(struct scrub *s, struct capture_exchange *e, size_t i)
{
	struct leg_row *row = &e->legs[i].row;
	if (row->marks & LEG_JUDGING) {
		s->judging++;
		return;
	}
	leg_row_loosen(row);
	memcpy(row->prompt, e->row.hashes.prompt, sizeof(row->prompt));
	bool kept = row->body_bytes && put_answer(s, e, i, row);
	row->content = kept || !row->body_bytes ? CONTENT_REDACTED : CONTENT_METADATA;
	row->marks &= ~(uint32_t)LEG_UNREAD;
	free(row->error);
	row->error = NULL;
	privacy_filter_edits(&s->texts, row);
	keep_leg_labels(row);
	hash_anew(s, row->answer_hash);
	s->without_content += row->content == CONTENT_METADATA;
	s->answers++;
	recorder_wait_for_room(s->to);
	struct leg_row taken = *row;
	*row = (struct leg_row){.id = taken.id};
	recorder_leg(s->to, &taken, kept && !(taken.marks & LEG_TRUNCATED), NULL);
}

static void put_exchange(struct scrub *s, struct capture_exchange *e)
{
	struct exchange_row *row = &e->row;
	struct buf body = {0};
	exchange_row_loosen(row);
	bool had = capture_request_body(s->from, e, &body) >= 0;
	bool kept = had && privacy_filter_request(&s->texts, row, &body);
	if (kept) {
		put_parts(s, row->id, PART_REQUEST_BODY, &body);
	}
	if (kept && row->content_encoding) { /* the body has been decoded */
		free(row->content_encoding);
		row->content_encoding = NULL;
		row->body_bytes = body.len;
	}
	buf_finish(&body);
	row->content = kept || !row->body_bytes ? CONTENT_REDACTED : CONTENT_METADATA;
	keep_exchange_labels(row);
	client_anew(s, row);
	hash_anew(s, row->hashes.prompt);
	hash_anew(s, row->hashes.parent);
	hash_anew(s, row->hashes.session);
	hash_anew(s, row->hashes.chain);
	struct exchange_row taken = *row;
	*row = (struct exchange_row){0};
	recorder_exchange(s->to, &taken, s->book);
	s->exchanges++;
}

static void put_all(struct scrub *s)
{
	struct progress_count progress = {.what = "exchanges scrubbed"};
	struct capture_exchange e;
	const struct manifest_row *manifests;
	size_t n = capture_manifests(s->from, &manifests);
	for (size_t i = 0; i < n; i++) {
		recorder_manifest(s->to, &manifests[i]);
	}
	while (!s->failed && capture_next(s->from, &e) > 0) {
		for (size_t i = 0; i < e.n_legs && !s->failed; i++) {
			put_leg(s, &e, i);
		}
		if (!e.absent) {
			put_exchange(s, &e);
		}
		capture_exchange_finish(&e);
		progress_count(&progress, s->exchanges);
	}
	progress_count_end(&progress);
}

/* Writes the copy to dir, which does not exist yet. NULL, or an error message. */
static char *write_copy(struct scrub *s, const char *dir)
{
	char *error = NULL;
	struct redact_policy *policy = redact_policy_create(SECRETS_ALL);
	static const uint8_t no_key[32];
	const struct recorder_settings settings = {
	        .path = dir,
	        .settings_json = "{\"command\":\"capture scrub\"}",
	};
	redact_policy_everything(policy);
	randombytes_buf(s->secret, sizeof(s->secret));
	s->to = recorder_create(&settings, &error);
	if (s->to) {
		privacy_filter_init(&s->texts, CONTENT_REDACTED, policy, no_key, NULL);
		s->ledger = ledger_create();
		s->book = ledger_book(s->ledger, "exchanges");
		put_all(s);
		recorder_stop(s->to, FLUSH_NS);
		struct ledger_scrape scrape;
		ledger_scrape(s->ledger, &scrape);
		bool whole =
		        !s->failed && scrape.n == 1 && scrape.books[0].recorded == s->exchanges;
		error = whole ? NULL : xasprintf("%s could not be written; is the disk full?", dir);
		ledger_destroy(s->ledger);
		privacy_filter_finish(&s->texts);
	}
	sodium_memzero(s->secret, sizeof(s->secret));
	redact_policy_unref(policy);
	return error;
}

static void tell(const struct scrub *s, bool json)
{
	if (json) {
		printf("{\"exchanges\":%" PRIu64 ",\"answers\":%" PRIu64
		       ",\"judging_left_out\":%" PRIu64 ",\"without_text\":%" PRIu64 "}\n",
		        s->exchanges, s->answers, s->judging, s->without_content);
		return;
	}
	printf("copied: %" PRIu64 " %s, %" PRIu64 " %s\n", s->exchanges,
	        plural(s->exchanges, "exchange", "exchanges"), s->answers,
	        plural(s->answers, "answer", "answers"));
	printf("not copied: %" PRIu64 " %s of judges, %" PRIu64 " unreadable %s\n", s->judging,
	        plural(s->judging, "answer", "answers"), s->without_content,
	        plural(s->without_content, "text", "texts"));
}

static int scrub(
        struct scrub *s, const char *const *dirs, size_t n_dirs, struct atomic_directory *draft)
{
	char *error = write_copy(s, draft->path);
	bool is_empty = !error && s->exchanges == 0;
	if (error || is_empty) {
		atomic_directory_drop(draft);
	} else {
		error = atomic_directory_keep(draft);
	}
	if (error) {
		return verb_fail("capture scrub", EXIT_RUNTIME, error);
	}
	return is_empty ? input_empty("capture", s->from, dirs, n_dirs) : EXIT_PASS;
}

static int run(const char *const *dirs, size_t n_dirs, const char *out, bool json)
{
	struct atomic_directory draft;
	char *taken = atomic_directory_begin(&draft, out);
	if (taken) {
		return verb_fail("capture scrub", EXIT_USAGE, taken);
	}
	int code = EXIT_PASS;
	struct scrub s = {.from = input_open("capture", dirs, n_dirs, &code)};
	if (!s.from) {
		atomic_directory_drop(&draft);
		return code;
	}
	code = scrub(&s, dirs, n_dirs, &draft);
	if (code == EXIT_PASS) {
		tell(&s, json);
		written_print_capture("capture scrub", out);
	}
	return input_close("capture", s.from, verb_flush("capture", code));
}

struct scrub_options {
	const char *out;
	bool json;
};

static const struct option_row OPTIONS[] = {
        OPT_OPERAND("DIR", "a capture's directory"),
        {"out", 0, "DIR", "the copy; it must not exist, and appears when it is complete",
                OPT_TEXT(struct scrub_options, out)},
        {"json", 0, NULL, "print one JSON object instead of a line",
                OPT_BOOL(struct scrub_options, json)},
        OPT_END,
};

static const struct verb SCRUB = {
        .name = "capture scrub",
        .usage = "DIR... --out DIR [--json]",
        .about = "Copies captures without their texts: placeholders of the same length replace "
                 "prompts, answers, tool calls and tokens. Nobody can undo this: plumbline deletes "
                 "the key of the placeholders.\n\nThe copy keeps lengths, token counts, logprobs, "
                 "times, models, parameters, finish reasons, where two answers to one prompt "
                 "differ, and which prompts are equal. It lacks heads, right answers and what "
                 "judges said. Names and values of JSON members stay if the interfaces of engines "
                 "are known to have them; all others count as text.\n\nThe copy also keeps ids and "
                 "times (whoever has both can join it to the original), names and URLs of "
                 "backends, paths, manifests with what they say about hosts, names of suites and "
                 "items, and embedding vectors.",
        .options = OPTIONS,
        .examples = "plumbline capture scrub capture --out for-the-vendor",
        .exit_codes = "0 done, 2 command line or not a capture, 3 something could not be read or "
                      "written (then there is no copy), 4 there is no exchange",
};

int command_capture_scrub(int argc, char **argv)
{
	struct scrub_options o = {0};
	struct operands dirs;
	int code;
	if (!verb_read_dirs(&SCRUB, argc, argv, &o, &dirs, &code)) {
		return code;
	}
	return o.out ? run(dirs.words, dirs.n, o.out, o.json)
	             : verb_usage(&SCRUB, xstrdup(CAPTURE_WITHOUT_OUT));
}
