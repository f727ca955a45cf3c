import { describe } from 'vitest'
import { connectionCases } from '../../contract/connections.ts'
import { overSockets, setupSocket, type Serve, type TestRequest } from '../../contract/harness.ts'
import type { ServerTraits } from '../../contract/session.ts'
import { hostileBodyCases } from '../../contract/hostile-bodies.ts'
import { describeHandlerContract } from '../../contract/suite.ts'
import { leaveOut } from './leave-out.ts'

/**
 * The whole contract over sockets, without requests that the platform answers before the receiver.
 * Requests without a content type get that of the service, because platforms treat them as a form.
 */
export function describePlatform(
  platform: string,
  serve: Serve,
  isAnswered: (request: TestRequest) => boolean = isForFramework,
  traits: ServerTraits = {},
): void {
  const mount = leaveOut(isAnswered, async (receiver) => {
    const { send, close } = overSockets(await serve(receiver))
    return { send: (request) => send(withType(request)), close }
  })
  describeHandlerContract(platform, mount)
  describe(`${platform} passes the contract of connections`, () => {
    connectionCases(serve, { passesMethods: false, ...traits })
    hostileBodyCases((limits) => setupSocket(serve, limits))
  })
}

function withType(request: TestRequest): TestRequest {
  return { ...request, headers: { 'content-type': 'application/json', ...request.headers } }
}

const formTypes = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)/

/** Methods other than that of the route, and requests that a form of another site could send. */
function isForFramework({ method = 'POST', headers }: TestRequest): boolean {
  return method !== 'POST' || formTypes.test(headers['content-type'] ?? '')
}
