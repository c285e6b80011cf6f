// The build that the server serves at `/`. Everything is a file of its own: the page's content security policy
// allows neither inline scripts nor inline styles. Paths are relative, so a proxy may put it under any prefix.

import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    // Browsers that know light-dark(): written out for older ones, the theme could not be chosen.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // `vite web` while `npm start` runs beside it.
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
})
