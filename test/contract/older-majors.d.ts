// The older majors that the adapters are tested with, under the types of the newer ones.
declare module 'express-4' {
  import express from 'express'
  export default express
}

declare module 'koa-2' {
  import Koa from 'koa'
  export default Koa
}
