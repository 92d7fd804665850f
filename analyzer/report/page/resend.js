// resend - commands that show an exhibit or send its request again.

import { captureCommand, inQuotes, quoted } from './model.js';
import { stackOf } from './stacks.js';

export const reproCommand = (exhibit) => captureCommand('repro', '', quoted(exhibit.exchange));
export const showCommand = (exhibit) => captureCommand('capture show --raw', quoted(exhibit.exchange));

const PATHS = { chat: '/v1/chat/completions', completions: '/v1/completions' };

/** The request as that side got it; null if the report has only a part of it. */
function requestTo(exhibit, side) {
	const { edits } = exhibit[side];
	if (exhibit.request_left_out || edits.some((e) => e.inserted_left_out)) {
		return null;
	}
	const bytes = new TextEncoder().encode(exhibit.request);
	const decoder = new TextDecoder();
	let at = 0;
	let text = '';
	for (const edit of edits) {
		text += decoder.decode(bytes.slice(at, edit.at)) + edit.inserted;
		at = edit.at + edit.removed;
	}
	return text + decoder.decode(bytes.slice(at));
}

/** A curl command that repeats the request to that side; null if the request is unknown. */
export function curlTo(exhibit, side) {
	const url = stackOf(exhibit[side].backend)?.url;
	const body = requestTo(exhibit, side);
	const path = PATHS[exhibit.endpoint];
	return url && body && path ? `curl ${quoted(url.replace(/\/(v1)?\/*$/, '') + path)} -H 'Content-Type: application/json' -d ${inQuotes(body)}` : null;
}
