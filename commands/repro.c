/*
 * plumbline repro - a script that shows one divergence again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "capture/resend.h"
#include "commands/capture_verbs.h"
#include "commands/commands.h"
#include "commands/exchange_find.h"
#include "commands/neighbours.h"
#include "commands/options.h"
#include "commands/repro_script.h"
#include "reading/request.h"

static const char USAGE[] =
        "usage: plumbline repro DIR... ID [--out FILE]\n"
        "       plumbline repro DIR... ID --neighbours 30s [--to URL|NAME] [--pack FILE] "
        "[options]\n"
        "\n"
        "Writes a shell script that sends one exchange's request again with curl: to each backend "
        "that answered it,\n"
        "as it was sent to that backend (with the logprobs that were asked for besides).\n"
        "\n" EXCHANGE_FIND_HELP "\n"
        "API keys are never stored. The script takes them from the environment: of a backend "
        "called primary from\n"
        "PRIMARY_API_KEY.\n"
        "\n"
        "With --neighbours it packs the request and all that was in flight with it or within that "
        "time before it,\n"
        "sends them again with their recorded gaps, tells how often the answer comes out wrong, "
        "and leaves out\n"
        "neighbours as long as it still does.\n"
        "\n"
        "  --out FILE         writes the script there, so that it may be run (standard output)\n"
        "  --redacted         write it also if something private in the request was replaced\n"
        "  --neighbours T     how long before it, besides what was in flight\n"
        "  --to URL|NAME      the engine; with -c FILE, --model, --any-model, --any-server,\n"
        "                     --dialect, --api-key-env and --align as of plumbline replay\n"
        "  --pack FILE        writes the requests (those that are needed, once that is known) as "
        "lines for replay\n"
        "  --shows WHAT       what tells that it came out wrong: differs (from the answer that it "
        "gets alone;\n"
        "                     the default), recorded (the recorded answer came again), error, "
        "text:WORDS\n"
        "  --times N          volleys for each rate (10)\n"
        "  --runs N           volleys at most for finding the neighbours that are needed (200)\n"
        "  --limit N          neighbours at most: the nearest in time (256)\n"
        "  --speed FACTOR     2x: with half the gaps\n"
        "  --seed N           of the order in which sets are tried (0)\n"
        "  --timeout T        of silence (120s)\n"
        "  --json             the finding as JSON\n"
        "  -h, --help\n"
        "\n"
        "examples:\n"
        "  plumbline repro capture worst | sh\n"
        "  plumbline repro capture worst --out repro.sh\n"
        "  plumbline repro capture @3 --neighbours 30s --to http://127.0.0.1:8000 --pack "
        "few.jsonl\n"
        "\n"
        "exit codes: 0 written, or not reproduced, 1 reproduced, 2 usage, not a capture, or an id "
        "that several exchanges have, 3 a part of the\n"
        "capture could not be read or the script not be written, 4 no such exchange, or its "
        "request was not stored\n";

struct repro_options {
	const char *out;
	bool redacted;
	struct neighbours_options neighbours;
};

struct work {
	struct capture *capture;
	struct capture_exchange exchange;
	size_t written; /* legs */
	struct buf script;
};

static int say(int code, char *problem)
{
	fprintf(stderr, "plumbline repro: %s\n", problem);
	free(problem);
	return code;
}

static bool is_chat_recast(const struct work *w, struct span body)
{
	struct request_facts facts;
	request_read(ENDPOINT_CHAT, body, &facts);
	return w->exchange.row.endpoint == ENDPOINT_CHAT && facts.is_json && facts.n_messages == 0;
}

/* The first choice's answer. */
static void read_answer(const struct work *w, size_t leg, struct buf *to)
{
	struct reading *reading;
	if (capture_reading(w->capture, &w->exchange, leg, &reading) == 0) {
		if (reading->n_choices > 0) {
			choice_answer(&reading->choices[0], to);
		}
		reading_destroy(reading);
	}
}

/* A backend that was asked several times is asked once. */
static bool was_asked_before(const struct work *w, size_t leg)
{
	const struct leg_row *row = &w->exchange.legs[leg].row;
	for (size_t i = 0; i < leg; i++) {
		const struct leg_row *other = &w->exchange.legs[i].row;
		if (!(other->marks & LEG_SCORED) && row->backend && other->backend &&
		        strcmp(row->backend, other->backend) == 0) {
			return true;
		}
	}
	return false;
}

