"""The globals of JavaScript and of Node.js 18 to 24 that inline code of promptfoo may use."""

__all__ = ["GLOBALS"]

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
