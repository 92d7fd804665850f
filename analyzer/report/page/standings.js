// standings - several targets before one base: the paper's figures on these engines, as diff and sweep draw them.

import { el, row, scroll, section, svg, table } from './dom.js';
import { count, interval, number, percent, plural } from './format.js';
import { kindOf, report, valueText } from './model.js';
import { WIDTH, linear } from './plot.js';

const NAMES_WIDTH = 128;
const ROW_HEIGHT = 30;
const RIGHT_SIDE = 16;

const isValue = (x) => typeof x === 'number' && Number.isFinite(x);
const standingValue = (name, value) => kindOf(name).value(value);
const boundsOf = (name, ci) => (ci ? ` ${interval(ci, kindOf(name))}` : '');

/** A name as long as its place is; the whole of it is in the table. */
const shortName = (name) => (name.length > 17 ? `${name.slice(0, 16)}…` : name);

/** [low, high] of all that is drawn, 0 within. */
function extentOf(rows, pick) {
	const values = rows.flatMap((row) => [row.figures, row.floor].map((f) => pick(f ?? {})).filter((v) => v && isValue(v.value))
		.flatMap((v) => [v.value, v.at_most?.value ?? v.value, ...(v.ci95 ?? [])]));
	const low = Math.min(0, ...values);
	const high = Math.max(0, ...values);
	return high > low ? [low, high] : [low, low + 1];
}

/** One mark: the value as a dot, its interval as a bar. */
function spot(x, y, value, kind) {
	const [low, high] = value.ci95 ?? [value.value, value.value];
	return svg('g', { class: `spot ${kind}` },
		svg('line', { x1: x(low), x2: x(high), y1: y, y2: y }),
		[value.value, value.at_most?.value ?? value.value].map((v) => svg('circle', { cx: x(v), cy: y, r: kind === 'floor' ? 3 : 4.5 })));
}

/** Targets below each other, each with what it differs from itself under it. */
function dotPlot({ title, note, name, rows, alt }) {
	const drawn = rows.filter((row) => isValue(row.value?.value));
	const height = drawn.length * ROW_HEIGHT + 46;
	const scale = linear(...extentOf(drawn.map((row) => ({ figures: row.value, floor: row.floor })), (v) => v));
	const x = (value) => NAMES_WIDTH + scale(value) * (WIDTH - NAMES_WIDTH - RIGHT_SIDE);
	const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': alt, class: 'plot standings' },
		scale.ticks().map((t) => [
			svg('line', { class: 'grid', x1: x(t), x2: x(t), y1: 6, y2: height - 34 }),
			svg('text', { x: x(t), y: height - 16, 'text-anchor': 'middle' }, standingValue(name, t)),
		]),
		svg('line', { class: 'axis', x1: x(0), x2: x(0), y1: 6, y2: height - 34 }),
		drawn.map((row, i) => {
			const y = 12 + (i + 0.5) * ROW_HEIGHT - 6;
			return [
				svg('text', { x: NAMES_WIDTH - 10, y: y + 4, 'text-anchor': 'end' }, svg('title', {}, row.name), shortName(row.name)),
				spot(x, y, row.value, 'test'),
				isValue(row.floor?.value) ? spot(x, y + 10, row.floor, 'floor') : null,
			];
		}));
	return el('figure', { class: 'chart' }, el('h3', {}, title), drawing, el('figcaption', {}, note));
}

function figurePlot(standings, figure) {
	const rows = standings.rows.map((row) => ({ name: row.target, value: row.figures[figure.name], floor: row.floor?.[figure.name] }));
	if (!rows.some((row) => isValue(row.value?.value))) {
		return null;
	}
	const said = rows.map((row) => `${row.name} ${valueText(figure.name, row.value)}`).join(', ');
	return dotPlot({
		title: `${figure.title}${figure.of_paper ? ` (the paper’s ${figure.of_paper})` : ''}`,
		note: `${figure.note}. Below each: the target against itself${standings.rows.some((row) => row.floor_over === 'other_seeds') ? ', drawn with unlike seeds: no floor, and may lie above' : ''}.`, name: figure.name, rows, alt: `${figure.title}: ${said}`,
	});
}

