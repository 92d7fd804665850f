#include "replay/haystack.h"

#include "base/check.h"
#include "base/rng.h"

/* The rough number of bytes per token with today's vocabularies. Words take few tokens, digits
 * and signs take many. */
static const unsigned BYTES_A_TOKEN[N_HAYSTACK_STYLES] = {5, 3, 3, 4, 3};

static const char *const SUBJECTS[] = {"The gardener", "A retired pilot", "The baker's daughter",
        "Our neighbour", "The night porter", "An old fisherman", "The new teacher",
        "A travelling salesman", "The librarian", "The ferry captain", "A young carpenter",
        "The postmistress", "The quiet twin", "A visiting botanist", "The clockmaker",
        "The orchestra's tuba player", "A shepherd", "The mayor's assistant", "The apprentice",
        "A tired nurse", "The beekeeper", "An absent-minded cook", "The lighthouse keeper",
        "A student of maps"};
static const char *const VERBS[] = {"carried", "repaired", "forgot", "painted", "described",
        "borrowed", "counted", "polished", "sold", "hid", "admired", "measured", "photographed",
        "returned", "collected", "sketched", "unpacked", "dusted", "wrapped", "lost", "weighed",
        "sorted"};
static const char *const OBJECTS[] = {"a basket of pears", "the brass telescope", "three wet coats",
        "an unfinished letter", "the garden gate", "a crate of bottles", "the painted sign",
        "two wooden chairs", "a bundle of newspapers", "the broken accordion", "a jar of honey",
        "the blue bicycle", "an album of stamps", "the spare lantern", "a roll of canvas",
        "the kitchen scales", "a sack of flour", "the old tide table", "a pair of boots",
        "the chessboard", "a map of the coast", "the copper kettle"};
static const char *const PLACES[] = {"behind the station", "near the harbour", "in the attic",
        "under the bridge", "at the edge of the orchard", "beside the mill", "on the market square",
        "in the reading room", "along the canal", "outside the chapel", "at the top of the stairs",
        "in the greenhouse", "by the kitchen window", "across the meadow", "next to the forge",
        "in the waiting room"};
static const char *const TIMES[] = {"early in the morning", "before the rain came",
        "on a windy afternoon", "after supper", "without a word", "as the bells rang",
        "late in the autumn", "for the second time that week", "while the others slept",
        "on the way home", "at the end of a long winter", "to everyone's surprise"};
static const char *const REMARKS[] = {"Nobody asked why.", "It seemed a small thing at the time.",
        "The dog watched from the doorway.", "Later that day the weather turned.",
        "There was a smell of bread in the air.", "Most people had already gone home.",
        "The conversation drifted to other matters.", "A cart rattled past and was gone.",
        "It would have to wait until spring.", "The clock on the wall had stopped again.",
        "Somebody laughed in the next room.", "The lamps were lit one after another."};
static const char *const SERVICES[] = {"gateway", "billing", "search", "mailer", "scheduler",
        "thumbnailer", "inventory", "sessions", "exporter", "notifier", "indexer", "uploads"};
static const char *const EVENTS[] = {"request finished", "cache refreshed", "connection reused",
        "batch committed", "retry was not needed", "health check answered", "queue drained",
        "lease renewed", "page rendered", "snapshot written", "worker idle", "token bucket filled",
        "configuration unchanged", "index segment merged"};
static const char *const LEVELS[] = {"DEBUG", "INFO ", "INFO ", "INFO ", "INFO ", "WARN "};
static const char *const SUPPLIERS[] = {"Alder & Sons", "Bramley Supplies", "Cobalt Works",
        "Dunmore Paper", "Eastgate Tools", "Fennel Foods", "Grafton Textiles", "Holm Timber",
        "Ivory Lane Ceramics", "Juniper Lighting", "Kestrel Freight", "Larch Printing"};
static const char *const GOODS[] = {"office chairs", "printer paper", "hex bolts", "desk lamps",
        "shipping crates", "cotton rope", "floor tiles", "pine boards", "tea towels",
        "steel brackets", "paint rollers", "packing tape", "glass jars", "work gloves"};
static const char *const SPEAKERS[] = {"Ms Abara", "Mr Benitez", "Dr Castellan", "Ms Dvorak",
        "Mr Eklund", "Ms Farouk", "Mr Galanis", "Dr Hashimoto", "Ms Ivanova", "Mr Jansen"};
static const char *const TOPICS[] = {"the heating in the east wing", "the visitors' car park",
        "the summer timetable", "the state of the roof", "the newsletter", "the canteen contract",
        "the bicycle shed", "the archive move", "the fire drill", "the website's opening page",
        "the volunteers' training", "the choice of carpet", "the noticeboards", "the open day"};
static const char *const ACTIONS[] = {"reported on", "asked for more time for", "summarised",
        "raised a question about", "thanked the group that looked after", "tabled a paper on",
        "gave a short update on", "wondered whether anything was to be done about"};
static const char *const OUTCOMES[] = {"The matter was noted.", "No decision was taken.",
        "The item was put back to the next meeting.", "Members agreed to read the paper first.",
        "There were no objections.", "A working group will look at it.",
        "The chair asked for a written summary.", "It was agreed to leave things as they are."};
static const char *const FUNCTION_VERBS[] = {"load", "merge", "filter", "normalise", "collect",
        "split", "rank", "flatten", "trim", "group", "count", "pad"};
static const char *const FUNCTION_NOUNS[] = {"rows", "labels", "points", "words", "edges", "pages",
        "events", "fields", "blocks", "samples", "paths", "weights"};

#define PICK(rng, list) ((list)[rng_below((rng), ARRAY_LEN(list))])

