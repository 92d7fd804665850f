/*
 * Any bytes as a policy file. An accepted policy is applied to an analysis and to an empty one.
 */
#include <stdint.h>
#include <stdlib.h>

#include <jansson.h>

#include "analyzer/report/policy/policy_check.h"
#include "analyzer/report/forms/output_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char ANALYSIS[] =
        "{\"damaged_rows\": 1, \"groups\": [{\"base\": \"a\", \"test\": \"b\", \"is_floor\": "
        "false, \"by_decoding\":"
        "{\"greedy\": {\"figures\": {\"differ\": {\"n\": 9, \"value\": 0.1, \"ci95\": [0.05, 0.2]},"
        "\"hazard\": {\"n\": 99, \"value\": 3.5, \"ci95\": null}}}}, \"slices\": {\"model\": "
        "{\"values\": ["
        "{\"value\": \"m\", \"pairs\": 5, \"differ\": {\"value\": 0.2, \"ci95\": [0.1, 0.3]}}]}},"
        "\"noise_floor\": {\"pairs\": 9, \"figures\": {\"differ\": {\"excess\": {\"value\": 0.1, "
        "\"ci95\": [0, 0.2]}}}}}]}";

static void judge(const struct policy *p, const char *text)
{
	json_t *document = json_loads(text, 0, NULL);
	enum policy_result r = policy_check(p, document);
	expect(policy_result_of(document) == r);
	const json_t *rules = json_object_get(json_object_get(document, "policy"), "rules");
	expect(json_array_size(rules) >= p->n);
	char *out = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&out, &len);
	output_format_write(OUTPUT_FORMAT_TEXT, document, to);
	fclose(to);
	for (size_t i = 0; i < len; i++) {
		expect((unsigned char)out[i] >= 0x20 || out[i] == '\n');
	}
	free(out);
	json_decref(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *error = NULL;
	struct policy *p = policy_parse("fuzz", (struct span){(const char *)data, size}, &error);
	if (!p) {
		expect(error && *error);
		free(error);
		return 0;
	}
	expect(p->n > 0);
	judge(p, ANALYSIS);
	judge(p, "{}");
	policy_destroy(p);
	return 0;
}
