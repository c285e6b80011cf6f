// The API key that this page uses. It lives as long as the tab, or, if the viewer ticked "remember", in this browser.

import { Store } from '../state/store.ts'

const NAME = 'duetime.key'

export type SessionState = {
  readonly key: string | null
  /** The service wants a key: none was given yet, or the one given is not known. */
  readonly needs: 'nothing' | 'key' | 'another key'
  readonly isRemembered: boolean
}

class Session {
  readonly store = new Store<SessionState>(restored())

  get key(): string | null {
    return this.store.get().key
  }

  signIn(key: string, remember: boolean): void {
    forget()
    storage(remember)?.setItem(NAME, key)
    this.store.set({ key, needs: 'nothing', isRemembered: remember })
  }

  signOut(): void {
    forget()
    this.store.set({ key: null, needs: 'key', isRemembered: false })
  }

  /** A 401 for a key that has been replaced meanwhile is old news. */
  refused(key: string | null): void {
    const state = this.store.get()
    if (key !== state.key || state.needs !== 'nothing') return
    this.store.set({ ...state, needs: key === null ? 'key' : 'another key' })
  }
}

export const session = new Session()

function restored(): SessionState {
  const remembered = storage(true)?.getItem(NAME) ?? null
  const key = remembered ?? storage(false)?.getItem(NAME) ?? null
  return { key, needs: 'nothing', isRemembered: remembered !== null }
}

function forget(): void {
  storage(true)?.removeItem(NAME)
  storage(false)?.removeItem(NAME)
}

/** Browsers that forbid storage throw at the mere look at it; the key then lives in memory. */
function storage(remember: boolean): Storage | null {
  try {
    return remember ? localStorage : sessionStorage
  } catch {
    return null
  }
}