static void prose(struct rng *d, struct buf *to)
{
	size_t sentences = 3 + rng_below(d, 4);
	for (size_t i = 0; i < sentences; i++) {
		buf_append_str(to, i ? " " : "");
		if (rng_below(d, 5) == 0) {
			buf_append_str(to, PICK(d, REMARKS));
			continue;
		}
		const char *who = PICK(d, SUBJECTS), *did = PICK(d, VERBS);
		const char *what = PICK(d, OBJECTS), *where = PICK(d, PLACES);
		buf_printf(to, "%s %s %s %s", who, did, what, where);
		if (rng_below(d, 2)) {
			buf_printf(to, " %s", PICK(d, TIMES));
		}
		buf_append_char(to, '.');
	}
	buf_append_str(to, "\n\n");
}

static void log_line(struct rng *d, uint64_t number, struct buf *to)
{
	uint64_t second = number * 7 + rng_below(d, 7);
	unsigned ms = (unsigned)rng_below(d, 1000);
	const char *level = PICK(d, LEVELS), *service = PICK(d, SERVICES), *event = PICK(d, EVENTS);
	buf_printf(to, "2026-03-%02uT%02u:%02u:%02u.%03uZ %s %-11s %s duration_ms=%u\n",
	        (unsigned)(second / 86400 % 28 + 1), (unsigned)(second / 3600 % 24),
	        (unsigned)(second / 60 % 60), (unsigned)(second % 60), ms, level, service, event,
	        (unsigned)rng_below(d, 900) + 1);
}

static void ledger_row(struct rng *d, uint64_t number, struct buf *to)
{
	const char *supplier = PICK(d, SUPPLIERS), *goods = PICK(d, GOODS);
	unsigned count = (unsigned)rng_below(d, 48) + 2, pence = (unsigned)rng_below(d, 100);
	buf_printf(to, "row %05u | %s | %s | %u pieces | %u.%02u\n", (unsigned)number + 1, supplier,
	        goods, count, (unsigned)rng_below(d, 900) + 20, pence);
}

static void minute(struct rng *d, uint64_t number, struct buf *to)
{
	const char *who = PICK(d, SPEAKERS), *did = PICK(d, ACTIONS);
	const char *what = PICK(d, TOPICS), *end = PICK(d, OUTCOMES);
	buf_printf(to, "%u.%u %s %s %s. %s\n", (unsigned)(number / 9 + 1),
	        (unsigned)(number % 9 + 1), who, did, what, end);
}

static void function(struct rng *d, uint64_t number, struct buf *to)
{
	const char *verb = PICK(d, FUNCTION_VERBS), *noun = PICK(d, FUNCTION_NOUNS);
	unsigned a = (unsigned)rng_below(d, 90) + 3, b = (unsigned)rng_below(d, 9) + 2;
	buf_printf(to, "def %s_%s_%u(items, limit=%u):\n", verb, noun, (unsigned)number, a);
	switch (rng_below(d, 3)) {
	case 0:
		buf_printf(to,
		        "    kept = [item for item in items if item]\n"
		        "    return kept[:limit:%u]\n\n",
		        b);
		break;
	case 1:
		buf_printf(to,
		        "    total = 0\n    for item in items:\n"
		        "        total = (total * %u + len(str(item))) %% limit\n"
		        "    return total\n\n",
		        b);
		break;
	default:
		buf_printf(to,
		        "    if len(items) > limit:\n        items = items[-limit:]\n"
		        "    return sorted(items, key=str)[%u:]\n\n",
		        b);
		break;
	}
}

/* Writes one unit of the style: a paragraph, a line, or a row. */
static void unit(const struct haystack *h, struct rng *d, uint64_t number, struct buf *to)
{
	switch (h->style) {
	case HAYSTACK_PROSE:
		prose(d, to);
		return;
	case HAYSTACK_LOG:
		log_line(d, number, to);
		return;
	case HAYSTACK_LEDGER:
		ledger_row(d, number, to);
		return;
	case HAYSTACK_MINUTES:
		minute(d, number, to);
		return;
	case HAYSTACK_CODE:
		function(d, number, to);
		return;
	case N_HAYSTACK_STYLES:
		break;
	}
	never("a style that is none");
}

static void needle(const struct haystack *h, size_t i, struct buf *to)
{
	bool paragraphs = h->style == HAYSTACK_PROSE || h->style == HAYSTACK_CODE;
	buf_append_span(to, h->needles[i].text);
	buf_append_str(to, paragraphs ? "\n\n" : "\n");
}

bool haystack_style_parse(struct span name, enum haystack_style *ret)
{
	static const char *const NAMES[N_HAYSTACK_STYLES] = {
	        "prose", "log", "ledger", "minutes", "code"};
	for (int i = 0; i < N_HAYSTACK_STYLES; i++) {
		if (span_is(name, NAMES[i])) {
			*ret = (enum haystack_style)i;
			return true;
		}
	}
	return false;
}

unsigned haystack_bytes(enum haystack_style style)
{
	return BYTES_A_TOKEN[style];
}

void haystack_make(const struct haystack *h, struct buf *to)
{
	struct rng rng = {h->seed};
	size_t begin = to->len, next = 0;
	double size = (double)h->tokens * haystack_bytes(h->style);
	for (uint64_t number = 0; (double)(to->len - begin) < size; number++) {
		while (next < h->n_needles &&
		        (double)(to->len - begin) >= h->needles[next].at * size) {
			needle(h, next++, to);
		}
		unit(h, &rng, number, to);
	}
	while (next < h->n_needles) {
		needle(h, next++, to);
	}
	while (to->len > begin && to->data[to->len - 1] == '\n') {
		to->len--;
	}
}
