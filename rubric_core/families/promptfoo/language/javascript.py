"""JavaScript in a configuration of promptfoo: as code that another program can run, and the names that code and formulas may use."""

from rubric_core.lazy_compilation import pattern

__all__ = ["FUNCTIONS", "GLOBALS", "declarations_and_result", "without_require"]

_DECLARED = pattern(r"(?:const|let|var)\s")


def declarations_and_result(code: str) -> tuple[str, str]:
    """Split code of one line into its declarations and the expression after them, whose value promptfoo takes.

    They are parted at the last semicolon outside of quotes; where declarations end with none, there is no result.
    """
    if not _DECLARED.match(code):
        return "", code
    quote, last, at = "", len(code), 0
    while at < len(code):
        sign = code[at]
        if sign == "\\":
            at += 1
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"`":
            quote = sign
        elif sign == ";":
            last = at
        at += 1
    return code[:last], code[last + 1 :]


def without_require(body: str) -> str:
    """The body of a function as a call of it, which has no `require`: promptfoo runs code as a module."""
    return f"((require) => (() => {{\n{body}\n}})())()"


_NAMES = """
Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error AggregateError
EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError globalThis JSON Math Intl ArrayBuffer Uint8Array Int8Array
Uint16Array Int16Array Uint32Array Int32Array Float16Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView
Map BigInt Set Iterator WeakMap WeakSet WeakRef Proxy Reflect FinalizationRegistry DisposableStack AsyncDisposableStack decodeURI
decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN console process global Buffer clearImmediate setImmediate
URL URLSearchParams URLPattern DOMException AbortController AbortSignal Event EventTarget CustomEvent ErrorEvent CloseEvent TextEncoder
TextDecoder TransformStream TransformStreamDefaultController WritableStream WritableStreamDefaultController WritableStreamDefaultWriter
ReadableStream ReadableStreamDefaultReader ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableByteStreamController
ReadableStreamDefaultController ByteLengthQueuingStrategy CountQueuingStrategy TextEncoderStream TextDecoderStream CompressionStream
DecompressionStream clearInterval clearTimeout setInterval setTimeout queueMicrotask structuredClone atob btoa BroadcastChannel MessageChannel
MessagePort MessageEvent Blob File Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver
PerformanceObserverEntryList PerformanceResourceTiming performance fetch FormData Headers Request Response SharedArrayBuffer Atomics WebAssembly
crypto Crypto CryptoKey SubtleCrypto WebSocket EventSource Navigator navigator Storage localStorage sessionStorage
"""
GLOBALS = frozenset(_NAMES.split())


FUNCTIONS = frozenset({
    "abs", "acos", "acosh", "acot", "acoth", "acsc", "acsch", "add", "addScalar", "and", "apply", "arg", "asec", "asech", "asin", "asinh",
    "atan", "atan2", "atanh", "bellNumbers", "bernoulli", "bigint", "bignumber", "bin", "bitAnd", "bitNot", "bitOr", "bitXor", "boolean",
    "catalan", "cbrt", "ceil", "clone", "column", "combinations", "combinationsWithRep", "compare", "compareNatural", "compareText",
    "compile", "complex", "composition", "concat", "conj", "corr", "cos", "cosh", "cot", "coth", "count", "createUnit", "cross", "csc",
    "csch", "ctranspose", "cube", "cumsum", "deepEqual", "den", "derivative", "det", "diag", "diff", "distance", "divide", "divideScalar",
    "dot", "dotDivide", "dotMultiply", "dotPow", "eigs", "equal", "equalScalar", "equalText", "erf", "evaluate", "exp", "expm", "expm1",
    "factorial", "factory", "fft", "filter", "fix", "flatten", "floor", "forEach", "format", "fraction", "freqz", "gamma", "gcd",
    "getMatrixDataType", "hasNumericValue", "hex", "hypot", "identity", "ifft", "im", "index", "intersect", "inv", "invmod",
    "isAccessorNode", "isArray", "isArrayNode", "isAssignmentNode", "isBigInt", "isBigNumber", "isBlockNode", "isBoolean", "isBounded",
    "isChain", "isCollection", "isComplex", "isConditionalNode", "isConstantNode", "isDate", "isDenseMatrix", "isFinite", "isFraction",
    "isFunction", "isFunctionAssignmentNode", "isFunctionNode", "isHelp", "isIndex", "isIndexNode", "isInteger", "isMap", "isMatrix",
    "isNaN", "isNegative", "isNode", "isNull", "isNumber", "isNumeric", "isObject", "isObjectNode", "isObjectWrappingMap",
    "isOperatorNode", "isParenthesisNode", "isPartitionedMap", "isPositive", "isPrime", "isRange", "isRangeNode", "isRegExp",
    "isRelationalNode", "isResultSet", "isSparseMatrix", "isString", "isSymbolNode", "isUndefined", "isUnit", "isZero", "kldivergence",
    "kron", "larger", "largerEq", "lcm", "leafCount", "leftShift", "lgamma", "log", "log10", "log1p", "log2", "lsolve", "lsolveAll",
    "lup", "lusolve", "lyap", "mad", "map", "mapSlices", "matrix", "matrixFromColumns", "matrixFromFunction", "matrixFromRows", "max",
    "mean", "median", "min", "mod", "mode", "multinomial", "multiply", "multiplyScalar", "norm", "not", "nthRoot", "nthRoots", "nullish",
    "num", "number", "numeric", "oct", "ones", "or", "parse", "partitionSelect", "permutations", "pickRandom", "pinv", "polynomialRoot",
    "pow", "print", "prod", "qr", "quantileSeq", "random", "randomInt", "range", "rationalize", "re", "reshape", "resize", "resolve",
    "rightArithShift", "rightLogShift", "rotate", "rotationMatrix", "round", "row", "schur", "sec", "sech", "setCartesian",
    "setDifference", "setDistinct", "setIntersect", "setIsSubset", "setMultiplicity", "setPowerset", "setSize", "setSymDifference",
    "setUnion", "sign", "simplify", "simplifyConstant", "simplifyCore", "sin", "sinh", "size", "slu", "smaller", "smallerEq", "solveODE",
    "sort", "sparse", "splitUnit", "sqrt", "sqrtm", "square", "squeeze", "std", "stirlingS2", "string", "subset", "subtract",
    "subtractScalar", "sum", "sylvester", "symbolicEqual", "tan", "tanh", "to", "toBest", "trace", "transpose", "typeOf", "unaryMinus",
    "unaryPlus", "unequal", "unit", "usolve", "usolveAll", "variance", "xgcd", "xor", "zeros", "zeta", "zpk2tf",
})  # fmt: skip
