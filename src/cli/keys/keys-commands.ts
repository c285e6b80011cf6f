// The commands about keys, and how their flags are read.

import { text } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import { Permission } from '../../core/access/access.ts'
import type { KeysOutput } from './keys.ts'
import { gathered } from '../output/format.ts'

type CreateFlags = {
  readonly name: string
  readonly permission?: readonly string[]
  readonly namespace?: readonly string[]
  readonly rate?: number
  readonly burst?: number
  readonly natsSubject?: readonly string[]
  readonly file?: string
}

export function addKeysCommands(program: Command, output: KeysOutput): void {
  const keys = program.command('keys').description('make API keys, and look after the file that has their hashes')
  keys.addHelpText('after', EXAMPLES)

  keys
    .command('create')
    .description('make a key: prints it, once, and its entry for the keys file')
    .requiredOption('--name <name>', 'who the key is for; shown in logs, and in answers as cancelled_by')
    .option('--permission <word>', `${Object.values(Permission).join(', ')}; default timer; may be repeated`, gathered)
    .option(
      '--namespace <pattern>',
      'orders, or team-a.* for all that begin so; default *, which is all; may be repeated',
      gathered,
    )
    .option('--rate <number>', 'requests a second; default no limit', number)
    .option('--burst <number>', 'requests at once after a pause; default a second’s worth', number)
    .option(
      '--nats-subject <pattern>',
      'where its callbacks may publish on NATS, such as orders.>; default anywhere; may be repeated',
      gathered,
    )
    .option('--file <path>', 'add the entry to this file, and print the key only')
    .action(async (flags: CreateFlags) => {
      const { name, permission = [Permission.timer], namespace = ['*'], rate = null, burst = null, file = null } = flags
      const { natsSubject: natsSubjects = null } = flags
      if (burst !== null && rate === null) keys.error('error: --burst belongs to a --rate')
      const { createKeyEntry } = await import('./keys.ts')
      return createKeyEntry(
        { name, permissions: permission, namespaces: namespace, ratePerSecond: rate, burst, natsSubjects, file },
        output,
      )
    })

  keys
    .command('hash')
    .description('read a key from standard input and print the hash that a keys file has for it')
    .action(async () => (await import('./keys.ts')).printHash(await text(process.stdin), output))

  keys
    .command('list')
    .description('show the keys of a file: names, permissions, namespaces, limits')
    .requiredOption('--file <path>', 'the file')
    .action(async ({ file }: { readonly file: string }) => (await import('./keys.ts')).listKeys(file, output))
}

function number(value: string): number {
  const read = Number(value)
  if (value.trim() === '' || !Number.isFinite(read)) throw new InvalidArgumentError('it must be a number')
  return read
}

const EXAMPLES = `
Examples:
  duetime keys create --name orders --namespace 'orders*' --file keys.json    a key for some namespaces, added to the file
  duetime keys create --name grafana --permission timer:read                  a key that reads everything; prints the entry
  printf %s "$KEY" | duetime keys hash                                        the hash of a key that you have
  duetime keys list --file keys.json
`
