/*
 * Any bytes as a suite; the first line chooses its kind. The request of every item is one JSON
 * object, its labels fit a record, and the same record gives the same request.
 */
#include "replay/suite.h"

#include <string.h>

#include "base/check.h"

#define TOO_LONG ((size_t)1 << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_label(const char *label, size_t limit)
{
	expect(!label || strlen(label) <= limit);
}

static void read_record(const struct suite *s, struct span record, uint64_t number)
{
	uint32_t turns = suite_turns(s, record);
	expect(turns >= 1);
	for (uint32_t turn = 0; turn < MIN(turns, 4u); turn++) {
		struct suite_item item, again;
		struct request_facts facts;
		if (suite_read(s, record, number, turn, &item)) {
			return;
		}
		expect(suite_read(s, record, number, turn, &again) == NULL);
		expect(span_equal(buf_span(&item.body), buf_span(&again.body)));
		request_read(item.endpoint, buf_span(&item.body), &facts);
		expect(facts.is_json && endpoint_is_openai(item.endpoint));
		expect(item.labels.suite && item.labels.item && item.labels.category);
		check_label(item.labels.suite, LABEL_LIMIT);
		check_label(item.labels.item, LABEL_LIMIT);
		check_label(item.labels.category, LABEL_LIMIT);
		check_label(item.labels.gold, LABEL_GOLD_LIMIT);
		suite_item_finish(&item);
		suite_item_finish(&again);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct suite s;
	const char *p = (const char *)data, *end = p + size;
	bool header = true;
	if (size > TOO_LONG) {
		return 0;
	}
	for (uint64_t number = 0; p < end; number++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		struct span record = {p, (size_t)((stop ? stop : end) - p)};
		p = stop ? stop + 1 : end;
		if (header) {
			suite_open(&s, record);
			header = false;
			if (s.form == SUITE_NONE) {
				return 0;
			}
			if (s.has_header) {
				continue;
			}
		}
		read_record(&s, record, number);
	}
	return 0;
}
