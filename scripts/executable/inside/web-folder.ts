// Takes the place of src/http/routes/web-folder.ts in the single executable: the page is inside.

import { getAsset, getAssetKeys } from 'node:sea'

const PREFIX = 'web/'

export const WEB_FOLDER = PREFIX

export async function readWebFolder(): Promise<ReadonlyMap<string, Buffer>> {
  const keys = getAssetKeys().filter((key) => key.startsWith(PREFIX))
  return new Map(keys.map((key) => [`/${key.slice(PREFIX.length)}`, Buffer.from(getAsset(key))]))
}
