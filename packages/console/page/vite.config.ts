import { defineConfig } from 'vite'

export default defineConfig({
  // The page works under any path, so its files are named relative to it.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    // A file of its own, since the content security policy lets no data URL be an image.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
})
