#pragma once
/*
 * documents - an analysis document with chosen figures, for tests of reports.
 */
#include <criterion/criterion.h>
#include <jansson.h>

#include "base/mem.h"

/* A figure with its 95 % interval. */
#define FIGURE(name, n, value, low, high)                                                          \
	"\"" name "\": {\"n\": " #n ", \"value\": " #value ", \"ci95\": [" #low ", " #high         \
	"], \"clusters\": 100, \"rests_on\": \"answers\"}"

/* Verdict, deciding figure and lists, of a document or a group. */
#define HEAD                                                                                       \
	"\"verdict\": {\"word\": \"DIFFERENT\", \"sentence\": \"The primary's answers differ.\"}," \
	"\"figures\": [{\"name\": \"differ\", \"label\": \"answers that differ\", \"n\": 400,"     \
	"\"value\": 0.1, \"ci95\": [0.07, 0.13], \"floor\": 0.08, \"floor_is\": \"measured\","     \
	"\"over_floor\": {\"value\": 0.02, \"ci95\": [-0.01, 0.05]}, \"least_effect\": 0.02}],"    \
	"\"cause\": null, \"limits\": [], \"next\": [],"

static const char ANALYSIS[] =
        "{\"plumbline_analysis\": 2," HEAD " \"exchanges\": 400, \"damaged_rows\": 2,"
        " \"traffic\": {\"backends\": [{\"backend\": \"prod\", \"role\": \"primary\", \"answers\": "
        "200,"
        " \"failed\": 3, \"milliseconds\": {\"ttft\": {\"n\": 190, \"p99\": 812.5}}}]},"
        " \"problems\": [], \"groups\": ["
        "{\"base\": \"trusted\", \"test\": \"prod\", \"base_role\": \"reference\","
        " \"test_role\": \"primary\"," HEAD
        " \"pairs\": 410, \"is_floor\": false, \"by_decoding\": {"
        "\"greedy\": {\"pairs\": 400, \"figures\": {" FIGURE("differ", 400, 0.1, 0.07,
                0.13) "," FIGURE("answer_changed", 380, 0.03, 0.015, 0.05) "," FIGURE("same_top",
                9000, 0.991, 0.989, 0.993) "," FIGURE("length_bias", 400, -0.5, -1.5,
                0.5) ","
                     "\"kl_low\": {\"n\": 0, \"value\": null, \"ci95\": null, \"clusters\": 0},"
                     "\"hazard\": {\"n\": 9000, \"value\": 4.4, \"ci95\": null, \"clusters\": 1}},"
                     "\"delta_lp\": {\"n\": 8900, \"p99\": 0.4}}},"
                     "\"noise_floor\": {\"floors\": \"both\", \"pairs\": 400, \"figures\": "
                     "{\"differ\": {"
                     "\"excess\": {\"value\": 0.02, \"ci95\": [-0.01, 0.05], \"clusters\": 100}},"
                     "\"answer_changed\": {\"excess\": {\"value\": null, \"ci95\": null, "
                     "\"clusters\": 0}}}},"
                     "\"slices\": {\"category\": {\"values\": ["
                     "{\"value\": \"number\", \"pairs\": 150, \"differ\": {\"value\": 0.04, "
                     "\"ci95\": [0.02, 0.08]}, "
                     "\"answer_changed\": {\"value\": 0.5, \"ci95\": [0.01, 0.99], "
                     "\"clusters\": 2, \"n\": 2}},"
                     "{\"value\": \"open\", \"pairs\": 250, \"differ\": {\"value\": 0.14, "
                     "\"ci95\": [0.1, 0.19]}}]}},"
                     "\"first_positions\": {\"same_top\": {\"value\": 0.9, \"ci95\": [0.85, 0.95], "
                     "\"clusters\": 200}}, \"sampled_test\": {\"mmd2\": 0.02, \"p\": 0.001},"
                     "\"left_out\": {\"pairs\": 10, \"test_error\": 3}},"
                     "{\"base\": \"trusted\", \"test\": \"trusted-2\", \"base_role\": "
                     "\"reference\","
                     " \"test_role\": \"reference\", \"pairs\": 400, \"is_floor\": true, "
                     "\"by_decoding\": {"
                     "\"greedy\": {\"pairs\": 400, \"figures\": {" FIGURE("differ", 400, 0.06, 0.04,
                             0.09) "}}}, \"noise_floor\": {}, \"slices\": {}, \"left_out\": {}}],"
                                   "\"teacher_forced\": [{\"scorer\": \"trusted\", \"of\": "
                                   "\"prod\", \"scorer_role\": \"reference\","
                                   " \"of_role\": \"primary\", \"greedy_flips\": "
                                   "{\"answers\": 0.12}, \"by_decoding\": {\"greedy\": "
                                   "{\"same_top\":"
                                   " {\"n\": 12000, \"count\": 11940, \"rate\": 0.995, \"ci95\": "
                                   "[0.993, 0.996]},"
                                   " \"logprob\": {\"n\": 12000, \"mean\": -0.01, \"rms\": "
                                   "0.1}}}}],"
                                   " \"sampling\": [{\"backend\": \"prod\", \"role\": "
                                   "\"primary\", \"n_findings\": 1,"
                                   " \"temperature\": {\"ratio\": 0.8, \"n\": 4000, \"ci95\": "
                                   "[0.77, 0.83]},"
                                   " \"penalty\": {\"shift_nats\": 0.05, \"n\": 4000, "
                                   "\"ci95\": [-0.1, 0.2]}, "
                                   "\"calibration\": {\"value\": 0.05, \"n\": 4000, \"ci95\": "
                                   "[0.03, 0.07]}, \"repeats\": {\"value\": 3}}]}";

static inline json_t *analysis(void)
{
	json_error_t error;
	json_t *document = json_loads(ANALYSIS, 0, &error);
	cr_assert_not_null(document, "%s", error.text);
	return document;
}
