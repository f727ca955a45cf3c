import { useCallback, useEffect, useState } from 'preact/hooks'
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

  const look = useCallback(
    () =>
      enter()
        .then(setSession)
        .catch((error: Error) => setProblem(error.message)),
    [],
  )
  useEffect(() => {
    void look()
    return whenLoggedOut(() => void look())
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

/** Asks who is looking. A link may bring the token, which then leaves the address at once. */
async function enter(): Promise<SessionAnswer> {
  const session = await askSession()
  const brought = new URLSearchParams(location.hash.slice(1))
  const token = brought.get('token')
  if (token === null) return session
  replaceRoute('#/overview')
  if (session.operator !== null || session.login !== 'token') return session
  await act('login', { token, name: brought.get('name') }).catch(() => {})
  return await askSession()
}
