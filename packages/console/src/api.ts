import type { Access, Operator } from './access.ts'
import { actions } from './actions.ts'
import { Refusal, toRefusal } from './refusal.ts'
import type { ApiOptions } from './api-options.ts'
import { answerJson } from './answer-json.ts'
import { isFromOwnPage } from './check-origin.ts'
import { hasCsrf } from './csrf.ts'
import { login, logout, showSession } from './login.ts'
import { readJson } from './read-json.ts'
import { views } from './views.ts'

/** Answers one call of the page; what fails becomes an answer with a `code`. */
export async function answerApi(
  request: Request,
  name: string,
  options: ApiOptions,
): Promise<Response> {
  try {
    return await answer(request, name, options)
  } catch (error) {
    const { status, code, message, isFault } = toRefusal(error)
    if (isFault) options.onError(error)
    return answerJson({ error: message, code }, { status })
  }
}

async function answer(request: Request, name: string, options: ApiOptions): Promise<Response> {
  if (request.method === 'GET') return await look(request, name, options)
  if (request.method === 'POST') return await act(request, name, options)
  throw new Refusal(405, 'method_not_allowed', 'Use GET to look and POST to act.')
}

async function look(request: Request, name: string, options: ApiOptions): Promise<Response> {
  if (name === 'session') return await showSession(request, options)
  const view = views.get(name)
  if (!view) throw notFound()
  await requireOperator(request, options.access)
  return answerJson(await view(options.inbox, new URL(request.url).searchParams))
}

async function act(request: Request, name: string, options: ApiOptions): Promise<Response> {
  // Before anything is read: a page of somebody else must not even find out whether it could.
  if (!isFromOwnPage(request) || !hasCsrf(request)) {
    throw new Refusal(403, 'not_our_page', 'Only the page of this console may do that. Reload it.')
  }
  const said = await readJson(request)
  if (name === 'login') return login(request, said, options.access)
  if (name === 'logout') return logout(request)
  const action = actions.get(name)
  if (!action) throw notFound()
  const operator = await requireOperator(request, options.access)
  if (options.readOnly || operator.readOnly === true) {
    throw new Refusal(403, 'read_only', 'This console only shows. Nothing was changed.')
  }
  const { inbox, onError } = options
  return await action({ inbox, onError, operator, said, signal: request.signal })
}

async function requireOperator(request: Request, access: Access): Promise<Operator> {
  const operator = await access.whoIs(request)
  if (operator) return operator
  throw new Refusal(401, 'not_logged_in', 'Log in first.')
}

function notFound(): Refusal {
  return new Refusal(404, 'not_found', 'There is no such thing here.')
}
