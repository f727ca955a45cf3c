import { describe } from 'vitest'
import { answersCases } from './answers.ts'
import { bodiesCases } from './bodies.ts'
import { connectionCases } from './connections.ts'
import { faultCases } from './faults.ts'
import { overSockets, type Mount, type Serve } from './harness.ts'
import { hostileBodyCases } from './hostile-bodies.ts'
import { signatureCases } from './signatures.ts'

/** What every adapter promises, over real sockets and with real signatures. */
export function describeContract(framework: string, serve: Serve): void {
  describe(`${framework} keeps the contract`, () => {
    handlerCases(async (receiver) => overSockets(await serve(receiver)))
    connectionCases(serve)
    hostileBodyCases(serve)
  })
}

/** The part of it that does not need a socket, through a test tool of the framework's own. */
export function describeHandlerContract(tool: string, mount: Mount): void {
  describe(`${tool} sees the contract kept`, () => {
    handlerCases(mount)
  })
}

function handlerCases(mount: Mount): void {
  answersCases(mount)
  signatureCases(mount)
  bodiesCases(mount)
  faultCases(mount)
}
