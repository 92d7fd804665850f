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
#include "commands/capture_verbs.h"
#include "commands/commands.h"
#include "commands/exchange_find.h"
#include "commands/options.h"
#include "commands/repro_script.h"
#include "reading/request.h"

static const char USAGE[] =
        "usage: plumbline repro DIR... ID [--out FILE]\n"
        "\n"
        "Writes a shell script that sends one exchange's request again with curl: to each backend "
        "that answered it,\n"
        "as it was sent to that backend (with the logprobs that were asked for besides). The "
        "beginning of an id\n"
        "is enough when no other id begins so.\n"
        "\n"
        "API keys are never stored. The script takes them from the environment: of a backend "
        "called primary from\n"
        "PRIMARY_API_KEY.\n"
        "\n"
        "  --out FILE     writes the script there, so that it may be run (standard output)\n"
        "  -h, --help\n"
        "\n"
        "examples:\n"
        "  plumbline repro capture 0192f1c4-7 | sh\n"
        "  plumbline repro capture 0192f1c4-7 --out repro.sh\n"
        "\n"
        "exit codes: 0 written, 2 usage, not a capture, or an id that several exchanges begin "
        "with, 3 a part of the\n"
        "capture could not be read or the script not be written, 4 no such exchange, or its "
        "request was not stored\n";

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

static int make(struct work *w, const char *out)
{
	char id[ID_TEXT_SIZE];
	const struct exchange_row *row = &w->exchange.row;
	repro_script_begin(&w->script, row);
	for (size_t i = 0; i < w->exchange.n_legs; i++) {
		add_leg(w, i);
	}
	repro_script_end(&w->script);
	if (w->exchange.absent || w->written == 0) {
		return say(EXIT_NOT_ENOUGH, xasprintf("the request of exchange %s was not stored",
		                                    id_format(row->id, id)));
	}
	return print(w, out);
}

static int run(char **dirs, int n_dirs, const char *id, const char *out)
{
	struct work w = {0};
	char *problem = NULL;
	int code = EXIT_PASS;
	w.capture = verbs_open(dirs, n_dirs, &code);
	if (!w.capture) {
		return code;
	}
	code = exchange_find(w.capture, id, &w.exchange, &problem);
	if (code == EXIT_PASS) {
		code = make(&w, out);
		capture_exchange_finish(&w.exchange);
	} else {
		say(code, problem);
	}
	buf_finish(&w.script);
	return verbs_close(w.capture, code);
}

static char *take(void *arg, int flag, const char *value)
{
	*(const char **)arg = value;
	return NULL;
}

int command_repro(int argc, char **argv)
{
	static const struct option FLAGS[] = {
	        {"out", required_argument, NULL, 'o'},
	        {"help", no_argument, NULL, 'h'},
	        {0},
	};
	const char *out = NULL;
	struct operands rest = {0};
	char *problem = options_read(argc, argv, FLAGS, take, &out, &rest);
	if (problem) {
		return say(EXIT_USAGE, problem);
	}
	if (rest.help) {
		fputs(USAGE, stdout);
		return EXIT_PASS;
	}
	if (rest.n < 2) {
		return say(EXIT_USAGE,
		        xstrdup("a capture's directory and an exchange's id are wanted; see "
		                "plumbline repro --help"));
	}
	return run((char **)rest.words, (int)rest.n - 1, rest.words[rest.n - 1], out);
}