/** The paper's Figures 5 to 8: by benchmark. */
function bySuite(standings) {
	const suites = [...new Set(standings.rows.flatMap((row) => row.suites.map((s) => s.suite)))];
	return suites.length < 2 ? [] : suites.map((suite) => {
		const rows = standings.rows.map((row) => ({ name: row.target, value: row.suites.find((s) => s.suite === suite)?.divergence_index, floor: null }));
		return rows.some((row) => isValue(row.value?.value)) ? dotPlot({
			title: `divergence index, ${suite}`, note: 'Where answers part, as a share of the base’s length; 1: nowhere.', name: 'divergence_index', rows,
			alt: `divergence index of ${suite}: ${rows.map((row) => `${row.name} ${number(row.value?.value, 3)}`).join(', ')}`,
		}) : null;
	});
}

/** The paper's Figure 4: bias against magnitude. */
function lengthPlot(standings) {
	const rows = standings.rows.filter((row) => isValue(row.figures.length_bias?.value) && isValue(row.figures.length_magnitude?.value));
	if (!rows.length) {
		return null;
	}
	const height = 280;
	const left = 54;
	const bias = linear(...extentOf(rows, (f) => f.length_bias));
	const magnitude = linear(...extentOf(rows, (f) => f.length_magnitude));
	const x = (v) => left + bias(v) * (WIDTH - left - RIGHT_SIDE - 60);
	const y = (v) => height - 44 - magnitude(v) * (height - 62);
	const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', class: 'plot standings',
		'aria-label': `length bias against magnitude: ${rows.map((r) => `${r.target} ${number(r.figures.length_bias.value, 3)} and ${number(r.figures.length_magnitude.value, 3)}`).join(', ')}` },
	magnitude.ticks().map((t) => [svg('line', { class: 'grid', x1: left, x2: WIDTH - RIGHT_SIDE, y1: y(t), y2: y(t) }), svg('text', { x: left - 7, y: y(t) + 4, 'text-anchor': 'end' }, number(t, 2))]),
	bias.ticks().map((t) => svg('text', { x: x(t), y: height - 26, 'text-anchor': 'middle' }, number(t, 2))),
	svg('line', { class: 'axis', x1: x(0), x2: x(0), y1: 12, y2: height - 44 }), svg('line', { class: 'axis', x1: left, x2: WIDTH - RIGHT_SIDE, y1: y(0), y2: y(0) }),
	svg('text', { x: WIDTH / 2, y: height - 6, 'text-anchor': 'middle' }, 'tokens, mean change'),
	rows.map((row) => svg('g', { class: 'spot test' },
		row.figures.length_bias.ci95 ? svg('line', { x1: x(row.figures.length_bias.ci95[0]), x2: x(row.figures.length_bias.ci95[1]), y1: y(row.figures.length_magnitude.value), y2: y(row.figures.length_magnitude.value) }) : null,
		row.figures.length_magnitude.ci95 ? svg('line', { x1: x(row.figures.length_bias.value), x2: x(row.figures.length_bias.value), y1: y(row.figures.length_magnitude.ci95[0]), y2: y(row.figures.length_magnitude.ci95[1]) }) : null,
		svg('circle', { cx: x(row.figures.length_bias.value), cy: y(row.figures.length_magnitude.value), r: 4.5 }),
		svg('text', { x: x(row.figures.length_bias.value) + 8, y: y(row.figures.length_magnitude.value) + 4 }, shortName(row.target)))));
	return el('figure', { class: 'chart' }, el('h3', {}, 'length bias against magnitude (the paper’s Figure 4)'), drawing,
		el('figcaption', {}, 'Mean of the change, and of its size: longer or shorter by rule, or only different.'));
}

