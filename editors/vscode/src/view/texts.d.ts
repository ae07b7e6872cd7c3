/** Files that the build puts into the extension as texts. */
declare module '*.css' {
  const text: string;
  export default text;
}
declare module '*.page.js' {
  const text: string;
  export default text;
}
