// A question is a generator: it asks for the rows of one statement after the other and returns what it makes of them. SQLite
// runs it in a worker thread without waiting, the others over a connection.

import type { Cell, ColumnType } from '../row/columns.ts'
import type { Dialect } from './dialect.ts'

export type Value = string | number | bigint | Uint8Array | null
export type Query = { readonly text: string; readonly values: readonly Value[] }
export type Row = readonly Cell[]
/** What it asks for at once does not depend on each other; see `all`. */
export type Question<T> = Generator<Query | readonly Query[], T, readonly Row[]>

/** Values are bound, and never written into the text but by a dialect that has to. */
export class Statement {
  readonly dialect: Dialect
  readonly values: Value[] = []

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  bind(value: Value, type: ColumnType): string {
    const { literal, parameter } = this.dialect
    return literal === undefined ? parameter(this.values.push(value), type) : literal(value, type)
  }

  query(text: string): Query {
    return { text, values: this.values }
  }
}

export function answer<T>(question: Question<T>, run: (query: Query) => readonly Row[]): T {
  let step = question.next()
  while (!step.done) step = question.next(isOne(step.value) ? run(step.value) : asAnswer(step.value.map(run)))
  return step.value
}

export async function answerLater<T>(
  question: Question<T>,
  run: (query: Query) => Promise<readonly Row[]>,
): Promise<T> {
  let step = question.next()
  while (!step.done) {
    const asked = step.value
    step = question.next(isOne(asked) ? await run(asked) : asAnswer(await Promise.all(asked.map(run))))
  }
  return step.value
}

type Answers<Asked extends readonly Question<unknown>[]> = {
  -readonly [At in keyof Asked]: Asked[At] extends Question<infer T> ? T : never
}

/** Questions that do not depend on each other, in as few round trips as the longest of them. Each asks one thing at a time. */
export function* all<const Asked extends readonly Question<unknown>[]>(...questions: Asked): Question<Answers<Asked>> {
  const steps = questions.map((question) => question.next())
  for (;;) {
    const open = steps.flatMap(({ done }, index) => (done === true ? [] : [index]))
    if (open.length === 0) return steps.map(({ value }) => value) as Answers<Asked>
    const answers = (yield open.map((index) => steps[index]!.value as Query)) as readonly unknown[] as readonly Row[][]
    for (const [at, index] of open.entries()) steps[index] = questions[index]!.next(answers[at]!)
  }
}

function isOne(asked: Query | readonly Query[]): asked is Query {
  return !Array.isArray(asked)
}

/** As `all` takes it. */
function asAnswer(answers: readonly (readonly Row[])[]): readonly Row[] {
  return answers as readonly unknown[] as readonly Row[]
}

/** In pieces that one statement can take. */
export function* inChunks<T>(values: readonly T[], { keysMax }: Dialect): Generator<readonly T[]> {
  for (let at = 0; at < values.length; at += keysMax) yield values.slice(at, at + keysMax)
}

/** Dialect.forEach for databases without lateral joins. */
export const unionOfEach: Dialect['forEach'] = (type, keys, select, statement) => {
  const selects = keys.map((key) => `SELECT * FROM (${select(statement.bind(key, type))}) AS of_key`)
  return `(${selects.join(' UNION ALL ')}) AS of_keys`
}

/** Dialect.isBehind for databases that use an index for a comparison of rows. */
export function rowIsBehind(columns: readonly string[], values: readonly string[], descending: boolean): string {
  return `(${columns.join(', ')}) ${descending ? '<' : '>'} (${values.join(', ')})`
}

/** The same for those that do not. `a >= x AND (a > x OR (a = x AND …))`: the first is what an index is read from. */
export function columnIsBehind(columns: readonly string[], values: readonly string[], descending: boolean): string {
  const [[column, ...columnsAfter], [value, ...valuesAfter]] = [columns, values]
  const beyond = descending ? '<' : '>'
  if (columnsAfter.length === 0) return `${column} ${beyond} ${value}`
  const next = columnIsBehind(columnsAfter, valuesAfter, descending)
  return `(${column} ${beyond}= ${value} AND (${column} ${beyond} ${value} OR ${next}))`
}

/** Dialect.merged for databases that sort a union as a whole: each part of it brings no more than can be on the page. */
export const limitedUnion: Dialect['merged'] = (selects, order, enough) => {
  const limit = enough()
  return selects
    .map((select) => `SELECT * FROM (${select} ORDER BY ${order} LIMIT ${limit}) AS run`)
    .join(' UNION ALL ')
}
