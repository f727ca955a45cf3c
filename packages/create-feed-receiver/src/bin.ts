#!/usr/bin/env node
import { explainOldNode } from './explain-old-node.ts'

// Before anything else is loaded: an old Node would fail on it, with a text that helps nobody.
const problem = explainOldNode(process.versions.node)
if (problem === undefined) {
  const { main } = await import('./main.ts')
  const { env, stdin: input, stdout, stderr } = process
  const print = (line: string) => void stdout.write(`${line}\n`)
  const complain = (line: string) => void stderr.write(`${line}\n`)
  // Without these, Ctrl-C would end the process between two files.
  const stopping = new AbortController()
  process.on('SIGINT', () => stopping.abort())
  process.on('SIGTERM', () => stopping.abort())
  const { signal } = stopping
  const canAsk = input.isTTY && stdout.isTTY && env['CI'] === undefined
  const context = {
    cwd: process.cwd(),
    env,
    input,
    output: stdout,
    canAsk,
    signal,
    print,
    complain,
  }
  process.exitCode = await main(process.argv.slice(2), context)
} else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
}
