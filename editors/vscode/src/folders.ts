/** The places of suites in the Testing view: under their folders, like files; a folder with a single child is merged with it. */

/** A suite, by the names of the folders it is in and its own. */
export interface Filed {
  id: string;
  /** From the folder of the workspace downward; the last one is the suite's own. */
  path: string[];
}

export interface Folder {
  /** The names of the folders from the top, joined. */
  id: string;
  label: string;
}

export interface Filing {
  /** From the top downward. */
  folders: Folder[];
  label: string;
}

interface Node {
  folders: Map<string, Node>;
  suites: { id: string; name: string }[];
}

const empty = (): Node => ({ folders: new Map(), suites: [] });

/** Where each suite belongs, by its id. */
export function filed(suites: Iterable<Filed>): Map<string, Filing> {
  const top = empty();
  for (const { id, path } of suites) {
    const node = path.slice(0, -1).reduce((above, name) => {
      const below = above.folders.get(name) ?? empty();
      above.folders.set(name, below);
      return below;
    }, top);
    node.suites.push({ id, name: path[path.length - 1] });
  }
  const found = new Map<string, Filing>();
  const walk = (node: Node, folders: Folder[], path: string, before: string) => {
    // The label of an only child begins with the name of its folder.
    for (const { id, name } of node.suites) {
      found.set(id, { folders, label: before + name });
    }
    for (const [name, below] of node.folders) {
      const here = path + name;
      const label = before + name;
      if (below.folders.size + below.suites.length === 1) {
        walk(below, folders, `${here}/`, `${label}/`);
      } else {
        walk(below, [...folders, { id: `folder:${here}`, label }], `${here}/`, '');
      }
    }
  };
  walk(top, [], '', '');
  return found;
}
