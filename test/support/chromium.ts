// Chromium as the system has it, driven by playwright-core: nothing is downloaded.

import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const executablePath = PLACES.find((place) => existsSync(place))

/** What to install; null when it is there. */
export const missingChromium =
  executablePath === undefined ? 'Chromium is not installed (apt-get install chromium)' : null

export function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error(String(missingChromium))
  return chromium.launch({ executablePath, args: FLAGS })
}
