import type { Receiver } from '@feed-receiver/core'
import { describe } from 'vitest'
import { answersCases } from './answers.ts'
import { bodiesCases } from './bodies.ts'
import { connectionCases } from './connections.ts'
import { faultCases } from './faults.ts'
import { makingOf, overSockets, setupSocket, type Mount, type Serve } from './harness.ts'
import { hostileBodyCases } from './hostile-bodies.ts'
import type { OpenSocket, ServerTraits } from './session.ts'
import { signatureCases } from './signatures.ts'
import { hostCases } from './sockets.ts'

/** The contract of every adapter, over real sockets and with real signatures. */
export function describeContract(framework: string, serve: Serve, traits?: ServerTraits): void {
  describe(`${framework} passes the contract`, () => {
    const mount = async (receiver: Receiver) => overSockets(await serve(receiver))
    handlerCases(Object.assign(mount, makingOf(serve)))
    connectionCases(serve, traits)
    const open: OpenSocket = (limits) => setupSocket(serve, limits)
    describe('hosts', () => {
      hostCases(open, traits)
    })
    hostileBodyCases(open)
  })
}

/** The part of the contract that needs no socket, with a test tool of the framework. */
export function describeHandlerContract(tool: string, mount: Mount): void {
  describe(`${tool} keeps the contract of a handler`, () => {
    handlerCases(mount)
  })
}

function handlerCases(mount: Mount): void {
  answersCases(mount)
  signatureCases(mount)
  bodiesCases(mount)
  faultCases(mount)
}
