/*
 * plumbline repro - a script that shows one divergence again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/resend.h"
#include "cli/input.h"
#include "cli/verb.h"
#include "cli/commands.h"
#include "cli/written.h"
#include "cli/outfile.h"
#include "cli/capture/exchange_find.h"
#include "cli/capture/repro_neighbours.h"
#include "base/options.h"
#include "replay/repro/repro_script.h"
#include "cli/replay/replay_option_rows.h"
#include "answers/request.h"

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

/* The script sends the request to each backend once. */
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
		        .elsewhere =
		                capture_is_imported(&w->exchange) && !(row->marks & LEG_IMPORTED),
		        .answer = buf_span(&answer),
		};
		repro_script_leg(&w->script, &w->exchange.row, &each);
		w->written++;
	}
	buf_finish(&body);
	buf_finish(&answer);
}

static int print(const struct work *w, const char *out)
{
	if (!out) {
		fwrite(w->script.data, 1, w->script.len, stdout);
		return verb_flush("repro", EXIT_PASS);
	}
	int r = outfile_write(out, 0700, buf_span(&w->script));
	if (r < 0) {
		return say(EXIT_RUNTIME, xasprintf("%s: %s", out, strerror(-r)));
	}
	written_print("repro", out, "quotes a prompt");
	return EXIT_PASS;
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
	w.capture = input_open("repro", dirs, n_dirs, &code);
	if (!w.capture) {
		return code;
	}
	code = exchange_find(w.capture, id, &w.exchange, &problem);
	if (code == EXIT_PASS && o->neighbours.window) {
		code = repro_neighbours(w.capture, &w.exchange, &o->neighbours);
	} else if (code == EXIT_PASS) {
		code = make(&w, o);
		capture_exchange_finish(&w.exchange);
	} else {
		say(code, problem);
	}
	buf_finish(&w.script);
	return input_close("repro", w.capture, code);
}

static char *read_shows(void *to, const char *name, const char *value)
{
	static const char *const WORDS[] = {"differs", "recorded", "error", "text:WORDS", NULL};
	struct neighbours_options *o = to;
	int word = 0;
	if (strncmp(value, "text:", 5) == 0 && value[5]) {
		o->symptom = SYMPTOM_TEXT;
		o->words = value + 5;
		return NULL;
	}
	char *problem = options_word(name, value, WORDS, &word);
	o->symptom = (enum symptom)word;
	return problem;
}

static const struct option_row NEIGHBOURS_OPTIONS[] = {
        {"neighbours", 0, "TIME",
                "send the neighbours again: requests that were in progress with this one, or ended "
                "within TIME before it",
                OPT_DURATION(struct neighbours_options, window, 1)},
        {"to", 0, "URL|NAME",
                "send to this engine; plumbline looks a name up in -c FILE, or else in the capture",
                OPT_TEXT(struct neighbours_options, backend.to)},
        OPT_INCLUDE(REPLAY_BACKEND_OPTIONS, struct neighbours_options, backend),
        OPT_INCLUDE(REPLAY_ENGINE_OPTIONS, struct neighbours_options, backend),
        {"pack", 0, "FILE",
                "write the requests, or those that are needed once that is known, to a file for "
                "plumbline replay",
                OPT_TEXT(struct neighbours_options, pack)},
        {"shows", 0, "WHAT",
                "when an answer is wrong: differs (it is not the answer to the request alone; the "
                "default), recorded (it is the recorded answer), error, or text:WORDS",
                OPT_CALL_ALL(read_shows)},
        {"times", 0, "N", "send the set N times for each rate (10)",
                OPT_NUMBER(struct neighbours_options, times, 1, 64)},
        {"runs", 0, "N", "send at most N sets to find the neighbours that are needed (200)",
                OPT_NUMBER(struct neighbours_options, runs, 0, 100000)},
        {"limit", 0, "N", "take at most N neighbours, the nearest in time (256)",
                OPT_NUMBER(struct neighbours_options, limit, 1, 4096)},
        {"speed", 0, "FACTOR", "2x: halve the pauses between requests",
                OPT_SPEED(struct neighbours_options, speed)},
        {"seed", 0, "N", "seed of the order of the sets (0)",
                OPT_NUMBER(struct neighbours_options, seed, 0, UINT64_MAX)},
        {"timeout", 0, "TIME", "give up an answer after this time without a byte (120s)",
                OPT_DURATION(struct neighbours_options, timeout, 1)},
        {"json", 0, NULL, "print the finding as JSON", OPT_BOOL(struct neighbours_options, json)},
        OPT_END,
};

