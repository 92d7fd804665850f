/*
 * meaning - how many pairs of answers per second one core compares, for each kind of difference,
 * and whether the time is proportional to the length.
 *
 * usage: meaning [SECONDS]
 *
 * Each row has pairs per second and, if the kernel counts them, instructions per pair.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/compare/meaning/meaning.h"
#include "base/mem.h"

#define SECOND 1e9

static const char *const sentences[] = {
        "The **Treaty of Westphalia** was signed in 1648 and ended the Thirty Years' War.",
        "In short, you need 3 cups of flour, 2 eggs and about 250 ml of milk for this.",
        "- First, open the settings and look for `network.timeout` in the list.",
        "It isn't easy to say whether Anna or Peter was right, since both had reasons.",
        "To solve the equation, subtract $4x$ from both sides, which leaves $x = 12$.",
        "However, the price rose by 12.5% to $1,250 between March and June 2021.",
        "## Background\n\nMost of the river's water comes from glaciers in the Alps.",
        "This means that no further steps are needed once the cache has been cleared.",
};

static const char program[] =
        "```python\ndef total(items, tax=0.2):\n    # all of them\n    return sum(i.price for i in "
        "items) * (1 + tax)\n```";
static const char document[] =
        "```json\n{\"name\": \"Anna\", \"age\": 42, \"tags\": [\"a\", \"b\"], \"ok\": true}\n```";

/* Writes about `tokens` tokens of prose, lists and formulas; edit: with another number in the middle. */
static void write_text(struct buf *to, size_t tokens, bool edit)
{
	size_t bytes = tokens * 9 / 2;
	for (size_t i = 0; to->len < bytes; i++) {
		buf_append_str(to, sentences[i % ARRAY_LEN(sentences)]);
		buf_append_str(to, i % 3 == 2 ? "\n\n" : " ");
		if (edit && to->len > bytes / 2) {
			buf_append_str(to, "There were 17 of them. ");
			edit = false;
		}
	}
}

struct subject {
	const char *name;
	struct choice base, test;
	enum question question;
};

static void spaced(struct buf *to)
{
	for (size_t i = 0; i + 1 < to->len; i++) {
		if (to->data[i] == ' ' && to->data[i + 1] != ' ' && i % 3 == 0) {
			buf_append_char(to, ' ');
			memmove(to->data + i + 1, to->data + i, to->len - i - 1);
			i++;
		}
	}
}

static void make(struct subject *s, size_t kind, size_t tokens)
{
	static const char *const names[] = {"same bytes", "spaces", "marks", "one number",
	        "another text", "code", "JSON", "answers at the end"};
	static const char *const ends[][2] = {[5] = {program, program},
	        [6] = {document, document},
	        [7] = {"The answer is 42.", "**Answer:** 42"}};
	*s = (struct subject){.name = names[kind]};
	s->base.finish = s->test.finish = (char *)"stop";
	write_text(&s->base.text, tokens, false);
	write_text(&s->test.text, tokens, kind == 3);
	if (kind == 1) {
		spaced(&s->test.text);
	} else if (kind == 2) {
		buf_append_str(&s->test.text, "\n\n**Done.**");
		buf_append_str(&s->base.text, "\n\nDone.");
	} else if (kind == 4) {
		buf_consume(&s->test.text, tokens * 2);
		write_text(&s->test.text, tokens, true);
	} else if (kind > 4) {
		buf_printf(&s->base.text, "\n\n%s", ends[kind][0]);
		buf_printf(&s->test.text, "\n\n%s", ends[kind][1]);
		s->question = kind == 7 ? QUESTION_NUMBER : QUESTION_OPEN;
		buf_append_char(&s->test.text, '\n');
	}
}

static int open_counter(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
	        .size = sizeof(attr),
	        .config = PERF_COUNT_HW_INSTRUCTIONS,
	        .exclude_kernel = 1,
	        .exclude_hv = 1};
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* CPU time, so that other work on the machine does not count. */
static uint64_t cpu_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static double run(struct meaning_room *room, const struct subject *s, double seconds, int counter)
{
	struct task task = {.question = s->question};
	struct meaning m = {0};
	uint64_t n = 0, began = cpu_time(), spent, instructions = 0;
	if (counter >= 0) {
		ioctl(counter, PERF_EVENT_IOC_RESET, 0);
	}
	do {
		for (int i = 0; i < 16; i++, n++) {
			meaning_compare(room, &s->base, &s->test, &task, &m);
		}
		spent = cpu_time() - began;
	} while ((double)spent < seconds * SECOND);
	double rate = (double)n / ((double)spent / SECOND);
	printf("%-20s %7zu bytes  %-10s %-14s %10.0f pairs/s  %8.2f ns/byte", s->name,
	        s->base.text.len, rung_name(m.rung), meaning_class_name(m.class), rate,
	        SECOND / rate / (double)(s->base.text.len + s->test.text.len));
	if (counter >= 0 && read(counter, &instructions, sizeof(instructions)) > 0) {
		printf("  %8llu instructions", (unsigned long long)(instructions / n));
	}
	putchar('\n');
	fflush(stdout);
	return rate;
}

int main(int argc, char **argv)
{
	static const size_t lengths[] = {200, 2000, 20000, 100000};
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 0.3, slowness = 0;
	struct meaning_room room = {0};
	int counter = open_counter();
	for (size_t l = 0; l < ARRAY_LEN(lengths); l++) {
		for (size_t kind = 0; kind < 8; kind++) {
			struct subject s;
			make(&s, kind, lengths[l]);
			double rate = run(&room, &s, seconds, counter);
			slowness += l == 0 && kind ? 1 / rate : 0;
			buf_finish(&s.base.text);
			buf_finish(&s.test.text);
		}
	}
	printf("all kinds that differ, 200 tokens: %.0f pairs/s\n", 7 / slowness);
	meaning_room_finish(&room);
	return 0;
}
