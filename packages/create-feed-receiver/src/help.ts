export const help = `npm create feed-receiver@latest [folder] -- [options]
npm create feed-receiver@latest -- --into <folder> [options]

Makes an app that receives the feed, or adds the feed to an app that is there.

  --template <name>    express, koa, fastify or next (express)
  --database <kind>    embedded, or postgres (embedded)
  --pm <name>          npm, pnpm, yarn or bun (the one that runs this)
  -y, --yes            ask nothing, and take the defaults
  --no-install         install no packages
  --no-git             make no git repository
  --overwrite          write into a folder that is not empty, over files of the same names
  --into <folder>      add the feed to the Express, Koa, Fastify or Next app in this folder
  --dry-run            list what would be written, and write nothing
  -h, --help           show this
  --version            show the version

Nothing is asked where input or output is no terminal, or where CI is set.`
