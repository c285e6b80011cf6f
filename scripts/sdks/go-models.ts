// The models as Go structs. Optional numbers are pointers, because zero means something; optional texts are not, because an empty
// one does not.

import { ANSWERED_CODES, ERROR_CATALOGUE } from '../../src/core/errors.ts'
import { BATCH_TIMERS_MAX } from '../../src/core/limits.ts'
import { namedWords, sdkModels } from './models.ts'
import type { Field, FieldType, Model, Words } from './models.ts'

export function goModels(): string {
  const models = sdkModels()
  return `// Code generated from the schemas of the service by \`npm run docs\`. DO NOT EDIT.

package duetime

import (
	"encoding/json"
	"time"
)

const batchTimersMax = ${BATCH_TIMERS_MAX}

// The codes of the service's refusals.
const (
${ANSWERED_CODES.map((code) => `	// ${ERROR_CATALOGUE[code].help}\n	${goName(code.toLowerCase().replaceAll(/_./g, (pair) => pair[1]!.toUpperCase()))} Code = "${code}"\n`).join('\n')})

${[...namedWords(models).map(wordsText), ...models.map(structText)].join('\n')}`
}

function wordsText({ name, words }: Words): string {
  const names = words.map((word) => `${name}${goName(word)}`)
  const longest = Math.max(...names.map(({ length }) => length))
  const lines = words.map((word, index) => `\t${names[index]!.padEnd(longest)} ${name} = "${word}"`)
  return `// ${name} is one of the constants below, or a word of a later version of the service.\ntype ${name} string\n\nconst (\n${lines.join('\n')}\n)\n`
}

/** Blank lines between the fields, so that gofmt has nothing to align. */
function structText({ name, description, fields, direction }: Model): string {
  const lines = fields.map((field) => {
    const comment = field.description === null ? '' : `\t// ${field.description}\n`
    const [type, option] = typeText(field, direction)
    return `${comment}\t${goName(field.name)} ${type} \`json:"${field.name}${option}"\`\n`
  })
  return `// ${name}: ${description}\ntype ${name} struct {\n${lines.join('\n')}}\n`
}

/** The type, and how JSON leaves it out. */
function typeText({ type, isRequired, isNullable }: Field, direction: Model['direction']): readonly [string, string] {
  const name = typeName(type, direction)
  // What can be null is as what can be absent.
  if (isRequired && !(isNullable && direction === 'answer')) return [name, '']
  if (type.kind === 'integer' || type.kind === 'number') return [`*${name}`, ',omitempty']
  if (type.kind === 'model') return [`*${name}`, ',omitempty']
  return [name, type.kind === 'instant' || type.kind === 'map' ? ',omitzero' : ',omitempty']
}

function typeName(type: FieldType, direction: Model['direction']): string {
  switch (type.kind) {
    case 'text':
      return 'string'
    case 'integer':
      return 'int'
    case 'number':
      return 'float64'
    case 'boolean':
      return 'bool'
    case 'json':
      return direction === 'request' ? 'any' : 'json.RawMessage'
    case 'instant':
      return 'time.Time'
    case 'word':
      return type.name ?? 'string'
    case 'list':
    case 'oneOrMore':
      return `[]${typeName(type.of, direction)}`
    case 'map':
      return `map[string]${type.of.kind === 'json' ? 'any' : typeName(type.of, direction)}`
    case 'model':
      return type.name
  }
}

function goName(name: string): string {
  const capital = name[0]!.toUpperCase() + name.slice(1)
  return capital.replace(/Url$/, 'URL').replace(/Id$/, 'ID')
}