static void add_leg(struct work *w, size_t leg)
{
	const struct leg_row *row = &w->exchange.legs[leg].row;
	struct buf body = {0}, answer = {0};
	if ((row->marks & LEG_SCORED) || !row->url || was_asked_before(w, leg)) {
		return;
	}
	if (capture_sent_body(w->capture, &w->exchange, leg, &body) == 0) {
		read_answer(w, leg, &answer);
		const struct repro_leg each = {
		        .row = row,
		        .body = buf_span(&body),
		        .recast = is_chat_recast(w, buf_span(&body)),
		        .answer = buf_span(&answer),
		};
		repro_script_leg(&w->script, &w->exchange.row, &each);
		w->written++;
	}
	buf_finish(&body);
	buf_finish(&answer);
}

static int write_file(const struct buf *script, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	if (fd < 0) {
		return -errno;
	}
	int r = 0;
	for (size_t done = 0; done < script->len && r == 0;) {
		ssize_t n = write(fd, script->data + done, script->len - done);
		r = n < 0 && errno != EINTR ? -errno : 0;
		done += n > 0 ? (size_t)n : 0;
	}
	return close(fd) < 0 && r == 0 ? -errno : r;
}

static int print(const struct work *w, const char *out)
{
	if (!out) {
		fwrite(w->script.data, 1, w->script.len, stdout);
		return verbs_flush(EXIT_PASS);
	}
	int r = write_file(&w->script, out);
	return r == 0 ? EXIT_PASS : say(EXIT_RUNTIME, xasprintf("%s: %s", out, strerror(-r)));
}

static int make(struct work *w, const struct repro_options *o)
{
	char id[ID_TEXT_SIZE];
	const struct exchange_row *row = &w->exchange.row;
	if (resend_is_redacted(row) && !o->redacted) {
		return say(EXIT_NOT_ENOUGH,
		        xasprintf("the request of exchange %s can't be sent again: %s; --redacted "
		                  "sends it with its placeholders",
		                id_format(row->id, id), resend_unfit(row, false)));
	}
	repro_script_begin(&w->script, row);
	for (size_t i = 0; i < w->exchange.n_legs; i++) {
		add_leg(w, i);
	}
	repro_script_end(&w->script);
	if (w->exchange.absent || w->written == 0) {
		return say(EXIT_NOT_ENOUGH, xasprintf("the request of exchange %s was not stored",
		                                    id_format(row->id, id)));
	}
	return print(w, o->out);
}

static int run(
        const char *const *dirs, size_t n_dirs, const char *id, const struct repro_options *o)
{
	struct work w = {0};
	char *problem = NULL;
	int code = EXIT_PASS;
	w.capture = verbs_open(dirs, n_dirs, &code);
	if (!w.capture) {
		return code;
	}
	code = exchange_find(w.capture, id, &w.exchange, &problem);
	if (code == EXIT_PASS && o->neighbours.window) {
		code = neighbours_run(w.capture, &w.exchange, &o->neighbours);
	} else if (code == EXIT_PASS) {
		code = make(&w, o);
		capture_exchange_finish(&w.exchange);
	} else {
		say(code, problem);
	}
	buf_finish(&w.script);
	return verbs_close(w.capture, code);
}

enum {
	FLAG_CONFIG = 'c',
	FLAG_NEIGHBOURS = 256,
	FLAG_TO,
	FLAG_PACK,
	FLAG_MODEL,
	FLAG_ANY_MODEL,
	FLAG_ANY_SERVER,
	FLAG_DIALECT,
	FLAG_API_KEY_ENV,
	FLAG_ALIGN,
	FLAG_SHOWS,
	FLAG_TIMES,
	FLAG_RUNS,
	FLAG_LIMIT,
	FLAG_SPEED,
	FLAG_SEED,
	FLAG_TIMEOUT,
	FLAG_REDACTED,
	FLAG_JSON,
};

static const struct option FLAGS[] = {
        {"out", required_argument, NULL, 'o'},
        {"neighbours", required_argument, NULL, FLAG_NEIGHBOURS},
        {"to", required_argument, NULL, FLAG_TO},
        {"config", required_argument, NULL, FLAG_CONFIG},
        {"pack", required_argument, NULL, FLAG_PACK},
        {"model", required_argument, NULL, FLAG_MODEL},
        {"any-model", no_argument, NULL, FLAG_ANY_MODEL},
        {"any-server", no_argument, NULL, FLAG_ANY_SERVER},
        {"dialect", required_argument, NULL, FLAG_DIALECT},
        {"api-key-env", required_argument, NULL, FLAG_API_KEY_ENV},
        {"align", required_argument, NULL, FLAG_ALIGN},
        {"shows", required_argument, NULL, FLAG_SHOWS},
        {"times", required_argument, NULL, FLAG_TIMES},
        {"runs", required_argument, NULL, FLAG_RUNS},
        {"limit", required_argument, NULL, FLAG_LIMIT},
        {"speed", required_argument, NULL, FLAG_SPEED},
        {"seed", required_argument, NULL, FLAG_SEED},
        {"timeout", required_argument, NULL, FLAG_TIMEOUT},
        {"redacted", no_argument, NULL, FLAG_REDACTED},
        {"json", no_argument, NULL, FLAG_JSON},
        {"help", no_argument, NULL, 'h'},
        {0},
};

