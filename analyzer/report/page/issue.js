// issue - one exhibit as Markdown for an issue: how often, which stacks, what was ruled out, both answers.

import { count, interval, moment, percent, plural, redacted, shorten, words } from './format.js';
import { causesOfExhibit, firstName, firstPlaces, gapTexts, kindOf, lastPrompt, meaningName, report, valueText } from './model.js';
import { curlTo, reproCommand } from './resend.js';
import { mainFacts, stackOf } from './stacks.js';

const TEXT = 1500; // characters of an answer

const longestRun = (text) => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));

/** A code fence that the text does not contain. */
function fenced(text) {
	const fence = '`'.repeat(Math.max(2, longestRun(text)) + 1);
	return `${fence}\n${text}\n${fence}`;
}

/** Escapes a foreign name: it makes no mention, link or picture. */
function code(name) {
	const text = name.replace(/[\r\n]+/g, ' ');
	const fence = '`'.repeat(longestRun(text) + 1);
	return `${fence} ${text} ${fence}`;
}

function likelier(side, i) {
	const { top } = side.pieces;
	const list = top?.[i] ?? [];
	const rows = [];
	for (let k = 0; k < list.length; k += 2) {
		rows.push(`${code(JSON.stringify(list[k]))} ${percent(Math.exp(list[k + 1]))}`);
	}
	return rows.slice(0, 5).join(', ') || 'no list';
}

function firstLines(exhibit) {
	const first = exhibit.first_difference;
	const places = firstPlaces(exhibit);
	if (!first || !places || places.includes(null)) {
		return [];
	}
	return ['', `First difference at token ${first.token + 1} (${firstName(first.verdict)}). ${gapTexts(exhibit, code).join(' ')}`, '',
		...['base', 'test'].map((side, s) => {
			const at = places[s];
			return `- ${code(exhibit[side].backend)} chose ${code(JSON.stringify(exhibit[side].pieces.texts[at]))}; its list: ${likelier(exhibit[side], at)}`;
		})];
}

function stackLine(side) {
	const facts = mainFacts(stackOf(side.backend)).map(([name, value]) => factText(name === 'model' ? side.model ?? value : value));
	return `| ${[code(side.backend), ...facts].join(' | ')} |`;
}

const factText = (value) => (value ? code(value.replaceAll('|', '/')) : 'not known');

const differOf = (group) => group?.figures.find((figure) => figure.name === 'differ');

/** A sentence on how many answers of the whole comparison differ. */
function rateLines(group) {
	const differ = differOf(group);
	if (typeof differ?.value !== 'number') {
		return [];
	}
	return [`${valueText('differ', differ)} of ${count(differ.n)} greedy answers differ${differ.ci95 ? `, 95 % interval ${interval(differ.ci95, kindOf('differ'))}` : ''}.`, ''];
}

function noiseText(differ, over) {
	const floor = valueText('differ', { value: differ?.floor });
	if (over) {
		return `the difference is ${valueText('differ', over)} ${interval(over.ci95, kindOf('differ'))} over the measured noise floor of ${floor}`;
	}
	return differ?.floor_is === 'expected' ? `it was not measured; the logprobs suggest about ${floor}` : 'it was not measured';
}

/** Causes that make an engine sample despite a greedy request. */
const SAMPLERS = ['unasked_sampling', 'sampled'];

/** Causes of which this pair shows a sign. The evidence is from all pairs. */
function causeLines(exhibit) {
	const causes = causesOfExhibit(exhibit);
	return causes.length === 0 ? [] : [causes.length > 1 ? 'Possible causes in this pair:' : 'Likely cause:', '',
		...causes.map((cause) => `- ${cause.title}: ${code(cause.text)}`), ''];
}

/** What the pair and its comparison rule out, make unlikely, or leave open. */
function ruledOut(exhibit, group) {
	const { base, test } = exhibit;
	const differ = differOf(group);
	const over = differ?.floor_is === 'measured' ? differ.over_floor : null;
	const prompts = [base, test].map((side) => side.usage.prompt_tokens);
	const known = prompts.every((n) => typeof n === 'number');
	const isGreedy = exhibit.decoding === 'greedy';
	const isSampler = causesOfExhibit(exhibit).some((cause) => SAMPLERS.includes(cause.key));
	const samePrompts = known && prompts[0] === prompts[1];
	const promptText = samePrompts ? `both sides count ${plural(prompts[0], 'prompt token')}` : `prompt tokens: ${prompts[0]} and ${prompts[1]}`;
	const checks = [
		['Random sampling', isGreedy && !isSampler ? 'Unlikely' : 'Not ruled out', isGreedy ? 'the request asks both sides for greedy decoding' : `the decoding is ${words(exhibit.decoding)}`],
		['Another prompt or chat template', samePrompts ? 'Unlikely' : 'Not ruled out', known ? promptText : 'a side reports no prompt tokens'],
		['Run-to-run noise', over?.ci95?.[0] > 0 ? 'Ruled out' : 'Not ruled out', noiseText(differ, over)],
		['Errors', base.status === 200 && test.status === 200 ? 'Ruled out' : 'Not ruled out', `status ${base.status ?? 'not known'} and ${test.status ?? 'not known'}`],
	];
	return ['Ruled out', 'Unlikely', 'Not ruled out'].flatMap((how) => {
		const lines = checks.filter(([, is]) => is === how).map(([what, , why]) => `- ${what}: ${why}.`);
		return lines.length ? [`${how}:`, '', ...lines, ''] : [];
	});
}

const redactedLines = (n, where) => (n ? [redacted(n, where), ''] : []);

export function markdown(exhibit) {
	const group = report.groups[exhibit.group];
	const answer = (side) => {
		const s = exhibit[side];
		const calls = s.tool_calls.map((c) => `${c.name}(${c.arguments})`).join('\n');
		return [`${code(s.backend)} (${code(s.model ?? 'model not named')}, finish reason ${code(s.finish ?? 'none')}, ${s.usage.completion_tokens ?? '?'} tokens)`, '',
			...redactedLines(s.redactions, 'this answer'), fenced(shorten([s.text, calls].filter((t) => t).join('\n'), TEXT))];
	};
	return [
		`### ${code(exhibit.test.backend)} gives other answers than ${code(exhibit.base.backend)}`, '',
		...rateLines(group),
		'| side | engine | version | model | quantisation | hardware |', '|---|---|---|---|---|---|', stackLine(exhibit.base), stackLine(exhibit.test), '',
		...causeLines(exhibit), ...ruledOut(exhibit, group),
		`Exchange ${code(exhibit.exchange)}, ${moment(exhibit.time)} UTC, ${exhibit.model ? `model ${code(exhibit.model)}` : 'no model named'}, ${exhibit.endpoint}${exhibit.streamed ? ', streamed' : ''}, decoding ${exhibit.decoding}. Meaning: ${meaningName(exhibit.meaning)}.`,
		...firstLines(exhibit), '', 'Prompt:', '', ...redactedLines(exhibit.redactions, 'this request'), fenced(shorten(lastPrompt(exhibit), TEXT)), '', 'Parameters, as the client sent them:', '', fenced(exhibit.parameters), '',
		...answer('base'), '', ...answer('test'), '',
		...['test', 'base'].flatMap((side) => (curlTo(exhibit, side) ? [`To send the request to ${code(exhibit[side].backend)} again:`, '', fenced(curlTo(exhibit, side)), ''] : [])),
		...(reproCommand(exhibit) ? ['With the capture, plumbline writes a script that sends it again:', '', fenced(reproCommand(exhibit)), ''] : []),
		'Found by plumbline.',
	].join('\n');
}
