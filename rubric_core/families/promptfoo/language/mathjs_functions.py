"""The functions that the formulas of derived metrics may call: those of mathjs 15."""

__all__ = ["FUNCTIONS"]

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
