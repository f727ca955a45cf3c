#!/usr/bin/env node
// Before any other module loads: an old Node would fail on it, with an unhelpful message.
const { node } = process.versions
const [major = 0, minor = 0] = node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 19)) {
  const { main } = await import('./main.ts')
  const { env, stdin: input, stdout: output, stderr } = process
  // Without these, Ctrl-C would end the process between two files. Some pseudo-terminals have no
  // columns, in which clack would wrap lines forever.
  const hasTerminal = output.isTTY && output.columns > 0 && env['CI'] === undefined
  const stopping = new AbortController()
  process.on('SIGINT', () => stopping.abort())
  process.on('SIGTERM', () => stopping.abort())
  process.exitCode = await main(process.argv.slice(2), {
    cwd: process.cwd(),
    env,
    input,
    output,
    canAsk: input.isTTY && hasTerminal,
    hasTerminal,
    signal: stopping.signal,
    print: (line) => void output.write(`${line}\n`),
    complain: (line) => void stderr.write(`${line}\n`),
  })
} else {
  process.stderr.write(
    `This command needs Node 20.19 or newer, but this is Node ${node}. Upgrade Node and try again.\n`,
  )
  process.exitCode = 1
}
