import { join } from 'node:path'

/** The environment of a user with that home folder and only this registry. */
export function strangerEnv(registryUrl: string, folder: string): NodeJS.ProcessEnv {
  const { PATH = '' } = process.env
  const { host } = new URL(registryUrl)
  return {
    PATH,
    HOME: folder,
    npm_config_registry: registryUrl,
    YARN_NPM_REGISTRY_SERVER: registryUrl,
    npm_config_cache: join(folder, 'npm-cache'),
    // Nothing new is published meanwhile, and revalidating hundreds of packages took minutes.
    npm_config_prefer_offline: 'true',
    npm_config_userconfig: join(folder, 'npmrc'),
    npm_config_update_notifier: 'false',
    [`npm_config_//${host}/:_authToken`]: 'anybody',
    NEXT_TELEMETRY_DISABLED: '1',
  }
}
