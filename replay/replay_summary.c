#include "replay/replay_summary.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/json_text.h"
#include "capture/record_json.h"

void replay_summary_put_reasons(
        struct json_writer *w, const char *name, const struct error_tally *r)
{
	json_writer_open(w, name, '[');
	for (size_t i = 0; i < r->n; i++) {
		json_writer_open(w, NULL, '{');
		json_writer_string(w, "why", span_of(r->items[i].why));
		json_writer_count(w, "n", r->items[i].n);
		json_writer_close(w, "}");
	}
	json_writer_close(w, "]");
}

static void put_histogram(struct json_writer *w, const char *name, const struct histogram *h)
{
	json_writer_open(w, name, '{');
	json_writer_count(w, "n", h->n);
	json_writer_number(w, "mean", load_figures_mean_ms(h));
	json_writer_number(w, "std", load_figures_deviation_ms(h));
	json_writer_number(w, "min", load_figures_quantile_ms(h, 0));
	json_writer_number(w, "p50", load_figures_quantile_ms(h, 0.5));
	json_writer_number(w, "p90", load_figures_quantile_ms(h, 0.9));
	json_writer_number(w, "p95", load_figures_quantile_ms(h, 0.95));
	json_writer_number(w, "p99", load_figures_quantile_ms(h, 0.99));
	json_writer_number(w, "p99.9", load_figures_quantile_ms(h, 0.999));
	json_writer_number(w, "max", load_figures_quantile_ms(h, 1));
	json_writer_close(w, "}");
}

static void put_intended(struct json_writer *w, const struct load_figures *f)
{
	json_writer_open(w, "intended", '{');
	put_histogram(w, "ttft_ms", &f->ttft_intended);
	put_histogram(w, "e2el_ms", &f->e2el_intended);
	put_histogram(w, "queue_ms", &f->queue);
	json_writer_close(w, "}");
}

static void put_latencies(struct json_writer *w, const struct load_figures *f)
{
	put_intended(w, f);
	json_writer_open(w, "vllm", '{');
	put_histogram(w, "ttft_ms", &f->ttft);
	put_histogram(w, "itl_ms", &f->itl);
	put_histogram(w, "tpot_ms", &f->tpot);
	put_histogram(w, "e2el_ms", &f->e2el);
	json_writer_close(w, "}");
	json_writer_open(w, "aiperf", '{');
	put_histogram(w, "time_to_first_token_ms", &f->first_token);
	put_histogram(w, "time_to_first_output_token_ms", &f->first_output);
	put_histogram(w, "inter_token_latency_ms", &f->mean_itl);
	put_histogram(w, "inter_chunk_latency_ms", &f->itl);
	put_histogram(w, "request_latency_ms", &f->request_latency);
	uint64_t finished = f->completed + f->failed.total;
	json_writer_number(w, "goodput", load_figures_per_second(f, (double)f->good));
	json_writer_number(
	        w, "good_request_fraction", finished ? (double)f->good / (double)finished : 0);
	json_writer_count(w, "ungauged", f->ungauged);
	json_writer_close(w, "}");
	json_writer_open(w, "schedule", '{');
	put_histogram(w, "lag_ms", &f->lag);
	json_writer_count(w, "waited", f->blocked);
	json_writer_count(w, "unthought", f->unthought);
	json_writer_count(w, "paused", f->paused);
	json_writer_bool(w, "spoilt", load_figures_are_late(f));
	json_writer_close(w, "}");
}

static void put_rate(struct json_writer *w, const struct pace *p)
{
	static const char *const SHAPES[] = {"steady", "ramp", "steps", "saturate"};
	json_writer_number(w, "rate", p->rates[0]);
	record_json_text(w, "shape", SHAPES[p->shape]);
	if (p->shape == PACE_RAMP) {
		json_writer_number(w, "ramp_to", p->rates[1]);
		json_writer_number(w, "ramp_seconds", (double)p->over / 1e9);
	} else if (pace_has_steps(p)) {
		json_writer_number(w, "step_seconds", (double)p->step / 1e9);
	}
}

static void put_identity(struct json_writer *w, const struct replay_summary *r)
{
	json_writer_string(w, "source", span_of(r->source));
	json_writer_string(w, "capture", span_of(r->capture));
	const struct target *t = r->target;
	bool several = r->load->shares != NULL; /* "targets" lists them */
	record_json_text(w, "backend", several ? NULL : t->name);
	record_json_text(w, "url", several ? NULL : t->url);
	record_json_text(w, "dialect", several ? NULL : t->dialect->name);
	record_json_text(w, "version", r->version);
	record_json_id(w, "run", r->run);
	json_writer_text(w, "align", align_name(t->rules.align));
	static const char *const LOADS[] = {"closed", "rate", "original"};
	record_json_text(w, "load", LOADS[r->load->load]);
	json_writer_count(w, "concurrency", r->load->concurrency);
	if (r->load->load == LOAD_RATE) {
		put_rate(w, r->pace);
		json_writer_text(w, "arrivals", schedule_name(r->load->arrivals));
	}
	json_writer_bool(w, "resumed", r->resumed);
	json_writer_count(w, "requests", r->sends);
	json_writer_count(w, "before", r->before);
	json_writer_count(w, "sent_again", r->again);
}

