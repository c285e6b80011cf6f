// Light, dark, or as the system has it. The choice is the browser's to remember.

import { Store, useStore } from '../state/store.ts'

export type Theme = 'system' | 'light' | 'dark'
const NAME = 'duetime.theme'

const chosen = new Store<Theme>(restored())

export function applyTheme(): void {
  const theme = chosen.get()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function useIsDark(): boolean {
  const theme = useStore(chosen)
  return theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark'
}

export function setTheme(theme: Theme): void {
  chosen.set(theme)
  applyTheme()
  try {
    localStorage.setItem(NAME, theme)
  } catch {
    // Then it lasts as long as the page.
  }
}

function restored(): Theme {
  try {
    const text = localStorage.getItem(NAME)
    return text === 'light' || text === 'dark' ? text : 'system'
  } catch {
    return 'system'
  }
}
