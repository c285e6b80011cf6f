// The look of the documentation page: readable in light and dark, on a phone and on paper, without anything to load.

export const STYLE = `
:root { color-scheme: light dark;
  --text: light-dark(#1c2330, #dfe5ee); --soft: light-dark(#5b6677, #95a1b3); --page: light-dark(#fbfcfd, #10141b);
  --card: light-dark(#fff, #171d27); --line: light-dark(#e1e6ed, #2a3342); --code: light-dark(#f2f5f9, #0b0f15);
  --accent: light-dark(#0b62c4, #6cb0ff); --bad: light-dark(#a8321f, #ff9a86); --good: light-dark(#11713f, #6fd39b);
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace }
* { box-sizing: border-box }
html { scroll-behavior: smooth; scroll-padding-top: 1.5rem }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
a { color: var(--accent); text-decoration: none }
a:hover, a:focus-visible { text-decoration: underline }
.layout { display: grid; grid-template-columns: 16rem minmax(0, 54rem); gap: 3rem; max-width: 80rem;
  margin: 0 auto; padding: 2.5rem 1.5rem 6rem }
nav { position: sticky; top: 2rem; align-self: start; max-height: calc(100vh - 4rem); overflow: auto; font-size: .925rem }
nav ul { list-style: none; margin: 0 0 1.25rem; padding: 0 }
nav li a { display: block; padding: .2rem .6rem; border-radius: .4rem; color: var(--text) }
nav li a:hover { background: var(--code); text-decoration: none }
nav h2 { margin: 0 0 .35rem .6rem; font-size: .75rem; letter-spacing: .08em; text-transform: uppercase; color: var(--soft) }
h1 { margin: 0; font-size: 2.1rem; letter-spacing: -.02em; line-height: 1.2 }
h1 small { margin-left: .5rem; font-size: .9rem; font-weight: 500; letter-spacing: 0; color: var(--soft) }
header p { max-width: 44rem; color: var(--soft) }
section > h2 { margin: 3rem 0 .25rem; font-size: 1.35rem }
section > p { margin: 0 0 1rem; color: var(--soft) }
article { margin: 1.25rem 0; padding: 1.5rem 1.75rem; border: 1px solid var(--line); border-radius: .8rem; background: var(--card) }
article h3 { margin: 0; font-size: 1.1rem }
article > p { margin: .4rem 0 1rem }
h4 { margin: 1.4rem 0 .5rem; font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft) }
.route { margin: .3rem 0 0; font: 500 .9rem var(--mono); overflow-wrap: anywhere }
.route b { color: var(--good) }
code, pre { font-family: var(--mono); font-size: .855rem }
code { padding: .1em .35em; border-radius: .3rem; background: var(--code) }
pre { margin: 0; padding: 1rem 1.1rem; overflow-x: auto; border: 1px solid var(--line);
  border-radius: .55rem; background: var(--code); line-height: 1.5 }
table { width: 100%; border-collapse: collapse; font-size: .925rem }
td { padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); vertical-align: top }
td:first-child { width: 34%; overflow-wrap: anywhere }
td small { display: block; color: var(--soft) }
.need { color: var(--bad); font-size: .75rem; margin-left: .4rem }
.status { font: 600 .875rem var(--mono) }
details { margin-top: 1rem }
summary { cursor: pointer; color: var(--accent); font-size: .925rem }
details > :not(summary) { margin-top: .6rem }
@media (max-width: 60rem) { .layout { grid-template-columns: minmax(0, 1fr); gap: 1.5rem }
  nav { position: static; max-height: none; columns: 2 } }
@media print { nav { display: none } article { break-inside: avoid } }
`
