import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'

// The AWS types, which toLambda does not need.
const asAws = `
import type { APIGatewayProxyHandler, APIGatewayProxyHandlerV2, LambdaFunctionURLHandler } from 'aws-lambda'
import { handler } from './handler.ts'

export const handlers: [APIGatewayProxyHandler, APIGatewayProxyHandlerV2, LambdaFunctionURLHandler] =
  [handler, handler, handler]
`

it('the programs match the types of their platforms', () => {
  const folder = inject('platforms').platforms
  writeFileSync(join(folder, 'lambda/as-aws.ts'), asAws)
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
})
