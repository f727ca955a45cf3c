import { Field, Form } from '@feed-receiver/page-kit'
import type { ComponentChildren } from 'preact'
import type { SessionAnswer } from '../../src/login.ts'
import { act } from './api.ts'

export interface LoginProps {
  session: SessionAnswer
  mark: ComponentChildren
  onEntered: () => Promise<void>
}

/** What there is to see before anybody may look. */
export function Login({ session: { title, login, readOnly }, mark, onEntered }: LoginProps) {
  const enter = async (values: object) => {
    await act('login', values)
    await onEntered()
  }
  return (
    <main class="login">
      <div class="card">
        {mark}
        <h1>{title}</h1>
        {login === 'token' ? (
          <Form label="Look inside" isKept submit={enter}>
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
                hint="It is kept with what you do here."
                name="name"
                autocomplete="nickname"
                required
                maxLength={60}
              />
            )}
          </Form>
        ) : (
          <p>You may not look at this inbox. Log in to the app that it is a part of, and reload.</p>
        )}
      </div>
    </main>
  )
}
