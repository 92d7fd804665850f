# llama.cpp's server serves a quantised model; the same model in F16 is the reference.
#
#   llama-server -m model-Q4_K_M.gguf --port 8101 --ctx-size 8192
#   llama-server -m model-F16.gguf    --port 8102 --ctx-size 8192 --parallel 1
#
# Traps: unset parameters are temperature 0.8, top_k 40, top_p 0.95, min_p 0.05. Logprobs with tools in a stream are refused:
# copies ask with n_probs instead. With a draft model drafted tokens have logprob 0.0. The requested model's name is ignored.
# It can't score given tokens: add a vLLM or plumbline's scorer for that.
listen: 127.0.0.1:8080
admin: 127.0.0.1:9464
primary:
  name: q4
  url: http://127.0.0.1:8101
  dialect: llama.cpp
references:
  - name: f16
    url: http://127.0.0.1:8102
    dialect: llama.cpp
    align: greedy                        # all samplers off, and no reuse of the cache: it changes the last bits
    sample: 10%
    max_concurrency: 1                   # as many as --parallel
logprobs: {inject: both, top: 10}
capture: {path: capture}
