// filters - the form above the answers: search, filters and order. The URL keeps their values.

import { note, viewed } from './address.js';
import { announce, el } from './dom.js';
import { acceptedText, causeNames, className, judgesOf, firstDifferenceName } from './model.js';

const searched = new Map();

/** All texts of an exhibit in lower case; cached. */
function textOf(exhibit) {
	if (!searched.has(exhibit)) {
		const side = (s) => [s.text, s.reasoning, s.refusal, ...s.tool_calls.map((c) => `${c.name} ${c.arguments}`)];
		const all = [exhibit.exchange, exhibit.model, ...exhibit.prompt.map((m) => m.text), ...side(exhibit.base), ...side(exhibit.test)];
		searched.set(exhibit, all.join('\n').toLowerCase());
	}
	return searched.get(exhibit);
}

const FILTERS = [
	{ key: 'class', label: 'Meaning', of: (e) => [e.meaning.class] },
	{ key: 'accepted', label: 'Accepted', of: (e) => [acceptedText(e) || 'not differing'] },
	{ key: 'judge', label: 'Judge model', of: (e) => (judgesOf(e).length ? judgesOf(e) : ['not asked']) },
	{ key: 'verdict', label: 'First difference', of: (e) => [firstDifferenceName(e)] },
	{ key: 'cause', label: 'Possible cause', of: causeNames },
	{ key: 'category', label: 'Requested answer', of: (e) => [e.category ?? 'not known'] },
	{ key: 'model', label: 'Model', of: (e) => [e.model ?? 'not named'] },
	{ key: 'by', label: 'Why it is listed', of: (e) => [e.by === 'worst' ? 'one of the worst' : 'at random'] },
];

const ORDERS = {
	worst: { label: 'worst first', compare: (a, b) => a.index - b.index },
	time: { label: 'by time', compare: (a, b) => (a.time ?? '').localeCompare(b.time ?? '') },
	shift: { label: 'largest gap first', compare: (a, b) => (b.first_difference?.shift ?? -1) - (a.first_difference?.shift ?? -1) },
	unlike: { label: 'least similar texts first', compare: (a, b) => (a.meaning.similarity ?? 1) - (b.meaning.similarity ?? 1) },
};

function select(filter) {
	return el('label', {}, filter.label, el('select', { name: filter.key },
		el('option', { value: '' }, 'all'), filter.values.map(([value, n]) => el('option', { value }, `${className(value)} (${n})`))));
}

function counted(list, of) {
	const counts = new Map();
	list.flatMap(of).forEach((value) => counts.set(value, (counts.get(value) ?? 0) + 1));
	return [...counts].sort((a, b) => b[1] - a[1]);
}

/** Filters that can narrow the list. Even a single cause can, because not every pair needs to have it. */
function usedFilters(all) {
	const counts = FILTERS.map((filter) => ({ ...filter, values: counted(all, filter.of) }));
	return counts.filter((f) => f.values.length > 1 || (f.key === 'cause' && f.values.length));
}

/**
 * { form, shown, read } for the exhibits: shown() returns those that match, in order; read() sets the form from the URL.
 * onchange() is called after each change by the reader, and returns a text to announce.
 */
export function filterForm(all, onchange) {
	const used = usedFilters(all);
	const search = el('input', { type: 'search', name: 'search', placeholder: 'a word or an id', autocomplete: 'off' });
	const order = el('select', { name: 'order' }, Object.entries(ORDERS).map(([key, o]) => el('option', { value: key }, o.label)));
	const form = el('form', { class: 'filters', role: 'search', 'aria-label': 'Answers', onsubmit: (event) => event.preventDefault() },
		el('label', {}, 'Search', search), used.map(select), el('label', {}, 'Order', order), el('button', { type: 'reset', class: 'quiet' }, 'Clear'));
	const fields = [search, ...form.querySelectorAll('select')];
	const changed = () => {
		note(Object.fromEntries(fields.map((field) => [field.name, field === order && field.value === 'worst' ? '' : field.value])));
		announce(onchange());
	};
	form.addEventListener('input', changed);
	form.addEventListener('reset', () => setTimeout(changed));
	const read = () => fields.forEach((field) => {
		const value = viewed(field.name);
		const isKnown = field === search || [...field.options].some((option) => option.value === value);
		field.value = isKnown ? value : field.options[0].value;
	});
	const shown = () => {
		const wanted = search.value.trim().toLowerCase();
		const chosen = used.map((f) => [f.of, form.elements[f.key].value]).filter(([, value]) => value);
		return all.filter((e) => (!wanted || textOf(e).includes(wanted)) && chosen.every(([of, value]) => of(e).includes(value))).sort(ORDERS[order.value].compare);
	};
	return { form, shown, read };
}
