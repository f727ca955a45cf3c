/**
 * The folder of the built page of `feed-receiver dev`: a timeline of every event, with the screens
 * of the sandbox and of the console. Pass it to `createSandbox` as `page.folder`.
 */
export const devPage = new URL('../../dist/page/', import.meta.url)