static char *take_shows(const char *value, struct neighbours_options *o)
{
	static const char *const WORDS[] = {"differs", "recorded", "error", "text:WORDS", NULL};
	int word = 0;
	if (strncmp(value, "text:", 5) == 0 && value[5]) {
		o->symptom = SYMPTOM_TEXT;
		o->words = value + 5;
		return NULL;
	}
	char *problem = options_word("shows", value, WORDS, &word);
	o->symptom = (enum symptom)word;
	return problem;
}

static char *take_number(int flag, const char *value, struct neighbours_options *o)
{
	switch (flag) {
	case FLAG_NEIGHBOURS:
		return options_duration("neighbours", value, &o->window);
	case FLAG_SHOWS:
		return take_shows(value, o);
	case FLAG_TIMES:
		return options_number("times", value, 1, 64, &o->times);
	case FLAG_RUNS:
		return options_number("runs", value, 0, 100000, &o->runs);
	case FLAG_LIMIT:
		return options_number("limit", value, 1, 4096, &o->limit);
	case FLAG_SPEED:
		return options_speed("speed", value, &o->speed);
	case FLAG_SEED:
		return options_number("seed", value, 0, UINT64_MAX, &o->seed);
	case FLAG_TIMEOUT:
		return options_duration("timeout", value, &o->timeout);
	case FLAG_ALIGN:
		o->wish.has_align = true;
		return align_parse(value, &o->wish.align)
		               ? NULL
		               : xasprintf("--align is off, greedy or same, not %.60s", value);
	default:
		never("a flag of the table that nobody takes");
	}
}

static char *take(void *arg, int flag, const char *value)
{
	struct repro_options *o = arg;
	struct replay_wish *wish = &o->neighbours.wish;
	switch (flag) {
	case 'o':
		o->out = value;
		return NULL;
	case FLAG_REDACTED:
		o->redacted = true;
		return NULL;
	case FLAG_TO:
		wish->to = value;
		return NULL;
	case FLAG_CONFIG:
		wish->config = value;
		return NULL;
	case FLAG_PACK:
		o->neighbours.pack = value;
		return NULL;
	case FLAG_MODEL:
		wish->model = value;
		return NULL;
	case FLAG_ANY_MODEL:
		wish->any_model = true;
		return NULL;
	case FLAG_ANY_SERVER:
		wish->any_server = true;
		return NULL;
	case FLAG_DIALECT:
		wish->dialect = value;
		return NULL;
	case FLAG_API_KEY_ENV:
		wish->api_key_env = value;
		return NULL;
	case FLAG_JSON:
		o->neighbours.json = true;
		return NULL;
	default:
		return take_number(flag, value, &o->neighbours);
	}
}

static char *check(const struct repro_options *o)
{
	const struct neighbours_options *n = &o->neighbours;
	if (!n->window && (n->wish.to || n->pack)) {
		return xstrdup("--to and --pack are of neighbours: give --neighbours 30s");
	}
	if (n->window && !n->wish.to && !n->pack) {
		return xstrdup("--neighbours wants --to URL, to send them again, or --pack FILE");
	}
	if (n->window && o->redacted) {
		return xstrdup("--redacted is of the script, without --neighbours");
	}
	return n->window && o->out ? xstrdup("--out is of the script, without --neighbours") : NULL;
}

int command_repro(int argc, char **argv)
{
	struct repro_options o = {
	        .neighbours = {.wish = {.command = "repro"},
	                .times = 10,
	                .runs = 200,
	                .limit = 256,
	                .speed = 1,
	                .timeout = (uint64_t)120 * 1000000000},
	};
	struct operands rest = {0};
	char *problem = options_read(argc, argv, FLAGS, take, &o, &rest);
	if (!problem && !rest.help) {
		problem = check(&o);
	}
	if (problem) {
		return say(EXIT_USAGE, problem);
	}
	if (rest.help) {
		fputs(USAGE, stdout);
		return EXIT_PASS;
	}
	const char *id;
	problem = exchange_find_word(&rest, &id);
	if (problem) {
		char *whole = xasprintf("%s; see plumbline repro --help", problem);
		free(problem);
		return say(EXIT_USAGE, whole);
	}
	return run(rest.words, rest.n, id, &o);
}
