// Prints as JSON the objects that the official Node SDK makes from an engine's answers: objects.mjs BASE_URL
import OpenAI from "openai";

const client = new OpenAI({ baseURL: process.argv[2] + "/v1", apiKey: "sk-test", maxRetries: 0 });
const say = [{ role: "user", content: "Tell me about the sea." }];
const greedy = { model: "simulated", temperature: 0, max_tokens: 12 };
const tools = [{ type: "function", function: { name: "get_weather", description: "Weather of a city", parameters: {
	type: "object", properties: { city: { type: "string" } }, required: ["city"] } } }];
const forced = { tools, tool_choice: { type: "function", function: { name: "get_weather" } } };

const plain = (x) => Array.isArray(x) ? x.map(plain) : x && typeof x === "object"
	? Object.fromEntries(Object.entries(x).filter(([k]) => k !== "id" && k !== "created" && k !== "_request_id").map(([k, v]) => [k, plain(v)])) : x;
const all = async (stream) => { const got = []; for await (const c of await stream) got.push(plain(c)); return got; };
const error = async (call) => { try { await call(); } catch (e) { return { name: e.constructor.name, status: e.status, message: e.message, error: plain(e.error) }; } };

const seen = {};
for (let again = 0; again < 3; again++) {
	seen[`models ${again}`] = await all(client.models.list());
	seen[`chat ${again}`] = plain(await client.chat.completions.create({ messages: say, ...greedy }));
	seen[`logprobs ${again}`] = plain(await client.chat.completions.create({ messages: say, logprobs: true, top_logprobs: 3, ...greedy }));
	seen[`stream ${again}`] = await all(client.chat.completions.create({ messages: say, stream: true, ...greedy }));
	seen[`usage ${again}`] = await all(client.chat.completions.create({ messages: say, stream: true, stream_options: { include_usage: true }, ...greedy }));
	seen[`completion ${again}`] = plain(await client.completions.create({ prompt: "Once upon a time", ...greedy }));
	seen[`completion stream ${again}`] = await all(client.completions.create({ prompt: "Once upon a time", stream: true, ...greedy }));
	seen[`tools ${again}`] = plain(await client.chat.completions.create({ messages: say, ...forced, ...greedy }));
	seen[`tools stream ${again}`] = await all(client.chat.completions.create({ messages: say, stream: true, ...forced, ...greedy }));
}
seen["bad request"] = await error(() => client.chat.completions.create({ messages: say, ...greedy, max_tokens: "many" }));
seen["no such route"] = await error(() => client.embeddings.create({ model: "none", input: "x" }));

const aborted = await client.chat.completions.create({ messages: say, stream: true, ...greedy, max_tokens: 400 });
seen["aborted"] = [];
for await (const c of aborted) {
	if (seen["aborted"].push(plain(c)) === 3) { aborted.controller.abort(); break; }
}
seen["parallel"] = (await Promise.all(Array.from({ length: 16 }, (_, i) =>
	client.chat.completions.create({ messages: [{ role: "user", content: `Number ${i}` }], ...greedy })))).map(plain);
console.log(JSON.stringify(seen));
