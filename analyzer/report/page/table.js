// table - the pairs that are shown, worst first, with search and filters.

import { announce, el, replace, section } from './dom.js';
import { count, moment, number, percent, plural, shorten, visible, words } from './format.js';
import { causesOfExhibit, exhibits, hrefOf, judgesOf, lastPrompt, partingOf, report, trials } from './model.js';

const SEVERITIES = { none: 0, minor: 1, moderate: 2, severe: 3 };
const SNIPPET = 110; // characters of a prompt
const ROWS = 40; // at first

const searched = new Map();

/** All of an exhibit's texts in lower case, made when first asked for. */
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
	{ key: 'judge', label: 'Judge model', of: (e) => (judgesOf(e).length ? judgesOf(e) : ['not asked']) },
	{ key: 'verdict', label: 'First difference', of: (e) => [partingOf(e)] },
	{ key: 'cause', label: 'Cause', of: (e) => causesOfExhibit(e).map((c) => c.title ?? c.key) },
	{ key: 'category', label: 'Category', of: (e) => [e.category] },
	{ key: 'model', label: 'Model', of: (e) => [e.model ?? 'not said'] },
	{ key: 'by', label: 'Chosen', of: (e) => [e.by === 'worst' ? 'as the worst' : 'at random'] },
];

const ORDERS = {
	worst: { label: 'worst first', compare: (a, b) => a.index - b.index },
	time: { label: 'by time', compare: (a, b) => (a.time ?? '').localeCompare(b.time ?? '') },
	shift: { label: 'by how far the choice moved', compare: (a, b) => (b.first_difference?.shift ?? -1) - (a.first_difference?.shift ?? -1) },
	unlike: { label: 'most unlike first', compare: (a, b) => (a.meaning.similarity ?? 1) - (b.meaning.similarity ?? 1) },
};

const nowrap = (text) => el('span', { class: 'nowrap' }, text);

/** After the first, which says what was asked. Those with `of` are left out where all rows would say the same. */
const COLUMNS = [
	{ label: 'Meaning', cell: (e) => el('span', { class: `badge severity${SEVERITIES[e.meaning.severity]}` }, words(e.meaning.class)) },
	{ label: 'Judge model', of: (e) => judgesOf(e).join('; ') || '–' },
	{ label: 'First difference', cell: (e) => [el('span', { class: 'badge' }, partingOf(e)), ' ', e.first_difference?.shift ? nowrap(`${number(e.first_difference.shift, 2)} nats`) : ''] },
	{ label: 'Alike', cell: (e) => nowrap(percent(e.meaning.similarity, 0)) },
	{ label: 'Category', of: (e) => e.category },
	{ label: 'Model', of: (e) => e.model ?? '–' },
	{ label: 'Cause', of: (e) => causesOfExhibit(e).map((c) => c.title ?? c.key).join(', ') || '–' },
	{ label: 'Time (UTC)', cell: (e) => nowrap(moment(e.time)) },
];

const columnsOf = (all) => COLUMNS.filter((c) => !c.of || all.some((e) => c.of(e) !== c.of(all[0])));

function exhibitRow(exhibit, columns) {
	const asked = visible(shorten(lastPrompt(exhibit).replace(/\s+/g, ' ').trim(), SNIPPET)) || 'no prompt stored';
	return el('tr', {},
		el('th', { scope: 'row' }, el('a', { href: hrefOf(exhibit) }, asked)),
		columns.map((c) => el('td', { 'data-label': c.label }, (c.cell ?? c.of)(exhibit))));
}

function select(filter, values, onchange) {
	return el('label', {}, filter.label, el('select', { name: filter.key, onchange },
		el('option', { value: '' }, 'all'), values.map(([value, n]) => el('option', { value }, `${words(value)} (${n})`))));
}

function counted(list, of) {
	const counts = new Map();
	list.flatMap(of).forEach((value) => counts.set(value, (counts.get(value) ?? 0) + 1));
	return [...counts].sort((a, b) => b[1] - a[1]);
}

/** { answers, order }: the section; order() gives the exhibits as they stand in the table. */
export function exhibitTable(group) {
	const all = exhibits.filter((e) => e.group === group?.index);
	let shown = all;
	if (all.length === 0) {
		const why = report.exhibits ? 'No pairs of answers are in this report.' : 'This report was made without the answers themselves (--exhibits).';
		return { answers: section('table', 'Answers', el('p', {}, why)), order: () => [] };
	}
	const body = el('tbody');
	const more = el('button', { type: 'button', class: 'quiet', onclick: () => { open = true; update(); } });
	let open = false;
	const columns = columnsOf(all);
	const status = el('p', { class: 'aside', id: 'status' });
	const search = el('input', { type: 'search', name: 'search', placeholder: 'a word, an id', autocomplete: 'off' });
	const order = el('select', { name: 'order' }, Object.entries(ORDERS).map(([key, o]) => el('option', { value: key }, o.label)));
	const used = FILTERS.map((filter) => ({ ...filter, values: counted(all, filter.of) })).filter((f) => f.values.length > 1 || (f.key === 'cause' && f.values.length));
	const form = el('form', { class: 'filters', role: 'search', 'aria-label': 'Answers', onsubmit: (event) => event.preventDefault() });
	const update = () => {
		const wanted = search.value.trim().toLowerCase();
		const chosen = used.map((f) => [f.of, form.elements[f.key].value]).filter(([, value]) => value);
		shown = all.filter((e) => (!wanted || textOf(e).includes(wanted)) && chosen.every(([of, value]) => of(e).includes(value)));
		shown = [...shown].sort(ORDERS[order.value].compare);
		more.hidden = open || shown.length <= ROWS;
		more.textContent = `Show all ${count(shown.length)}`;
		replace(body, (open ? shown : shown.slice(0, ROWS)).map((e) => exhibitRow(e, columns)), shown.length ? null : el('tr', {}, el('td', { colspan: columns.length + 1 }, 'No pair of answers is like that.')));
		const left = Object.values(group.by_decoding).reduce((sum, split) => sum + split.pairs, 0) - all.length;
		status.textContent = `${plural(shown.length, 'pair')} of ${count(all.length)} that are in the report${left ? `; ${count(left)} more are in the capture alone` : ''}.`;
	};
	search.addEventListener('input', update);
	order.addEventListener('change', update);
	form.append(el('label', {}, 'Search', search), ...used.map((f) => select(f, f.values, () => { update(); announce(status.textContent); })), el('label', {}, 'Order', order));
	form.addEventListener('reset', () => setTimeout(update));
	form.append(el('button', { type: 'reset', class: 'quiet' }, 'Clear'));
	update();
	const answers = section('table', 'Answers, worst first', form, status,
		el('table', { class: 'exhibits' }, el('thead', {}, el('tr', {}, ['Asked', ...columns.map((c) => c.label)].map((h) => el('th', { scope: 'col' }, h)))), body), more);
	return { answers, order: () => shown };
}
