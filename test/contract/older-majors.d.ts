// Earlier major versions for the tests of the adapters, with the types of the current ones.
declare module 'express-4' {
  import express from 'express'
  export default express
}

declare module 'koa-2' {
  import Koa from 'koa'
  export default Koa
}
