// stacks - the engine, model and hardware of each side, and the differences between them.

import { el, section, table } from './dom.js';
import { count, moment, plural } from './format.js';
import { report } from './model.js';

/** Items that the header and the table always show; others appear only if they differ. */
const SHOWN = ['engine', 'engine.version', 'model', 'model.quantization', 'model.precision', 'hardware.accelerator', 'hardware.cpu'];
/** Items of the measurement, not of the stack. */
const IS_OURS = /^evaluation\./;

/** Items that can be a cause come first. A name that ends in a dot is a prefix. */
const ITEMS_OF_CAUSES = {
	bos_token: ['model.bos', 'model.template'],
	cache: ['serving.prefix_cache', 'serving.cache_'],
	chat_template: ['model.template'],
	drift: ['model.quantization', 'model.precision', 'serving.attention', 'hardware.'],
	load: ['serving.max_'],
	other_model: ['model'],
	processed_logprobs: ['decoding.logprobs'],
	prompt_tokens: ['model.template', 'model.tokenizer'],
	prompt_truncated: ['model.context'],
	reasoning_place: ['decoding.reasoning_parser', 'model.template'],
	repetition_penalty: ['sampling.repetition_penalty', 'sampling.presence_penalty', 'sampling.frequency_penalty'],
	system_dropped: ['model.template'],
	temperature_unset: ['sampling.'],
	unasked_sampling: ['sampling.'],
	unlike_parameters: ['sampling.'],
};
const isOfCause = (item) => (ITEMS_OF_CAUSES[report.cause?.key] ?? []).some((name) => item.name === name || (/[._]$/.test(name) && item.name.startsWith(name)));

const stacks = report.manifest?.stacks ?? [];

/**
 * The stack of a backend; null if unknown. A side may be a part of a backend: "prod@first", "engine alone",
 * "engine at concurrency 8".
 */
export function stackOf(name) {
	const isPart = (stack) => name.startsWith(stack.backend ?? '\0') && /^(@|, | alone$| at |$)/.test(name.slice(stack.backend.length));
	return stacks.find((stack) => stack.backend === name) ?? stacks.find(isPart) ?? null;
}

const itemOf = (stack, name) => stack?.items.find((item) => item.name === name) ?? null;
const isKnown = (item) => Boolean(item?.value);

/** The facts by which people name a stack: [[name, value or null]], the engine first. */
export function mainFacts(stack) {
	const of = (name) => itemOf(stack, name)?.value ?? null;
	return [
		['engine', of('engine')],
		['version', of('engine.version')],
		['model', of('model')],
		['quantisation', of('model.quantization')],
		['hardware', of('hardware.accelerator') ?? of('hardware.cpu')],
	];
}

/** "vLLM 0.11.0, Qwen3-8B, FP8; hardware not known" */
export function stackText(stack) {
	const [[, named], ...facts] = mainFacts(stack);
	const engine = named ?? stack?.dialect;
	if (!engine) {
		return 'engine, version, model, quantisation and hardware not known';
	}
	const known = facts.filter(([, value]) => value).map(([name, value]) => (name === 'version' ? ` ${value}` : `, ${value}`)).join('');
	const unknown = facts.filter(([, value]) => !value).map(([name]) => name);
	return `${engine}${known}${unknown.length ? `; ${unknown.join(', ').replace(/, (\w+)$/, ' and $1')} not known` : ''}`;
}

/** [{ name, stack }] of sides in order; a stack that several share appears once. stack is null if unknown. */
export function stacksOf(names) {
	const sides = names.map((name) => ({ name, stack: stackOf(name) }));
	return sides.filter(({ stack }, i) => !stack || sides.findIndex((side) => side.stack === stack) === i);
}

/** When the answers were recorded, over all stacks: [first, last] in seconds, or null. */
function recordedTime() {
	const times = stacks.flatMap((stack) => stack.states).filter((state) => state.answers > 0);
	return times.length ? [Math.min(...times.map((t) => t.first_ns)) / 1e9, Math.max(...times.map((t) => t.last_ns)) / 1e9] : null;
}

export function recordedText() {
	const [first, last] = (recordedTime() ?? []).map(moment);
	if (!first) {
		return null;
	}
	return first === last ? `${first} UTC` : `${first} to ${first.slice(0, 10) === last.slice(0, 10) ? last.slice(11) : last} UTC`;
}

/** Compares two or more stacks: the items that differ, and the number of those that cannot be compared. */
function compared(all) {
	const names = all[0].items.map((item) => item.name).filter((name) => !IS_OURS.test(name));
	const items = names.map((name) => ({ name, title: itemOf(all[0], name).title, of: all.map((stack) => itemOf(stack, name)) }));
	const differs = ({ of }) => of.every(isKnown) && of.some((item) => item.value !== of[0].value);
	return { items: items.map((item) => ({ ...item, differs: differs(item) })), unknown: items.filter(({ of }) => !of.every(isKnown)).length };
}

function cell(item) {
	if (!isKnown(item)) {
		return el('span', { class: 'aside' }, 'not known');
	}
	return [item.value, item.status === 'assumed' ? el('span', { class: 'aside' }, ' (assumed)') : null];
}

function itemRow({ title, of, differs }) {
	return el('tr', { class: differs ? 'unlike' : null }, el('th', { scope: 'row' }, title),
		of.map((item) => el('td', {}, cell(item))), of.length < 2 ? null : el('td', {}, differs ? 'differs' : of.every(isKnown) ? 'same' : '–'));
}

/** The table of the stacks of these sides. */
export function stacksTable(names) {
	const found = stacksOf(names).filter(({ stack }) => stack);
	const all = found.map(({ stack }) => stack);
	if (all.length === 0) {
		return section('stacks', 'Stacks', el('p', {}, 'This report has no facts about the engines, models and hardware. plumbline manifest URL asks a running engine for them.'));
	}
	const { items, unknown } = compared(all);
	const heads = ['Item', ...found.map(({ name, stack }) => (all.length > 1 ? name : stack.backend)), ...(all.length > 1 ? ['Comparison'] : [])];
	const rank = (item) => (isOfCause(item) && item.of.some(isKnown) ? 0 : item.differs ? 1 : 2);
	const first = items.filter((item) => SHOWN.includes(item.name) || rank(item) < 2).sort((a, b) => rank(a) - rank(b));
	const rest = items.filter((item) => !first.includes(item) && item.of.some(isKnown));
	const differing = items.filter((item) => item.differs).length;
	const hasCause = rank(first[0]) === 0;
	return section('stacks', all.length > 1 ? 'What differs between the stacks' : 'The stack',
		el('p', {}, all.length > 1
			? `Of ${plural(items.length, 'item')}, ${differing} differ, ${items.length - unknown - differing} are the same, and ${unknown} are not known for at least one side.${hasCause ? ' The first rows may explain the likely cause.' : ''}`
			: `${count(unknown)} of ${items.length} items are not known.`),
		table('Stacks', heads, first.map(itemRow)),
		rest.length ? el('details', {}, el('summary', {}, plural(rest.length, 'more known item')), table('More items of the stacks', heads, rest.map(itemRow))) : null);
}
