// Copies the guides to where npm packs them, for the tools `feed_docs_read` and `feed_docs_search`.
import { cpSync, rmSync } from 'node:fs'

const to = new URL('dist/guides/', import.meta.url)
rmSync(to, { recursive: true, force: true })
cpSync(new URL('../../docs/guides/', import.meta.url), to, { recursive: true })
