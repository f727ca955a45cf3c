import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { checkLines } from './checked-lines.ts'

async function pass(...chunks: (string | Buffer)[]) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const passed = text(checkLines(input, output))
  for (const chunk of chunks) input.write(chunk)
  input.end()
  const lines = await passed
  output.end()
  const answers = (await text(output)).split('\n').filter(Boolean)
  return { passed: lines, answers: answers.map((line): unknown => JSON.parse(line)) }
}

const ping = '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"ü"}}\n'

it('passes messages on, however they are cut', async () => {
  const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}\r\n'
  const bytes = Buffer.from(ping + notification + '\n' + ping)
  const pieces = [...bytes].map((byte) => Buffer.from([byte]))
  expect(await pass(...pieces)).toEqual({ passed: bytes.toString(), answers: [] })
})

it.each([
  ['no JSON', 'hello', -32_700, null],
  ['an older version', '{"jsonrpc":"1.0","id":7,"method":"ping"}', -32_600, 7],
  ['no version', '{"id":"seven","method":"ping"}', -32_600, 'seven'],
  ['parameters in a list', '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32_600, 7],
  ['a batch', `[${ping.trim()}]`, -32_600, null],
  ['null', 'null', -32_600, null],
])('answers a line with %s, and passes the next one on', async (_, line, code, id) => {
  const { passed, answers } = await pass(`${line}\n${ping}`)
  expect(answers).toEqual([
    { jsonrpc: '2.0', id, error: { code, message: expect.stringMatching(/\.$/) } },
  ])
  expect(passed).toBe(ping)
})

it('answers a line of more than 10 MiB, and passes the next one on', async () => {
  const { passed, answers } = await pass(
    Buffer.alloc(5 * 2 ** 20, 'x'),
    Buffer.alloc(6 * 2 ** 20, 'x'),
    `\n${ping}`,
  )
  expect(answers).toMatchObject([
    { error: { code: -32_600, message: expect.stringContaining('10 MiB') } },
  ])
  expect(passed).toBe(ping)
})
