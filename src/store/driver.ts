// Drivers of databases that not everybody uses are optional: whoever does installs them, and is told so in one sentence.

import { StoreError } from './store.ts'

export async function loadDriver<Module>(
  { database, name }: { readonly database: string; readonly name: string },
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new StoreError(`${database} needs the package ${name}: npm install ${name}`, {
      retryable: false,
      cause: error,
    })
  }
}
