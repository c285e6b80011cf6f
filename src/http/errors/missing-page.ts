// What `/` shows where the web UI was not built: how to build it, and where the rest is.

import { createHash } from 'node:crypto'

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 40rem; margin: 15vh auto 0; padding: 0 1.5rem }
code { font: 0.9em ui-monospace, monospace }
`

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Duetime</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Duetime is running</h1>
<p>Its web page is not there, because it was not built: run <code>npm run build</code> and start the service again.</p>
<p>Everything else works: <a href="/docs">the API and how to use it</a>, <a href="/openapi.json">openapi.json</a>,
<a href="/readyz">readiness</a>.</p>
</main>
</body>
</html>
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export const MISSING_PAGE = {
  html: HTML,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  },
} as const
