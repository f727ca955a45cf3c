import { createConsole } from '@feed-receiver/console'
import { createInbox } from '@feed-receiver/inbox'

const inbox = createInbox()
await inbox.start()
const show = createConsole({ inbox, authorize: () => ({ name: 'Ada' }) })
const url = 'http://localhost/console/'
const get = (path) => show(new Request(new URL(path, url)))

const page = await get('')
console.log('page', page.status)
const html = await page.text()
const fileOf = (extension) => new RegExp(`"([^"]*\\.${extension})"`).exec(html)[1]
for (const [name, extension] of Object.entries({ icon: 'svg', style: 'css', script: 'js' })) {
  console.log(name, (await get(fileOf(extension))).status)
}
const entries = await get('api/entries')
console.log('entries', entries.status, await entries.text())

await inbox.stop()
