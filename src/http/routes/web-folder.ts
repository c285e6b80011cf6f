// The files of the web UI on disk, as `npm run build` left them. The single executable has them inside, and a module of its
// own in this place; see scripts/executable.

import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** From src/http as from dist/http. */
export const WEB_FOLDER = join(import.meta.dirname, '..', '..', '..', 'web', 'dist')

/** By path as a browser asks for it. Rejects when there is no such folder. */
export async function readWebFolder(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const places = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const pathOf = (place: string) => `/${relative(folder, place).split(sep).join('/')}`
  return new Map(await Promise.all(places.map(async (place) => [pathOf(place), await readFile(place)] as const)))
}
