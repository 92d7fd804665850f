// main - builds the page.

import { keepViewInLinks, viewed } from './address.js';
import { charts } from './charts.js';
import { contents, listContents, showPart } from './contents.js';
import { command, el, nameCells, replace, section } from './dom.js';
import { exchangeDialog } from './exchange.js';
import { headerFacts, title } from './header.js';
import { recipeChart } from './recipes.js';
import { sampledCharts } from './sampled.js';
import { standingsCharts } from './standings.js';
import { floors, headline, nameOf, report, trials } from './model.js';
import { stacksTable } from './stacks.js';
import { cards, causes, findings, limits, next, opening } from './summary.js';
import { exhibitTable } from './table.js';

const page = document.getElementById('page');
const place = el('div', { id: 'content' });
/** In the order of the command's targets. */
const places = new Map((report.standings?.rows ?? []).map((row, i) => [row.target, i]));
const comparisons = (trials.length ? trials : floors).sort((a, b) => (places.get(a.test) ?? 0) - (places.get(b.test) ?? 0));
/** The group to show first: that of the document's verdict. */
const first = comparisons.find((g) => g.verdict.sentence === report.verdict.sentence) ?? comparisons[0];
let shown = null;
let answersTable = { order: () => [], read: () => {} };

const chartsSection = (id, name, drawings) => (drawings.length ? section(id, name, el('div', { class: 'charts' }, drawings)) : null);

function show(group) {
	const split = headline(group);
	shown = group;
	answersTable = exhibitTable(group);
	replace(place,
		comparisons.length > 1 ? el('h2', { id: 'pair' }, nameOf(group)) : null,
		opening(group), cards(group, split), causes(group), limits(group), next(group), findings(group),
		chartsSection('charts', 'Charts', [...sampledCharts(group), ...charts(group, split)]),
		answersTable.answers);
}

/** Light or dark until the page is closed; initially the system's setting. */
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

/** A part of the summary that the page contains for readers without scripts. */
const written = (id) => document.getElementById(id);

/** The first screen, the same as in the terminal and in Markdown; pairs are links. */
function verdictScreen() {
	const screen = written('summary-verdict');
	screen.querySelectorAll('.command').forEach((line) => line.replaceWith(command(line.textContent)));
	screen.querySelectorAll('tbody tr > :first-child').forEach((head) => {
		const at = comparisons.findIndex((group) => [group.test, `${group.test} against ${group.base}`].includes(head.textContent));
		if (comparisons.length > 1 && at >= 0) {
			replace(head, el('a', { href: `#pair=${at + 1}&part=pair` }, head.textContent));
		}
	});
	const stepOf = ({ next }) => next.find(({ text }) => text.startsWith('To decide'));
	const isOpen = ({ verdict }) => verdict.word === 'UNCLEAR' && verdict.sentence !== report.verdict.sentence;
	(stepOf(report) ? [] : comparisons.filter(isOpen)).forEach((group) => {
		const step = stepOf(group);
		screen.append(step ? el('div', { class: 'labelled' }, el('strong', {}, `${group.test}: `), step.text, step.command ? command(step.command) : null) : '');
	});
	return screen;
}

/** Folds the long tables of the standings; the charts show the same. */
function commandPart() {
	const part = written('summary-command');
	if (report.standings) {
		return section('targets', 'Figures of the targets', el('details', {}, el('summary', {}, 'Tables of all figures'), part));
	}
	const title = Object.entries({ stress: 'Load in detail', ablation: 'Effects in detail', reruns: 'Prompts whose answers differ most' }).find(([name]) => report[name])?.[1];
	return title ? section('command', title, part) : part;
}

/** The text of `analyze --full`; it is empty if nothing was recorded that has figures. */
function numbersPart() {
	const part = written('summary-figures');
	return part.textContent.trim() ? section('numbers', 'All numbers', el('details', { open: !first }, el('summary', {}, 'The whole summary, as text and tables'), part)) : null;
}

/** Names of all compared sides, the base first. */
const allSides = () => [...new Set(comparisons.flatMap((group) => [group.base, group.test]))];

function build(dialog) {
	const drawing = recipeChart();
	document.title = `plumbline: ${title(comparisons)}`;
	replace(page,
		el('header', { class: 'top' }, el('p', { class: 'brand' }, 'plumbline'),
			el('div', { class: 'tools' }, themeButton(), el('button', { type: 'button', class: 'quiet', onclick: () => window.print() }, 'Print'), saveButton())),
		el('div', { class: 'columns' }, contents(),
			el('main', { id: 'main', tabindex: -1 },
				el('div', {}, el('h1', {}, title(comparisons)), headerFacts(comparisons)),
				el('h2', { id: 'verdict', class: 'offscreen' }, 'Verdict'), verdictScreen(),
				drawing ? chartsSection('result', 'Result', [drawing]) : null,
				chartsSection('standings', 'Charts of the targets', standingsCharts()),
				first ? stacksTable(allSides()) : null,
				commandPart(), place, written('summary-capture'),
				numbersPart())),
		el('footer', {}, el('p', {}, 'plumbline made this file. It needs no other file and sends nothing. docs/report.md explains how to read it, docs/metrics.md defines each figure.')),
		dialog.dialog, el('p', { id: 'said', class: 'offscreen', role: 'status' }));
	nameCells(page);
}

/** Shows the view of the URL. */
function follow(dialog) {
	const wanted = comparisons[Number(viewed('pair')) - 1] ?? first;
	if (wanted && wanted !== shown) {
		show(wanted);
	} else {
		answersTable.read();
	}
	listContents(comparisons, shown);
	showPart();
	dialog.open();
}

function start() {
	const dialog = exchangeDialog(() => answersTable.order());
	build(dialog);
	if (!first) {
		replace(place, limits(null), next(null));
	}
	keepViewInLinks();
	window.addEventListener('hashchange', () => follow(dialog));
	follow(dialog);
}

try {
	start();
} catch (error) { // no document of plumbline
	page.prepend(el('p', { class: 'sentence' }, 'The charts and answers cannot be shown: ', String(error)));
	throw error;
}
