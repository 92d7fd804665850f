// main - puts the page together.

import { charts } from './charts.js';
import { command, el, replace, section } from './dom.js';
import { exchangeDialog } from './exchange.js';
import { plural } from './format.js';
import { sampledCharts } from './sampled.js';
import { standingsCharts } from './standings.js';
import { floors, headline, nameOf, report, trials } from './model.js';
import { cards, causes, findings, limits, next, opening } from './summary.js';
import { exhibitTable } from './table.js';

const page = document.getElementById('page');
const place = el('div', { id: 'content' });
let answersTable = { order: () => [] };

function show(group) {
	const split = headline(group);
	const drawings = [...sampledCharts(group), ...charts(group, split)];
	answersTable = exhibitTable(group);
	replace(place, opening(group), cards(group, split), causes(group), limits(group), next(group), findings(group),
		drawings.length ? section('charts', 'Charts', el('div', { class: 'charts' }, drawings)) : null,
		answersTable.answers);
}

/** Light or dark, until the page is closed; at first as the system has it. */
function themeButton() {
	const root = document.documentElement;
	const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : window.matchMedia('(prefers-color-scheme: dark)').matches);
	const button = el('button', { type: 'button', class: 'quiet', id: 'theme' });
	const name = () => { button.textContent = isDark() ? 'Light' : 'Dark'; };
	button.addEventListener('click', () => {
		root.dataset.theme = isDark() ? 'light' : 'dark';
		name();
	});
	name();
	return button;
}

function saveButton() {
	return el('button', { type: 'button', class: 'quiet', onclick: () => {
		const link = el('a', { href: URL.createObjectURL(new Blob([document.getElementById('document').textContent], { type: 'application/json' })), download: 'analysis.json' });
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 1000);
	} }, 'Save as JSON');
}

function chooser(groups, first) {
	const select = el('select', { name: 'group', onchange: () => show(groups[Number(select.value)]) },
		groups.map((g, i) => el('option', { value: i, selected: g === first }, nameOf(g))));
	return groups.length > 1 ? el('label', { class: 'chooser' }, 'Which pair of backends ', select) : null;
}

/** Charts of the whole document; nothing without any. */
function documentCharts() {
	const drawings = standingsCharts();
	return drawings.length ? section('standings', 'Charts of the targets', el('div', { class: 'charts' }, drawings)) : null;
}

/** A part of the summary that stands in the page for those without scripts. */
const written = (id) => document.getElementById(id);

function start() {
	const groups = trials.length ? trials : floors;
	const first = groups.find((g) => g.verdict.sentence === report.verdict.sentence) ?? groups[0];
	written('summary-verdict').querySelectorAll('.command').forEach((line) => line.replaceWith(command(line.textContent)));
	const dialog = exchangeDialog(() => answersTable.order());
	replace(page,
		el('header', { class: 'top' },
			el('h1', {}, 'plumbline', el('span', { class: 'what' }, report.standings ? ` ${plural(report.standings.rows.length, 'target')} against ${report.standings.base}` : first ? ` ${nameOf(first)}` : '')),
			el('p', { class: 'aside' }, `${plural(report.exchanges, 'exchange')} of ${(report.captures ?? []).filter((c) => c).join(', ') || 'a capture'}`),
			el('div', { class: 'tools' }, themeButton(), el('button', { type: 'button', class: 'quiet', onclick: () => window.print() }, 'Print'), saveButton())),
		el('main', { id: 'main', tabindex: -1 },
			written('summary-verdict'), written('summary-command'), documentCharts(), chooser(groups, first), place, written('summary-capture'),
			section('numbers', 'All numbers', el('details', { open: !first }, el('summary', {}, 'The whole summary, as text and tables'), written('summary-figures')))),
		el('footer', {}, el('p', {}, 'Made by plumbline analyze. This file needs nothing beside itself and sends nothing anywhere. docs/metrics.md defines every figure, docs/report.md reads a report through.')),
		dialog.dialog, el('p', { id: 'said', class: 'offscreen', role: 'status' }));
	if (first) {
		show(first);
	} else {
		replace(place, limits(null), next(null));
	}
	dialog.open();
}

try {
	start();
} catch (error) { // a document that is none, or another one's
	page.prepend(el('p', { class: 'sentence' }, 'Charts and answers cannot be shown: ', String(error)));
	throw error;
}
