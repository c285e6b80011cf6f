// The helper's end of the channel; see helper-process.ts.

/** What the scenario gave this program when it started it. */
export function setup<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}') as T
}

/** Says that the program is ready, then answers questions, one after the other, until the channel closes. */
export function answerQuestions<Question, Reply>(
  ready: object,
  answer: (question: Question) => Reply | Promise<Reply>,
): void {
  process.on('disconnect', () => process.exit(0))
  process.on('message', (question) => void reply(() => answer(question as Question)))
  process.send!({ value: ready })
}

async function reply(answer: () => unknown): Promise<void> {
  try {
    process.send!({ value: await answer() })
  } catch (error) {
    process.send!({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}
