/** The page around a report. It loads nothing: its style and script stand in it, and nothing else may run. */

import { randomBytes } from 'node:crypto';
import style from './style.css';
import script from './script.page.js';
import { html, Html } from './html';

/** `kept` is what the page remembers of itself. */
export function page(kept: { testId: string; caseId: string }): string {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>Report: ${kept.caseId}</title>
<style nonce="${nonce}">${new Html(style)}</style>
</head>
<body data-kept="${JSON.stringify(kept)}">
<main id="report"><h1>${kept.caseId}</h1><p>Waiting for the language server …</p></main>
<p id="announcement" class="unseen" role="status"></p>
<script nonce="${nonce}">${new Html(script)}</script>
</body>
</html>`.markup;
}
