import { expect, it } from 'vitest'
import { findModels } from './find-models.ts'

const known = new Set(['zephyr-3', 'northwind-ai/zephyr-3', 'kestrel', 'k3'])

it.each([
  ['a known id anywhere', 'app.ts', 'call("zephyr-3") // zephyr-3.', ['zephyr-3', 'zephyr-3']],
  ['a known id with its provider', 'app.ts', '`northwind-ai/zephyr-3`', ['northwind-ai/zephyr-3']],
  ['no longer or shorter id', 'app.ts', '"zephyr-3-mini" "zephyr" "a-zephyr-3"', []],
  ['a word only in quotes', 'app.ts', "a kestrel 'kestrel'", ['kestrel']],
  ['a short id only in quotes', 'app.ts', "const k3 = k3() // `k3` and ask('k3')", ['k3', 'k3']],
  ['no word that is the value of another name', 'a.json', '{"delta": "kestrel"}', []],
  ['a word that is the value of model', 'a.json', '{"model": "kestrel"}', ['kestrel']],
  ['the value of model', 'app.ts', '{ model: \'gale-2\', modelId: "x1" }', ['gale-2', 'x1']],
  ['JSON', 'app.json', '{ "model": "gale-2" }', ['gale-2']],
  ['a flag', 'run.sh', 'ask --model gale-2 "why?"', ['gale-2']],
  ['a variable', '.env.example', 'CHAT_MODEL=gale-2\nEMBED_MODEL="x-1"\n', ['gale-2', 'x-1']],
  ['YAML', 'config/app.yaml', 'model: vendor/gale-2 # new', ['vendor/gale-2']],
  ['no expression in code', 'app.py', 'model = other-model2; model: string', []],
  ['no file', 'app.ts', "model: 'user-2.ts'", []],
  ['no plain word', 'app.ts', "model: 'user'", []],
])('finds %s', (_, path, text, models) => {
  expect(findModels({ path, text }, known).map(({ model }) => model)).toEqual(models)
})

it('says the line and the column', () => {
  const text = 'first\n  model: "gale-2",\n\n"zephyr-3" "zephyr-3"\n'
  expect(findModels({ path: 'app.ts', text }, known)).toEqual([
    { path: 'app.ts', model: 'gale-2', line: 2, column: 11 },
    { path: 'app.ts', model: 'zephyr-3', line: 4, column: 2 },
    { path: 'app.ts', model: 'zephyr-3', line: 4, column: 13 },
  ])
})

it('takes a time that grows with the size of a file', () => {
  const long = 'a.model-'.repeat(120_000)
  const startedAt = performance.now()
  expect(findModels({ path: 'app.yml', text: long }, known)).toEqual([])
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})
