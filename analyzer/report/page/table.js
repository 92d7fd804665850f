// table - the pairs of answers in the report, worst first.

import { el, replace, section } from './dom.js';
import { filterForm } from './filters.js';
import { count, moment, number, percent, plural, shorten, visible } from './format.js';
import { acceptedText, causeNames, className, exhibits, hrefOf, judgesOf, lastPrompt, meaningName, pairsOf, firstDifferenceName, report } from './model.js';

const SEVERITIES = { none: 0, minor: 1, moderate: 2, severe: 3 };
const SNIPPET = 110; // characters of a prompt
const ROWS = 40; // at first

/** An undecided pair is not a known change, however much the texts differ. */
const severityOf = ({ class: kind, severity }) => (kind === 'undecided' ? SEVERITIES.moderate : SEVERITIES[severity]);

const nowrap = (text) => el('span', { class: 'nowrap' }, text);

/** The columns after the prompt. Those with `of` are left out if all rows have the same value. */
const COLUMNS = [
	{ label: 'Meaning', cell: (e) => el('span', { class: `badge severity${severityOf(e.meaning)}` }, meaningName(e.meaning)) },
	{ label: 'Accepted', of: (e) => acceptedText(e) || '–' },
	{ label: 'Judge model', of: (e) => judgesOf(e).join('; ') || '–' },
	{ label: 'First difference', cell: (e) => [el('span', { class: 'badge' }, firstDifferenceName(e)), ' ', e.first_difference?.shift ? nowrap(`${number(e.first_difference.shift, 2)} nats`) : ''] },
	{ label: 'Text similarity', cell: (e) => nowrap(percent(e.meaning.similarity, 0)) },
	{ label: 'Requested answer', of: (e) => className(e.category ?? '–') },
	{ label: 'Model', of: (e) => e.model ?? '–' },
	{ label: 'Possible cause', of: (e) => causeNames(e).join(', ') || '–' },
	{ label: 'Repeat', of: (e) => count(e.repeat) },
	{ label: 'Choice', of: (e) => count(e.choice) },
	{ label: 'Time (UTC)', cell: (e) => moment(e.time).split(' ').flatMap((part) => [nowrap(part), ' ']) },
];

const columnsOf = (all) => COLUMNS.filter((c) => !c.of || all.some((e) => c.of(e) !== c.of(all[0])));

function exhibitRow(exhibit, columns) {
	const asked = visible(shorten(lastPrompt(exhibit).replace(/\s+/g, ' ').trim(), SNIPPET)) || 'no prompt stored';
	return el('tr', {},
		el('th', { scope: 'row' }, el('a', { href: hrefOf(exhibit) }, asked)),
		columns.map((c) => el('td', { 'data-label': c.label }, (c.cell ?? c.of)(exhibit))));
}

/** { answers, order, read }: the section; order() returns the exhibits in the table's order, read() reads the URL. */
export function exhibitTable(group) {
	const all = exhibits.filter((e) => e.group === group?.index);
	if (all.length === 0) {
		const why = report.exhibits ? 'This report has no pairs of answers for this comparison.' : 'This report was made without prompts and answers (--exhibits 0).';
		return { answers: section('table', 'Answers', el('p', {}, why)), order: () => [], read: () => {} };
	}
	const left = pairsOf(group) - all.length;
	const columns = columnsOf(all);
	const body = el('tbody');
	const status = el('p', { class: 'aside', id: 'status' });
	let isWhole = false;
	const more = el('button', { type: 'button', class: 'quiet', onclick: () => { isWhole = true; update(); } });
	const update = () => {
		const shown = filters.shown();
		const none = el('tr', {}, el('td', { colspan: columns.length + 1 }, 'No pair of answers matches.'));
		replace(body, shown.length ? shown.slice(0, isWhole ? Infinity : ROWS).map((e) => exhibitRow(e, columns)) : none);
		more.hidden = isWhole || shown.length <= ROWS;
		more.textContent = `Show all ${count(shown.length)}`;
		status.textContent = `${plural(shown.length, 'pair')} of ${count(all.length)} in this report${left > 0 ? `. The capture has ${count(left)} more` : ''}.${group.k3 ? ' The list has pairs of generated answers, and no scored answers.' : ''}`;
		return status.textContent;
	};
	const filters = filterForm(all, update);
	const read = () => {
		filters.read();
		update();
	};
	read();
	const heads = ['Prompt', ...columns.map((c) => c.label)].map((h) => el('th', { scope: 'col' }, h));
	const answers = section('table', 'Answers', filters.form, status, el('table', { class: 'exhibits' }, el('thead', {}, el('tr', {}, heads)), body), more);
	return { answers, order: filters.shown, read };
}
