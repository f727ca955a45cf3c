import type { OldApp } from './old-app.ts'

const withImport = (text: string, line: string, importLine: string) =>
  `${importLine}\n${text.replace('// HERE', line)}`

const nest = {
  '@nestjs/common': '^12.5.1',
  '@nestjs/core': '^12.5.1',
  'reflect-metadata': '^0.2.2',
  rxjs: '^7.8.2',
}
const tools = { '@types/node': '^20.19.0', typescript: '~7.0.2' }

const controller = (
  extension: string,
) => `import { Body, Controller, Get, Post } from '@nestjs/common';
import { ShopService } from './shop.service${extension}';

@Controller()
export class ShopController {
  constructor(private readonly shop: ShopService) {}

  @Get()
  getName(): string {
    return this.shop.name;
  }

  @Post('orders')
  order(@Body() body: { count: number }) {
    return { ordered: body.count };
  }
}
`
const service = `import { Injectable } from '@nestjs/common';

@Injectable()
export class ShopService {
  readonly name = 'a shop';
}
`
const shopModule = (extension: string) => `import { Module } from '@nestjs/common';
import { ShopController } from './shop.controller${extension}';
import { ShopService } from './shop.service${extension}';

@Module({ controllers: [ShopController], providers: [ShopService] })
export class AppModule {}
`
/** As "nest new" writes it. */
const nestConfig = {
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      module: 'nodenext',
      moduleResolution: 'nodenext',
      resolvePackageJsonExports: true,
      esModuleInterop: true,
      isolatedModules: true,
      declaration: true,
      removeComments: true,
      emitDecoratorMetadata: true,
      experimentalDecorators: true,
      target: 'ES2023',
      sourceMap: true,
      outDir: './dist',
      rootDir: './src',
      incremental: true,
      skipLibCheck: true,
      strict: true,
      strictPropertyInitialization: false,
      types: ['node'],
    },
    include: ['src'],
  }),
}

/** Apps on frameworks and platforms with modules, builds or file routes of their own. */
export const apps: OldApp[] = [
  {
    name: 'nest, CommonJS',
    builds: [['npm', 'exec', '--', 'tsc']],
    start: ['node', 'dist/main.js'],
    manifest: {
      name: 'shop',
      dependencies: { ...nest, '@nestjs/platform-express': '^12.5.1' },
      devDependencies: tools,
    },
    files: {
      ...nestConfig,
      'src/shop.controller.ts': controller(''),
      'src/shop.service.ts': service,
      'src/app.module.ts': shopModule(''),
      'src/main.ts': `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  // HERE
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000);
}
void bootstrap();
`,
    },
    edited: 'src/main.ts',
    mount: withImport,
  },
  {
    name: 'nest on Fastify, ES modules',
    builds: [['npm', 'exec', '--', 'tsc']],
    start: ['node', 'dist/main.js'],
    manifest: {
      name: 'shop',
      type: 'module',
      dependencies: { ...nest, '@nestjs/platform-fastify': '^12.5.0' },
      devDependencies: tools,
    },
    files: {
      ...nestConfig,
      'src/shop.controller.ts': controller('.js'),
      'src/shop.service.ts': service,
      'src/app.module.ts': shopModule('.js'),
      'src/main.ts': `import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';

async function bootstrap() {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter());
  // HERE
  await app.listen(process.env.PORT ?? 3000);
}
await bootstrap();
`,
    },
    edited: 'src/main.ts',
    mount: withImport,
  },
  {
    name: 'hono, TypeScript',
    builds: [['npm', 'exec', '--', 'tsc', '--noEmit']],
    start: ['npx', 'tsx', 'src/index.ts'],
    manifest: {
      name: 'shop',
      type: 'module',
      dependencies: { '@hono/node-server': '^2.1.8', hono: '^4.13.19' },
      devDependencies: { ...tools, tsx: '^4.23.15' },
    },
    files: {
      'src/index.ts': `import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
// HERE
app.get('/', (c) => c.text('a shop'))

serve({ fetch: app.fetch, port: Number(process.env.PORT) })
`,
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          target: 'ESNext',
          module: 'NodeNext',
          strict: true,
          verbatimModuleSyntax: true,
          skipLibCheck: true,
          types: ['node'],
        },
        include: ['src'],
      }),
    },
    edited: 'src/index.ts',
    mount: (text, line) => text.replace('// HERE', line),
  },
  {
    name: 'sveltekit',
    // Types of routes are written by its build.
    builds: [
      ['npm', 'exec', '--', 'vite', 'build'],
      ['npm', 'exec', '--', 'tsc', '--noEmit'],
    ],
    start: ['node', 'build'],
    manifest: {
      name: 'shop',
      type: 'module',
      devDependencies: {
        ...tools,
        '@sveltejs/adapter-node': '~5.5.7',
        '@sveltejs/kit': '~2.70.4',
        '@sveltejs/vite-plugin-svelte': '^6.2.0',
        svelte: '^5.57.3',
        typescript: '^6.0.0', // the newest that SvelteKit 2 takes
        vite: '^7.0.0',
      },
    },
    files: {
      'src/app.html': `<!doctype html>
<html lang="en">
  <head>%sveltekit.head%</head>
  <body>%sveltekit.body%</body>
</html>
`,
      'src/routes/+page.svelte': '<p>a shop</p>\n',
      'svelte.config.js': `import adapter from '@sveltejs/adapter-node'

export default { kit: { adapter: adapter() } }
`,
      'vite.config.ts': `import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [sveltekit()] })
`,
      'tsconfig.json': JSON.stringify({
        extends: './.svelte-kit/tsconfig.json',
        compilerOptions: { strict: true, skipLibCheck: true, types: ['node'] },
      }),
    },
  },
  {
    // The server of Nuxt 4 without its pages, since to install and build all of Nuxt takes minutes.
    name: 'the server of nuxt',
    template: 'nuxt',
    builds: [['npm', 'exec', '--', 'nitropack', 'build']],
    start: ['node', '.output/server/index.mjs'],
    manifest: { name: 'shop', type: 'module', dependencies: { nitropack: '^2.13.6' } },
    files: {
      'nitro.config.ts': `export default defineNitroConfig({
  srcDir: 'server',
  compatibilityDate: '2026-11-01',
})
`,
      'server/routes/index.ts': "export default defineEventHandler(() => 'a shop')\n",
      'tsconfig.json': JSON.stringify({ extends: './.nitro/types/tsconfig.json' }),
    },
  },
]
