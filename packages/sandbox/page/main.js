import { accounts } from './screens/accounts.js'
import { deliveries } from './screens/deliveries.js'
import { delivery } from './screens/delivery.js'
import { destinations } from './screens/destinations.js'
import { event } from './screens/event.js'
import { everything } from './screens/everything.js'
import { faults } from './screens/faults.js'
import { feed } from './screens/feed.js'
import { requests } from './screens/requests.js'
import { clock } from './clock.js'
import { h, replace } from './element.js'
import { empty } from './live.js'
import { refreshTimes } from './times.js'

const screens = {
  feed: ['Feed', feed],
  destinations: ['Destinations', destinations],
  deliveries: ['Deliveries', deliveries],
  requests: ['Requests', requests],
  faults: ['Faults', faults],
  accounts: ['Accounts and keys', accounts],
  everything: ['Settings and reset', everything],
  event: ['Event', event, 'feed'],
  delivery: ['Delivery', delivery, 'deliveries'],
}
const pollMs = 2000

const main = document.getElementById('main') ?? document.body
const readClock = clock(document.getElementById('clock'))
let refresh = async () => undefined
let timer
let round = 0

addEventListener('hashchange', open)
document.addEventListener('changed', () => void look())
document.addEventListener('visibilitychange', () => void look())
setInterval(refreshTimes, 1000)
open()

/** Shows the screen that the address names. */
function open() {
  const { pathname, searchParams } = new URL(location.hash.slice(1) || '/feed', location.href)
  const name = pathname.slice(1)
  const [title, show, within = name] = Object.hasOwn(screens, name) ? screens[name] : []
  document.title = `${title ?? 'Nothing here'} · Sandbox`
  showScreens(within)
  const heading = h('h1', { tabindex: '-1' }, title ?? 'Nothing here')
  const problem = h('p', { class: 'problem', role: 'alert' })
  const place = h('div', {})
  replace(main, h('div', { class: 'head' }, heading), problem, place)
  const reread = show
    ? show(place, searchParams, heading)
    : void place.append(empty('There is no such screen.'))
  refresh = async () => {
    try {
      await readClock()
      await reread?.()
      problem.textContent = ''
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error)
    }
  }
  scrollTo(0, 0)
  if (round > 0) heading.focus()
  void look()
}

/** Reads anew at once, and then every so often for as long as somebody looks. */
async function look() {
  clearTimeout(timer)
  round += 1
  const own = round
  if (document.hidden) return
  await refresh()
  if (own === round) timer = setTimeout(look, pollMs)
}

function showScreens(current) {
  const links = Object.entries(screens)
    .filter(([, [, , within]]) => within === undefined)
    .map(([name, [title]]) =>
      h(
        'a',
        { href: `#/${name}`, 'aria-current': name === current && 'page', 'data-key': name },
        title,
      ),
    )
  const nav = document.getElementById('screens')
  if (nav) replace(nav, links)
  nav?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
}
