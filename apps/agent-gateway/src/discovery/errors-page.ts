import { ERROR_CODES, SERVICE, type ErrorMeaning } from '@evenkeel/contracts';

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