static void put_tries(struct json_writer *w, const struct load_figures *f)
{
	json_writer_count(w, "injection_refused", f->injection_refused);
	json_writer_count(
	        w, "retried", f->injection_refused); /* its former name, for one release */
	replay_summary_put_reasons(w, "retries", &f->retries);
}

static void put_shares(struct json_writer *w, const struct runner_settings *s)
{
	if (!s->shares) {
		return;
	}
	json_writer_open(w, "targets", '[');
	for (size_t i = 0; i < s->n_targets; i++) {
		const struct target *t = s->targets[i];
		const struct load_figures *f = &s->shares[i];
		json_writer_open(w, NULL, '{');
		record_json_text(w, "backend", t->name);
		record_json_text(w, "url", t->url);
		record_json_text(w, "dialect", t->dialect->name);
		json_writer_count(w, "completed", f->completed);
		json_writer_count(w, "warm_up", f->warm_up);
		json_writer_count(w, "cancelled", f->cancelled);
		json_writer_count(w, "input_tokens", (uint64_t)f->input_tokens);
		json_writer_count(w, "output_tokens", (uint64_t)f->output_tokens);
		replay_summary_put_reasons(w, "failed", &f->failed);
		replay_summary_put_reasons(w, "warm_up_failed", &f->warm_up_failed);
		put_tries(w, f);
		put_intended(w, f);
		json_writer_close(w, "}");
	}
	json_writer_close(w, "]");
}

static void write_out(struct buf *b, FILE *to)
{
	fwrite(b->data, 1, b->len, to);
	fflush(to);
	buf_finish(b);
}

void replay_summary_json(const struct replay_summary *r, FILE *to)
{
	static const char *const ENDS[] = {
	        [RUNNER_DONE] = "done",
	        [RUNNER_TIME] = "duration",
	        [RUNNER_STOPPED] = "stopped",
	        [RUNNER_ERRORS] = "errors",
	        [RUNNER_GONE] = "gone",
	        [RUNNER_DISK] = "disk",
	};
	const struct load_figures *f = r->figures;
	struct buf b = {0};
	struct json_writer w = {.to = &b};
	json_writer_open(&w, NULL, '{');
	json_writer_text(&w, "event", "end");
	record_json_text(&w, "end", ENDS[r->result->end]);
	put_identity(&w, r);
	json_writer_count(&w, "left", r->result->left);
	json_writer_count(&w, "lost", r->lost);
	json_writer_number(&w, "seconds", load_figures_seconds(f));
	json_writer_count(&w, "sent", f->sent);
	json_writer_count(&w, "undone", f->undone);
	json_writer_count(&w, "completed", f->completed);
	json_writer_count(&w, "warm_up", f->warm_up);
	json_writer_count(&w, "cancelled", f->cancelled);
	json_writer_count(&w, "compared", f->compared);
	double same_bytes = f->common.n ? (double)histogram_quantile(&f->common, 0.5) : NAN;
	json_writer_count(&w, "differing", f->differing);
	json_writer_number(&w, "same_bytes_p50", same_bytes);
	/* the former names of both, for one release */
	json_writer_count(&w, "parted", f->differing);
	json_writer_number(&w, "parted_after_bytes_p50", same_bytes);
	json_writer_count(&w, "streams", f->streams);
	put_tries(&w, f);
	json_writer_count(&w, "without_usage", f->without_usage);
	json_writer_count(&w, "input_tokens", (uint64_t)f->input_tokens);
	json_writer_count(&w, "output_tokens", (uint64_t)f->output_tokens);
	json_writer_count(&w, "max_in_flight", f->peak);
	json_writer_number(
	        &w, "request_throughput", load_figures_per_second(f, (double)f->completed));
	json_writer_number(
	        &w, "output_throughput", load_figures_per_second(f, (double)f->output_tokens));
	replay_summary_put_reasons(&w, "failed", &f->failed);
	replay_summary_put_reasons(&w, "warm_up_failed", &f->warm_up_failed);
	replay_summary_put_reasons(&w, "unfit", &r->result->unfit);
	replay_summary_put_reasons(&w, "unreplayable", r->scan->unfit);
	json_writer_count(&w, "redacted", r->scan->redacted);
	put_latencies(&w, f);
	put_shares(&w, r->load);
	if (r->steps) {
		json_writer_count(&w, "left_due", r->left_due);
		steps_json(&w, r->steps);
	}
	json_writer_close(&w, "}");
	buf_append_char(&b, '\n');
	write_out(&b, to);
}

