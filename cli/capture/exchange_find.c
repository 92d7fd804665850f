#include "cli/capture/exchange_find.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/analysis.h"
#include "analyzer/fold/verdict.h"
#include "base/exit_code.h"
#include "base/mem.h"
#include "cli/input.h"
#include "base/sanitize_text.h"
#include "base/moment.h"
#include "cli/progress_count.h"
#include "cli/capture/last_list.h"

#define SHOWN 10 /* exchanges that are listed for an ambiguous id */

static bool is_directory(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Finds the word that is the id: the only one that is no directory. If several words, or none,
 * are no directories, the first of the candidates that has the form of an id, else the last one. */
static size_t place_of_id(const struct operands *words)
{
	size_t place = words->n, others = 0;
	for (size_t i = 0; i < words->n; i++) {
		if (!is_directory(words->words[i])) {
			place = i;
			others++;
		}
	}
	for (size_t i = 0; others != 1 && i < words->n; i++) {
		const char *word = words->words[i];
		bool is_id = *word == '@' || strcmp(word, "last") == 0 ||
		             strcmp(word, "worst") == 0 || id_is_part(word);
		if (is_id && (others == 0 || !is_directory(word))) {
			return i;
		}
	}
	return place;
}

char *exchange_find_word(struct operands *dirs, const char **ret_id)
{
	size_t at = place_of_id(dirs);
	if (dirs->n < 2 || at == dirs->n) {
		return xstrdup("give the directory of a capture and the id of an exchange");
	}
	*ret_id = dirs->words[at];
	memmove(&dirs->words[at], &dirs->words[at + 1], (dirs->n - at - 1) * sizeof(*dirs->words));
	dirs->n--;
	return NULL;
}

/* The matches found so far in a pass through the capture. */
struct search {
	struct capture_exchange first; /* valid if n > 0 */
	uint64_t n;
	struct buf list;
	struct last_list listed;
};

static void put_match(struct search *s, uint64_t number, const struct capture_exchange *e)
{
	char id[ID_SHORT_SIZE];
	buf_printf(&s->list, "\n  @%-3" PRIu64 " %s  ", number, id_format_short(e->row.id, id));
	moment_put(&s->list, e->absent ? id_time_ms(e->row.id) * 1000000 : e->row.wall_ns);
	buf_append_str(&s->list, "  ");
	sanitize_put(&s->list, span_of(e->row.model ? e->row.model : "-"), 40);
	buf_printf(&s->list, "  %s", e->absent ? "-" : endpoint_name(e->row.endpoint));
	last_list_add(&s->listed, e->row.id);
}

/* Takes over the exchange. */
static void add_match(struct search *s, struct capture_exchange *e)
{
	s->n++;
	if (s->n == 2) {
		put_match(s, 1, &s->first);
	}
	if (s->n > 1 && s->n <= SHOWN) {
		put_match(s, s->n, e);
	}
	if (s->n == 1) {
		s->first = *e;
	} else {
		capture_exchange_finish(e);
	}
}

static int find_part(
        struct capture *c, const char *text, struct capture_exchange *ret, char **ret_problem)
{
	struct search s = {0};
	struct capture_exchange e;
	struct progress_count progress = {.what = "exchanges looked at"};
	capture_rewind(c);
	for (uint64_t n = 0; capture_next(c, &e) > 0; n++) {
		if (id_matches(e.row.id, text)) {
			add_match(&s, &e);
		} else {
			capture_exchange_finish(&e);
		}
		progress_count(&progress, n);
	}
	progress_count_end(&progress);
	if (s.n == 1) {
		*ret = s.first;
		return EXIT_PASS;
	}
	if (s.n == 0) {
		char *dirs = input_words(c);
		*ret_problem = xasprintf("no exchange has an id that begins or ends with %.60s; "
		                         "plumbline capture ls %s lists them",
		        text, dirs);
		free(dirs);
		return EXIT_NOT_ENOUGH;
	}
	*ret_problem =
	        xasprintf("%" PRIu64 " exchanges have ids that begin or end with %.60s; give more "
	                  "of it, or the number in this list:%s%s",
	                s.n, text, buf_cstr(&s.list), s.n > SHOWN ? "\n  ..." : "");
	last_list_keep(&s.listed, c);
	buf_finish(&s.list);
	capture_exchange_finish(&s.first);
	return EXIT_USAGE;
}

static int find_whole(
        struct capture *c, struct id id, struct capture_exchange *ret, char **ret_problem)
{
	char text[ID_TEXT_SIZE];
	if (capture_find(c, id, ret) == 0) {
		return EXIT_PASS;
	}
	*ret_problem = xasprintf("the capture has no exchange %s", id_format(id, text));
	return EXIT_NOT_ENOUGH;
}

static int find_last(struct capture *c, struct capture_exchange *ret, char **ret_problem)
{
	struct capture_exchange e;
	bool any = false;
	capture_rewind(c);
	while (capture_next(c, &e) > 0) {
		if (any) {
			capture_exchange_finish(ret);
		}
		*ret = e;
		any = true;
	}
	if (!any) {
		*ret_problem = xstrdup("the capture has no exchange yet");
	}
	return any ? EXIT_PASS : EXIT_NOT_ENOUGH;
}

/* The widest difference of the group that gives the analysis its verdict; NULL: there is none. */
static const struct id *widest_of(const struct analysis *a)
{
	bool trials = analysis_has_trials(a);
	const struct id *found = NULL;
	double most = -1;
	for (size_t i = 0; i < a->n_groups; i++) {
		const struct analysis_group *g = &a->groups[i];
		struct verdict v;
		if (!g->widest.known || (trials && g->is_floor)) {
			continue;
		}
		verdict_of_group(g, &v);
		/* by the verdict first, then by the share of differing answers, which is at most
		 * 1 */
		double order = v.figures[VERDICT_DIFFER].value.value +
		               (v.word == VERDICT_DIFFERENT        ? 4
		                       : v.word == VERDICT_UNCLEAR ? 2
		                                                   : 0);
		if (order > most) {
			most = order;
			found = &g->widest.exchange;
		}
	}
	return found;
}

/* The worst pair of the trials, for sampled answers. Without trials, the worst pair of one engine's
 * answers to the same request. */
static const struct id *worst_of(const struct analysis *a)
{
	bool trials = analysis_has_trials(a);
	const struct pick *worst = NULL;
	for (size_t i = 0; i < a->n_groups; i++) {
		const struct analysis_group *g = &a->groups[i];
		const struct pick *first = g->picks.worst.n ? &g->picks.worst.items[0] : NULL;
		bool counts = first && first->rank > 0 && !(trials && g->is_floor);
		if (counts && (!worst || first->rank > worst->rank)) {
			worst = first;
		}
	}
	return worst ? &worst->exchange : NULL;
}

static int find_worst(struct capture *c, struct capture_exchange *ret, char **ret_problem)
{
	const struct analysis_options options = {.exhibits = 1};
	struct analysis a;
	capture_rewind(c);
	analysis_run(c, &options, &a);
	const struct id *widest = widest_of(&a), *worst = widest ? widest : worst_of(&a);
	int code = EXIT_NOT_ENOUGH;
	if (worst) {
		code = find_whole(c, *worst, ret, ret_problem);
	} else {
		*ret_problem =
		        xstrdup(a.n_groups ? "there is no worst pair of answers: none differ"
		                           : "there is no worst pair of answers: no exchange has "
		                             "two answers to compare");
	}
	analysis_finish(&a);
	return code;
}

static int find_numbered(
        struct capture *c, const char *text, struct capture_exchange *ret, char **ret_problem)
{
	uint64_t n = 0;
	struct id id;
	char *problem = options_number("ID: @N", text, 1, LAST_LIST_LIMIT, &n);
	if (problem) {
		free(problem);
		*ret_problem =
		        xasprintf("@N is a number from 1 to %d, not @%.60s", LAST_LIST_LIMIT, text);
		return EXIT_USAGE;
	}
	*ret_problem = last_list_get(c, n, &id);
	return *ret_problem ? EXIT_NOT_ENOUGH : find_whole(c, id, ret, ret_problem);
}

int exchange_find(
        struct capture *c, const char *text, struct capture_exchange *ret, char **ret_problem)
{
	struct id id;
	if (*text == '@') {
		return find_numbered(c, text + 1, ret, ret_problem);
	}
	if (strcmp(text, "last") == 0) {
		return find_last(c, ret, ret_problem);
	}
	if (strcmp(text, "worst") == 0) {
		return find_worst(c, ret, ret_problem);
	}
	if (id_parse(text, &id)) {
		return find_whole(c, id, ret, ret_problem);
	}
	if (id_is_part(text)) {
		return find_part(c, text, ret, ret_problem);
	}
	*ret_problem = xasprintf("%.60s is neither a directory nor an id; an id is four or more of "
	                         "its hex digits, last, worst, or @N",
	        text);
	return EXIT_USAGE;
}
