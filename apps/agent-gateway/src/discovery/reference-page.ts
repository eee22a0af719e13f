import { SERVICE } from '@evenkeel/contracts';

export const STYLE_PATH = '/docs/swagger-ui.css';
export const SCRIPT_PATH = '/docs/swagger-ui-bundle.js';

/** Nothing from elsewhere, nothing inline but what carries the nonce; icons inside the style sheet are data. */
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
