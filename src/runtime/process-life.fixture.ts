// A process that has a life, says its name and stays until it is killed.

import { ProcessLife } from './process-life.ts'

const { name } = await ProcessLife.begin(`other:${process.pid}`)
process.send!(name)
setInterval(() => {}, 1_000)
process.on('disconnect', () => process.exit())
