// How often the cases of a suite were run, read from the database of results as another program reads it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const SCRIPT = `
import json, sqlite3, sys
connection = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
rows = connection.execute("SELECT id, count(*) FROM results JOIN cases ON cases.number = case_number GROUP BY id")
print(json.dumps(dict(rows.fetchall())))
`;

/** The number of stored runs of each case below a folder, by id; undefined before any was run. */
export function storedRuns(folder) {
  const database = path.join(folder, '.rubric/results.db');
  if (!fs.existsSync(database)) return undefined;
  const runs = JSON.parse(execFileSync('python3', ['-c', SCRIPT, database], { encoding: 'utf8' }));
  return Object.keys(runs).length ? runs : undefined;
}
