import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configurationPage, flagHelp } from './docs.ts'
import { SETTINGS } from './schema.ts'
import type { Setting } from './schema.ts'

const settings = Object.values<Setting<unknown>>(SETTINGS)

test('the page and the flags name every setting', () => {
  const page = configurationPage()
  for (const { env, flag, help } of settings) {
    assert.ok(page.includes(`| \`${env}\` | \`--${flag}\` |`), env)
    assert.ok(page.includes(help), env)
  }
  assert.deepEqual(
    flagHelp().map(({ flag }) => flag),
    settings.map(({ flag }) => flag),
  )
})

test('no two settings share a name, and every default is a value the setting accepts', () => {
  assert.equal(new Set(settings.map(({ env }) => env)).size, settings.length)
  for (const setting of settings) if (setting.default !== null) setting.type.parse(setting.default)
})

test('every row of the page has as many cells as its header', () => {
  const rows = configurationPage()
    .split('\n')
    .filter((line) => line.startsWith('|'))
  for (const row of rows) assert.equal(row.replaceAll('\\|', '').split('|').length, 6, row)
})

test('a switch takes its value optionally, everything else needs one', () => {
  const usages = new Map(flagHelp().map(({ flag, usage }) => [flag, usage]))
  assert.equal(usages.get('allow-anonymous'), '--allow-anonymous [boolean]')
  assert.equal(usages.get('port'), '--port <number>')
})