/* Writes a member on a line of its own. */
static void put_line(struct json_writer *w, const char *figure, const char *name, double value)
{
	json_writer_begin(w, (struct span){0});
	buf_printf(w->to, "\n  \"%s_%s_ms\": ", figure, name);
	json_put_number(w->to, value);
}

static void put_vllm(struct json_writer *w, const char *name, const struct histogram *h)
{
	put_line(w, "mean", name, load_figures_mean_ms(h));
	put_line(w, "median", name, load_figures_quantile_ms(h, 0.5));
	put_line(w, "std", name, load_figures_deviation_ms(h));
	static const struct {
		const char *name;
		double q;
	} AT[] = {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}};
	for (size_t i = 0; i < ARRAY_LEN(AT); i++) {
		put_line(w, AT[i].name, name, load_figures_quantile_ms(h, AT[i].q));
	}
}

/* vLLM's format has one model. Several are joined there with commas; "models", which vLLM does not
 * have, lists them. */
static void put_models(struct json_writer *w, const struct replay_summary *r)
{
	struct buf all = {0};
	for (size_t i = 0; i < r->n_models; i++) {
		buf_printf(&all, "%s%s", i ? "," : "", r->models[i]);
	}
	json_writer_string(w, "model_id", buf_span(&all));
	json_writer_string(w, "tokenizer_id", buf_span(&all));
	json_writer_open(w, "models", '[');
	for (size_t i = 0; i < r->n_models; i++) {
		json_writer_text(w, NULL, r->models[i]);
	}
	json_writer_close(w, "]");
	buf_finish(&all);
}

static void put_result_head(struct json_writer *w, const struct replay_summary *r)
{
	char date[32];
	time_t now = (time_t)(clock_wall() / 1000000000);
	struct tm tm;
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", gmtime_r(&now, &tm));
	json_writer_open(w, NULL, '{');
	json_writer_begin(w, (struct span){0});
	buf_printf(w->to, "\n  \"date\": \"%s\"", date);
	json_writer_text(w, "endpoint_type", "openai-chat");
	record_json_text(w, "backend", r->target->dialect->name);
	record_json_text(w, "label", r->target->name);
	put_models(w, r);
	json_writer_count(w, "num_prompts", r->sends);
	if (r->load->load == LOAD_RATE) {
		json_writer_number(w, "request_rate", r->load->rate);
	} else {
		json_writer_text(w, "request_rate", "inf");
	}
	bool poisson = r->load->arrivals == ARRIVALS_POISSON;
	json_writer_number(w, "burstiness", poisson ? 1 : r->load->burstiness);
	if (r->load->concurrency) {
		json_writer_count(w, "max_concurrency", r->load->concurrency);
	} else {
		json_writer_null(w, "max_concurrency");
	}
}

int replay_summary_save(const struct replay_summary *r, const char *path)
{
	const struct load_figures *f = r->figures;
	struct buf b = {0};
	struct json_writer w = {.to = &b};
	put_result_head(&w, r);
	json_writer_number(&w, "duration", load_figures_seconds(f));
	json_writer_count(&w, "completed", f->completed);
	json_writer_count(&w, "failed", f->failed.total);
	json_writer_count(&w, "total_input_tokens", (uint64_t)f->input_tokens);
	json_writer_count(&w, "total_output_tokens", (uint64_t)f->output_tokens);
	json_writer_number(
	        &w, "request_throughput", load_figures_per_second(f, (double)f->completed));
	bool goals = f->goals.ttft_us || f->goals.tpot_us || f->goals.e2el_us;
	if (goals) {
		json_writer_number(
		        &w, "request_goodput", load_figures_per_second(f, (double)f->good));
	} else {
		json_writer_null(&w, "request_goodput");
	}
	json_writer_number(
	        &w, "output_throughput", load_figures_per_second(f, (double)f->output_tokens));
	json_writer_number(&w, "total_token_throughput",
	        load_figures_per_second(f, (double)(f->input_tokens + f->output_tokens)));
	json_writer_count(&w, "max_output_tokens_per_s", load_figures_most_tokens(f));
	json_writer_count(&w, "max_concurrent_requests", f->peak);
	json_writer_count(&w, "rtfx", 0); /* concerns audio, which we never send */
	put_vllm(&w, "ttft", &f->ttft);
	put_vllm(&w, "tpot", &f->tpot);
	put_vllm(&w, "itl", &f->itl);
	put_vllm(&w, "e2el", &f->e2el);
	put_vllm(&w, "client_queue_time", &f->queue);
	put_vllm(&w, "e2el_including_client_queue", &f->e2el_intended);
	buf_append_str(&b, "\n}\n");
	FILE *file = fopen(path, "we");
	if (!file) {
		buf_finish(&b);
		return -errno;
	}
	write_out(&b, file);
	bool bad = ferror(file) != 0;
	return fclose(file) != 0 || bad ? -EIO : 0;
}
