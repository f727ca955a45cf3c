import { defineConfig } from 'vite'

// Shells and tests may have another one, by which Vite would build a larger page for development.
process.env['NODE_ENV'] = 'production'

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