static const struct option_row OPTIONS[] = {
        EXCHANGE_FIND_OPERANDS,
        {"out", 'o', "FILE", "write the script to an executable file (standard output)",
                OPT_TEXT(struct repro_options, out)},
        {"redacted", 0, NULL, "write the script even if private text in the request was replaced",
                OPT_BOOL(struct repro_options, redacted)},
        OPT_GROUP("neighbours:"),
        OPT_INCLUDE(NEIGHBOURS_OPTIONS, struct repro_options, neighbours),
        OPT_END,
};

static const struct verb REPRO = {
        .name = "repro",
        .usage = "DIR... ID [--out FILE]\n"
                 "DIR... ID --neighbours TIME --to URL|NAME [options]",
        .about = "Writes a shell script that sends the request of one exchange again with curl: to "
                 "each backend that answered it, in the form that this backend got, with the "
                 "logprobs that the proxy requested.\n\nWith --neighbours it sends the request "
                 "together with the requests around it, with their recorded pauses, and says how "
                 "often the answer is wrong. Then it finds out which of these neighbours are "
                 "needed for the wrong answer.",
        .options = OPTIONS,
        .notes = "API keys are never stored. The script takes them from the environment: "
                 "PRIMARY_API_KEY for a backend called primary.",
        .examples = "plumbline repro capture worst | sh\n"
                    "plumbline repro capture worst --out repro.sh\n"
                    "plumbline repro capture @3 --neighbours 30s \\\n"
                    "    --to http://127.0.0.1:8000 --pack few.jsonl",
        .exit_codes = "0 written, or not reproduced, 1 reproduced, 2 command line, not a capture, "
                      "or several exchanges have the id, 3 a part of the capture could not be "
                      "read, or the script could not be written, 4 there is no such exchange, or "
                      "its request was not stored",
};

static char *check(const struct repro_options *o)
{
	const struct neighbours_options *n = &o->neighbours;
	if (!n->window && (n->backend.to || n->pack)) {
		return xstrdup("--to and --pack need --neighbours, such as --neighbours 30s");
	}
	if (n->window && !n->backend.to && !n->pack) {
		return xstrdup("--neighbours needs --to URL, to send them, or --pack FILE");
	}
	if (n->window && o->redacted) {
		return xstrdup("--neighbours excludes --redacted");
	}
	if (n->window && o->out) {
		return xstrdup("--neighbours excludes --out");
	}
	return o->out    ? outfile_check("out", o->out, NULL)
	       : n->pack ? outfile_check("pack", n->pack, NULL)
	                 : NULL;
}

int command_repro(int argc, char **argv)
{
	struct repro_options o = {
	        .neighbours = {.backend = {.command = "repro"},
	                .times = 10,
	                .runs = 200,
	                .limit = 256,
	                .speed = 1,
	                .timeout = (uint64_t)120 * 1000000000},
	};
	struct operands rest;
	int code;
	if (!verb_read(&REPRO, argc, argv, &o, &rest, &code)) {
		return code;
	}
	const char *id;
	char *problem = check(&o);
	problem = problem ? problem : exchange_find_word(&rest, &id);
	return problem ? verb_usage(&REPRO, problem) : run(rest.words, rest.n, id, &o);
}
