import { describe } from 'vitest'
import { answersCases } from './answers.ts'
import { bodiesCases } from './bodies.ts'
import { connectionCases } from './connections.ts'
import { faultCases } from './faults.ts'
import type { Serve } from './harness.ts'
import { signatureCases } from './signatures.ts'

/** What every adapter promises, over real sockets and with real signatures. */
export function describeContract(framework: string, serve: Serve): void {
  describe(`${framework} keeps the contract`, () => {
    answersCases(serve)
    signatureCases(serve)
    bodiesCases(serve)
    connectionCases(serve)
    faultCases(serve)
  })
}
