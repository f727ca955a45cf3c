import { securityHeaders } from './security-headers.ts'

export interface AnswerOptions {
  status?: number
  cookies?: readonly (string | null)[]
}

/** Answers data, which no cache keeps. */
export function answerJson(
  content: unknown,
  { status = 200, cookies = [] }: AnswerOptions = {},
): Response {
  const headers = new Headers({
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
  for (const cookie of cookies) if (cookie !== null) headers.append('set-cookie', cookie)
  return new Response(JSON.stringify(content), { status, headers })
}
