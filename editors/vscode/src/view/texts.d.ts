/** Files that the build puts into the extension as texts. */
declare module '*/bundle/report.css' {
  const text: string;
  export default text;
}
declare module '*/bundle/report.js' {
  const text: string;
  export default text;
}
