#!/usr/bin/env node
// The one binary. What it can do is in cli/program.ts.

import { runBackup } from './cli/backup.ts'
import { runMain } from './cli/program.ts'
import { runServe } from './cli/serve.ts'
import { runExport, runImport } from './cli/transfer.ts'

process.exitCode = await runMain(process.argv.slice(2), { serve: runServe, backup: runBackup, export: runExport, import: runImport })
