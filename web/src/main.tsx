// The entry: the theme, the live connection, then the page. Styles are linked by index.html.

import { createRoot } from 'react-dom/client'
import { liveFeed } from './api/live-feed.ts'
import { App } from './app.tsx'
import { applyTheme } from './ui/theme.ts'

applyTheme()
liveFeed.start()
createRoot(document.getElementById('root')!).render(<App />)
