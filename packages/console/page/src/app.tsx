import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { SessionAnswer } from '../../src/login.ts'
import { act, askSession } from './api.ts'
import { Frame } from './frame.tsx'
import { whenLoggedOut } from './logged-out.ts'
import { Login } from './login.tsx'
import { Notices } from './notices.tsx'
import { replaceRoute, useRoute } from './route.ts'
import { screenOf } from './screens.tsx'

/** The whole page: the login, or a screen in its frame. */
export function App() {
  const [session, setSession] = useState<SessionAnswer | null>(null)
  const [problem, setProblem] = useState('')
  const route = useRoute()

  const brought = useRef<URLSearchParams | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)

  const look = useCallback(async () => {
    clearTimeout(timer.current)
    brought.current = takeToken() ?? brought.current
    try {
      setSession(await enter(brought.current))
      brought.current = null
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      timer.current = setTimeout(() => void look(), askedAgainMs)
    }
  }, [])
  useEffect(() => {
    void look()
    const forget = whenLoggedOut(() => void look())
    return () => {
      clearTimeout(timer.current)
      forget()
    }
  }, [look])

  if (!session) return <p class="loading">{problem}</p>
  if (session.operator === null) return <Login session={session} onEntered={() => void look()} />
  const { title, Screen } = screenOf(route.screen)
  return (
    <>
      <Frame session={session} route={route} title={title}>
        <Screen parameters={route.parameters} isReadOnly={session.readOnly} />
      </Frame>
      <Notices />
    </>
  )
}

const askedAgainMs = 2_000

/** What a link has brought: a token leaves the address at once, whatever the server says of it. */
function takeToken(): URLSearchParams | null {
  const brought = new URLSearchParams(location.hash.slice(1))
  if (!brought.has('token')) return null
  replaceRoute('#/overview')
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
