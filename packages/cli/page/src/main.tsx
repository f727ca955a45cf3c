import { Frame, Head, Mark, useLive, type Screen } from '@feed-receiver/page-kit'
import { render } from 'preact'
import { Allowed, askSession } from '../../../console/page/src/api.ts'
import { screens as inboxScreens } from '../../../console/page/src/screens.tsx'
import { Clock } from '../../../sandbox/page/src/clock.tsx'
import { Keyboard } from '../../../sandbox/page/src/keyboard.tsx'
import { Once } from '../../../sandbox/page/src/once.tsx'
import { screens as feedScreens } from '../../../sandbox/page/src/screens.tsx'
import { Story } from './story.tsx'
import { Timeline } from './timeline.tsx'
import { handledType } from './use-timeline.ts'

/** The timeline, followed by all screens of the control page and of the console. */
const screens = new Map<string, Screen>([
  ['timeline', { title: 'Timeline', Screen: Timeline }],
  ['story', { title: 'Event', Screen: Story, within: 'timeline' }],
  ...[...feedScreens].map(([name, screen]) => [name, { ...screen, group: 'Feed' }] as const),
  ...[...inboxScreens].map(
    ([name, { Screen: Shown, ...screen }]) =>
      [name, { ...screen, Screen: inboxScreen(Shown), group: 'Inbox' }] as const,
  ),
])

const mark = <Mark path="M8 23h16M10.500 23l2-9h7l2 9M12.500 14V9.500h7V14" />

const foot = (
  <>
    <a href="https://feed-receiver.github.io/feed-receiver/events">Event types</a>
    <a href="/developers">For developers</a>
    <Keyboard firstType={handledType} />
  </>
)

const root = document.getElementById('app')
if (root) {
  render(
    <>
      <Frame title="Feed" mark={mark} screens={screens} foot={foot} top={<Clock />} />
      <Once />
    </>,
    root,
  )
}

/** Shows a screen of the console once the app has an inbox. Until then, says why there is none. */
function inboxScreen(Shown: Screen['Screen']): Screen['Screen'] {
  return function InInbox(props) {
    const { answer: session, problem } = useLive('session', askSession, 10_000)
    if (session) {
      return (
        <Allowed.Provider value={session}>
          <Shown {...props} />
        </Allowed.Provider>
      )
    }
    return (
      <>
        <Head title="Inbox" />
        <p class="empty">{problem}</p>
      </>
    )
  }
}
