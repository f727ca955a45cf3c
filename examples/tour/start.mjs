import { parseArgs } from 'node:util'
import { buildPages } from '../../test/repo/run/build-pages.mjs'
import { ensureInstalled, fromSource, requireNode, run } from '../../test/repo/run/install.mjs'

const help = `npm start [-- --once]

Delivers a signed feed to an app with an inbox, and shows the result of each event.

  --once      exit after printing the counts, with code 1 if one is wrong
  -h, --help  show this help

The app listens on port 3000, or on PORT.`

requireNode()
process.exitCode = await main(process.argv.slice(2))

async function main(args) {
  try {
    const options = { once: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } }
    const { values } = parseArgs({ args, options })
    if (!values.help) return await runTour(args)
    console.log(help)
    return 0
  } catch (error) {
    if (!String(error.code).startsWith('ERR_PARSE_ARGS')) throw error
    console.error(`${error.message.split('. ')[0]}. See: npm start -- --help`)
    return 2
  }
}

async function runTour(args) {
  await ensureInstalled()
  buildPages()
  return run('node', [...fromSource, 'examples/tour/tour.ts', ...args])
}
