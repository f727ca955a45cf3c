import { Frame, Mark, type Screen } from '@feed-receiver/page-kit'
import { render } from 'preact'
import { Accounts } from './accounts.tsx'
import { Clock } from './clock.tsx'
import { Deliveries } from './deliveries.tsx'
import { Delivery } from './delivery.tsx'
import { Destinations } from './destinations.tsx'
import { Event } from './event.tsx'
import { Everything } from './everything.tsx'
import { Faults } from './faults.tsx'
import { Feed } from './feed.tsx'
import { Once } from './once.tsx'
import { Requests } from './requests.tsx'

const screens = new Map<string, Screen>([
  ['feed', { title: 'Feed', Screen: Feed }],
  ['destinations', { title: 'Destinations', Screen: Destinations }],
  ['deliveries', { title: 'Deliveries', Screen: Deliveries }],
  ['requests', { title: 'Requests', Screen: Requests }],
  ['faults', { title: 'Faults', Screen: Faults }],
  ['accounts', { title: 'Accounts and keys', Screen: Accounts }],
  ['everything', { title: 'Settings and reset', Screen: Everything }],
  ['event', { title: 'Event', Screen: Event, within: 'feed' }],
  ['delivery', { title: 'Delivery', Screen: Delivery, within: 'deliveries' }],
])

const mark = <Mark path="M8 23h16M10.500 23l2-9h7l2 9M12.500 14V9.500h7V14" />

const foot = (
  <>
    <a href="/developers">For developers</a>
    <a href="/v1/schema.json">OpenAPI</a>
  </>
)

const root = document.getElementById('app')
if (root) {
  render(
    <>
      <Frame title="Sandbox" mark={mark} screens={screens} foot={foot} top={<Clock />} />
      <Once />
    </>,
    root,
  )
}
