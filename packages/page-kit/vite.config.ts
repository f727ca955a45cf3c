import { defineConfig } from 'vite'

/** Builds a page: vite build page --config ../page-kit/vite.config.ts, in its package's folder. */
export default defineConfig({
  // The page works under any path, so its files are named relative to it.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    // A file of its own, because the content security policy lets no data URL be an image.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
})
