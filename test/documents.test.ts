// What the documents name exists: every link between them, every file of the sources, and the examples that they show.

import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const pages = globSync('{*.md,docs/**/*.md,sdks/*/*.md,deploy/**/*.md}', {
  cwd: ROOT,
  exclude: (path) => path.includes('node_modules'),
})

/** As GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)
  return new Set(
    Array.from(headings, ([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** Pages that npm shows, too, name what is in the repository by its address there. */
const OWN =
  /\]\(https:\/\/(?:github\.com\/duetime\/duetime\/(?:blob|tree)|raw\.githubusercontent\.com\/duetime\/duetime)\/main\//g

for (const page of pages) {
  test(`every link of ${page} leads somewhere`, () => {
    const links = read(page)
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .replaceAll(OWN, '](/')
      .matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)
    for (const [whole, path, anchor] of links) {
      const target = path === '' ? page : path!.startsWith('/') ? path!.slice(1) : join(dirname(page), path!)
      assert.ok(existsSync(join(ROOT, target)), `${whole}: there is no ${target}`)
      if (anchor !== undefined && target.endsWith('.md'))
        assert.ok(anchorsOf(read(target)).has(anchor), `${whole}: ${target} has no such heading`)
    }
  })
}

test('the index of the documents has every page, and every SDK', () => {
  const linked = new Set(
    Array.from(read('docs/README.md').matchAll(/\]\(([^)#\s]+)/g), ([, path]) => join('docs', path!)),
  )
  const expected = pages.filter(
    (page) =>
      /^docs\/(?:(?:guides|operations|reference)\/)?[^/]+\.md$/.test(page) ||
      /^sdks\/(?!typescript|conformance)/.test(page),
  )
  assert.deepEqual(
    expected.filter((page) => page !== join('docs', 'README.md') && !linked.has(page)),
    [],
  )
})

const SOURCES = globSync('{src,test,scripts,examples,sim,web/src,sdks/*/src}/**/*.{ts,tsx,sql}', { cwd: ROOT })
const names = new Set(SOURCES.map((path) => basename(path)))
const FOLDERS = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
const FOLDER = new RegExp(`^(?:src|${FOLDERS.map(({ name }) => name).join('|')})(?:/[\\w.-]+)*/?$`)

/** Files and folders of the sources in code spans; paths may start at the root or in `src`. Patterns are left out. */
function missingSources(page: string): string[] {
  const spans = read(page)
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .matchAll(/`([\w./@-]+)`/g)
  return Array.from(spans, ([, span]) => span!).filter((span) => {
    if (/^(x|file)\./.test(span)) return false
    if (!span.includes('/')) return /\.(ts|tsx|sql)$/.test(span) && !names.has(span)
    if (!/\.(ts|tsx|sql)$/.test(span) && !FOLDER.test(span)) return false
    return !['.', 'src', dirname(page)].some((base) => existsSync(join(ROOT, base, span)))
  })
}

for (const page of pages) {
  test(`every source file that ${page} names exists`, () => {
    assert.deepEqual(missingSources(page), [])
  })
}

const WORDS_MAX = 450 // one page
const records = pages.filter((page) => /^docs\/decisions\/\d{4}-/.test(page))

test('every decision record is one page with a question and a decision, and the list has its title', () => {
  const list = read('docs/decisions/README.md')
  for (const page of records) {
    const text = read(page)
    const [, number, title] = /^# (\d{4}): (.*)\n/.exec(text) ?? []
    assert.ok(text.includes('\n## Question\n') && text.includes('\n## Decision\n'), `${page} lacks a heading`)
    assert.ok(text.split(/\s+/).length <= WORDS_MAX, `${page} has more than ${WORDS_MAX} words: split it`)
    assert.ok(list.includes(`| [${number}](${basename(page)}) | ${title} |`), `the list lacks ${page}: ${title}`)
  }
})

test('the guide shows the recipes as they are run', () => {
  const guide = read('docs/guides/recipes.md')
  for (const name of readdirSync(join(ROOT, 'examples', 'recipes'))) {
    assert.ok(
      guide.includes(`\`\`\`ts\n${read(`examples/recipes/${name}`)}\`\`\``),
      `docs/guides/recipes.md should hold examples/recipes/${name}, to the letter`,
    )
  }
})

test('the guide shows the receivers as they are run', () => {
  const guide = read('docs/guides/receivers.md')
  for (const name of readdirSync(join(ROOT, 'examples', 'receivers')))
    assert.ok(
      guide.includes(read(`examples/receivers/${name}`)),
      `docs/guides/receivers.md should hold ${name}, to the letter`,
    )
})

test('every alert has a section in the runbooks, and names it', () => {
  const rules = read('deploy/prometheus/duetime.rules.yaml')
  const alerts = Array.from(rules.matchAll(/- alert: (\w+)/g), ([, name]) => name!)
  const named = Array.from(rules.matchAll(/runbook_url: \S+runbooks\.md#(\w+)/g), ([, name]) => name!)
  assert.deepEqual(
    named,
    alerts.map((name) => name.toLowerCase()),
  )
  assert.deepEqual(
    Array.from(read('docs/operations/runbooks.md').matchAll(/^## (Duetime\w+)$/gm), ([, name]) => name!),
    alerts,
  )
})

test('the README shows the embedded library as it is run, in under 15 lines', () => {
  const example = read('examples/embedded.ts')
  assert.ok(example.split('\n').length < 15)
  assert.ok(
    read('README.md').includes(`\`\`\`ts\n${example}\`\`\``),
    'README.md should hold examples/embedded.ts, to the letter',
  )
})
