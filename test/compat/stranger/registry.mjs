// A local registry: `node registry.mjs <own> <others> <uplink> <port>` prints its address. It
// downloads missing packages from the uplink into the folder `others`, except our own, whoever owns
// their names there. Those are stored in the folder `own`.
import { createRequire } from 'node:module'
import { relative } from 'node:path'

const require = createRequire(new URL('../../support/tools/stranger/package.json', import.meta.url))
const { runServer } = require('verdaccio')

const [ownStorage, storage, uplink, port] = process.argv.slice(2)
const anybody = { access: '$all', publish: '$anonymous', unpublish: '$anonymous' }
// Verdaccio joins it to the storage of all.
const own = { ...anybody, proxy: [], storage: relative(storage, ownStorage) }

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
server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
process.stdin.resume().once('end', () => process.exit())
