#pragma once
/*
 * annotator - runs worker threads that ask an engine, a library or tests about the answers of a
 * capture, and record the replies as annotations (backends/annotation.h): scores, judgements and
 * grades.
 *
 * The caller makes a list of items to ask about. Each worker takes the next items and calls ask().
 * ask() reads the texts of the items under the lock, asks without the lock, records each reply, and
 * counts the end of each question. SIGINT, SIGTERM and an engine that can't be reached end the work
 * early. Only one annotator works at a time, because signals belong to the process.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/annotation.h"
#include "backends/question_end.h"
#include "base/error_tally.h"
#include "capture/capture.h"
#include "capture/recorder/recording.h"

#define ANNOTATOR_WORKERS 256 /* the most workers */

struct annotator;

struct annotator_items { /* zero-initialised: empty */
	struct annotator_item {
		struct id exchange, leg; /* the exchange and leg of the answer */
		int32_t choice;
	} * items;
	size_t n, cap;
};
void annotator_items_add(struct annotator_items *to, const struct annotator_item *item);

struct annotator_settings {
	const struct recording *to; /* must be open */
	/* what all annotations have in common, except in_flight and waits */
	struct annotation common;
	const char *noun;   /* for the progress: what is counted, such as "scores" */
	unsigned workers;   /* 1 to ANNOTATOR_WORKERS */
	size_t items;       /* length of the list */
	size_t batch;       /* the most items that a worker takes at a time; 0: one */
	uint64_t questions; /* for the progress: number of questions about all items */
	uint64_t limit;     /* the most items to ask about; UINT64_MAX: no limit */
	void *arg;          /* passed to ask() and open() */
	/* Asks about the items with the indexes from <= i < to. False: these items can't be asked
	 * about, so they do not count in the limit. Called on a worker's thread, without the
	 * lock. */
	bool (*ask)(struct annotator *a, void *arg, void *client, size_t from, size_t to);
	/* Each worker has its own client; if all three are NULL, workers have none. open() and
	 * close() are called on the thread of annotator_run(), before and after the work. open()
	 * returns NULL on error, and sets *ret_error, which annotator_run() returns; close() gets
	 * this NULL, too. stop() ends the current question and all later ones; it must not block,
	 * because any thread calls it, under the lock. */
	void *(*open)(const void *arg, char **ret_error);
	void (*close)(void *client);
	void (*stop)(void *client);
};

struct annotator_tally {           /* zero-initialised: nothing was asked */
	uint64_t done;             /* answered questions, whose annotations are recorded */
	struct error_tally unable; /* answers that can't be asked about, by reason */
	struct error_tally failed; /* questions without an answer, by reason */
	bool gone;                 /* the engine can't be reached, so the work ended early */
	bool stopped;              /* SIGINT or SIGTERM came */
	uint64_t seconds;          /* duration; that of each run is rounded down */
};

/* Asks about all items, and adds the results to *tally. Blocks until all workers have ended.
 * Returns NULL, also if the work ended early; else a sentence: why the work could not begin. */
char *annotator_run(const struct annotator_settings *s, struct annotator_tally *tally) MUST_CHECK;
void annotator_tally_finish(struct annotator_tally *t);
unsigned annotator_processors(void); /* number of processors, 1 to ANNOTATOR_WORKERS */

/* The functions below are for ask(). */

/* The lock protects the capture, the tally, and all else that the workers share. */
void annotator_lock(struct annotator *a);
void annotator_unlock(struct annotator *a);

/* Counts the end of a question. why: the reason, unless it is DONE or STOPPED. Call it under the
 * lock. */
void annotator_count(struct annotator *a, enum question_end end, const char *why);
/* Points to a flag that becomes true when the work ends early; for sandbox.stopped
 * (opinions/sandbox.h). Valid until ask() returns. */
const atomic_bool *annotator_stops(const struct annotator *a);
/* Returns what all annotations have in common; the caller sets the other members. */
struct annotation annotator_common(const struct annotator *a);
/* Records the annotation. Call it with or without the lock. False: it was not recorded completely;
 * count the question as QUESTION_FAILED. */
bool annotator_record(struct annotator *a, const struct annotation *annotation) MUST_CHECK;
/* Records `words`, the reply of a library or a sandbox about an answer, like annotator_record().
 * model: name of the library or sandbox; took_us: duration of the question. The caller sets all
 * members of *annotation except `answer`. */
bool annotator_record_words(struct annotator *a, struct annotation *annotation, const char *model,
        struct span words, uint64_t took_us) MUST_CHECK;

/* Appends the answer in one choice of a leg as text. *ret_cut: the answer was cut at its length
 * limit; ret_cut may be NULL. False: the answer can't be read; nothing is appended, and *ret_cut
 * is unchanged. Call it under the lock. */
bool annotator_read_choice(struct capture *c, const struct capture_exchange *e, struct id leg,
        int32_t choice, struct buf *to, bool *ret_cut);