function standingsTable(standings) {
	const figures = standings.figures.filter((f) => standings.rows.some((row) => isValue(row.figures[f.name]?.value)));
	const parts = (name, c) => (c && isValue(c.error_of_seeds) ? `standard error: ${standingValue(name, c.error_of_prompts)} by prompts, ${standingValue(name, c.error_of_seeds)} by ${c.n} seeds` : null);
	const cell = (name, value) => el('td', { title: parts(name, value?.crossed_with_seeds) }, isValue(value?.value) ? [valueText(name, value), el('span', { class: 'note' }, `${boundsOf(name, value.ci95)}${isValue(value.n) ? `, n ${count(value.n)}` : ''}`)] : '–');
	return scroll('Targets and figures', el('table', {},
		el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Target'), figures.map((f) => el('th', { scope: 'col', title: f.note }, f.title)), el('th', { scope: 'col' }, 'Causes'))),
		el('tbody', {}, standings.rows.flatMap((row) => [
			el('tr', {}, el('th', { scope: 'row' }, row.target), figures.map((f) => cell(f.name, row.figures[f.name])),
				el('td', {}, row.causes.map((c) => `${c.title}${isValue(c.explained?.rate) ? ` (${percent(c.explained.rate)} of what differs)` : ''}`).join('; ') || 'none found')),
			row.floor ? el('tr', { class: 'floor' }, el('th', { scope: 'row' }, 'itself'), figures.map((f) => cell(f.name, row.floor[f.name])), el('td', {}, row.floor_over === 'other_seeds' ? 'draws with unlike seeds: no floor, and may lie above the figure' : 'noise floor')) : null,
		]))));
}

function cliffLine(standings) {
	const c = standings.cliff;
	if (!c) {
		return standings.is_sweep ? el('p', {}, 'No cliff was found.') : null;
	}
	const share = (least, most) => valueText('answer_changed', { value: least, at_most: { value: most } });
	const open = c.shown === false ? '; too many are undecided.' : c.sure ? '.' : '; the intervals overlap, so that more answers may move it.';
	return el('p', {}, `${c.shown === false ? 'Whether there is a cliff is not decided. At' : 'The cliff is at'} ${c.target}: the meaning changed in ${share(c.value, c.at_most)} of the answers, in ${share(c.value_before, c.at_most_before)} at ${c.before ?? 'the base against itself'}${open}`);
}

/** What a publication should say of each stack. */
function checklists() {
	const stacks = report.manifest?.stacks ?? [];
	return stacks.length ? el('details', {}, el('summary', {}, 'The reporting checklist of each stack'), stacks.map((stack) => el('section', {},
		el('h3', {}, stack.backend ?? stack.url ?? 'a backend'),
		table(`Checklist of ${stack.backend}`, ['Item', 'Value', 'Status'], (stack.items ?? []).map((item) => row(item.title ?? item.name, [item.value ?? 'unknown', el('span', { class: 'note' }, item.status ?? '')])))))) : null;
}

/** Over how many seeds intervals are, beside prompts. */
function seedsOf(standings) {
	const most = Math.max(0, ...standings.rows.flatMap((row) => Object.values(row.figures).map((f) => f?.crossed_with_seeds?.n ?? 0)));
	return most ? `, over prompts and ${count(most)} seeds` : '';
}

/** The section, or null: the document has no standings. */
export function standingsSection() {
	const standings = report.standings;
	if (!standings?.rows?.length) {
		return null;
	}
	const figures = standings.figures.filter((f) => f.name !== 'length_bias' && f.name !== 'length_magnitude').map((f) => figurePlot(standings, f));
	const drawings = [...figures, lengthPlot(standings), ...bySuite(standings)].filter((d) => d);
	return section('standings', `${plural(standings.rows.length, 'target')} against ${standings.base}`,
		el('p', { class: 'aside' }, `Each figure ${standings.definitions}; with its 95 % interval${seedsOf(standings)}.`), cliffLine(standings), standingsTable(standings), el('div', { class: 'charts' }, drawings), checklists());
}
