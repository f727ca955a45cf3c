import { useState } from 'preact/hooks'
import type { SessionAnswer } from '../../src/login.ts'
import { act } from './api.ts'
import { Mark } from './mark.tsx'

export interface LoginProps {
  session: SessionAnswer
  onEntered: () => void
}

/** What there is to see before anybody may look. */
export function Login({ session, onEntered }: LoginProps) {
  return (
    <main class="login">
      <div class="login-card">
        <Mark />
        <h1>{session.title}</h1>
        {session.login === 'token' ? (
          <TokenForm isReadOnly={session.readOnly} onEntered={onEntered} />
        ) : (
          <p>You may not look at this inbox. Log in to the app that it is a part of, and reload.</p>
        )}
      </div>
    </main>
  )
}

function TokenForm({ isReadOnly, onEntered }: { isReadOnly: boolean; onEntered: () => void }) {
  const [problem, setProblem] = useState('')
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const said = Object.fromEntries(new FormData(event.currentTarget))
    setProblem('')
    await act('login', said).then(onEntered, (error: Error) => setProblem(error.message))
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <label>
        Token
        <input name="token" type="password" required autocomplete="current-password" autofocus />
      </label>
      {!isReadOnly && (
        <label>
          Your name
          <input name="name" autocomplete="nickname" required maxLength={60} />
          <small>It is kept with what you do here.</small>
        </label>
      )}
      <p class="problem" role="alert">
        {problem}
      </p>
      <button class="primary">Look inside</button>
    </form>
  )
}
