import {
  Action,
  Dialog,
  Facts,
  Frame,
  Mark,
  messageOf,
  Notices,
  replaceRoute,
  type Screen,
  tell,
  useKeys,
  useTopic,
} from '@feed-receiver/page-kit'
import { render } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { SessionAnswer } from '../../src/login.ts'
import { act, askSession, loggedOut, ReadOnly } from './api.ts'
import { Entries } from './entries.tsx'
import { Entry } from './entry.tsx'
import { Feed } from './feed.tsx'
import { Login } from './login.tsx'
import { Overview } from './overview.tsx'
import { Quarantine } from './quarantine.tsx'
import { Quarantined } from './quarantined.tsx'
import { Secrets } from './secrets.tsx'
import { keys } from './words.tsx'

const screens = new Map<string, Screen>([
  ['overview', { title: 'Overview', Screen: Overview }],
  ['entries', { title: 'Entries', Screen: Entries }],
  ['entry', { title: 'Entry', Screen: Entry, within: 'entries' }],
  ['quarantine', { title: 'Quarantine', Screen: Quarantine }],
  ['quarantined', { title: 'Quarantined delivery', Screen: Quarantined, within: 'quarantine' }],
  ['feed', { title: 'Feed', Screen: Feed }],
  ['secrets', { title: 'Secrets', Screen: Secrets }],
])

const mark = (
  <Mark path="M7.5 17h4.5l1.5 3h5l1.5-3h4.5M9.700 9.5h12.600l2.200 7.5v5a1.5 1.5 0 0 1-1.5 1.5H9A1.5 1.5 0 0 1 7.5 22v-5z" />
)

const askedAgainMs = 2_000

/** The whole page: the login, or a screen in its frame. */
function App() {
  const [session, setSession] = useState<SessionAnswer | null>(null)
  const [problem, setProblem] = useState('')
  const brought = useRef<URLSearchParams | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)

  const look = useCallback(async () => {
    clearTimeout(timer.current)
    brought.current = takeToken() ?? brought.current
    try {
      setSession(await enter(brought.current))
      brought.current = null
    } catch (error) {
      setProblem(messageOf(error))
      timer.current = setTimeout(() => void look(), askedAgainMs)
    }
  }, [])
  useTopic(loggedOut, () => void look())
  useEffect(() => {
    void look()
    return () => clearTimeout(timer.current)
  }, [look])

  if (!session) return <p class="loading">{problem}</p>
  if (session.operator !== null) return <Console session={session} />
  return (
    <>
      <Login session={session} mark={mark} onEntered={look} />
      <Notices />
    </>
  )
}

function Console({ session: { title, readOnly, operator, login } }: { session: SessionAnswer }) {
  const [isHelping, setIsHelping] = useState(false)
  useKeys({ '?': () => setIsHelping(true) })
  const foot = (
    <>
      {readOnly && <span class="tag">Read-only</span>}
      <span class="who">{operator}</span>
      <button class="quiet" onClick={() => setIsHelping(true)}>
        Keys
      </button>
      {login === 'token' && <Action label="Log out" look="quiet" run={logOut} />}
    </>
  )
  return (
    <ReadOnly.Provider value={readOnly}>
      <Frame title={title} mark={mark} screens={screens} foot={foot} />
      {isHelping && (
        <Dialog title="Keys" onClose={() => setIsHelping(false)}>
          <Facts look="lines" facts={keys.map(([key, says]) => [<kbd>{key}</kbd>, says])} />
          <form method="dialog" class="tools">
            <button class="primary">Close</button>
          </form>
        </Dialog>
      )}
    </ReadOnly.Provider>
  )
}

async function logOut(): Promise<void> {
  await act('logout', {})
  tell(loggedOut, undefined)
}

/** What a link has brought: a token leaves the address at once, whatever the server says of it. */
function takeToken(): URLSearchParams | null {
  const brought = new URLSearchParams(location.hash.slice(1))
  if (!brought.has('token')) return null
  replaceRoute('overview')
  return brought
}

/** Asks who is looking, and enters with what a link has brought. */
async function enter(brought: URLSearchParams | null): Promise<SessionAnswer> {
  const session = await askSession()
  if (!brought || session.operator !== null || session.login !== 'token') return session
  const said = { token: brought.get('token'), name: brought.get('name') }
  await act('login', said).catch(() => {})
  return await askSession()
}

const root = document.getElementById('app')
if (root) render(<App />, root)
