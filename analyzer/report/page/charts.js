// charts - places the drawings that the page contains for readers without scripts.

import { goTo } from './address.js';
import { el, scroll } from './dom.js';
import { count } from './format.js';
import { exhibitOf, report } from './model.js';

const drawn = [...document.querySelectorAll('#summary-charts .chart')];

/** The charts of these kinds. */
export const chartsOf = (...kinds) => drawn.filter((chart) => kinds.includes(chart.dataset.kind));

/** The charts of a document with standings; none without. */
export const standingsCharts = () => (report.standings ? chartsOf('targets', 'suites', 'length') : []);

/** Makes points open their answers if the report has them; keyboard users open them from the list. */
function link(group, chart) {
	chart.querySelectorAll('[data-exchange]').forEach((point) => {
		const exhibit = exhibitOf(group, point.dataset.exchange);
		if (exhibit) {
			point.classList.add('opens');
			point.onclick = () => goTo({ answers: exhibit.index + 1 });
		}
	});
	return chart;
}

/** Finish reasons of both sides against each other. */
function finishes(group, split) {
	const counts = split.finish_reasons;
	if (counts.length === 0) {
		return null;
	}
	const total = (name) => counts.reduce((sum, c) => sum + (c.base === name ? c.n : 0) + (c.test === name ? c.n : 0), 0);
	const names = [...new Set(counts.flatMap((c) => [c.base, c.test]))].sort((a, b) => total(b) - total(a));
	const said = (side) => names.filter((name) => counts.some((c) => c[side] === name));
	const [bases, tests] = [said('base'), said('test')];
	const most = Math.max(...counts.map((c) => c.n));
	const cell = (base, test) => {
		const n = counts.find((c) => c.base === base && c.test === test)?.n ?? 0;
		const depth = n ? 1 + Math.round((3 * Math.log1p(n)) / Math.log1p(most)) : 0;
		return el('td', { class: `heat${depth}${base === test ? ' agree' : ''}` }, count(n));
	};
	return el('figure', { class: 'chart' },
		el('h3', {}, 'Why answers ended'),
		scroll('Finish reasons', el('table', { class: 'confusion' },
			el('thead', {}, el('tr', {}, [`${group.base} ↓  ${group.test} →`, ...tests].map((t) => el('th', { scope: 'col' }, t ?? 'not said')))),
			el('tbody', {}, bases.map((b) => el('tr', {}, el('th', { scope: 'row' }, b ?? 'not said'), tests.map((t) => cell(b, t))))))),
		el('figcaption', {}, 'Pairs by the finish reasons of both sides. Where both agree, the cell has an outline.'
			+ (split.finish_reasons_beyond ? ` ${count(split.finish_reasons_beyond)} pairs with rarer reasons are not in it.` : '')));
}

/** All charts of a group that have points. */
export function charts(group, split) {
	const isOf = ({ dataset: { kind, base, test } }) => kind === 'survival' || (base === group.base && test === group.test)
		|| (test !== undefined && base === undefined && [group.base, group.test].includes(test));
	return [...drawn.filter(isOf).map((chart) => link(group, chart)), split ? finishes(group, split) : null].filter((c) => c);
}
