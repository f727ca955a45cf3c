import {
  Action,
  Field,
  Form,
  Frame,
  Keys,
  Mark,
  Notices,
  replaceRoute,
  useLive,
  useTopic,
} from '@feed-receiver/page-kit'
import { render } from 'preact'
import { useState } from 'preact/hooks'
import type { SessionAnswer } from '../../src/access.ts'
import { act, Allowed, askSession, loggedOut } from './api.ts'
import { PausedBar } from './pauses.tsx'
import { screens } from './screens.tsx'

const mark = (
  <Mark path="M7.5 17h4.5l1.5 3h5l1.5-3h4.5M9.700 9.5h12.600l2.200 7.5v5a1.5 1.5 0 0 1-1.5 1.5H9A1.5 1.5 0 0 1 7.5 22v-5z" />
)

function App() {
  const [lost, setLost] = useState(0)
  useTopic(loggedOut, () => setLost((before) => before + 1))
  // Every action of the user refreshes this too, the login included.
  const { answer: session, problem } = useLive(`session ${lost}`, enter, 60_000)
  if (!session) return <p class="loading">{problem}</p>
  if (session.operator !== null) return <Console session={session} />
  return (
    <>
      <Login session={session} />
      <Notices />
    </>
  )
}

function Login({ session: { title, login, readOnly } }: { session: SessionAnswer }) {
  return (
    <main class="login">
      <div class="card">
        {mark}
        <h1>{title}</h1>
        {login === 'token' ? (
          <Form label="Log in" isKept submit={(values) => act('login', values)}>
            <Field
              label="Token"
              name="token"
              type="password"
              required
              autocomplete="current-password"
              autofocus
            />
            {!readOnly && (
              <Field
                label="Your name"
                hint="Recorded with your actions."
                name="name"
                autocomplete="nickname"
                required
                maxLength={60}
              />
            )}
          </Form>
        ) : (
          <p>You have no access to this inbox. Log in to its app, and reload this page.</p>
        )}
      </div>
    </main>
  )
}

function Console({ session }: { session: SessionAnswer }) {
  const { title, subtitle, readOnly, operator, login } = session
  const foot = (
    <>
      {readOnly && <span class="tag">Read-only</span>}
      <span class="who">{operator}</span>
      <Keys keys={keys} />
      {login === 'token' && <Action label="Log out" look="quiet" run={() => act('logout', {})} />}
    </>
  )
  return (
    <Allowed.Provider value={session}>
      <Frame
        title={title}
        subtitle={subtitle}
        mark={mark}
        screens={screens}
        foot={foot}
        top={<PausedBar />}
      />
    </Allowed.Provider>
  )
}

const keys = [
  ['1 to 5', 'Go to a screen'],
  ['/', 'Search, on the screen Entries'],
  ['j and k', 'Select the next or previous row'],
  ['Enter', 'Open the selected row'],
  ['Escape', 'Leave the search, or close a dialog'],
  ['?', 'Show these keys'],
] as const

/** The parameters of a login link, until they are sent to the server. */
let brought: URLSearchParams | null = null

/** Requests the session, and logs in with the parameters of a login link. */
async function enter(): Promise<SessionAnswer> {
  const link = new URLSearchParams(location.hash.slice(1))
  if (link.has('token')) {
    brought = link
    // The token leaves the address immediately, even if the server rejects it.
    replaceRoute('overview')
  }
  let session = await askSession()
  if (brought && session.operator === null && session.login === 'token') {
    await act('login', Object.fromEntries(brought)).catch(() => {})
    session = await askSession()
  }
  brought = null
  return session
}

const root = document.getElementById('app')
if (root) render(<App />, root)
