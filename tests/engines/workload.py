"""The workload of `lab run`: half chats and half completions, half of each streamed, all at temperature 0."""

PROMPTS = """\
The capital of France is
Water boils at a temperature of
Once upon a time, in a valley between two rivers,
The three primary colours are
In 1969, two men walked on
The opposite of hot is
A recipe for pancakes needs flour,
The largest planet of the solar system is
Un jour, le petit prince rencontra
Das Wetter in Hamburg ist heute
日本の首都は
😀 😃 😄 😁 means that somebody is
Ünïcödé names such as Łódź or Zürich are
1, 2, 3, 5, 8, 13,
def factorial(n):
""".splitlines()

QUESTIONS = """\
Name three prime numbers and add them up.
What is the sum of 17 and 25?
Write one sentence about the sea.
Which language is spoken in Brazil?
Répète : 日本 😀 déjà vu
How many legs does a spider have?
Explain in a few words what a proxy is.
Translate 'good morning' into Spanish.
List the four seasons.
Why is the sky blue?
Here is my thought process: two and two make four. Here is my response: The answer is 4.
Who wrote Hamlet?
Repeat: 👩‍👩‍👧‍👦 Ünïcödé 🏴‍☠️ 日本
What is the square root of 144?
Give me a word that rhymes with cat.
""".splitlines()


def exchanges(count, model, max_tokens):
    """Yield (path, body) of each request. A repeated text gets a number before it, so all requests differ."""
    for i in range(count):
        turn, at = divmod(i // 2, len(PROMPTS))
        again = f"{turn + 1}. " if turn else ""
        body = {"model": model, "temperature": 0, "max_tokens": max_tokens}
        if i % 4 >= 2:
            body["stream"] = True
        if i % 2:
            yield "/v1/completions", {**body, "prompt": again + PROMPTS[at]}
        else:
            yield "/v1/chat/completions", {**body, "messages": [{"role": "user", "content": again + QUESTIONS[at]}]}
