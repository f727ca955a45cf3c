/** A made-up provider; its links lead to domains that are kept for examples. */
export interface Provider {
  slug: string
  name: string
  site: string
  models: readonly [string, ...string[]]
  apps: readonly [string, ...string[]]
  services: readonly [string, ...string[]]
}

export const providers: readonly [Provider, ...Provider[]] = [
  {
    slug: 'northwind-ai',
    name: 'Northwind AI',
    site: 'example.com/northwind-ai',
    models: ['zephyr-4', 'zephyr-4-mini', 'zephyr-3', 'gale-embed-2'],
    apps: ['Northwind Chat', 'Northwind Desk'],
    services: ['Messages API', 'Batch API', 'Console'],
  },
  {
    slug: 'lumen-labs',
    name: 'Lumen Labs',
    site: 'example.org/lumen-labs',
    models: ['candela-5', 'candela-mini-2026-09', 'candela-vision', 'lux-embed'],
    apps: ['Candela', 'Candela for Teams'],
    services: ['Responses API', 'Realtime API', 'Files API'],
  },
  {
    slug: 'kestrel-research',
    name: 'Kestrel Research',
    site: 'example.net/kestrel',
    models: ['kestrel-70b', 'kestrel-8b', 'merlin-coder'],
    apps: ['Kestrel Studio'],
    services: ['Inference API', 'Fine-tuning'],
  },
  {
    slug: 'halcyon-cloud',
    name: 'Halcyon Cloud',
    site: 'example.com/halcyon',
    models: ['halcyon-pro', 'halcyon-flash', 'halcyon-flash-lite'],
    apps: ['Halcyon Assistant', 'Halcyon Notebook'],
    services: ['Generate API', 'Vector Search', 'Model Garden'],
  },
  {
    slug: 'tessera',
    name: 'Tessera',
    site: 'example.org/tessera',
    models: ['mosaic-2', 'mosaic-2-voice', 'mosaic-edge'],
    apps: ['Tessera Voice'],
    services: ['Speech API', 'Streaming API'],
  },
]
