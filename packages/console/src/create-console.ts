import { createAccess, type Authorize } from './access.ts'
import { answerApi } from './api.ts'
import type { ConsoleInbox } from './console-inbox.ts'
import { createPageFiles, fileNameIn } from './page-files.ts'

export interface ConsoleOptions {
  /** The inbox to look into, started by then. */
  inbox: ConsoleInbox
  /**
   * Who knows it may look: 16 characters or more, random, from the environment. People type it into
   * the page, or follow a link that ends with `#token=…`. Give either this or `authorize`.
   */
  token?: string | undefined
  /** Asks the app itself who a request comes from; null refuses it. */
  authorize?: Authorize | undefined
  /**
   * Whether the page only shows, and every action is refused.
   * @default true
   */
  readOnly?: boolean
  /**
   * What the page is called, where there are several.
   * @default 'Inbox'
   */
  title?: string
  /**
   * For how many hours a token that was typed in holds.
   * @default 12
   */
  sessionHours?: number
  /**
   * Told of what fails while answering; the page only learns that something did.
   * @default process.emitWarning
   */
  onError?: (error: unknown) => void
}

/** Answers the page, its files and its API, under whatever path it is mounted. */
export type Console = (request: Request) => Promise<Response>

/**
 * Makes a web page over an inbox. It opens nothing, and closes nothing. Throws `ConsoleError`
 * `no_access_rule` without a `token` or `authorize`, and `bad_option` for one that cannot be.
 */
export function createConsole({
  inbox,
  token,
  authorize,
  readOnly = true,
  title = 'Inbox',
  sessionHours = 12,
  onError = (error) => process.emitWarning(String(error), 'FeedConsoleWarning'),
}: ConsoleOptions): Console {
  const access = createAccess({ token, authorize, sessionHours })
  const page = createPageFiles()

  return async (request) => {
    const { pathname } = new URL(request.url)
    // Only the end of a path is ours to read: what is before it belongs to the app or its proxy.
    const action = /\/api\/([a-z]+)$/.exec(pathname)?.[1]
    if (action !== undefined) {
      return await answerApi(request, action, { inbox, access, readOnly, title, onError })
    }
    return await page.answer(request, fileNameIn(pathname))
  }
}
