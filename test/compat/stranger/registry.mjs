// A local registry: `node registry.mjs <storage> <uplink>` prints its address. It downloads missing
// packages from the uplink and stores them, except our own, whoever owns their names there.
import { createRequire } from 'node:module'

const require = createRequire(new URL('../../support/tools/stranger/package.json', import.meta.url))
const { runServer } = require('verdaccio')

const [storage, uplink] = process.argv.slice(2)
const anybody = { access: '$all', publish: '$anonymous', unpublish: '$anonymous' }
const own = { ...anybody, proxy: [] }

const server = await runServer({
  storage,
  self_path: storage,
  configPath: `${storage}/config.yaml`,
  secret: 'a-secret-of-32-characters-for-it',
  uplinks: { npm: { url: uplink, maxage: '1d', timeout: '60s' } },
  packages: {
    '@feed-receiver/*': own,
    'feed-receiver': own,
    'create-feed-receiver': own,
    '**': { ...anybody, proxy: ['npm'] },
  },
  web: { enable: false },
  log: { type: 'stdout', format: 'json', level: 'fatal' },
  max_body_size: '50mb',
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
process.stdin.resume().once('end', () => process.exit())
