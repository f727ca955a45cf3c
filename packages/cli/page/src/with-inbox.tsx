import { Head, useLive, type Screen } from '@feed-receiver/page-kit'
import { Allowed, askSession } from '../../../console/page/src/api.ts'

/** Shows a screen of the console once the app has an inbox. Until then, says why there is none. */
export function withInbox(Shown: Screen['Screen']): Screen['Screen'] {
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
