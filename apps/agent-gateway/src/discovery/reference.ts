import { ERROR_CODES, type ErrorMeaning, SERVICE } from '@evenkeel/contracts';

export const STYLE_PATH = '/docs/swagger-ui.css';
export const SCRIPT_PATH = '/docs/swagger-ui-bundle.js';

/** Nothing from other hosts, nothing inline without the nonce; icons inside the style sheet are data. */
export function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** `/docs`: the OpenAPI document for people. */
export function referencePage(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${SERVICE.name}: reference</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="api-catalog" href="/.well-known/api-catalog">
<link rel="stylesheet" href="${STYLE_PATH}" nonce="${nonce}">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs a script of its own. The document it shows: <a href="/openapi.json">openapi.json</a></noscript>
<script src="${SCRIPT_PATH}" nonce="${nonce}"></script>
<script nonce="${nonce}">
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null, docExpansion: 'list' });
</script>
</body>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font: 600 1rem/1.5 ui-monospace, monospace; margin: 2rem 0 0; }
p { margin: 0.25rem 0; }
:target { background: #fc36; }
`;

/** `/docs/errors`: what each code in `error` means, and what to do; the `type` of a problem document leads here. */
export function errorsPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${SERVICE.name}: errors</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${STYLE}</style>
</head>
<body>
<h1>Errors</h1>
<p>Every refusal is JSON with <code>error</code>, <code>message</code> and <code>details</code>. Codes are never renamed. On the
agent surface <code>details.charged</code> says whether the call cost anything, and <code>details.retry</code> what helps.
The whole interface: <a href="/docs">reference</a>.</p>
${Object.entries(ERROR_CODES)
  .map(([code, meaning]) => section(code, meaning))
  .join('\n')}
</body>
</html>
`;
}

function section(code: string, { status, meaning, remedy }: ErrorMeaning): string {
  return `<h2 id="${code}">${status} ${code}</h2>
<p>${meaning}</p>
<p><strong>${remedy}</strong></p>`;
}
