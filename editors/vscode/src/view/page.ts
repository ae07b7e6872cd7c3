/** The page of `rubric report` in VS Code. It loads nothing: style and script are inline, and nothing else may run. */

import { randomBytes } from 'node:crypto';
import style from '../../../../rubric_core/evaluation/report_page/bundle/report.css' with { type: 'text' };
import script from '../../../../rubric_core/evaluation/report_page/bundle/report.js' with { type: 'text' };

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]);

/** `kept` is the state of the page; with a `caseId` it is the report of that case. */
export function page(title: string, kept: object): string {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body data-source="editor" data-kept="${escaped(JSON.stringify(kept))}">
<div id="page"></div>
<script nonce="${nonce}">${script}</script>
</body>
</html>`;
}
