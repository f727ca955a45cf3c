// Our own rules for oxlint, which `.oxlintrc.json` loads.

const secretName = /(?:token|secret|signature|csrf|api_?key|authorization)s?$/i
const equality = new Set(['==', '===', '!=', '!=='])
const searches = new Set(['endsWith', 'equals', 'includes', 'indexOf', 'startsWith'])
const message =
  'Compare secrets in constant time, with `isSameSecret` of @feed-receiver/core/node. ' +
  'The time that this takes shows how much of a guess is right.'

const constantTime = {
  create(context) {
    return {
      BinaryExpression(node) {
        const { operator, left, right } = node
        if (equality.has(operator)) check(node, left, right)
      },
      CallExpression(node) {
        const { callee, arguments: given } = node
        if (callee.type !== 'MemberExpression' || given.length === 0) return
        if (searches.has(nameOf(callee.property))) check(node, callee.object, given[0])
      },
    }

    function check(node, one, other) {
      if (isKnown(one) || isKnown(other)) return
      if (isSecret(one) || isSecret(other)) context.report({ node, message })
    }
  },
}

const builtInError = /^(?:Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/
const realmMessage =
  'Use `isError`, and the name of the error for its kind. `instanceof` is false for an error of ' +
  'another realm, such as an error of Node in a test of Jest.'

const realm = {
  create(context) {
    return {
      BinaryExpression(node) {
        const isCheck = node.operator === 'instanceof' && builtInError.test(nameOf(node.right))
        if (isCheck) context.report({ node, message: realmMessage })
      },
    }
  },
}

const maxLines = 60

// `max-lines-per-function` counts the functions inside a function as well, so it would forbid a
// factory that returns a few of them.
const functionLength = {
  create(context) {
    const enclosing = []
    const enter = () => void enclosing.push(0)
    const leave = (node) => {
      const lines = countCode(context.sourceCode.getText(node))
      const own = lines - enclosing.pop()
      // A call of a function, or the place where it is declared, is one line of the outer one.
      if (enclosing.length > 0) enclosing[enclosing.length - 1] += lines - 1
      if (own <= maxLines) return
      const says = `This function has ${own} lines of code without the functions inside it.`
      context.report({ node, message: `${says} Split it: at most ${maxLines} are allowed.` })
    }
    return {
      FunctionDeclaration: enter,
      FunctionExpression: enter,
      ArrowFunctionExpression: enter,
      'FunctionDeclaration:exit': leave,
      'FunctionExpression:exit': leave,
      'ArrowFunctionExpression:exit': leave,
    }
  },
}

/** The lines that are neither blank nor only a comment. */
function countCode(text) {
  const code = text.replaceAll(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*$/gm, '')
  return code.split('\n').filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length
}

/** Whether it is written in the source, so that a comparison reveals nothing. */
function isKnown(node) {
  if (node.type === 'Literal') return true
  if (node.type === 'TemplateLiteral') return node.expressions.length === 0
  return node.type === 'Identifier' && node.name === 'undefined'
}

/** Whether a name in the expression says that its value is a secret. */
function isSecret(node) {
  switch (node.type) {
    case 'MemberExpression':
      return secretName.test(nameOf(node.property))
    case 'CallExpression':
      return isSecret(node.callee) || node.arguments.some(isSecretLiteral)
    case 'TemplateLiteral':
      return node.expressions.some(isSecret)
    case 'LogicalExpression':
    case 'BinaryExpression':
      return isSecret(node.left) || isSecret(node.right)
    case 'AwaitExpression':
      return isSecret(node.argument)
    case 'ChainExpression':
    case 'TSAsExpression':
    case 'TSNonNullExpression':
      return isSecret(node.expression)
    default:
      return secretName.test(nameOf(node))
  }
}

/** As in `headers.get('authorization')`. */
function isSecretLiteral(node) {
  return node.type === 'Literal' && secretName.test(nameOf(node))
}

function nameOf(node) {
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return node.name
  return node.type === 'Literal' ? String(node.value) : ''
}

export default {
  meta: { name: 'feed-receiver' },
  rules: { 'constant-time': constantTime, 'function-length': functionLength, realm },
}
