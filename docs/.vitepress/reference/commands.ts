import { commands } from '../../../packages/cli/src/commands.ts'
import { code, page, plain, table } from './markdown.ts'

/** Every command, from the definitions that `--help` prints. */
export async function renderCommands(): Promise<string> {
  return page(
    'Command line',
    'Every command of feed-receiver with its options, from the definitions that --help prints.',
    'Run a command with `npx feed-receiver`. Each one has `--help`, and `--json` for data on stdout.',
    ...(await Promise.all(commands.map(renderCommand))),
  )
}

type Command = (typeof commands)[number]

async function renderCommand({ name, operands, summary, load }: Command) {
  const { options, notes, examples } = await load()
  const rows = Object.values(options).map(({ flags, description }) => [
    code(flags),
    plain(description),
  ])
  return [
    `## ${name}`,
    `${plain(summary)}.`,
    fence(['feed-receiver', name, operands, rows.length > 0 ? '[options]' : ''].filter(Boolean)),
    ...notes.map(plain),
    ...(rows.length > 0 ? [table(['option', ''], rows)] : []),
    ...(examples.length > 0 ? [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``] : []),
  ].join('\n\n')
}

function fence(words: string[]): string {
  return `\`\`\`text\n${words.join(' ')}\n\`\`\``
}
