#include "backends/probe/probe.h"

#include "backends/probe/probing.h"
#include "base/clock.h"

/* Later experiments use the results of earlier ones. Those that might do harm come last. Each
 * capability that one of them records has a row in CAPABILITIES (probe_report.c). */
static const struct {
	const char *what;
	void (*run)(struct probing *p);
} EXPERIMENTS[] = {
        {"routes", probe_routes},
        {"streams", probe_streams},
        {"alternatives", probe_alternatives},
        {"prompts", probe_prompts},
        {"repeats", probe_repeats},
        {"scores", probe_scores},
        {"sampling", probe_choices},
        {"temperature 0", probe_greedy},
        {"tokens", probe_tokens},
        {"harm of logprobs", probe_harm},
        {"prefix cache", probe_cache},
        {"tool calls", probe_tools},
        {"reasoning", probe_reasoning},
        {"errors", probe_errors},
        {"connection", probe_connection},
        {"requests with a risk", probe_risks},
};

struct probe_report *probe_run(const struct probe_settings *s)
{
	struct probing p = {
	        .settings = s,
	        .dialect = s->identity->dialect,
	        .report = probe_report_create(),
	        .start = clock_mono(),
	        .minor = -1,
	        .prompt_tokens = -1,
	};
	for (size_t i = 0; i < ARRAY_LEN(EXPERIMENTS) && !p.ended; i++) {
		probing_step(&p, EXPERIMENTS[i].what);
		EXPERIMENTS[i].run(&p);
		probe_check_alive(&p, EXPERIMENTS[i].what);
	}
	probe_report_sort(p.report);
	p.report->total_ms = (clock_mono() - p.start) / 1000000;
	return p.report;
}
