/** Whether a server and the extension fit. */

/** Versions with the same first two numbers fit. Undefined when these do. */
export function skew(extension: string, server: string | undefined): 'older' | 'newer' | undefined {
  const ours = series(extension);
  const theirs = series(server ?? '');
  if (ours.join() === theirs.join()) {
    return undefined;
  }
  return theirs[0] < ours[0] || (theirs[0] === ours[0] && theirs[1] < ours[1]) ? 'older' : 'newer';
}

function series(version: string): [number, number] {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? ['', '-1', '-1'];
  return [Number(major), Number(minor)];
}
