// The models as Python: what is sent are typed dictionaries, which are the keyword arguments of the methods; what is received are
// frozen dataclasses. Names are in snake case; duetime/_wire.py translates them.

import { ANSWERED_CODES } from '../../src/core/errors.ts'
import { BATCH_TIMERS_MAX } from '../../src/core/limits.ts'
import { namedWords, sdkModels } from './models.ts'
import type { Field, FieldType, Model } from './models.ts'

export function pythonModels(): string {
  const models = sdkModels()
  const words = namedWords(models).map(({ name, words: all }) => `${name} = ${literal(all)}`)
  return `"""Generated from the schemas of the service by \`npm run docs\`: change it there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Required, TypedDict

BATCH_TIMERS_MAX = ${BATCH_TIMERS_MAX}

ServerErrorCode = Literal[
${ANSWERED_CODES.map((code) => `    "${code}",\n`).join('')}]
${words.join('\n')}

${models.map(modelText).join('\n\n')}`
}

function modelText(model: Model): string {
  return model.direction === 'request' ? dictionary(model) : dataclass(model)
}

function dictionary({ name, description, fields }: Model): string {
  return `
class ${name}(TypedDict, total=False):
    """${description}"""

${fields.map((field) => fieldText(field, field.isRequired ? `Required[${typeText(field, 'request')}]` : typeText(field, 'request'))).join('')}`
}

/** Fields that are always there come first, as dataclasses demand without keyword-only fields too. */
function dataclass({ name, description, fields }: Model): string {
  const lines = fields.map((field) => {
    const type = typeText(field, 'answer')
    return fieldText(field, field.isRequired ? type : `${type} | None = None`)
  })
  return `
@dataclass(frozen=True, slots=True, kw_only=True)
class ${name}:
    """${description}"""

${lines.join('')}`
}

function fieldText({ name, description }: Field, type: string): string {
  return `    ${attributeName(name)}: ${type}\n${description === null ? '' : `    """${description}"""\n`}`
}

function typeText({ type, isNullable }: Field, direction: Model['direction']): string {
  const text = typeName(type, direction)
  return isNullable && text !== 'Any' ? `${text} | None` : text
}

function typeName(type: FieldType, direction: Model['direction']): string {
  switch (type.kind) {
    case 'text':
      return 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'json':
      return 'Any'
    case 'instant':
      return direction === 'request' ? 'datetime | str' : 'datetime'
    case 'word':
      return type.name ?? literal(type.words)
    case 'list':
      return `${direction === 'request' ? 'Sequence' : 'list'}[${typeName(type.of, direction)}]`
    case 'map':
      return `${direction === 'request' ? 'Mapping' : 'dict'}[str, ${typeName(type.of, direction)}]`
    case 'oneOrMore':
      return `${typeName(type.of, direction)} | Sequence[${typeName(type.of, direction)}]`
    case 'model':
      return type.name
  }
}

function literal(words: readonly string[]): string {
  return `Literal[${words.map((word) => `"${word}"`).join(', ')}]`
}

const KEYWORDS = ['from', 'import', 'in', 'is', 'not', 'or', 'and', 'class', 'def', 'global', 'lambda', 'pass', 'with']

/** In snake case; what Python keeps for itself has an underscore at its end. */
function attributeName(name: string): string {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return KEYWORDS.includes(snake) ? `${snake}_` : snake
}
