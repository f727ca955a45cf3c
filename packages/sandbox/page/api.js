/** A call that was refused, or not answered at all; the message is for people. */
export class ApiError extends Error {
  /** @param {string} message @param {number} [status] */
  constructor(message, status) {
    super(message)
    this.status = status
  }
}

/** Looks at something. */
export async function ask(name, query = {}) {
  const url = new URL(`/_sandbox/api/${name}`, location.href)
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') url.searchParams.set(key, value)
  }
  return await send(url, {})
}

/** Looks at one thing; undefined where it is not there. */
export async function find(name, query) {
  try {
    return await ask(name, query)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** Does something. What is undefined is left out. */
export async function act(name, input = {}) {
  return await send(new URL(`/_sandbox/api/${name}`, location.href), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
}

async function send(url, init) {
  const answer = await fetch(url, init).catch(() => {
    throw new ApiError('The sandbox does not answer. It is asked again every few seconds.')
  })
  const body = await answer.json().catch(() => ({}))
  if (answer.ok) return body.data
  throw new ApiError(body.error ?? `The sandbox answered with ${answer.status}.`, answer.status)
}
