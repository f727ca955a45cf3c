/** Takes the README's picture of the console: npm run screenshot */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { showConsole } from './show-console.ts'

const folder = fileURLToPath(new URL('../../docs/', import.meta.url))
const path = join(folder, 'console.png')
const maxKilobytes = 200

mkdirSync(folder, { recursive: true })
await showConsole(async ({ enter }) => {
  const page = await enter({ colorScheme: 'light', viewport: { width: 1280, height: 800 } })
  await page.screenshot({ path })
})

const kilobytes = Math.ceil(statSync(path).size / 1_000)
console.log(`docs/console.png has ${kilobytes} kB.`)
if (kilobytes > maxKilobytes) {
  console.error(`It must not have more than ${maxKilobytes} kB, because every reader loads it.`)
  process.exitCode = 1
}
